"""Every successor of a board, valued by the network: the compiled heart of the value agent.

A successor is the board after one of the tiles is put on one of its legal cells. Its first layer differs from
the board's own in a few rows of the table, so it costs a few vector additions; the layers behind it are one
matrix product for all successors of a board. With few cells left the rest is played out exactly instead.
Boards are independent: they spread over Numba's threads, and the numbers do not depend on how many there are.
"""

from typing import Final

import numpy as np
from numba import njit, prange

from agents.endings import ending_value, unseen_tiles
from agents.features import (
    MARKETS,
    demand_after,
    fill_states,
    line_row,
    market_row,
    missing_cells,
    row_after,
    symbol_row,
    tile_row,
)
from agents.prizes import gain_through, prize_of
from agents.successor_matches import fill_matches
from agents.weights import Scratch, Weights, make_scratch
from takeiteasy_env.board import CELL_LINES, CELLS, DIRECTIONS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import (
    FILLED,
    NONE,
    SUN_MOON,
    RuleCode,
    legal_cells,
    place,
)
from takeiteasy_env.tiles import RANKS, TILE_RANKS, TILES

#: The network predicts hundreds of points, so that its outputs are of the order of 1.
POINTS_PER_UNIT: Final = 100.0
#: Boards that one thread takes at a time.
BOARDS_PER_TASK: Final = 32
#: Boards after a placement with so many empty cells, or fewer, are valued exactly, without the network.
EXACT_CELLS: Final = 2
#: The network values boards with 1 to 16 tiles.
TURNS: Final = CELLS - 1 - EXACT_CELLS


@njit(cache=True, nogil=True)
def value_successors(
    board: np.ndarray,
    bitboard: np.ndarray,
    last: int,
    tiles: int,
    code: RuleCode,
    weights: Weights,
    scratch: Scratch,
    values: np.ndarray,
) -> None:
    """Write what each tile is worth on each cell: what it gains and the value of the board after it.

    Args:
        board: int8 (19,), with at most 18 tiles.
        bitboard: int32 (11,), the same board.
        last: the tile placed last, -1 for none.
        tiles: the tiles to value, as bits.
        code: the rules.
        weights: the network.
        scratch: working memory.
        values: float32 (27, 19), written in the rows of ``tiles``, minus infinity where one may not go.
    """
    values[:] = -np.inf
    turn = (board != NONE).sum()
    if turn < TURNS:
        read_board(board, bitboard, last, tiles, code, weights, scratch)
        fill_market_changes(code, weights, scratch)
        count = fill_hidden(board, bitboard, code, weights, scratch, values)
        if len(weights.worth):
            fill_matches(board, count, code, weights, scratch)
        add_outputs(turn, count, weights, scratch, values)
    else:
        fill_endings(board, bitboard, last, tiles, code, weights, scratch, values)


@njit(cache=True)
def read_board(
    board: np.ndarray,
    bitboard: np.ndarray,
    last: int,
    tiles: int,
    code: RuleCode,
    weights: Weights,
    scratch: Scratch,
) -> None:
    """Write the board's own first layer; for each tile wanted, where it may go and what its going adds."""
    base = scratch.base
    base[:] = weights.bias
    fill_states(board, code, scratch.occupied, scratch.status, scratch.supply, scratch.demand)
    for line in range(len(LINES)):
        row = line_row(line, scratch.occupied[line], scratch.status[line], code)
        add(base, weights.table[row])
        scratch.lines[line] = row
    for number in range(MARKETS):
        add(base, weights.table[market_row(number, scratch.supply[number], scratch.demand[number], code)])
    for cell in range(CELLS):
        if board[cell] != NONE:
            add(base, weights.table[tile_row(board[cell], code)])
    scratch.wanted[:] = False
    for tile in range(TILES):
        scratch.legal[tile] = 0
        if tiles >> tile & 1:
            scratch.legal[tile] = legal_cells(bitboard[FILLED], tile, last, code)
            scratch.gone[tile] = weights.table[tile_row(tile, code)]
            if code.placement == SUN_MOON:
                add(scratch.gone[tile], weights.table[symbol_row(tile, code)])
            for direction in range(DIRECTIONS):
                scratch.wanted[direction, TILE_RANKS[tile, direction]] = True


@njit(cache=True)
def fill_hidden(
    board: np.ndarray,
    bitboard: np.ndarray,
    code: RuleCode,
    weights: Weights,
    scratch: Scratch,
    values: np.ndarray,
) -> int:
    """Write each successor's first layer and what it gains; returns how many successors there are."""
    base, after = scratch.base, scratch.after
    prize = prize_of(bitboard, weights.prizes)
    count = 0
    for cell in range(CELLS):
        if board[cell] != NONE:
            continue
        fill_line_changes(cell, code, weights, scratch)
        for tile in range(TILES):
            if not scratch.legal[tile] >> cell & 1:
                continue
            after[:] = bitboard
            place(after, tile, cell, code)
            values[tile, cell] = gain_through(after, tile, cell, prize, code, weights.prizes)
            sun = code.suns >> tile & code.rays
            vertical = scratch.changes[0, sun, TILE_RANKS[tile, 0]]
            rising = scratch.changes[1, sun, TILE_RANKS[tile, 1]]
            falling = scratch.changes[2, sun, TILE_RANKS[tile, 2]]
            gone = scratch.gone[tile]
            hidden = scratch.hidden[count]
            for unit in range(base.shape[0]):
                total = base[unit] + vertical[unit] + rising[unit] + falling[unit] + gone[unit]
                hidden[unit] = max(total, np.float32(0))
            scratch.tile[count] = tile
            scratch.cell[count] = cell
            count += 1
    return count


