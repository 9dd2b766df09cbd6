"""What is legal: the mask of the 764 actions.

A set of kinds of tile is an integer: bit ``k`` is kind ``k``.
"""

from typing import Final

import numpy as np
from numba import njit

from latice_env.actions import (
    BUY_WIND,
    BUY_WITH_HALFSTONES,
    BUY_WITH_SUNSTONE,
    END,
    EXCHANGE,
    PLACE,
    RACK,
    WIND_SHIFT,
)
from latice_env.board import DIRECTIONS, MOON, NEIGHBOURS, NONE, SQUARES
from latice_env.state import Game, Outcome
from latice_env.tiles import COLOURS, SHAPES, WIND

ALL_COLOUR_TILES: Final = (1 << WIND) - 1
#: int64 (36,): the kinds of colour tile that match each kind, by colour or by shape.
MATCHES: Final = np.array(
    [
        sum(
            1 << other
            for other in range(WIND)
            if kind // SHAPES == other // SHAPES or kind % SHAPES == other % SHAPES
        )
        for kind in range(COLOURS * SHAPES)
    ],
    dtype=np.int64,
)
#: int64 (81,): the kinds that the first tile of a game may have on each square.
_OPENING: Final = np.where(np.arange(SQUARES) == MOON, ALL_COLOUR_TILES, 0)
_PLAYING: Final = int(Outcome.PLAYING)


@njit(cache=True)
def fitting_kinds(board: np.ndarray, square: int) -> int:
    """The kinds of colour tile that may be placed on a square once the game is open, as a set of kinds.

    None on a tile, and none where no tile is next to the square.
    """
    if board[square] != NONE:
        return 0
    kinds, alone = ALL_COLOUR_TILES, True
    for direction in range(DIRECTIONS):
        neighbour = NEIGHBOURS[square, direction]
        if neighbour != NONE and board[neighbour] != NONE:
            kinds &= MATCHES[board[neighbour]]
            alone = False
    return 0 if alone else int(kinds)


@njit(cache=True)
def wind_price(game: Game) -> int:
    """Sunstones that buying a wind back costs."""
    return 2 if game["players"] == 4 else 3


@njit(cache=True)
def fill_mask(game: Game, mask: np.ndarray) -> int:
    """Write which of the 764 actions are legal, 1 or 0, and return how many are. Equal tiles are merged.

    A tile that lies twice on the rack is placed from its first slot, and exchanged once by its first slot.
    Once the game is over nothing is legal.
    """
    mask[:] = 0
    if game["outcome"] != _PLAYING:
        return 0
    mask[END] = 1
    count = 1 + _mask_purchases(game, mask)
    if game["moves"] > 0:
        count += _mask_placements(game, mask) + _mask_exchanges(game, mask)
        if game["opened"] and has_wind(game):
            count += _mask_winds(game["board"], mask)
    return count


@njit(cache=True)
def has_wind(game: Game) -> bool:
    """Whether the player has a wind on the rack, where it comes last."""
    player = game["player"]
    size = game["rack_sizes"][player]
    return size > 0 and game["racks"][player, size - 1] == WIND


@njit(cache=True)
def _mask_purchases(game: Game, mask: np.ndarray) -> int:
    player = game["player"]
    mask[BUY_WITH_SUNSTONE] = game["sunstones"][player] >= 1
    mask[BUY_WITH_HALFSTONES] = game["halfstones"][player] >= 2
    mask[BUY_WIND] = (
        game["discarded"] > 0
        and game["rack_sizes"][player] < RACK
        and game["sunstones"][player] >= wind_price(game)
    )
    return mask[BUY_WITH_SUNSTONE] + mask[BUY_WITH_HALFSTONES] + mask[BUY_WIND]


@njit(cache=True)
def _mask_placements(game: Game, mask: np.ndarray) -> int:
    player, board, count = game["player"], game["board"], 0
    rack, size = game["racks"][player], game["rack_sizes"][player]
    slots = 0
    for slot in range(size):
        if rack[slot] != WIND and (slot == 0 or rack[slot] != rack[slot - 1]):
            slots |= 1 << slot
    for square in range(SQUARES):
        kinds = fitting_kinds(board, square) if game["opened"] else _OPENING[square]
        if kinds:
            for slot in range(size):
                if slots >> slot & 1 and kinds >> int(rack[slot]) & 1:
                    mask[PLACE + SQUARES * slot + square] = 1
                    count += 1
    return count


@njit(cache=True)
def _mask_exchanges(game: Game, mask: np.ndarray) -> int:
    player, count = game["player"], 0
    rack, size = game["racks"][player], game["rack_sizes"][player]
    followers = 0  # slots that hold the same tile as the slot before
    for slot in range(1, size):
        if rack[slot] == rack[slot - 1]:
            followers |= 1 << slot
    for subset in range(1, 1 << int(size)):
        merged = subset & followers & ~(subset << 1) == 0
        if merged and bits(subset) <= game["pool_sizes"][player]:
            mask[EXCHANGE + subset] = 1
            count += 1
    return count


@njit(cache=True)
def _mask_winds(board: np.ndarray, mask: np.ndarray) -> int:
    count = 0
    for square in range(SQUARES):
        if board[square] != NONE:
            for direction in range(DIRECTIONS):
                neighbour = NEIGHBOURS[square, direction]
                if neighbour != NONE and board[neighbour] == NONE:
                    mask[WIND_SHIFT + DIRECTIONS * square + direction] = 1
                    count += 1
    return count


@njit(cache=True)
def bits(subset: int) -> int:
    """How many members a set has."""
    count = 0
    while subset:
        subset &= subset - 1
        count += 1
    return count
