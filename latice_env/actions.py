"""The micro-actions, all in one space of 764.

| action | what it does |
|---|---|
| ``81 * slot + square`` | place the tile of a rack slot, 0-4, on a square |
| ``405 + 4 * square + direction`` | play a wind: shift the tile of a square up, down, left or right |
| ``728 + subset`` | exchange the tiles of a subset of the slots, 1-31: bit ``i`` is slot ``i`` |
| ``760`` | buy a move with a sunstone |
| ``761`` | buy a move with two halfstones |
| ``762`` | buy a wind back |
| ``763`` | end the turn; without a move made in it, a pass |
"""

from typing import Final

from latice_env.board import DIRECTION_NAMES, DIRECTIONS, SIDE, SQUARES

RACK: Final = 5
PLACE: Final = 0
WIND_SHIFT: Final = PLACE + RACK * SQUARES
EXCHANGE: Final = WIND_SHIFT + DIRECTIONS * SQUARES - 1
BUY_WITH_SUNSTONE: Final = EXCHANGE + (1 << RACK)
BUY_WITH_HALFSTONES: Final = BUY_WITH_SUNSTONE + 1
BUY_WIND: Final = BUY_WITH_HALFSTONES + 1
END: Final = BUY_WIND + 1
ACTIONS: Final = END + 1


def action_name(action: int) -> str:
    """An action in words, with squares as (row, column)."""
    if action < WIND_SHIFT:
        slot, square = divmod(action, SQUARES)
        return f"place slot {slot} on {divmod(square, SIDE)}"
    if action <= EXCHANGE:
        square, direction = divmod(action - WIND_SHIFT, DIRECTIONS)
        return f"shift {divmod(square, SIDE)} {DIRECTION_NAMES[direction]}"
    if action < BUY_WITH_SUNSTONE:
        slots = [slot for slot in range(RACK) if action - EXCHANGE >> slot & 1]
        return f"exchange slots {', '.join(map(str, slots))}"
    return {
        BUY_WITH_SUNSTONE: "buy a move with a sunstone",
        BUY_WITH_HALFSTONES: "buy a move with two halfstones",
        BUY_WIND: "buy a wind back",
        END: "end the turn",
    }[action]
