"""What a final score is worth to somebody who wants another thing than the best mean."""

from typing import Final

import numpy as np
from numba import njit, prange

from agents.distributions import Memory, QuantileWeights, fill_quantiles, make_memory
from agents.ending_distribution import ending_worth
from agents.endings import unseen_tiles
from agents.successors import BOARDS_PER_TASK, TURNS, value_successors
from agents.weights import Weights
from takeiteasy_env.board import CELLS, LINE_LENGTHS
from takeiteasy_env.rules import (
    FILLED,
    NONE,
    SUNRAY_POINTS,
    RuleCode,
    legal_cells,
    place,
    points_through,
)
from takeiteasy_env.tiles import NUMBERS

#: No board scores as much: the highest number on every line, and a Sunray besides.
SCORES: Final = int(LINE_LENGTHS.sum() * (np.max(NUMBERS) + SUNRAY_POINTS))
#: Where worth is equal, the mean decides: a point of it counts as much as this much worth.
MEAN_WEIGHT: Final = 1e-6


def worth_of_reaching(target: int) -> np.ndarray:
    """float64 (S,): 1 for each final score of at least ``target``, 0 below: its mean is a probability."""
    return (np.arange(SCORES) >= target).astype(np.float64)


def worth_of_tail(part: float, threshold: float) -> np.ndarray:
    """float64 (S,): worths whose mean is that of the lowest ``part`` of the scores.

    Points above the ``threshold``, below which that part of the scores lies, count nothing, and points below
    it 1 / ``part`` each (Rockafellar and Uryasev, Optimization of conditional value-at-risk, 2000).
    """
    return threshold - np.maximum(threshold - np.arange(SCORES), 0) / part


@njit(cache=True)
def expected_worth(quantiles: np.ndarray, score: int, worth: np.ndarray, sums: np.ndarray) -> float:
    """Mean worth of the final score, with the distribution drawn out linearly between its quantiles.

    Args:
        quantiles: float32 (Q,), of the points still to come, in ascending order.
        score: points of the board.
        worth: float64 (S,), what each final score is worth.
        sums: float64 (S + 1,), the sums of the first worths.
    """
    last = len(quantiles) - 1
    # Half a slice lies beyond each end, drawn out so far that the mean of the slice stays what it is.
    lowest = quantiles[0] - (quantiles[1] - quantiles[0]) / 2
    highest = quantiles[last] + (quantiles[last] - quantiles[last - 1]) / 2
    total = 0.5 * mean_worth(score + lowest, score + quantiles[0], worth, sums)
    for number in range(last):
        total += mean_worth(score + quantiles[number], score + quantiles[number + 1], worth, sums)
    total += 0.5 * mean_worth(score + quantiles[last], score + highest, worth, sums)
    return total / len(quantiles)


@njit(cache=True)
def mean_worth(low: float, high: float, worth: np.ndarray, sums: np.ndarray) -> float:
    """Mean worth of the whole numbers to which a uniform number between two others is rounded."""
    if high - low < 1e-3:
        return worth[min(max(round((low + high) / 2), 0), len(worth) - 1)]
    return (_integral(high, worth, sums) - _integral(low, worth, sums)) / (high - low)


@njit(cache=True)
def _integral(end: float, worth: np.ndarray, sums: np.ndarray) -> float:
    """Integral of the worth of rounded numbers from -1/2 on; below 0 they are worth what 0 is."""
    place = end + 0.5
    whole = min(max(int(np.floor(place)), 0), len(worth) - 1)
    return sums[whole] + (place - whole) * worth[whole]


@njit(cache=True, parallel=True, nogil=True)
def fill_worths(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    previous: np.ndarray,
    scores: np.ndarray,
    code: RuleCode,
    weights: Weights,
    stacks: QuantileWeights,
    worth: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write the float32 (N, 19) expected worths of the cells, minus infinity where the tile may not go."""
    sums = np.zeros(len(worth) + 1)
    sums[1:] = np.cumsum(worth)
    for task in prange((len(boards) + BOARDS_PER_TASK - 1) // BOARDS_PER_TASK):
        start = task * BOARDS_PER_TASK
        stop = min(start + BOARDS_PER_TASK, len(boards))
        _fill_worths(
            boards,
            bitboards,
            tiles,
            previous,
            scores,
            code,
            weights,
            stacks,
            worth,
            sums,
            values,
            start,
            stop,
        )


@njit(cache=True)
def _fill_worths(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    previous: np.ndarray,
    scores: np.ndarray,
    code: RuleCode,
    weights: Weights,
    stacks: QuantileWeights,
    worth: np.ndarray,
    sums: np.ndarray,
    values: np.ndarray,
    start: int,
    stop: int,
) -> None:
    memory = make_memory(weights, stacks)
    for game in range(start, stop):
        board, bitboard = boards[game], bitboards[game]
        tile, last, score = int(tiles[game]), int(previous[game]), int(scores[game])
        values[game] = -np.inf
        if not legal_cells(bitboard[FILLED], tile, last, code):
            continue
        value_successors(board, bitboard, last, 1 << tile, code, weights, memory.scratch, memory.values)
        turn = (board != NONE).sum()
        if turn < TURNS:
            _predict_worths(turn, score, stacks, worth, sums, memory, values[game])
        else:
            _play_out_worths(board, bitboard, tile, last, score, code, worth, memory, values[game])
        values[game] += np.float32(MEAN_WEIGHT) * memory.values[tile]


@njit(cache=True)
def _predict_worths(
    turn: int,
    score: int,
    stacks: QuantileWeights,
    worth: np.ndarray,
    sums: np.ndarray,
    memory: Memory,
    values: np.ndarray,
) -> None:
    rows = np.isfinite(memory.values).sum()
    memory.row[:rows] = np.arange(rows)
    fill_quantiles(turn, rows, stacks, memory)
    for row in range(rows):
        values[memory.scratch.cell[row]] = expected_worth(memory.quantiles[row], score, worth, sums)


@njit(cache=True)
def _play_out_worths(
    board: np.ndarray,
    bitboard: np.ndarray,
    tile: int,
    last: int,
    score: int,
    code: RuleCode,
    worth: np.ndarray,
    memory: Memory,
    values: np.ndarray,
) -> None:
    empty, left = (board == NONE).sum() - 1, unseen_tiles(board) & ~(1 << tile)
    after, legal = memory.bitboards[empty], legal_cells(bitboard[FILLED], tile, last, code)
    for cell in range(CELLS):
        if legal >> cell & 1:
            after[:] = bitboard
            place(after, tile, cell, code)
            reached = score + points_through(after, tile, cell, code)
            values[cell] = ending_worth(memory.bitboards, empty, left, tile, reached, code, worth)
