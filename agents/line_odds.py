"""``line_odds``: place each tile where it does most for the odds of the lines.

A *run* is one of the hopes of a line: that all its tiles bear the same number, or, where rays count,
the same symbol. A run that is alive is worth its points times the chance to complete it: the
hypergeometric probability that the tiles it misses are among the draws still to come, of which it sees
only a share, the smaller the more of the same tiles other runs need. An untouched run is worth a part of
what its best kind would make it.

A placement is worth the change of these values on the runs through its cell, less two prices of taking the
cell: a part of the mean change that the other remaining tiles would bring there, and the *regret*, by how
much their best cell would be worse without it. Both make it keep for later what suits many tiles, most of all
early in the game. Nothing is rolled out; all there is to tune is the five constants below.
"""

from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

import numpy as np
from numba import njit

from agents.heuristics import refuse_source
from takeiteasy_env.board import CELL_LINES, CELLS, DIRECTIONS, LINE_LENGTHS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import MOONBEAM_POINTS, NONE, SUNRAY_POINTS, Rules
from takeiteasy_env.tiles import NUMBERS, RANKS, TILE_RANKS, TILES

# Fitted to the mean score by an evolution strategy, and rounded where standard and sunrays both do well.
#: Of the draws beyond those it needs, the share that a run without rivals sees.
SHARE: Final = 0.42
#: How fast that share shrinks, exponentially, with each tile that other runs of the same kind need.
RIVALRY: Final = 0.36
#: What an untouched run is worth, as a part of what it would be worth if its best kind were settled.
UNTOUCHED_WORTH: Final = 0.58
#: Weight of the mean of what the other tiles would bring there, at the first turn; it falls to 0 at the last.
PATIENCE: Final = 0.42
#: How many times the mean regret of the next tile counts, for each draw to come.
REGRET: Final = 0.4

#: Runs 0-14 are the lines by number, runs 15-29 the same lines as rays.
RUN_LENGTHS: Final = np.tile(LINE_LENGTHS, 2).astype(np.int64)
#: int64 (19, 6): the runs through each cell.
CELL_RUNS: Final = np.hstack([CELL_LINES, CELL_LINES + len(LINES)]).astype(np.int64)
#: int64 (30,): what a run collects: the numbers of direction 0, 1 or 2, or symbols.
SYMBOLS: Final = DIRECTIONS
RUN_FAMILIES: Final = np.repeat(np.arange(SYMBOLS + 1), [*[LINES_PER_DIRECTION] * DIRECTIONS, len(LINES)])
#: float64 (4, 3): points for each cell of a run, by its family and its kind there: the rank of a number,
#: or 0 for moons and 1 for suns.
KINDS: Final = RANKS
PRIZES: Final = np.array([*NUMBERS, (MOONBEAM_POINTS, SUNRAY_POINTS, 0)], dtype=np.float64)

#: How many of the tiles are left when the board is full.
NEVER_DRAWN: Final = TILES - CELLS
#: Kind of a run without tiles, and of one whose tiles differ.
UNTOUCHED: Final = -1
BROKEN: Final = -2


