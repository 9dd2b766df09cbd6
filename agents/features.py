"""What matters of a board for its future, as a short list of rows of a table.

* The **state of each line**: which of its cells are filled and, while it is alive, its number; a line with
  two numbers is just broken. Where rays count also whether it may still become a Sunray or a Moonbeam.
* The **market of each number**: how many of its tiles remain (supply), and how many more the lines alive
  with that number still need (demand).
* Which **tiles are gone** and, under ``sun_moon``, the symbol of the tile placed last.

Placing a tile changes, in each direction, one line and the markets of that direction's three numbers; what
happens in one direction does not depend on the other two.

Standard rules: 15 lines of 1 + 4 * (2**length - 1) states, 915 in all; 9 markets of 10 * 16 states, 1,440;
27 tiles.
"""

from typing import Final

import numpy as np
from numba import njit

from takeiteasy_env.board import CELL_LINES, CELLS, DIRECTIONS, LINE_LENGTHS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import NONE, SUN_MOON, RuleCode, Rules
from takeiteasy_env.tiles import RANKS, TILE_RANKS, TILES

#: What a line's numbers say: alive with the number of rank 0, 1 or 2, or broken.
BROKEN: Final = RANKS
NUMBER_STATES: Final = RANKS + 1
#: What a line's symbols say, where rays count: all moons so far, all suns so far, or both.
MIXED: Final = 2
RAY_STATES: Final = 3
#: Each number is on 9 tiles; a demand of 15 stands for all above, hopeless alike.
SUPPLIES: Final = TILES // RANKS + 1
DEMANDS: Final = 16
MARKETS: Final = DIRECTIONS * RANKS

#: Rows of a board: one a line, one a market, one a cell for the tile that is gone, one for the last symbol.
ROWS_PER_BOARD: Final = len(LINES) + MARKETS + CELLS + 1


def _line_offsets(statuses: int) -> list[int]:
    """First row of each line's states, and behind them the number of all line rows."""
    sizes = [1 + statuses * (2 ** int(length) - 1) for length in LINE_LENGTHS]
    return [0, *np.cumsum(sizes).tolist()]


#: int32 (2, 16): first row of each line without and with rays; the last column counts the line rows.
_LINE_OFFSETS: Final = np.array(
    [_line_offsets(NUMBER_STATES), _line_offsets(NUMBER_STATES * RAY_STATES)], dtype=np.int32
)
_CELL_BITS: Final = np.array(
    [[1 << LINES[line].index(cell) for line in CELL_LINES[cell]] for cell in range(CELLS)], dtype=np.int32
)
_MARKET_ROWS: Final = MARKETS * SUPPLIES * DEMANDS


def row_count(rules: Rules) -> int:
    """How many rows the table has under ``rules``; the row behind the last one stands for nothing."""
    symbols = 2 if rules.placement == "sun_moon" else 0
    return int(_LINE_OFFSETS[rules.code.rays, -1]) + _MARKET_ROWS + TILES + symbols


@njit(cache=True)
def line_row(line: int, occupied: int, status: int, code: RuleCode) -> int:
    """Row of a line's state: its filled cells as bits along the line, and its status."""
    offset = _LINE_OFFSETS[code.rays, line]
    if occupied == 0:
        return offset
    statuses = NUMBER_STATES * RAY_STATES if code.rays else NUMBER_STATES
    return offset + 1 + (occupied - 1) * statuses + status


@njit(cache=True)
def market_row(number: int, supply: int, demand: int, code: RuleCode) -> int:
    """Row of a number's market; ``number`` is 3 * direction + rank."""
    state = (number * SUPPLIES + supply) * DEMANDS + min(demand, DEMANDS - 1)
    return _LINE_OFFSETS[code.rays, -1] + state


@njit(cache=True)
def tile_row(tile: int, code: RuleCode) -> int:
    """Row of a tile that is gone."""
    return _LINE_OFFSETS[code.rays, -1] + _MARKET_ROWS + tile


@njit(cache=True)
def symbol_row(last: int, code: RuleCode) -> int:
    """Row of the symbol of the tile placed last; only ``sun_moon`` has such rows."""
    return _LINE_OFFSETS[code.rays, -1] + _MARKET_ROWS + TILES + (code.suns >> last & 1)


