"""The last two cells as a distribution: every score that may still come, and what it is worth."""

import numpy as np
from numba import njit

from agents.endings import last_cell_value
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import FILLED, RuleCode, legal_cells, place, points_through
from takeiteasy_env.tiles import TILES


@njit(cache=True)
def fill_outcomes(
    bitboards: np.ndarray,
    cells: int,
    remaining: int,
    last: int,
    points: int,
    code: RuleCode,
    outcomes: np.ndarray,
) -> int:
    """Write the points of every way the draws may come, all equally likely, by the best play for the mean.

    Args:
        bitboards: int32 (3, 11), the board in row ``cells``; the rows before it are written.
        cells: how many cells of it are empty, 0 to 2.
        remaining: the tiles that may still come, as bits.
        last: the tile placed last.
        points: that come to all of them.
        code: the rules.
        outcomes: float32 (N,), written from the first row on.

    Returns:
        How many there are: 1 for a full board, m for one empty cell and m * (m - 1) for two, when m tiles
        remain.
    """
    if cells == 0:
        outcomes[0] = points
        return 1
    if cells == 1:
        return _fill_last_outcomes(bitboards, remaining, points, code, outcomes, 0)
    bitboard, after, count = bitboards[2], bitboards[1], 0
    for tile in range(TILES):
        if not remaining >> tile & 1:
            continue
        left = remaining & ~(1 << tile)
        legal = legal_cells(bitboard[FILLED], tile, last, code)
        chosen, best = 0, np.float32(-np.inf)
        for cell in range(CELLS):
            if legal >> cell & 1:
                after[:] = bitboard
                place(after, tile, cell, code)
                # In single precision, as the values are among which the player chooses.
                value = np.float32(
                    points_through(after, tile, cell, code) + last_cell_value(after, left, code)
                )
                if value > best:
                    chosen, best = cell, value
        after[:] = bitboard
        place(after, tile, chosen, code)
        gained = points_through(after, tile, chosen, code)
        count = _fill_last_outcomes(bitboards, left, points + gained, code, outcomes, count)
    return count


@njit(cache=True)
def _fill_last_outcomes(
    bitboards: np.ndarray, remaining: int, points: int, code: RuleCode, outcomes: np.ndarray, count: int
) -> int:
    """Write the points of each tile on the only empty cell, from row ``count`` on; returns the next row."""
    full, cell = bitboards[0], _empty_cell(bitboards[1])
    for tile in range(TILES):
        if remaining >> tile & 1:
            full[:] = bitboards[1]
            place(full, tile, cell, code)
            outcomes[count] = points + points_through(full, tile, cell, code)
            count += 1
    return count


@njit(cache=True)
def ending_worth(
    bitboards: np.ndarray,
    cells: int,
    remaining: int,
    last: int,
    score: int,
    code: RuleCode,
    worth: np.ndarray,
) -> float:
    """Expected worth of the final score, before the next draw, by the play that is best for that.

    Args:
        bitboards: int32 (3, 11), the board in row ``cells``; the rows before it are written.
        cells: how many cells of it are empty, 0 to 2.
        remaining: the tiles that may still come, as bits.
        last: the tile placed last.
        score: points of the board.
        code: the rules.
        worth: float64 (S,), what each final score is worth.
    """
    if cells == 0:
        return worth[score]
    if cells == 1:
        return _last_worth(bitboards, remaining, score, code, worth)
    bitboard, after = bitboards[2], bitboards[1]
    total, tiles = 0.0, 0
    for tile in range(TILES):
        if not remaining >> tile & 1:
            continue
        best, left = -np.inf, remaining & ~(1 << tile)
        legal = legal_cells(bitboard[FILLED], tile, last, code)
        for cell in range(CELLS):
            if legal >> cell & 1:
                after[:] = bitboard
                place(after, tile, cell, code)
                reached = score + points_through(after, tile, cell, code)
                best = max(best, _last_worth(bitboards, left, reached, code, worth))
        total += best
        tiles += 1
    return total / tiles


@njit(cache=True)
def _last_worth(
    bitboards: np.ndarray, remaining: int, score: int, code: RuleCode, worth: np.ndarray
) -> float:
    """Expected worth of the final score with one cell empty, whose board is in row 1."""
    full, cell = bitboards[0], _empty_cell(bitboards[1])
    total, tiles = 0.0, 0
    for tile in range(TILES):
        if remaining >> tile & 1:
            full[:] = bitboards[1]
            place(full, tile, cell, code)
            total += worth[score + points_through(full, tile, cell, code)]
            tiles += 1
    return total / tiles


@njit(cache=True)
def _empty_cell(bitboard: np.ndarray) -> int:
    cell = 0
    while bitboard[FILLED] >> cell & 1:
        cell += 1
    return cell
