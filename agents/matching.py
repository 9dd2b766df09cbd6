"""How the tiles that remain match the empty cells, as numbers that the stacks of the value network read.

Each of sixteen *heads* scores every remaining tile on every empty cell: for each of the three lines through
the cell, what a line in that state makes of a tile of that kind (its number, and its symbol where rays
count), and what the market makes of the number. Of these scores the network reads

* the best cell of each tile, in the mean over the tiles: what expectimax would see one ply ahead, if lines
  had nothing to do with each other but the cells they share;
* the best tile of each cell, the heads mixed and rectified, in the sum over the cells: whether what is left
  still suits what the lines wait for.

The scores do not ask whether the rules allow a placement now: what counts is the rest of the game.
"""

from typing import Final, NamedTuple

import numpy as np
from numba import njit

from agents.features import market_row, tile_row
from agents.lanes import LANES, fused, greater, load, plus, spread, store, store_at, times
from takeiteasy_env.board import CELL_LINES, CELLS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import RuleCode, Rules
from takeiteasy_env.tiles import RANKS, TILE_RANKS, TILES

#: How many different scores a tile on a cell has.
HEADS: Final = LANES
#: How many numbers the stacks read.
MATCHES: Final = 2 * HEADS
#: Part of the sum over the cells that is read, so that it is of the order of 1.
CELL_SHARE: Final = 1 / 3
#: Below any score.
WORST: Final = -1e30

#: int64 (19, 3), the line through each cell in each direction, counted within the direction.
LINE_IN_DIRECTION: Final = np.ascontiguousarray(CELL_LINES % LINES_PER_DIRECTION).astype(np.int64)
_RANKS: Final = TILE_RANKS.astype(np.int64)


class Scores(NamedTuple):
    """Working memory of one thread, float32 (N, 16) each, for one board at a time.

    ``asked`` is what lines and markets make of tiles: in blocks for a direction, which have a row for each of
    its lines and each kind of tile. ``of_tile`` (27, 16) and ``of_cell`` (19, 16) are the best scores.
    """

    asked: np.ndarray
    of_tile: np.ndarray
    of_cell: np.ndarray


@njit(cache=True)
def make_scores() -> Scores:
    """Working memory for a board with a tile of each kind on each of its lines in turn."""
    blocks = len(LINES) * 2 * RANKS
    return Scores(
        asked=np.empty((blocks * LINES_PER_DIRECTION * 2 * RANKS, HEADS), dtype=np.float32),
        of_tile=np.empty((TILES, HEADS), dtype=np.float32),
        of_cell=np.empty((CELLS, HEADS), dtype=np.float32),
    )


@njit(cache=True)
def kind_count(code: RuleCode) -> int:
    """How many kinds of tile a direction can tell apart: 3 numbers, of 2 symbols where rays count."""
    return RANKS * (1 + code.rays)


@njit(cache=True)
def kind_of(tile: int, direction: int, code: RuleCode) -> int:
    """Which kind a tile is in a direction."""
    return RANKS * (code.suns >> tile & code.rays) + _RANKS[tile, direction]


@njit(cache=True)
def block_size(code: RuleCode) -> int:
    """Rows of a block of ``Scores.asked``."""
    return LINES_PER_DIRECTION * kind_count(code)


@njit(cache=True)
def ask(
    asked: np.ndarray,
    at: int,
    row: int,
    markets: np.ndarray,
    first: int,
    code: RuleCode,
    worth: np.ndarray,
    prices: np.ndarray,
) -> None:
    """Write what a line and its direction's markets make of each kind of tile.

    Args:
        asked: float32 (N, 16), written.
        at: its first row for the line.
        row: the row of the line's state in the network's table.
        markets: int (N,), rows of ``prices`` for the states of markets.
        first: where it has those of the direction, three of them.
        code: the rules.
        worth: (N, 16), float32 or halves, what each state of a line makes of each kind of tile, a row each.
        prices: (N, 16), likewise, what each state of a market adds to that.
    """
    for symbol in range(1 + code.rays):
        of_line, to = row * kind_count(code) + RANKS * symbol, at + RANKS * symbol
        for rank in range(RANKS):
            made = plus(load(worth, of_line + rank), load(prices, markets[first + rank]))
            store(asked, to + rank, made)


