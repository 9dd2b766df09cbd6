"""What a network reads: a game as a player sees it, as planes of the board and a vector.

Layout of an observation, int8, for n players:

| entries | what they say |
|---|---|
| ``81 * colour + square`` | 1 where the tile on the square has that colour |
| ``486 + 81 * shape + square`` | 1 where it has that shape |
| ``972 + 13 * slot + colour`` | 1 for the colour of the tile in that slot of the own rack |
| ``978 + 13 * slot + shape`` | 1 for its shape |
| ``984 + 13 * slot`` | 1 for a wind |
| ``1037 + kind`` | tiles of that kind that the player put back and so knows to be in the own pool |
| ``1074 + kind`` | unseen tiles of that kind: in a pool or on another rack |
| ``1111``, ``1112`` | 1 once the first tile is placed; winds in the discard pile |
| ``1113``, ``1114`` | moves left in this turn; 1 when a move was made in it |
| ``1115``, ``1116`` | turns in a row without a move; without a placement or wind |
| ``1117 + 6 * seat + i`` | of each player, the observer first, then in the order of the seats: tiles on the rack, in the pool, sunstones, halfstones, tiles exchanged so far, 1 when it is this player's turn |

Counts are at most 127. The first 972 entries are 12 planes of 9 by 9.
"""  # noqa: E501 (a table)

from typing import Final

import numpy as np
from numba import njit

from latice_env.actions import RACK
from latice_env.board import NONE, SQUARES
from latice_env.state import Game
from latice_env.tiles import COLOURS, COPIES, KINDS, SHAPES, WIND

PLANES: Final = COLOURS + SHAPES
SLOT: Final = COLOURS + SHAPES + 1
SLOTS: Final = PLANES * SQUARES
RETURNED: Final = SLOTS + RACK * SLOT
UNSEEN: Final = RETURNED + KINDS
TURN: Final = UNSEEN + KINDS
SEATS: Final = TURN + 6
SEAT: Final = 6
MOST: Final = 127


def observation_size(players: int) -> int:
    """How many entries the observation of a player has at a table of so many."""
    return SEATS + SEAT * players


@njit(cache=True)
def fill_observation(game: Game, player: int, observation: np.ndarray) -> None:
    """Write what a player sees: int8 (D,)."""
    observation[:] = 0
    unseen = observation[UNSEEN:TURN]
    unseen[:] = COPIES
    board = game["board"]
    for square in range(SQUARES):
        tile = int(board[square])
        if tile != NONE:
            observation[SQUARES * (tile // SHAPES) + square] = 1
            observation[SQUARES * (COLOURS + tile % SHAPES) + square] = 1
            unseen[tile] -= 1
    unseen[WIND] -= game["discarded"]
    rack = game["racks"][player]
    for slot in range(game["rack_sizes"][player]):
        tile = int(rack[slot])
        unseen[tile] -= 1
        flags = observation[SLOTS + SLOT * slot : SLOTS + SLOT * (slot + 1)]
        if tile == WIND:
            flags[SLOT - 1] = 1
        else:
            flags[tile // SHAPES] = 1
            flags[COLOURS + tile % SHAPES] = 1
    observation[RETURNED:UNSEEN] = game["returned"][player]
    turn = observation[TURN:SEATS]
    turn[0] = game["opened"]
    turn[1] = game["discarded"]
    turn[2] = game["moves"]
    turn[3] = game["moved"]
    turn[4] = game["passes"]
    turn[5] = min(game["quiet_turns"], MOST)
    players = game["players"]
    for index in range(players):
        seat = (player + index) % players
        counts = observation[SEATS + SEAT * index : SEATS + SEAT * (index + 1)]
        counts[0] = game["rack_sizes"][seat]
        counts[1] = game["pool_sizes"][seat]
        counts[2] = game["sunstones"][seat]
        counts[3] = game["halfstones"][seat]
        counts[4] = min(game["exchanged"][seat], MOST)
        counts[5] = seat == game["player"]
