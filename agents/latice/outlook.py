"""What fits where on a board, as numbers that are the same however colours, shapes and sides are named.

The board of a player is looked at from two sides: what the tiles on the own rack may earn there, and what a
rack of unseen tiles, the next player's, may. Stones count in halfstones: a sunstone for 2.

Layout of an outlook, float32:

| entries | what they say |
|---|---|
| 0 | colour tiles on the own rack that fit somewhere, of 5 |
| 1-5 | those whose best square earns at least 1, 2, 3, 4 and 6 halfstones, of 5 |
| 6, 7 | the best square's halfstones and those of the best square of another tile, of 6 |
| 8 | squares that each own tile fits on, summed, of 40 |
| 9-14 | the chance that the next player has a tile for a square of at least 0, 1, 2, 3, 4 and 6 halfstones |
| 15-20 | squares of 0, 1, 2, 3, 4 and 6 halfstones that an unseen tile fits on, on the average |
"""

from typing import Final

import numpy as np
from numba import njit

from agents.latice.unseen import Unseen, unseen_of_kinds
from latice_env.actions import RACK
from latice_env.board import NONE, SQUARES
from latice_env.legal import fitting_kinds
from latice_env.moves import stones_for
from latice_env.state import Game
from latice_env.tiles import WIND

#: Halfstones that a placement may earn, with room for 5, which none does.
STONES: Final = 7
LEVELS: Final = (0, 1, 2, 3, 4, 6)
OUTLOOK: Final = 21


@njit(cache=True, nogil=True)
def fill_best(game: Game, best: np.ndarray, squares: np.ndarray) -> None:
    """Write of each slot the most halfstones that its tile may earn, and on how many squares it fits.

    Args:
        game: a view.
        best: int64 (5,), written: -1 where nothing fits, or no colour tile is.
        squares: int64 (5,), written.
    """
    rack = game["racks"][game["player"]]
    best[:] = -1
    squares[:] = 0
    for square in range(SQUARES):
        kinds = fitting_kinds(game["board"], square)
        if kinds:
            stones = _halfstones(game["board"], square)
            for slot in range(RACK):
                if NONE < rack[slot] < WIND and kinds >> int(rack[slot]) & 1:
                    best[slot] = max(best[slot], stones)
                    squares[slot] += 1


@njit(cache=True, nogil=True)
def fill_outlook(game: Game, unseen: Unseen, outlook: np.ndarray) -> None:
    """Write the outlook of the player to move: float32 (21,), laid out as above."""
    player, board = game["player"], game["board"]
    rack = game["racks"][player]
    best, squares = np.full(RACK, -1), 0
    for_others = np.zeros(STONES, dtype=np.int64)  # the kinds that fit on a square of so many halfstones
    fitting = np.zeros(STONES, dtype=np.int64)  # how many unseen tiles fit, over its squares
    for square in range(SQUARES):
        kinds = fitting_kinds(board, square)
        if kinds:
            stones = _halfstones(board, square)
            for_others[stones] |= kinds
            fitting[stones] += unseen_of_kinds(unseen, kinds)
            for slot in range(RACK):
                if NONE < rack[slot] < WIND and kinds >> int(rack[slot]) & 1:
                    best[slot] = max(best[slot], stones)
                    squares += 1
    best.sort()
    outlook[:] = 0
    for slot in range(RACK):
        for index, level in enumerate(LEVELS):
            outlook[index] += np.float32(0.2) * (best[slot] >= level)
    outlook[6] = max(best[RACK - 1], 0) / 6
    outlook[7] = max(best[RACK - 2], 0) / 6
    outlook[8] = squares / 40
    _fill_chances(game, for_others, fitting, unseen, outlook[9:])


@njit(cache=True, nogil=True)
def _fill_chances(
    game: Game, for_others: np.ndarray, fitting: np.ndarray, unseen: Unseen, chances: np.ndarray
) -> None:
    """Write what the next player may have, as if the rack were drawn with replacement."""
    others = game["rack_sizes"][(game["player"] + 1) % game["players"]]
    kinds, stones = 0, STONES
    for index in range(len(LEVELS) - 1, -1, -1):
        while stones > LEVELS[index]:
            stones -= 1
            kinds |= for_others[stones]
        misses, none = 1 - unseen_of_kinds(unseen, kinds) / unseen.total, 1.0
        for _ in range(others):
            none *= misses
        chances[index] = 1 - none
        chances[len(LEVELS) + index] = fitting[stones] / unseen.total


@njit(cache=True, nogil=True)
def _halfstones(board: np.ndarray, square: int) -> int:
    """What a placement on a square earns, in halfstones."""
    sunstones, halfstones = stones_for(board, square)
    return 2 * sunstones + halfstones
