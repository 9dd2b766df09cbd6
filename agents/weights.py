"""The value network as the compiled functions read it, and their working memory."""

from typing import NamedTuple

import numpy as np
from numba import njit

from agents.features import MARKETS
from agents.matching import Scores, make_scores
from takeiteasy_env.board import CELLS, DIRECTIONS, LINES
from takeiteasy_env.rules import BITBOARD
from takeiteasy_env.tiles import RANKS, TILES


class Weights(NamedTuple):
    """The value network as the compiled functions read it.

    All numbers are those of half precision, which is what a saved model has. ``table``, ``worth`` and
    ``prices`` hold their bits, uint16, and so leave room in the caches; everything else is float32.
    ``table`` (rows + 1, H) and ``bias`` (H,) make the first layer, shared by all turns; H is a multiple
    of 16, the units behind those of the network are 0. ``worth``, ``prices`` and ``mix``, (N, 16) each,
    are those of :mod:`agents.matching`. The others hold one entry for each number of tiles on the board,
    1 to 16: ``first`` (16, H + 32, S), ``first_bias`` (16, S), ``second`` (16, S, S), ``second_bias``
    (16, S), ``last`` (16, S), ``last_bias`` (16,). ``prizes`` (2, 60) are what rays bring at a table of
    ``best_ray``, (2, 0) elsewhere.
    """

    table: np.ndarray
    bias: np.ndarray
    worth: np.ndarray
    prices: np.ndarray
    mix: np.ndarray
    first: np.ndarray
    first_bias: np.ndarray
    second: np.ndarray
    second_bias: np.ndarray
    last: np.ndarray
    last_bias: np.ndarray
    prizes: np.ndarray


class Scratch(NamedTuple):
    """Working memory of one thread, for one board at a time.

    ``base`` (H,) is the first layer of the board itself, the sum of ``rows`` (43,); ``gone`` (27, H) what
    each tile's going adds to it, ``leaving`` (15, 3, H) what a number of each rank on each line changes
    in the markets, less the row of the line's state, and ``changes`` (3, 2, 3, H) what one on the cell at
    hand changes in all, by direction, symbol and rank. ``hidden`` (M, H + 32), ``first`` and ``second`` hold
    the layers of the successors, a row each, whose ``tile`` and ``cell`` stand beside. ``scores`` is what
    their matches are found with, ``lines`` (15,) the rows of the lines' states and ``market_rows`` (135,)
    those of a direction's markets once a number of each rank lies on a line. ``occupied`` and ``status``
    describe the lines, ``supply`` and ``demand`` the markets, ``legal`` the cells of each tile,
    ``wanted`` (3, 3) the numbers on tiles to be valued, ``after`` a bitboard.
    """

    base: np.ndarray
    rows: np.ndarray
    scores: Scores
    lines: np.ndarray
    market_rows: np.ndarray
    leaving: np.ndarray
    changes: np.ndarray
    gone: np.ndarray
    hidden: np.ndarray
    first: np.ndarray
    second: np.ndarray
    tile: np.ndarray
    cell: np.ndarray
    occupied: np.ndarray
    status: np.ndarray
    supply: np.ndarray
    demand: np.ndarray
    after: np.ndarray
    legal: np.ndarray
    wanted: np.ndarray


@njit(cache=True)
def make_scratch(weights: Weights) -> Scratch:
    """Working memory for the successors of any board: at most 27 tiles on 19 cells."""
    most = TILES * CELLS
    width, (inputs, stack) = weights.table.shape[1], weights.first.shape[1:]
    return Scratch(
        base=np.empty(width, dtype=np.float32),
        rows=np.empty(len(LINES) + MARKETS + CELLS, dtype=np.int32),
        scores=make_scores(),
        lines=np.empty(len(LINES), dtype=np.int32),
        market_rows=np.empty(len(LINES) * RANKS * RANKS, dtype=np.int32),
        leaving=np.empty((len(LINES), RANKS, width), dtype=np.float32),
        changes=np.empty((DIRECTIONS, 2, RANKS, width), dtype=np.float32),
        gone=np.empty((TILES, width), dtype=np.float32),
        hidden=np.empty((most, inputs), dtype=np.float32),
        first=np.empty((most, stack), dtype=np.float32),
        second=np.empty((most, stack), dtype=np.float32),
        tile=np.empty(most, dtype=np.int64),
        cell=np.empty(most, dtype=np.int64),
        occupied=np.empty(len(LINES), dtype=np.int32),
        status=np.empty(len(LINES), dtype=np.int32),
        supply=np.empty(MARKETS, dtype=np.int32),
        demand=np.empty(MARKETS, dtype=np.int32),
        after=np.empty(BITBOARD, dtype=np.int32),
        legal=np.empty(TILES, dtype=np.int32),
        wanted=np.empty((DIRECTIONS, RANKS), dtype=np.bool_),
    )
