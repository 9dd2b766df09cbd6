"""The points still to come as a distribution, learned on top of a value network: the compiled part.

A distribution is held as Q *quantiles* in ascending order: the means of Q slices of equal probability. The
value network's first layer is shared; behind it a small stack for each turn says by how much each quantile
differs from the network's own value. With few cells left every outcome is counted instead. The player whose
points they are is always the one who plays for the best mean.
"""

from typing import Final, NamedTuple

import numpy as np
from numba import njit, prange

from agents.ending_distribution import fill_outcomes
from agents.endings import unseen_tiles
from agents.successors import (
    BOARDS_PER_TASK,
    EXACT_CELLS,
    POINTS_PER_UNIT,
    TURNS,
    add_and_rectify,
    value_successors,
)
from agents.weights import Scratch, Weights, make_scratch
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import BITBOARD, NONE, RuleCode, place, points_through
from takeiteasy_env.tiles import TILES

#: The most ways in which the draws for the exactly valued cells may come, when 10 tiles remain for them.
_OUTCOMES: Final = 90


class QuantileWeights(NamedTuple):
    """The stacks of the quantiles as the compiled functions read them, float32 throughout.

    One entry for each number of tiles on the board, 1 to 16: ``first`` (16, I, S) for the inputs of the
    value network's own stacks as :class:`Weights` has them, ``first_bias`` (16, S), ``second`` (16, S,
    S), ``second_bias`` (16, S), ``last`` (16, S, Q), ``last_bias`` (16, Q).
    """

    first: np.ndarray
    first_bias: np.ndarray
    second: np.ndarray
    second_bias: np.ndarray
    last: np.ndarray
    last_bias: np.ndarray


class Memory(NamedTuple):
    """Working memory of one thread, besides that of the value network.

    ``values`` (27, 19) are those of the successors, ``hidden``, ``first`` and ``second`` the layers of those
    asked for, a row each, whose row of ``scratch`` ``row`` holds, and ``quantiles`` (27, Q) theirs.
    ``outcomes`` are those of an ending, ``atoms`` a mixture, ``bitboards`` the boards of an ending.
    """

    scratch: Scratch
    values: np.ndarray
    row: np.ndarray
    hidden: np.ndarray
    first: np.ndarray
    second: np.ndarray
    quantiles: np.ndarray
    outcomes: np.ndarray
    atoms: np.ndarray
    bitboards: np.ndarray


@njit(cache=True)
def make_memory(weights: Weights, stacks: QuantileWeights) -> Memory:
    """Working memory for the successors of any board."""
    width, stack = stacks.first.shape[1:]
    quantiles = stacks.last.shape[2]
    return Memory(
        scratch=make_scratch(weights),
        values=np.empty((TILES, CELLS), dtype=np.float32),
        row=np.empty(TILES, dtype=np.int64),
        hidden=np.empty((TILES, width), dtype=np.float32),
        first=np.empty((TILES, stack), dtype=np.float32),
        second=np.empty((TILES, stack), dtype=np.float32),
        quantiles=np.empty((TILES, quantiles), dtype=np.float32),
        outcomes=np.empty(_OUTCOMES, dtype=np.float32),
        atoms=np.empty(TILES * max(quantiles, _OUTCOMES), dtype=np.float32),
        bitboards=np.empty((EXACT_CELLS + 1, BITBOARD), dtype=np.int32),
    )


@njit(cache=True)
def project(atoms: np.ndarray, quantiles: np.ndarray) -> None:
    """Write the quantiles of a distribution of equally likely atoms: the mean of each slice.

    Args:
        atoms: float (N,), in ascending order.
        quantiles: float (Q,), written, in ascending order.
    """
    slices, atom, left = len(quantiles), 0, len(quantiles)
    for own in range(slices):
        total, missing = 0.0, len(atoms)
        while missing:
            taken = min(left, missing)
            total += taken * atoms[atom]
            missing -= taken
            left -= taken
            if left == 0:
                atom, left = atom + 1, slices
        quantiles[own] = total / len(atoms)


@njit(cache=True)
def fill_quantiles(turn: int, rows: int, stacks: QuantileWeights, memory: Memory) -> None:
    """Write the quantiles of the first successors that ``memory.row`` names, gains included.

    Args:
        turn: how many tiles the board holds, fewer than 16.
        rows: how many successors.
        stacks: the network.
        memory: with the values of the successors, as :func:`value_successors` left them.
    """
    scratch = memory.scratch
    for row in range(rows):
        memory.hidden[row] = scratch.hidden[memory.row[row]]
    first, second, quantiles = memory.first[:rows], memory.second[:rows], memory.quantiles[:rows]
    np.dot(memory.hidden[:rows], stacks.first[turn], first)
    add_and_rectify(first, stacks.first_bias[turn])
    np.dot(first, stacks.second[turn], second)
    add_and_rectify(second, stacks.second_bias[turn])
    np.dot(second, stacks.last[turn], quantiles)
    for row in range(rows):
        value = memory.values[scratch.tile[memory.row[row]], scratch.cell[memory.row[row]]]
        for number in range(quantiles.shape[1]):
            deviation = quantiles[row, number] + stacks.last_bias[turn, number]
            quantiles[row, number] = value + np.float32(POINTS_PER_UNIT) * deviation
        quantiles[row].sort()


