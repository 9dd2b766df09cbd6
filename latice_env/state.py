"""The whole state of a game, as one record: what the environments hold and the rules advance.

A player sees less of it: :func:`hide` blanks the rest.
"""

from enum import IntEnum
from typing import Any, Final

import numpy as np
from numba import njit

from latice_env.actions import RACK
from latice_env.board import NONE, SQUARES
from latice_env.tiles import KINDS, TILES

MOST_PLAYERS: Final = 4
MOST_IN_POOL: Final = TILES // 2

#: A game in Numba's and NumPy's eyes. Python knows no better name for one than Any.
Game = Any


class Outcome(IntEnum):
    """How a game ended, if it has."""

    PLAYING = 0
    EMPTIED = 1
    BLOCKED = 2
    NO_PROGRESS = 3


#: The fields of a game; rows of unused seats are empty.
#:
#: | field | what it holds |
#: |---|---|
#: | ``players``, ``player`` | how many play; whose turn it is |
#: | ``outcome``, ``winners`` | an :class:`Outcome`; 1 for each winner once it is over |
#: | ``board`` | the kind of tile on each square, -1 for none |
#: | ``racks``, ``rack_sizes`` | each player's rack, sorted, -1 where there is no tile |
#: | ``pools``, ``pool_sizes`` | each player's pool; the last tile is drawn next |
#: | ``returned`` | how many tiles of each kind a player put back and so knows to be in the own pool |
#: | ``exchanged`` | tiles that each player has exchanged so far |
#: | ``sunstones``, ``halfstones`` | each player's stones |
#: | ``discarded`` | winds in the discard pile |
#: | ``opened`` | whether the first tile has been placed |
#: | ``moves`` | moves that the player still has in this turn |
#: | ``moved``, ``progressed`` | whether a move, and a placement or wind, was made in this turn |
#: | ``passes``, ``quiet_turns`` | turns in a row without a move, and without a placement or wind |
#: | ``quiet_limit`` | quiet turns after which the game is judged as blocked |
#: | ``random`` | each player's stream of random numbers, with which exchanged tiles are shuffled |
GAME: Final = np.dtype(
    [
        ("random", np.uint64, MOST_PLAYERS),
        ("exchanged", np.int32, MOST_PLAYERS),
        ("quiet_turns", np.int32),
        ("quiet_limit", np.int32),
        ("players", np.int8),
        ("player", np.int8),
        ("outcome", np.int8),
        ("winners", np.int8, MOST_PLAYERS),
        ("board", np.int8, SQUARES),
        ("racks", np.int8, (MOST_PLAYERS, RACK)),
        ("rack_sizes", np.int8, MOST_PLAYERS),
        ("pools", np.int8, (MOST_PLAYERS, MOST_IN_POOL)),
        ("pool_sizes", np.int8, MOST_PLAYERS),
        ("returned", np.int8, (MOST_PLAYERS, KINDS)),
        ("sunstones", np.int8, MOST_PLAYERS),
        ("halfstones", np.int8, MOST_PLAYERS),
        ("discarded", np.int8),
        ("opened", np.int8),
        ("moves", np.int8),
        ("moved", np.int8),
        ("progressed", np.int8),
        ("passes", np.int8),
    ],
    align=True,
)


@njit(cache=True)
def hide(game: Game, player: int) -> None:
    """Blank all that a player does not see: other racks, every pool, what others put back, the streams."""
    game["pools"][:] = NONE
    game["random"][:] = 0
    for other in range(MOST_PLAYERS):
        if other != player:
            game["racks"][other, :] = NONE
            game["returned"][other, :] = 0


@njit(cache=True)
def hide_all(games: np.ndarray) -> None:
    """Blank in each of (N,) games all that the player does not see whose turn it is."""
    for index in range(len(games)):
        hide(games[index], games[index]["player"])


def views(games: np.ndarray) -> np.ndarray:
    """Copies of (N,) games as the players see them whose turn it is."""
    seen = games.copy()
    hide_all(seen)
    return seen