@njit(cache=True)
def add_outputs(turn: int, count: int, weights: Weights, scratch: Scratch, values: np.ndarray) -> None:
    """Add what the layers behind the first one say of each successor of a board with ``turn`` tiles."""
    first, second = scratch.first[:count], scratch.second[:count]
    np.dot(scratch.hidden[:count], weights.first[turn], first)
    add_and_rectify(first, weights.first_bias[turn])
    np.dot(first, weights.second[turn], second)
    add_and_rectify(second, weights.second_bias[turn])
    for row in range(count):
        value = weights.last_bias[turn]
        for unit in range(second.shape[1]):
            value += second[row, unit] * weights.last[turn, unit]
        values[scratch.tile[row], scratch.cell[row]] += np.float32(POINTS_PER_UNIT) * value


@njit(cache=True)
def fill_endings(
    board: np.ndarray,
    bitboard: np.ndarray,
    last: int,
    tiles: int,
    code: RuleCode,
    weights: Weights,
    scratch: Scratch,
    values: np.ndarray,
) -> None:
    """Write the values of the successors of a board that are valued exactly."""
    prize = prize_of(bitboard, weights.prizes)
    after, remaining = scratch.after, unseen_tiles(board)
    for tile in range(TILES):
        if not tiles >> tile & 1:
            continue
        legal = legal_cells(bitboard[FILLED], tile, last, code)
        for cell in range(CELLS):
            if legal >> cell & 1:
                after[:] = bitboard
                place(after, tile, cell, code)
                gain = gain_through(after, tile, cell, prize, code, weights.prizes)
                rest = ending_value(after, remaining & ~(1 << tile), tile, code, weights.prizes)
                values[tile, cell] = gain + rest


@njit(cache=True)
def add(total: np.ndarray, row: np.ndarray) -> None:
    """Add one row to another, in place."""
    for unit in range(total.shape[0]):
        total[unit] += row[unit]


@njit(cache=True)
def fill_market_changes(code: RuleCode, weights: Weights, scratch: Scratch) -> None:
    """Write what a number of each rank on each open line changes in the markets of its direction."""
    for line in range(len(LINES)):
        direction = line // LINES_PER_DIRECTION
        occupied, status = scratch.occupied[line], scratch.status[line]
        if missing_cells(line, occupied) == 0:
            continue
        for rank in range(RANKS):
            if not scratch.wanted[direction, rank]:
                continue
            change = scratch.markets[line, rank]
            change[:] = 0
            for other in range(RANKS):
                number = RANKS * direction + other
                supply, demand = scratch.supply[number], scratch.demand[number]
                before = market_row(number, supply, demand, code)
                demand += demand_after(line, occupied, status, rank, other)
                after = market_row(number, max(supply - (other == rank), 0), demand, code)
                scratch.market_rows[line, rank, other] = after - market_row(0, 0, 0, code)
                if after != before:
                    for unit in range(change.shape[0]):
                        change[unit] += weights.table[after, unit] - weights.table[before, unit]


@njit(cache=True)
def fill_line_changes(cell: int, code: RuleCode, weights: Weights, scratch: Scratch) -> None:
    """Write what a tile on ``cell`` changes in each direction, by its number's rank and its symbol."""
    for direction in range(DIRECTIONS):
        line = int(CELL_LINES[cell, direction])
        before = weights.table[line_row(line, scratch.occupied[line], scratch.status[line], code)]
        for sun in range(1 + code.rays):
            for rank in range(RANKS):
                if not scratch.wanted[direction, rank]:
                    continue
                row = row_after(cell, direction, rank, sun, code, scratch.occupied, scratch.status)
                change, market = scratch.changes[direction, sun, rank], scratch.markets[line, rank]
                after = weights.table[row]
                for unit in range(change.shape[0]):
                    change[unit] = after[unit] - before[unit] + market[unit]


@njit(cache=True)
def add_and_rectify(layer: np.ndarray, bias: np.ndarray) -> None:
    """Add a bias to each row of a layer and cut it off at zero, in place."""
    for row in range(layer.shape[0]):
        for unit in range(layer.shape[1]):
            layer[row, unit] = max(layer[row, unit] + bias[unit], np.float32(0))


@njit(cache=True, parallel=True, nogil=True)
def fill_values(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    previous: np.ndarray,
    code: RuleCode,
    weights: Weights,
    values: np.ndarray,
) -> None:
    """Write the float32 (N, 19) values of the cells for the tiles in hand, as :func:`value_successors`."""
    for task in prange((len(boards) + BOARDS_PER_TASK - 1) // BOARDS_PER_TASK):
        start = task * BOARDS_PER_TASK
        stop = min(start + BOARDS_PER_TASK, len(boards))
        _fill_values(boards, bitboards, tiles, previous, code, weights, values, start, stop)


@njit(cache=True)
def _fill_values(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    previous: np.ndarray,
    code: RuleCode,
    weights: Weights,
    values: np.ndarray,
    start: int,
    stop: int,
) -> None:
    scratch = make_scratch(weights)
    rows = np.empty((TILES, CELLS), dtype=np.float32)
    for game in range(start, stop):
        tile = int(tiles[game])
        if legal_cells(bitboards[game, FILLED], tile, previous[game], code):
            value_successors(
                boards[game], bitboards[game], previous[game], 1 << tile, code, weights, scratch, rows
            )
            values[game] = rows[tile]
        else:
            values[game] = -np.inf
