"""What each placement of the tile in hand would do, as a short list of rows of a table.

A network that chooses among cells reads two lists and adds them up. The first is the board's, the same for
all cells: its rows as the value agent reads them (:mod:`agents.features`), the tile in hand and the turn. The
second is the placement's, and says of each of the three lines through the cell

* what **becomes of it**: its state after the placement;
* what the placement **does to it**, whichever line of that length it is: it starts, extends, completes or
  breaks the line, or falls on a broken one;
* its **odds** when it is alive afterwards: how many cells it still misses, how many tiles of its number
  remain and how many of them other lines need;
* the **loss**, the same odds of the number that is given up, when it breaks;
* where rays count, what it does to the line's symbols;

and besides which tile goes on which cell. All but the first and the last are shared by all cells, so that
what is learned on one serves on every other.
"""

from typing import Final

import numpy as np
from numba import njit

from agents.features import (
    BROKEN,
    MARKETS,
    NUMBER_STATES,
    RAY_STATES,
    ROWS_PER_BOARD,
    fill_rows,
    fill_states,
    missing_cells,
    row_after,
    row_count,
)
from takeiteasy_env.board import CELL_LINES, CELLS, DIRECTIONS, LINE_LENGTHS, LINES
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, RuleCode, Rules
from takeiteasy_env.tiles import RANKS, TILE_RANKS, TILES

#: Rows of a position: those of its board, one for the tile in hand and one for the turn.
ROWS_PER_POSITION: Final = ROWS_PER_BOARD + 2
#: Rows of a placement: five kinds for each of three lines, and one for the tile on the cell.
KINDS_PER_LINE: Final = 5
ROWS_PER_PLACEMENT: Final = KINDS_PER_LINE * DIRECTIONS + 1

SHORTEST: Final = int(LINE_LENGTHS.min())
LENGTHS: Final = int(LINE_LENGTHS.max()) - SHORTEST + 1
#: A line misses 0 to 5 cells.
MISSING: Final = int(LINE_LENGTHS.max()) + 1
#: Tiles of a number that remain, and how many of them other lines need; 7 stands for all above.
SUPPLIES: Final = TILES // RANKS + 1
RIVALS: Final = 8
#: What a line is before the placement: untouched, or what its status says.
UNTOUCHED: Final = NUMBER_STATES
UNTOUCHED_RAY: Final = RAY_STATES

_EFFECTS: Final = MARKETS * (NUMBER_STATES + 1) * LENGTHS * MISSING
_ODDS: Final = MARKETS * MISSING * SUPPLIES * RIVALS
_RAY_EFFECTS: Final = 2 * (RAY_STATES + 1) * LENGTHS * MISSING


def section_starts(rules: Rules) -> np.ndarray:
    """int64 (9,): the first row of each kind, and last the number of all rows.

    The kinds are: the board's rows, the tile in hand, the turn, the lines afterwards, what is done to them,
    their odds, the losses, what is done to the symbols, the tile on the cell. The row behind the last one
    stands for nothing.
    """
    lines = row_count(rules)
    rays = _RAY_EFFECTS if rules.code.rays else 0
    sizes = (lines, TILES, CELLS, lines, _EFFECTS, _ODDS, _ODDS, rays, TILES * CELLS)
    return np.cumsum((0, *sizes))


def position_rows(positions: Positions, rules: Rules) -> np.ndarray:
    """int32 (N, 46): the rows of each position."""
    starts = section_starts(rules)
    rows = np.empty((len(positions), ROWS_PER_POSITION), dtype=np.int32)
    fill_rows(positions.board, positions.previous, rules.code, int(starts[-1]), rows[:, :ROWS_PER_BOARD])
    rows[:, ROWS_PER_BOARD] = starts[1] + positions.tile
    rows[:, ROWS_PER_BOARD + 1] = starts[2] + positions.filled
    return rows


def placement_rows(positions: Positions, games: np.ndarray, cells: np.ndarray, rules: Rules) -> np.ndarray:
    """int32 (M, 16): the rows of M placements, of the tile in hand of a position on one of its empty cells.

    Args:
        positions: the positions, each with a tile in hand.
        games: int64 (M,), the position of each placement, in ascending order.
        cells: int64 (M,), its cell.
        rules: the rules.
    """
    rows = np.empty((len(games), ROWS_PER_PLACEMENT), dtype=np.int32)
    fill_placement_rows(
        positions.board, positions.tile, games, cells, rules.code, section_starts(rules), rows
    )
    return rows


@njit(cache=True, nogil=True)
def fill_placement_rows(
    boards: np.ndarray,
    tiles: np.ndarray,
    games: np.ndarray,
    cells: np.ndarray,
    code: RuleCode,
    starts: np.ndarray,
    rows: np.ndarray,
) -> None:
    """Write the rows of placements, as :func:`placement_rows` says."""
    occupied, status = np.empty(len(LINES), dtype=np.int32), np.empty(len(LINES), dtype=np.int32)
    supply, demand = np.empty(MARKETS, dtype=np.int32), np.empty(MARKETS, dtype=np.int32)
    nothing, shown = starts[-1], NONE
    for placement in range(len(games)):
        game, cell = games[placement], cells[placement]
        tile = int(tiles[game])
        if game != shown:
            fill_states(boards[game], code, occupied, status, supply, demand)
            shown = game
        sun = code.suns >> tile & 1
        for direction in range(DIRECTIONS):
            line, rank = int(CELL_LINES[cell, direction]), int(TILE_RANKS[tile, direction])
            missing = missing_cells(line, occupied[line])
            shape = (LINE_LENGTHS[line] - SHORTEST) * MISSING + missing
            before = int(status[line] % NUMBER_STATES) if occupied[line] else UNTOUCHED
            number = RANKS * direction + rank
            effect = (number * (NUMBER_STATES + 1) + before) * LENGTHS * MISSING + shape
            odds = loss = symbols = nothing
            if before == UNTOUCHED:
                odds = starts[5] + _odds_row(number, missing - 1, supply[number] - 1, demand[number])
            elif before == rank:
                others = demand[number] - missing
                odds = starts[5] + _odds_row(number, missing - 1, supply[number] - 1, others)
            elif before != BROKEN:
                given_up = RANKS * direction + before
                others = demand[given_up] - missing
                loss = starts[6] + _odds_row(given_up, missing, supply[given_up], others)
            if code.rays:
                ray = status[line] // NUMBER_STATES if occupied[line] else UNTOUCHED_RAY
                symbols = starts[7] + (sun * (RAY_STATES + 1) + ray) * LENGTHS * MISSING + shape
            first = KINDS_PER_LINE * direction
            rows[placement, first] = starts[3] + row_after(cell, direction, rank, sun, code, occupied, status)
            rows[placement, first + 1] = starts[4] + effect
            rows[placement, first + 2] = odds
            rows[placement, first + 3] = loss
            rows[placement, first + 4] = symbols
        rows[placement, -1] = starts[8] + tile * CELLS + cell


@njit(cache=True)
def _odds_row(number: int, missing: int, supply: int, rivals: int) -> int:
    """Row, within its kind, of a line that misses so many tiles of a number."""
    return ((number * MISSING + missing) * SUPPLIES + supply) * RIVALS + min(rivals, RIVALS - 1)