@dataclass(frozen=True, slots=True)
class LineOddsAgent:
    """Answers by the rise of the expected points of the runs through each cell."""

    rules: Rules

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): the worth of each cell in points, minus infinity where the tile may not go."""
        values = np.full((len(positions), CELLS), -np.inf, dtype=np.float32)
        legal = positions.legal(self.rules)
        remains = positions.remaining()
        kinds = kinds_of_tiles(self.rules)
        fill_values(positions.board, positions.tile, remains, legal, kinds, completion_chances(), values)
        return values


def make_line_odds(rules: Rules, seed: int, source: Path | None) -> LineOddsAgent:
    """The agent; it makes no random choice, so ``seed`` changes nothing.

    Raises:
        UsageError: when given a source.
    """
    refuse_source("line_odds", source)
    return LineOddsAgent(rules)


def kinds_of_tiles(rules: Rules) -> np.ndarray:
    """int64 (27, 3): the kind of each tile in each family; (27, 4) where rays count."""
    families = [TILE_RANKS, np.array(rules.suns)[:, None]] if rules.scoring == "sunrays" else [TILE_RANKS]
    return np.hstack(families, dtype=np.int64)


@cache
def completion_chances() -> np.ndarray:
    """float64 (19, 6, 28, 58): the chance to complete a run, [to come, missing, wanted, rivals].

    It depends on the draws to come, on the tiles that the run misses, on how many of those that would do
    remain, and on how many of these other runs need.
    """
    chances = np.zeros((CELLS, LINE_LENGTHS.max() + 1, TILES + 1, RUN_LENGTHS[len(LINES) :].sum() + 1))
    shares = SHARE * np.exp(-RIVALRY * np.arange(chances.shape[-1]))
    for to_come, missing, wanted in np.ndindex(chances.shape[:-1]):
        remaining = to_come + NEVER_DRAWN
        if missing <= to_come and wanted <= remaining:
            draws = range(to_come + 1)
            odds = [odds_to_draw(missing, wanted, remaining, seen) for seen in draws]
            chances[to_come, missing, wanted] = np.interp(missing + shares * (to_come - missing), draws, odds)
    return chances


def odds_to_draw(missing: int, wanted: int, remaining: int, draws: int) -> float:
    """Hypergeometric probability that draws from what remains bring at least ``missing`` wanted tiles."""
    hands = sum(
        comb(wanted, held) * comb(remaining - wanted, draws - held)
        for held in range(missing, min(draws, wanted) + 1)
    )
    return hands / comb(remaining, draws)


@njit(cache=True)
def fill_values(
    boards: np.ndarray,
    tiles: np.ndarray,
    remains: np.ndarray,
    legal: np.ndarray,
    kinds: np.ndarray,
    chances: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write the worth of each legal cell.

    Args:
        boards: int8 (N, 19).
        tiles: int8 (N,), the tiles in hand.
        remains: bool (N, 27), the tiles of which the next are drawn.
        legal: bool (N, 19).
        kinds: of :func:`kinds_of_tiles`.
        chances: of :func:`completion_chances`.
        values: float32 (N, 19), written where ``legal``.
    """
    for game in range(len(boards)):
        if legal[game].any():
            remaining = np.flatnonzero(remains[game])
            fill_worth(boards[game], tiles[game], remaining, legal[game], kinds, chances, values[game])


