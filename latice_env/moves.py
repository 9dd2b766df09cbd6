"""What the actions do: the game from one micro-action to the next, and its end."""

from typing import Final

import numpy as np
from numba import njit

from latice_env.actions import BUY_WIND, BUY_WITH_SUNSTONE, END, EXCHANGE, RACK, WIND_SHIFT
from latice_env.board import DIRECTIONS, IS_SUN, NEIGHBOURS, NONE, SQUARES
from latice_env.deal import begin_turn, draw, put_on_rack, refill, shuffle, take_from_rack
from latice_env.legal import bits, fill_mask, wind_price
from latice_env.state import Game, Outcome
from latice_env.tiles import WIND

MOST_SUNSTONES: Final = 3
#: Sunstones and halfstones by how many tiles a placed one touches.
MATCH_SUNSTONES: Final = (0, 0, 0, 1, 2)
MATCH_HALFSTONES: Final = (0, 0, 1, 0, 0)
_PLAYING, _EMPTIED, _BLOCKED, _NO_PROGRESS = map(int, Outcome)


@njit(cache=True)
def play(game: Game, action: int, mask: np.ndarray) -> None:
    """Do a legal action, end the turn and the game if that is what follows, and write what is legal then.

    Args:
        game: changed.
        action: 0-763, a legal one: nothing is checked here.
        mask: int8 (764,), written.
    """
    turn_over = act(game, action) or fill_mask(game, mask) == 1
    if turn_over:
        if game["outcome"] == _PLAYING:
            end_turn(game)
        fill_mask(game, mask)


@njit(cache=True)
def act(game: Game, action: int) -> bool:
    """Do a legal action, and return whether the turn is over whatever may be legal now."""
    if action == END:
        return True
    opening = False
    if action < WIND_SHIFT:
        opening = not game["opened"]
        place(game, action // SQUARES, action % SQUARES)
    elif action <= EXCHANGE:
        square, direction = divmod(action - WIND_SHIFT, DIRECTIONS)
        shift(game, square, direction)
    elif action < BUY_WITH_SUNSTONE:
        exchange(game, action - EXCHANGE)
    else:
        buy(game, action)
    return opening or game["rack_sizes"][game["player"]] == 0


@njit(cache=True)
def place(game: Game, slot: int, square: int) -> None:
    """Place the tile of a slot, earn its stones, and win with the last tile."""
    player = game["player"]
    sunstones, halfstones = stones_for(game["board"], square)
    game["board"][square] = take_from_rack(game, player, slot)
    game["sunstones"][player] += sunstones
    game["halfstones"][player] += halfstones
    game["opened"] = 1
    game["moves"] -= 1
    make_progress(game)


@njit(cache=True)
def stones_for(board: np.ndarray, square: int) -> tuple[int, int]:
    """Sunstones and halfstones that a tile earns which is placed on a square of an int8 (81,) board."""
    touched = 0
    for direction in range(DIRECTIONS):
        neighbour = NEIGHBOURS[square, direction]
        if neighbour != NONE and board[neighbour] != NONE:
            touched += 1
    return MATCH_SUNSTONES[touched] + int(IS_SUN[square]), MATCH_HALFSTONES[touched]


@njit(cache=True)
def shift(game: Game, square: int, direction: int) -> None:
    """Play a wind, which needs a move and gives one back, and win with the last tile."""
    player, board = game["player"], game["board"]
    take_from_rack(game, player, game["rack_sizes"][player] - 1)
    game["discarded"] += 1
    board[NEIGHBOURS[square, direction]] = board[square]
    board[square] = NONE
    make_progress(game)


@njit(cache=True)
def make_progress(game: Game) -> None:
    """Note a placement or a wind, and end the game if it was the player's last tile."""
    game["moved"] = 1
    game["progressed"] = 1
    if remaining(game, game["player"]) == 0:
        judge(game, _EMPTIED)


@njit(cache=True)
def exchange(game: Game, subset: int) -> None:
    """Set the tiles of a subset of the slots aside, draw as many, and shuffle them into the pool."""
    player = game["player"]
    count = bits(subset)
    aside = np.empty(RACK, dtype=np.int8)
    for slot in range(RACK - 1, -1, -1):
        if subset >> slot & 1:
            aside[slot] = take_from_rack(game, player, slot)
    for _ in range(count):
        put_on_rack(game, player, draw(game, player))
    pool = game["pools"][player]
    for slot in range(RACK):
        if subset >> slot & 1:
            pool[game["pool_sizes"][player]] = aside[slot]
            game["pool_sizes"][player] += 1
            game["returned"][player, aside[slot]] += 1
    shuffle(pool, game["pool_sizes"][player], game["random"], player)
    game["exchanged"][player] += count
    game["moves"] -= 1
    game["moved"] = 1


@njit(cache=True)
def buy(game: Game, action: int) -> None:
    """Buy a move with a sunstone or two halfstones, or buy a wind back."""
    player = game["player"]
    if action == BUY_WIND:
        game["sunstones"][player] -= wind_price(game)
        game["discarded"] -= 1
        put_on_rack(game, player, WIND)
    else:
        if action == BUY_WITH_SUNSTONE:
            game["sunstones"][player] -= 1
        else:
            game["halfstones"][player] -= 2
        game["moves"] += 1


@njit(cache=True)
def end_turn(game: Game) -> None:
    """Draw back to five, lose the sunstones above three, and let the next player or the judges go on."""
    player, players = game["player"], game["players"]
    refill(game, player)
    game["sunstones"][player] = min(game["sunstones"][player], MOST_SUNSTONES)
    game["passes"] = 0 if game["moved"] else game["passes"] + 1
    game["quiet_turns"] = 0 if game["progressed"] else game["quiet_turns"] + 1
    if game["passes"] == players:
        judge(game, _BLOCKED)
    elif game["quiet_turns"] == game["quiet_limit"]:
        judge(game, _NO_PROGRESS)
    else:
        game["player"] = (player + 1) % players
        begin_turn(game)


@njit(cache=True)
def remaining(game: Game, player: int) -> int:
    """The tiles that a player still has, on the rack and in the pool."""
    return game["rack_sizes"][player] + game["pool_sizes"][player]


@njit(cache=True)
def judge(game: Game, outcome: int) -> None:
    """End the game: whoever has the fewest tiles left wins, and several share it."""
    game["outcome"] = outcome
    game["moves"] = 0
    fewest = remaining(game, 0)
    for player in range(1, game["players"]):
        fewest = min(fewest, remaining(game, player))
    for player in range(game["players"]):
        game["winners"][player] = remaining(game, player) == fewest