@njit(cache=True)
def find_best(
    asked: np.ndarray,
    vertical: int,
    rising: int,
    falling: int,
    empty: int,
    tiles: int,
    code: RuleCode,
    of_tile: np.ndarray,
    of_cell: np.ndarray,
) -> None:
    """Write the best score of each of these tiles and of each of these cells.

    Args:
        asked: float32 (N, 16), what the lines and markets make of tiles, in blocks.
        vertical: first row of the block for that direction.
        rising: the same.
        falling: the same.
        empty: the empty cells, as bits.
        tiles: the tiles that remain, as bits.
        code: the rules.
        of_tile: float32 (27, 16), written.
        of_cell: float32 (19, 16), written in the rows of these cells.
    """
    kinds = kind_count(code)
    for tile in range(TILES):
        store(of_tile, tile, spread(WORST))
    for cell in range(CELLS):
        if not empty >> cell & 1:
            continue
        best = spread(WORST)
        for symbol in range(1 + code.rays):
            these = tiles & tiles_of(symbol, code)
            first = vertical + kinds * LINE_IN_DIRECTION[cell, 0] + RANKS * symbol
            second = rising + kinds * LINE_IN_DIRECTION[cell, 1] + RANKS * symbol
            third = falling + kinds * LINE_IN_DIRECTION[cell, 2] + RANKS * symbol
            for one in range(RANKS):
                upright = load(asked, first + one)
                for other in range(RANKS):
                    pair = plus(upright, load(asked, second + other))
                    for last in range(RANKS):
                        tile = (one * RANKS + other) * RANKS + last
                        if these >> tile & 1:
                            score = plus(pair, load(asked, third + last))
                            store(of_tile, tile, greater(score, load(of_tile, tile)))
                            best = greater(score, best)
        store(of_cell, cell, best)


@njit(cache=True)
def tiles_of(symbol: int, code: RuleCode) -> int:
    """The tiles with a symbol, 1 for suns, as bits; all of them where rays do not count."""
    if not code.rays:
        return (1 << TILES) - 1
    return code.suns if symbol else ~code.suns


@njit(cache=True)
def sum_up(
    empty: int,
    tiles: int,
    mix: np.ndarray,
    of_tile: np.ndarray,
    of_cell: np.ndarray,
    hidden: np.ndarray,
    position: int,
) -> None:
    """Write the numbers that the network reads.

    Args:
        empty: the empty cells, as bits.
        tiles: the tiles that remain, as bits.
        mix: float32 (17, 16), how the heads of the best tile of a cell are mixed; the last row is the bias.
        of_tile: float32 (27, 16), the best score of each of the tiles.
        of_cell: float32 (19, 16), that of each of the cells.
        hidden: float32, contiguous; 32 numbers are written.
        position: of the first of them, counted in floats.
    """
    total, count = spread(0.0), 0
    for tile in range(TILES):
        if tiles >> tile & 1:
            total = plus(total, load(of_tile, tile))
            count += 1
    store_at(hidden, position, times(total, spread(1 / count)))
    total = spread(0.0)
    for cell in range(CELLS):
        if empty >> cell & 1:
            mixed = load(mix, HEADS)
            for head in range(HEADS):
                mixed = fused(spread(of_cell[cell, head]), load(mix, head), mixed)
            total = plus(total, greater(mixed, spread(0.0)))
    store_at(hidden, position + HEADS, times(total, spread(CELL_SHARE)))


def match_rows(rules: Rules) -> tuple[int, int, int]:
    """How many line rows the network's table has, how many kinds of tile, and how many market rows."""
    lines, tiles = market_row(0, 0, 0, rules.code), tile_row(0, rules.code)
    return lines, kind_count(rules.code), tiles - lines
