"""The end of the game played out exactly: every tile that may come, and the best reply to each."""

from typing import Final

import numpy as np
from numba import njit

from agents.prizes import gain_through, prize_of
from takeiteasy_env.board import CELL_LINES, CELLS, DIRECTIONS, LINE_LENGTHS, LINE_MASKS
from takeiteasy_env.rules import (
    FILLED,
    FIRST_NUMBER,
    MOONBEAM_POINTS,
    NONE,
    SUNRAY_POINTS,
    SUNS,
    RuleCode,
    legal_cells,
    place,
)
from takeiteasy_env.tiles import NUMBERS, RANKS, TILE_RANKS, TILES

ALL_TILES: Final = (1 << TILES) - 1
#: int64 (3, 3): the tiles with each direction's number of each rank, as bits.
_TILES_WITH: Final = np.array(
    [
        [sum(1 << int(tile) for tile in np.flatnonzero(ranks == rank)) for rank in range(RANKS)]
        for ranks in TILE_RANKS.T
    ]
)
_NUMBERS: Final = np.array(NUMBERS)


@njit(cache=True)
def ending_value(
    bitboards: np.ndarray, cells: int, remaining: int, last: int, code: RuleCode, prizes: np.ndarray
) -> float:
    """Expected points still to come on a board, before the next draw, by the best play.

    The work grows quickly with the empty cells: 9 placements for one, 180 for two, 6 thousand for three and
    285 thousand for four.

    Args:
        bitboards: int32 (cells + 1, 11), the board in the last row; the others are written.
        cells: how many cells of it are empty.
        remaining: the tiles that may still come, as bits.
        last: the tile placed last.
        code: the rules.
        prizes: as :func:`agents.prizes.gain_through` takes them.
    """
    if cells == 0:
        return 0.0
    if cells == 1 and not prizes.size:
        return last_cell_value(bitboards[1], remaining, code)
    bitboard, after = bitboards[cells], bitboards[cells - 1]
    prize = prize_of(bitboard, prizes)
    total, tiles = 0.0, 0
    for tile in range(TILES):
        if not remaining >> tile & 1:
            continue
        tiles += 1
        best = -np.inf
        legal = legal_cells(bitboard[FILLED], tile, last, code)
        for cell in range(CELLS):
            if legal >> cell & 1:
                after[:] = bitboard
                place(after, tile, cell, code)
                value = gain_through(after, tile, cell, prize, code, prizes)
                if cells > 1:
                    value += ending_value(bitboards, cells - 1, remaining & ~(1 << tile), tile, code, prizes)
                best = max(best, value)
        total += best
    return total / tiles


@njit(cache=True)
def last_cell_value(bitboard: np.ndarray, remaining: int, code: RuleCode) -> float:
    """Expected points of the tile to come on the only empty cell, by counting tiles, not placing them."""
    cell = 0
    while bitboard[FILLED] >> cell & 1:
        cell += 1
    total, suns = 0.0, code.suns & remaining
    for direction in range(DIRECTIONS):
        line = CELL_LINES[cell, direction]
        others = LINE_MASKS[line] & ~(1 << cell)
        for rank in range(RANKS):
            if not others & ~bitboard[FIRST_NUMBER + RANKS * direction + rank]:
                tiles = remaining & _TILES_WITH[direction, rank]
                total += LINE_LENGTHS[line] * _NUMBERS[direction, rank] * count_bits(tiles)
        if code.sunrays:
            if not others & ~bitboard[SUNS]:
                total += LINE_LENGTHS[line] * SUNRAY_POINTS * count_bits(suns)
            elif not others & bitboard[SUNS]:
                total += LINE_LENGTHS[line] * MOONBEAM_POINTS * count_bits(remaining & ~suns)
    return float(total) / count_bits(remaining)


@njit(cache=True)
def unseen_tiles(board: np.ndarray) -> int:
    """The tiles, as bits, that are not on an int8 (19,) board."""
    remaining = ALL_TILES
    for tile in board:
        if tile != NONE:
            remaining &= ~(1 << int(tile))
    return remaining


@njit(cache=True)
def count_bits(bits: int) -> int:
    """How many bits are 1."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count