@njit(cache=True)
def status_after(occupied: int, status: int, rank: int, sun: int, code: RuleCode) -> int:
    """Status of a line once a tile with this number's rank and symbol (1 sun, 0 moon) lies on it."""
    numbers = rank
    rays = sun
    if occupied:
        numbers = rank if status % NUMBER_STATES == rank else BROKEN
        rays = sun if status // NUMBER_STATES == sun else MIXED
    return numbers + NUMBER_STATES * rays if code.rays else numbers


@njit(cache=True)
def missing_cells(line: int, occupied: int) -> int:
    """How many cells of a line are empty."""
    missing = LINE_LENGTHS[line]
    while occupied:
        missing -= occupied & 1
        occupied >>= 1
    return missing


@njit(cache=True)
def fill_states(
    board: np.ndarray,
    code: RuleCode,
    occupied: np.ndarray,
    status: np.ndarray,
    supply: np.ndarray,
    demand: np.ndarray,
) -> None:
    """Write the state of each of the 15 lines and of each of the 9 markets of a board.

    Args:
        board: int8 (19,).
        code: the rules.
        occupied: int (15,), each line's filled cells as bits along it, written.
        status: int (15,), each line's status, written.
        supply: int (9,), tiles of each number that are not on the board, written.
        demand: int (9,), tiles of each number that the lines alive with it need, written.
    """
    occupied[:] = 0
    status[:] = 0
    supply[:] = TILES // RANKS
    demand[:] = 0
    for cell in range(CELLS):
        tile = board[cell]
        if tile != NONE:
            sun = code.suns >> tile & 1
            for direction in range(DIRECTIONS):
                line, rank = int(CELL_LINES[cell, direction]), int(TILE_RANKS[tile, direction])
                status[line] = status_after(occupied[line], status[line], rank, sun, code)
                occupied[line] |= _CELL_BITS[cell, direction]
                supply[RANKS * direction + rank] -= 1
    for line in range(len(LINES)):
        rank = status[line] % NUMBER_STATES
        if occupied[line] and rank != BROKEN:
            demand[RANKS * (line // LINES_PER_DIRECTION) + rank] += missing_cells(line, occupied[line])


@njit(cache=True)
def demand_after(line: int, occupied: int, status: int, rank: int, other: int) -> int:
    """Change of the demand for the number of rank ``other`` when one of ``rank`` goes on an open line."""
    missing = missing_cells(line, occupied)
    if occupied == 0:
        return missing - 1 if other == rank else 0
    if status % NUMBER_STATES != other:
        return 0
    return -1 if other == rank else -missing


@njit(cache=True)
def row_after(
    cell: int, direction: int, rank: int, sun: int, code: RuleCode, occupied: np.ndarray, status: np.ndarray
) -> int:
    """Row of the line through ``cell`` once a tile of this rank in its direction and symbol lies there."""
    line = int(CELL_LINES[cell, direction])
    changed = status_after(occupied[line], status[line], rank, sun, code)
    return line_row(line, occupied[line] | _CELL_BITS[cell, direction], changed, code)


@njit(cache=True)
def fill_rows(boards: np.ndarray, last: np.ndarray, code: RuleCode, nothing: int, rows: np.ndarray) -> None:
    """Write the rows of boards after a placement, filled up with the row that stands for nothing.

    Args:
        boards: int8 (N, 19).
        last: int8 (N,), the tile placed last, -1 for none.
        code: the rules.
        nothing: the row that stands for nothing, ``row_count(rules)``.
        rows: int (N, 44), written.
    """
    occupied, status = np.empty(len(LINES), dtype=np.int32), np.empty(len(LINES), dtype=np.int32)
    supply, demand = np.empty(MARKETS, dtype=np.int32), np.empty(MARKETS, dtype=np.int32)
    for game in range(len(boards)):
        fill_states(boards[game], code, occupied, status, supply, demand)
        for line in range(len(LINES)):
            rows[game, line] = line_row(line, occupied[line], status[line], code)
        for number in range(MARKETS):
            rows[game, len(LINES) + number] = market_row(number, supply[number], demand[number], code)
        for cell in range(CELLS):
            tile = boards[game, cell]
            rows[game, len(LINES) + MARKETS + cell] = nothing if tile == NONE else tile_row(tile, code)
        known = code.placement == SUN_MOON and last[game] != NONE
        rows[game, -1] = symbol_row(last[game], code) if known else nothing
