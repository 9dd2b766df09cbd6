"""The matches of every successor of a board, as :mod:`agents.matching` says.

What a tile leaves of the lines and markets of a direction depends on its kind there and on the line it goes
to alone, so that is found once for all successors; the best scores are each successor's own.
"""

import numpy as np
from numba import njit

from agents.endings import unseen_tiles
from agents.features import missing_cells, row_after
from agents.matching import ask, block_size, find_best, kind_count, kind_of, sum_up
from agents.weights import Scratch, Weights
from takeiteasy_env.board import CELL_LINES, CELLS, DIRECTIONS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import NONE, RuleCode
from takeiteasy_env.tiles import RANKS


@njit(cache=True)
def fill_matches(board: np.ndarray, count: int, code: RuleCode, weights: Weights, scratch: Scratch) -> None:
    """Write the matches of the first successors behind their first layers.

    Args:
        board: int8 (19,).
        count: how many successors, sorted by cell.
        code: the rules.
        weights: the network.
        scratch: which has read the board and holds the successors' tiles and cells; ``hidden`` is written.
    """
    kinds, block, width = kind_count(code), block_size(code), len(scratch.base)
    asked, of_tile, of_cell = scratch.scores
    mix, hidden, worth, prices = weights.mix, scratch.hidden, weights.worth, weights.prices
    occupied, status, wanted = scratch.occupied, scratch.status, scratch.wanted
    market_rows, tiles, cells = scratch.market_rows, scratch.tile, scratch.cell
    inputs = hidden.shape[1]
    remaining, empty = unseen_tiles(board), 0
    for cell in range(CELLS):
        empty |= (board[cell] == NONE) << cell
    ask_lines(code, weights, scratch)
    cell = NONE
    vertical, rising, falling = 0, 0, 0
    for row in range(count):
        tile = tiles[row]
        if cells[row] != cell:
            cell = cells[row]
            ask_cell(cell, code, occupied, status, wanted, market_rows, worth, prices, asked)
            vertical, rising, falling = CELL_LINES[cell, 0], CELL_LINES[cell, 1], CELL_LINES[cell, 2]
        others, left = empty & ~(1 << cell), remaining & ~(1 << tile)
        find_best(
            asked,
            (vertical * kinds + kind_of(tile, 0, code)) * block,
            (rising * kinds + kind_of(tile, 1, code)) * block,
            (falling * kinds + kind_of(tile, 2, code)) * block,
            others,
            left,
            code,
            of_tile,
            of_cell,
        )
        sum_up(others, left, mix, of_tile, of_cell, hidden, row * inputs + width)


@njit(cache=True)
def ask_lines(code: RuleCode, weights: Weights, scratch: Scratch) -> None:
    """Write what lines and markets make of tiles once one of each kind lies on a line: of all other lines."""
    kinds, block = kind_count(code), block_size(code)
    asked, worth, prices, rows = scratch.scores.asked, weights.worth, weights.prices, scratch.lines
    occupied, wanted, market_rows = scratch.occupied, scratch.wanted, scratch.market_rows
    for line in range(len(LINES)):
        if missing_cells(line, occupied[line]) == 0:
            continue
        direction = line // LINES_PER_DIRECTION
        for kind in range(kinds):
            if wanted[direction, kind % RANKS]:
                markets = markets_after(line, kind % RANKS)
                at = (line * kinds + kind) * block
                for other in range(LINES_PER_DIRECTION):
                    its = direction * LINES_PER_DIRECTION + other
                    if its != line:
                        ask(asked, at + other * kinds, rows[its], market_rows, markets, code, worth, prices)


@njit(cache=True)
def ask_cell(
    cell: int,
    code: RuleCode,
    occupied: np.ndarray,
    status: np.ndarray,
    wanted: np.ndarray,
    market_rows: np.ndarray,
    worth: np.ndarray,
    prices: np.ndarray,
    asked: np.ndarray,
) -> None:
    """Write the same of the lines through ``cell`` themselves, once a tile of each kind lies there.

    The arrays are those of :class:`Weights` and :class:`Scratch`, which take longer to pass.
    """
    kinds, block = kind_count(code), block_size(code)
    for direction in range(DIRECTIONS):
        line = int(CELL_LINES[cell, direction])
        for kind in range(kinds):
            rank, sun = kind % RANKS, kind // RANKS
            if wanted[direction, rank]:
                row = row_after(cell, direction, rank, sun, code, occupied, status)
                at = (line * kinds + kind) * block + line % LINES_PER_DIRECTION * kinds
                ask(asked, at, row, market_rows, markets_after(line, rank), code, worth, prices)


@njit(cache=True)
def markets_after(line: int, rank: int) -> int:
    """Where ``Scratch.market_rows`` has the direction's markets once a number of this rank lies on a line."""
    return (line * RANKS + rank) * RANKS
