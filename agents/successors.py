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
from agents.lanes import LANES, greater, load, minus, plus, spread, store, store_at
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
        fill_leaving(code, weights, scratch)
        count = fill_hidden(board, bitboard, code, weights, scratch, values)
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
    base, table, bias, rows = scratch.base, weights.table, weights.bias, scratch.rows
    fill_states(board, code, scratch.occupied, scratch.status, scratch.supply, scratch.demand)
    count = 0
    for line in range(len(LINES)):
        rows[count] = scratch.lines[line] = line_row(line, scratch.occupied[line], scratch.status[line], code)
        count += 1
    for number in range(MARKETS):
        rows[count] = market_row(number, scratch.supply[number], scratch.demand[number], code)
        count += 1
    for cell in range(CELLS):
        if board[cell] != NONE:
            rows[count] = tile_row(board[cell], code)
            count += 1
    parts = len(base) // LANES
    for part in range(parts):
        total = load(bias, part)
        for row in range(count):
            total = plus(total, load(table, rows[row] * parts + part))
        store(base, part, total)
    gone = scratch.gone
    scratch.wanted[:] = False
    for tile in range(TILES):
        scratch.legal[tile] = 0
        if tiles >> tile & 1:
            scratch.legal[tile] = legal_cells(bitboard[FILLED], tile, last, code)
            for part in range(parts):
                own = load(table, tile_row(tile, code) * parts + part)
                if code.placement == SUN_MOON:
                    own = plus(own, load(table, symbol_row(tile, code) * parts + part))
                store(gone, tile * parts + part, own)
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
    base, after, changes = scratch.base, scratch.after, scratch.changes
    gone, hidden, legal = scratch.gone, scratch.hidden, scratch.legal
    occupied, status, wanted = scratch.occupied, scratch.status, scratch.wanted
    table, leaving, prizes = weights.table, scratch.leaving, weights.prizes
    tiles, cells = scratch.tile, scratch.cell
    parts, inputs = len(base) // LANES, hidden.shape[1]
    prize = prize_of(bitboard, prizes)
    count = 0
    for cell in range(CELLS):
        if board[cell] != NONE:
            continue
        fill_changes(cell, code, occupied, status, wanted, table, leaving, changes)
        for tile in range(TILES):
            if not legal[tile] >> cell & 1:
                continue
            after[:] = bitboard
            place(after, tile, cell, code)
            values[tile, cell] = gain_through(after, tile, cell, prize, code, prizes)
            sun = code.suns >> tile & code.rays
            vertical = change_of(0, sun, int(TILE_RANKS[tile, 0]))
            rising = change_of(1, sun, int(TILE_RANKS[tile, 1]))
            falling = change_of(2, sun, int(TILE_RANKS[tile, 2]))
            for part in range(parts):
                total = plus(load(base, part), load(gone, tile * parts + part))
                total = plus(total, load(changes, vertical * parts + part))
                total = plus(total, load(changes, rising * parts + part))
                total = plus(total, load(changes, falling * parts + part))
                store_at(hidden, count * inputs + part * LANES, greater(total, spread(0.0)))
            tiles[count] = tile
            cells[count] = cell
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
    last, bias = weights.last[turn], weights.last_bias[turn]
    tiles, cells = scratch.tile, scratch.cell
    for row in range(count):
        value = bias + dot(second[row], last)
        values[tiles[row], cells[row]] += np.float32(POINTS_PER_UNIT) * value


@njit(cache=True, fastmath={"reassoc"})
def dot(one: np.ndarray, other: np.ndarray) -> np.float32:
    """The sum of products of two float32 vectors, added up in any order."""
    total = np.float32(0)
    for unit in range(one.shape[0]):
        total += one[unit] * other[unit]
    return total


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
def fill_leaving(code: RuleCode, weights: Weights, scratch: Scratch) -> None:
    """Write what a number of each rank on an open line changes, but for the row of the line's state then."""
    table, all_leaving, parts = weights.table, scratch.leaving, len(scratch.base) // LANES
    for line in range(len(LINES)):
        direction = line // LINES_PER_DIRECTION
        occupied, status = scratch.occupied[line], scratch.status[line]
        if missing_cells(line, occupied) == 0:
            continue
        for rank in range(RANKS):
            if not scratch.wanted[direction, rank]:
                continue
            own = line * RANKS + rank
            for part in range(parts):
                now = load(table, scratch.lines[line] * parts + part)
                store(all_leaving, own * parts + part, minus(spread(0.0), now))
            for other in range(RANKS):
                number = RANKS * direction + other
                supply, demand = scratch.supply[number], scratch.demand[number]
                before = market_row(number, supply, demand, code)
                demand += demand_after(line, occupied, status, rank, other)
                after = market_row(number, max(supply - (other == rank), 0), demand, code)
                scratch.market_rows[own * RANKS + other] = after - market_row(0, 0, 0, code)
                if after != before:
                    for part in range(parts):
                        change = minus(load(table, after * parts + part), load(table, before * parts + part))
                        change = plus(load(all_leaving, own * parts + part), change)
                        store(all_leaving, own * parts + part, change)


@njit(cache=True)
def fill_changes(
    cell: int,
    code: RuleCode,
    occupied: np.ndarray,
    status: np.ndarray,
    wanted: np.ndarray,
    table: np.ndarray,
    leaving: np.ndarray,
    changes: np.ndarray,
) -> None:
    """Write what a tile on ``cell`` changes in each direction, by its number's rank and its symbol.

    The arrays are those of :class:`Scratch`, one by one: it takes longer to pass it than to do this.
    """
    parts = table.shape[1] // LANES
    for direction in range(DIRECTIONS):
        line = int(CELL_LINES[cell, direction])
        for sun in range(1 + code.rays):
            for rank in range(RANKS):
                if not wanted[direction, rank]:
                    continue
                row = row_after(cell, direction, rank, sun, code, occupied, status)
                own, its = change_of(direction, sun, rank), line * RANKS + rank
                for part in range(parts):
                    change = plus(load(table, row * parts + part), load(leaving, its * parts + part))
                    store(changes, own * parts + part, change)


@njit(cache=True)
def change_of(direction: int, sun: int, rank: int) -> int:
    """Where ``Scratch.changes`` has what a number of this rank and symbol changes in a direction."""
    return (direction * 2 + sun) * RANKS + rank


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
