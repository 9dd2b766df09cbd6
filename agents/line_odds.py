"""``line_odds``: place each tile where it does most for the odds of the lines.

A *run* is one of the hopes of a line: that all its tiles bear the same number, or, where rays count,
the same symbol. A run that is alive is worth its points times the chance to complete it: the
hypergeometric probability that the tiles it misses are among the draws still to come, of which it sees
only a share, the smaller the more of the same tiles other runs need. An untouched run is worth a part of
what its best kind would make it. A placement is worth the change of these values on the runs through its
cell, less a part of the mean change that the other remaining tiles would bring there: a cell that suits
many tiles is kept for later, most of all early in the game.

Nothing is rolled out and nothing is looked ahead; all there is to tune is the four constants below.
"""

from dataclasses import dataclass
from functools import cache
from math import comb, exp
from pathlib import Path
from typing import Final

import numpy as np
from numba import njit

from agents.heuristics import refuse_source
from takeiteasy_env.board import CELL_LINES, CELLS, DIRECTIONS, LINE_LENGTHS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import MOONBEAM_POINTS, NONE, SUNRAY_POINTS, Rules
from takeiteasy_env.tiles import NUMBERS, RANKS, TILE_RANKS, TILES

# Fitted by the cross-entropy method to the mean score of the standard game.
#: Of the draws beyond those it needs, the share that a run without rivals sees.
SHARE: Final = 0.49
#: How fast that share shrinks, exponentially, with each tile that other runs of the same kind need.
RIVALRY: Final = 0.39
#: What an untouched run is worth, as a part of what it would be worth if its best kind were settled.
UNTOUCHED_WORTH: Final = 0.485
#: Weight of what the other tiles would bring in the same cell, at the first turn; it falls to 0 at the last.
PATIENCE: Final = 0.47

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
        fill_values(positions.board, positions.tile, legal, kinds_of_tiles(self.rules), seen_odds(), values)
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
def seen_odds() -> np.ndarray:
    """float64 (19, 19, 28, 6): odds[to come, seen, wanted, missing] of drawing the tiles that a run misses.

    It is the hypergeometric chance that ``seen`` tiles, drawn from all that remain, hold at least
    ``missing`` of the ``wanted`` ones. With n draws to come, n + 8 tiles remain.
    """
    odds = np.zeros((CELLS, CELLS, TILES + 1, LINE_LENGTHS.max() + 1))
    for to_come in range(CELLS):
        tiles = to_come + TILES - CELLS
        for seen in range(to_come + 1):
            for wanted in range(tiles + 1):
                for missing in range(odds.shape[-1]):
                    odds[to_come, seen, wanted, missing] = sum(
                        comb(wanted, held) * comb(tiles - wanted, seen - held)
                        for held in range(missing, min(seen, wanted) + 1)
                    ) / comb(tiles, seen)
    return odds


@njit(cache=True)
def fill_values(
    boards: np.ndarray,
    tiles: np.ndarray,
    legal: np.ndarray,
    kinds: np.ndarray,
    odds: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write the worth of each legal cell.

    Args:
        boards: int8 (N, 19).
        tiles: int8 (N,), the tiles in hand.
        legal: bool (N, 19).
        kinds: of :func:`kinds_of_tiles`.
        odds: of :func:`seen_odds`.
        values: float32 (N, 19), written where ``legal``.
    """
    runs_through_cell = DIRECTIONS if kinds.shape[1] == DIRECTIONS else 2 * DIRECTIONS
    for game in range(len(boards)):
        if not legal[game].any():
            continue
        missing, kind = read_runs(boards[game], kinds)
        remaining = count_remaining(boards[game], tiles[game], kinds)
        worth = worth_of_kinds(missing, kind, remaining, odds)
        for cell in range(CELLS):
            if legal[game, cell]:
                value = 0.0
                for run in CELL_RUNS[cell, :runs_through_cell]:
                    value += worth[run, kinds[tiles[game], RUN_FAMILIES[run]]]
                values[game, cell] = value


@njit(cache=True)
def read_runs(board: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Int64 (runs,) empty cells of each run of a board, and int64 (runs,) kind that its tiles share."""
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
def count_remaining(board: np.ndarray, tile: int, kinds: np.ndarray) -> np.ndarray:
    """Int64 (families, 3): how many of the tiles neither on the board nor in hand are of each kind."""
    families = kinds.shape[1]
    remaining = np.zeros((families, KINDS), dtype=np.int64)
    for family in range(families):
        for other in range(TILES):
            remaining[family, kinds[other, family]] += 1
        remaining[family, kinds[tile, family]] -= 1
        for cell in range(CELLS):
            if board[cell] != NONE:
                remaining[family, kinds[board[cell], family]] -= 1
    return remaining


@njit(cache=True)
def worth_of_kinds(
    missing: np.ndarray, kind: np.ndarray, remaining: np.ndarray, odds: np.ndarray
) -> np.ndarray:
    """Float64 (runs, 3): what a tile of each kind on one more cell of each run is worth."""
    tiles_left = remaining[0].sum()
    to_come = tiles_left - (TILES - CELLS)
    patience = PATIENCE * to_come / (CELLS - 1)
    needed = np.zeros_like(remaining)
    for run in range(len(missing)):
        if kind[run] >= 0:
            needed[RUN_FAMILIES[run], kind[run]] += missing[run]
    worth = np.zeros((len(missing), KINDS))
    for run in range(len(missing)):
        if kind[run] == BROKEN or missing[run] == 0:
            continue
        family = RUN_FAMILIES[run]
        before = 0.0
        for new in range(KINDS):
            if kind[run] in (UNTOUCHED, new):
                points = RUN_LENGTHS[run] * PRIZES[family, new]
                wanted = remaining[family, new]
                rivals = needed[family, new]
                if kind[run] == UNTOUCHED:
                    now = UNTOUCHED_WORTH * points * chance(odds, to_come, wanted, missing[run], rivals)
                else:
                    rivals -= missing[run]
                    now = points * chance(odds, to_come, wanted, missing[run], rivals)
                before = max(before, now)
                worth[run, new] = points * chance(odds, to_come, wanted, missing[run] - 1, rivals)
        worth[run] -= before
        mean = (worth[run] * remaining[family]).sum() / tiles_left
        worth[run] -= patience * mean
    return worth


@njit(cache=True)
def chance(odds: np.ndarray, to_come: int, wanted: int, missing: int, rivals: int) -> float:
    """Chance to complete a run.

    Args:
        odds: of :func:`seen_odds`.
        to_come: draws still to come.
        wanted: remaining tiles of the run's kind.
        missing: how many of them the run needs.
        rivals: how many of them other runs need.
    """
    if missing > to_come:
        return 0.0
    seen = missing + SHARE * exp(-RIVALRY * rivals) * (to_come - missing)
    whole = int(seen)
    low, high = odds[to_come, whole, wanted, missing], odds[to_come, min(whole + 1, to_come), wanted, missing]
    return low + (seen - whole) * (high - low)
