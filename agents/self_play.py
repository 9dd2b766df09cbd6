"""Games that the value network plays against nobody, with an exact target for each board that is kept."""

import numpy as np
from numba import njit, prange

from agents.endings import unseen_tiles
from agents.successors import BOARDS_PER_TASK, value_successors
from agents.weights import Weights, make_scratch
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import BITBOARD, NONE, RuleCode, fill_bitboards, place, points_through, score
from takeiteasy_env.tiles import TILES


def self_play(
    draws: np.ndarray,
    explored: np.ndarray,
    kept: np.ndarray,
    code: RuleCode,
    weights: Weights,
    boards: np.ndarray,
    targets: np.ndarray,
    scores: np.ndarray,
) -> None:
    """Play games from the empty board to the end, as :func:`play_on` plays them."""
    boards[:, 0] = NONE
    play_on(0, draws, explored, kept, code, weights, boards, targets, scores)


@njit(cache=True, parallel=True, nogil=True)
def play_on(
    turn: int,
    draws: np.ndarray,
    explored: np.ndarray,
    kept: np.ndarray,
    code: RuleCode,
    weights: Weights,
    boards: np.ndarray,
    targets: np.ndarray,
    scores: np.ndarray,
) -> None:
    """Play by the network's values; for the boards kept, write the exact expectation over the next tile.

    Args:
        turn: the turn that is played first.
        draws: int8 (N, 19), the tiles of each game.
        explored: int64 (N, 19), -1, or a random number that picks a legal cell instead of the best one.
        kept: bool (N, 19), where the board before a turn's placement is kept.
        code: the rules.
        weights: the network.
        boards: int8 (N, 19, 19), the board before each turn's placement, written from the second one on.
        targets: float32 (N, 19), points still to come from the kept ones of these turns, written.
        scores: int32 (N,), of the whole games, written.
    """
    for task in prange((len(draws) + BOARDS_PER_TASK - 1) // BOARDS_PER_TASK):
        start = task * BOARDS_PER_TASK
        stop = min(start + BOARDS_PER_TASK, len(draws))
        _play_on(turn, draws, explored, kept, code, weights, boards, targets, scores, start, stop)


@njit(cache=True)
def _play_on(
    first: int,
    draws: np.ndarray,
    explored: np.ndarray,
    kept: np.ndarray,
    code: RuleCode,
    weights: Weights,
    boards: np.ndarray,
    targets: np.ndarray,
    scores: np.ndarray,
    start: int,
    stop: int,
) -> None:
    scratch = make_scratch(weights)
    values = np.empty((TILES, CELLS), dtype=np.float32)
    board = boards[start:stop, first].copy()
    bitboard = np.empty((stop - start, BITBOARD), dtype=np.int32)
    fill_bitboards(board, code, bitboard)
    remaining = np.empty(stop - start, dtype=np.int64)
    for own in range(stop - start):
        remaining[own] = unseen_tiles(board[own])
        scores[start + own] = score(bitboard[own], code)
    for turn in range(first, CELLS):
        for game in range(start, stop):
            own = game - start
            tile = int(draws[game, turn])
            last = int(draws[game, turn - 1]) if turn else NONE
            boards[game, turn] = board[own]
            tiles = remaining[own] if kept[game, turn] else 1 << tile
            value_successors(board[own], bitboard[own], last, tiles, code, weights, scratch, values)
            if kept[game, turn]:
                targets[game, turn] = expected_value(values, tiles)
            cell = int(values[tile].argmax())
            if explored[game, turn] != NONE:
                cell = nth_legal(values[tile], explored[game, turn])
            board[own, cell] = tile
            place(bitboard[own], tile, cell, code)
            scores[game] += points_through(bitboard[own], tile, cell, code)
            remaining[own] &= ~(1 << tile)


@njit(cache=True)
def expected_value(values: np.ndarray, tiles: int) -> float:
    """Mean over the tiles, as bits, of the best value in each one's row: the value before the next draw."""
    total, count = 0.0, 0
    for tile in range(TILES):
        if tiles >> tile & 1:
            total += values[tile].max()
            count += 1
    return total / count


@njit(cache=True)
def nth_legal(values: np.ndarray, number: int) -> int:
    """The legal cell that a random number picks among those with a finite value."""
    wanted = number % np.isfinite(values).sum()
    for cell in range(CELLS):
        if np.isfinite(values[cell]):
            if wanted == 0:
                return cell
            wanted -= 1
    return NONE