@njit(cache=True)
def outcomes_after(
    bitboard: np.ndarray,
    tile: int,
    cell: int,
    remaining: int,
    code: RuleCode,
    memory: Memory,
) -> np.ndarray:
    """float32 (N,) equally likely points that placing a tile brings, with at most two cells left after it.

    Args:
        bitboard: int32 (11,), the board before it.
        tile: the tile.
        cell: its cell.
        remaining: the tiles that may come after it, as bits.
        code: the rules.
        memory: working memory; it holds what is returned.
    """
    empty = 0
    for other in range(CELLS):
        empty += not bitboard[0] >> other & 1
    after = memory.bitboards[empty - 1]
    after[:] = bitboard
    place(after, tile, cell, code)
    gained = points_through(after, tile, cell, code)
    count = fill_outcomes(memory.bitboards, empty - 1, remaining, tile, gained, code, memory.outcomes)
    return memory.outcomes[:count]


@njit(cache=True)
def fill_mixture(
    board: np.ndarray,
    bitboard: np.ndarray,
    last: int,
    code: RuleCode,
    weights: Weights,
    stacks: QuantileWeights,
    memory: Memory,
    quantiles: np.ndarray,
) -> None:
    """Write the quantiles of the points still to come on a board before the next draw.

    They are those of the mixture, over the tiles that may come, of what the best reply to each brings.

    Args:
        board: int8 (19,), with at most 16 tiles.
        bitboard: int32 (11,), the same board.
        last: the tile placed last, -1 for none.
        code: the rules.
        weights: the value network, which chooses the replies.
        stacks: the quantiles of the boards after them.
        memory: working memory.
        quantiles: float (Q,), written.
    """
    scratch, values, atoms = memory.scratch, memory.values, memory.atoms
    remaining = unseen_tiles(board)
    value_successors(board, bitboard, last, remaining, code, weights, scratch, values)
    turn, count = (board != NONE).sum(), 0
    if turn < TURNS:
        rows = 0
        for row in range(np.isfinite(values).sum()):
            if scratch.cell[row] == values[scratch.tile[row]].argmax():
                memory.row[rows] = row
                rows += 1
        fill_quantiles(turn, rows, stacks, memory)
        for row in range(rows):
            for quantile in memory.quantiles[row]:
                atoms[count] = quantile
                count += 1
    else:
        for tile in range(TILES):
            if remaining >> tile & 1:
                cell, left = int(values[tile].argmax()), remaining & ~(1 << tile)
                for outcome in outcomes_after(bitboard, tile, cell, left, code, memory):
                    atoms[count] = outcome
                    count += 1
    atoms[:count].sort()
    project(atoms[:count], quantiles)


@njit(cache=True, parallel=True, nogil=True)
def fill_mixtures(
    boards: np.ndarray,
    bitboards: np.ndarray,
    last: np.ndarray,
    code: RuleCode,
    weights: Weights,
    stacks: QuantileWeights,
    quantiles: np.ndarray,
) -> None:
    """Write the float32 (N, Q) quantiles of boards before the next draw, as :func:`fill_mixture`."""
    for task in prange((len(boards) + BOARDS_PER_TASK - 1) // BOARDS_PER_TASK):
        start = task * BOARDS_PER_TASK
        stop = min(start + BOARDS_PER_TASK, len(boards))
        _fill_mixtures(boards, bitboards, last, code, weights, stacks, quantiles, start, stop)


@njit(cache=True)
def _fill_mixtures(
    boards: np.ndarray,
    bitboards: np.ndarray,
    last: np.ndarray,
    code: RuleCode,
    weights: Weights,
    stacks: QuantileWeights,
    quantiles: np.ndarray,
    start: int,
    stop: int,
) -> None:
    memory = make_memory(weights, stacks)
    for game in range(start, stop):
        fill_mixture(
            boards[game], bitboards[game], int(last[game]), code, weights, stacks, memory, quantiles[game]
        )


@njit(cache=True, parallel=True, nogil=True)
def fill_predictions(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    previous: np.ndarray,
    cells: np.ndarray,
    code: RuleCode,
    weights: Weights,
    stacks: QuantileWeights,
    quantiles: np.ndarray,
) -> None:
    """Write the float32 (N, Q) quantiles of the points that placing each tile in hand on its cell brings."""
    for task in prange((len(boards) + BOARDS_PER_TASK - 1) // BOARDS_PER_TASK):
        start = task * BOARDS_PER_TASK
        stop = min(start + BOARDS_PER_TASK, len(boards))
        _fill_predictions(
            boards, bitboards, tiles, previous, cells, code, weights, stacks, quantiles, start, stop
        )


@njit(cache=True)
def _fill_predictions(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    previous: np.ndarray,
    cells: np.ndarray,
    code: RuleCode,
    weights: Weights,
    stacks: QuantileWeights,
    quantiles: np.ndarray,
    start: int,
    stop: int,
) -> None:
    memory = make_memory(weights, stacks)
    for game in range(start, stop):
        board, bitboard = boards[game], bitboards[game]
        tile, cell, last = int(tiles[game]), int(cells[game]), int(previous[game])
        turn = (board != NONE).sum()
        if turn < TURNS:
            value_successors(board, bitboard, last, 1 << tile, code, weights, memory.scratch, memory.values)
            for row in range(np.isfinite(memory.values).sum()):
                if memory.scratch.cell[row] == cell:
                    memory.row[0] = row
            fill_quantiles(turn, 1, stacks, memory)
            quantiles[game] = memory.quantiles[0]
        else:
            left = unseen_tiles(board) & ~(1 << tile)
            outcomes = outcomes_after(bitboard, tile, cell, left, code, memory)
            outcomes.sort()
            project(outcomes, quantiles[game])