@njit(cache=True)
def fill_worth(
    board: np.ndarray,
    tile: int,
    remaining: np.ndarray,
    legal: np.ndarray,
    kinds: np.ndarray,
    chances: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write the worth of each legal cell of one position.

    Args:
        board: int8 (19,).
        tile: the tile in hand.
        remaining: int64 (T,), the tiles of which the next are drawn.
        legal: bool (19,).
        kinds: of :func:`kinds_of_tiles`.
        chances: of :func:`completion_chances`.
        values: float32 (19,), written where ``legal``.
    """
    to_come = len(remaining) - NEVER_DRAWN
    worth = worth_of_cells(board, remaining, kinds, chances[to_come])
    regret = mean_regret(board, remaining, kinds, worth)
    for cell in range(CELLS):
        if legal[cell]:
            values[cell] = worth_of_tile(tile, kinds, worth[cell]) - REGRET * to_come * regret[cell]


@njit(cache=True)
def mean_regret(board: np.ndarray, remaining: np.ndarray, kinds: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Float64 (19,): how much worse, in the mean, a remaining tile's best cell gets without each cell."""
    regret = np.zeros(CELLS)
    for tile in remaining:
        best, second, best_cell = -np.inf, -np.inf, NONE
        for cell in range(CELLS):
            if board[cell] == NONE:
                gain = worth_of_tile(tile, kinds, worth[cell])
                if gain > best:
                    best, second, best_cell = gain, best, cell
                elif gain > second:
                    second = gain
        if second > -np.inf:
            regret[best_cell] += (best - second) / len(remaining)
    return regret


@njit(cache=True)
def worth_of_tile(tile: int, kinds: np.ndarray, worth: np.ndarray) -> float:
    """What a tile is worth on a cell, given what each kind is worth there: float64 (families, 3)."""
    total = 0.0
    for family in range(len(worth)):
        total += worth[family, kinds[tile, family]]
    return total


@njit(cache=True)
def worth_of_cells(
    board: np.ndarray, remaining: np.ndarray, kinds: np.ndarray, chances: np.ndarray
) -> np.ndarray:
    """Float64 (19, families, 3): what a tile of each kind is worth on the runs through each cell.

    That is the change of the value of the runs, less a part of the change in the mean of the remaining tiles.
    """
    missing, kind = read_runs(board, kinds)
    supply = np.zeros((kinds.shape[1], KINDS), dtype=np.int64)
    for tile in remaining:
        for family in range(len(supply)):
            supply[family, kinds[tile, family]] += 1
    demand = np.zeros_like(supply)
    for run in range(len(kind)):
        if kind[run] >= 0:
            demand[RUN_FAMILIES[run], kind[run]] += missing[run]

    patience = PATIENCE * (len(remaining) - NEVER_DRAWN) / (CELLS - 1)
    changes = np.zeros((len(kind), KINDS))
    for run in range(len(kind)):
        if kind[run] != BROKEN and missing[run] > 0:
            family = RUN_FAMILIES[run]
            change = change_of_run(run, missing[run], kind[run], supply[family], demand[family], chances)
            changes[run] = change - patience * (change * supply[family]).sum() / len(remaining)

    worth = np.zeros((CELLS, len(supply), KINDS))
    for cell in range(CELLS):
        for run in CELL_RUNS[cell, : len(kind) // LINES_PER_DIRECTION]:
            worth[cell, RUN_FAMILIES[run]] += changes[run]
    return worth


@njit(cache=True)
def read_runs(board: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Int64 (runs,) empty cells of each run, and int64 (runs,) kind that its tiles share."""
    runs = len(LINES) if kinds.shape[1] == DIRECTIONS else 2 * len(LINES)
    missing = RUN_LENGTHS[:runs].copy()
    kind = np.full(runs, UNTOUCHED)
    for cell in range(CELLS):
        if board[cell] != NONE:
            for run in CELL_RUNS[cell, : runs // LINES_PER_DIRECTION]:
                placed = kinds[board[cell], RUN_FAMILIES[run]]
                missing[run] -= 1
                if kind[run] == UNTOUCHED:
                    kind[run] = placed
                elif kind[run] != placed:
                    kind[run] = BROKEN
    return missing, kind


@njit(cache=True)
def change_of_run(
    run: int, missing: int, kind: int, supply: np.ndarray, demand: np.ndarray, chances: np.ndarray
) -> np.ndarray:
    """Float64 (3,): by how much a tile of each kind changes the value of a run that is not broken.

    Args:
        run: which run.
        missing: its empty cells, at least one.
        kind: the kind of its tiles, or UNTOUCHED.
        supply: int64 (3,), how many tiles of each kind of its family remain.
        demand: int64 (3,), how many of them the runs of its family need.
        chances: float64 (6, 28, 58), of :func:`completion_chances` for the draws to come.
    """
    before = 0.0
    after = np.zeros(KINDS)
    for new in range(KINDS):
        if kind in (UNTOUCHED, new):
            points = RUN_LENGTHS[run] * PRIZES[RUN_FAMILIES[run], new]
            part = UNTOUCHED_WORTH if kind == UNTOUCHED else 1.0
            rivals = demand[new] - (missing if kind == new else 0)
            before = max(before, part * points * chances[missing, supply[new], rivals])
            after[new] = points * chances[missing - 1, supply[new], rivals]
    return after - before
