"""All boards as an integer program for OR-Tools CP-SAT: slow, and no idea shared with the branch and bound.

It checks :mod:`takeiteasy_env.branch_and_bound` and proves facts of the rules page. Needs the extra
``hindsight``.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from ortools.sat.python import cp_model

from takeiteasy_env.board import (
    CELLS,
    DIRECTIONS,
    LINE_LENGTHS,
    LINE_MASKS,
    LINES,
    LINES_PER_DIRECTION,
    NEIGHBOURS,
)
from takeiteasy_env.rules import MOONBEAM_POINTS, SUNRAY_POINTS, Rules
from takeiteasy_env.tiles import NUMBERS, RANKS, TILE_RANKS


class BoardModel(cp_model.CpModel):
    """All full boards of some tiles that can be played, and what they score.

    Attributes:
        tiles: the tiles, in the order of the draws.
        on: ``on[turn, cell]`` is true when that tile lies on that cell.
        score: the points of the board, an expression to be maximised or bounded.

    Args:
        tiles: as above, indices 0-26: 19, or under ``free`` more, of which a board takes any 19.
        rules: the rules, for a player alone.
        placed: the cells of the first tiles.
    """

    def __init__(self, tiles: Sequence[int], rules: Rules, placed: Sequence[int] = ()) -> None:
        super().__init__()
        self.tiles = list(tiles)
        turns = range(len(self.tiles))
        self.on = {
            (turn, cell): self.new_bool_var(f"tile {turn} on cell {cell}")
            for turn, cell in product(turns, range(CELLS))
        }
        for cell in range(CELLS):
            self.add_exactly_one(self.on[turn, cell] for turn in turns)
        for turn in turns:
            self.add_at_most_one(self.on[turn, cell] for cell in range(CELLS))
        for turn, cell in enumerate(placed):
            self.add(self.on[turn, cell] == 1)
        for turn in turns[1:]:
            alike = rules.suns[self.tiles[turn]] == rules.suns[self.tiles[turn - 1]]
            if rules.placement == "adjacent" or (rules.placement == "sun_moon" and alike):
                self._add_touching(turn)
        points = list(self._points_of_numbers())
        if rules.scoring == "sunrays":
            points.append(self._points_of_rays([rules.suns[tile] for tile in self.tiles]))
        self.score: cp_model.LinearExprT = sum(points)

    def board(self, solution: cp_model.CpSolver | cp_model.CpSolverSolutionCallback) -> np.ndarray:
        """int8 (19,): the tile on each cell in a solution."""
        board = np.empty(CELLS, dtype=np.int8)
        for (turn, cell), on in self.on.items():
            if solution.boolean_value(on):
                board[cell] = self.tiles[turn]
        return board

    def _add_touching(self, turn: int) -> None:
        """A tile lies on no cell without an earlier tile beside it."""
        for cell in range(CELLS):
            beside = [other for other in range(CELLS) if NEIGHBOURS[cell] >> other & 1]
            earlier = [self.on[before, other] for before, other in product(range(turn), beside)]
            self.add_bool_or(~self.on[turn, cell], *earlier)

    def _points_of_numbers(self) -> Iterator[cp_model.LinearExprT]:
        """The points of each number: those of the lines that it fills.

        That the lines of a number hold no more cells than there are tiles with it follows from the rest, and
        spares the solver most of its work.
        """
        full = {
            (line, rank): self.new_bool_var(f"line {line} full of rank {rank}")
            for line, rank in product(range(len(LINES)), range(RANKS))
        }
        for line in range(len(LINES)):
            self.add_at_most_one(full[line, rank] for rank in range(RANKS))
        for direction, rank in product(range(DIRECTIONS), range(RANKS)):
            turns = [turn for turn, tile in enumerate(self.tiles) if TILE_RANKS[tile, direction] == rank]
            lines = range(LINES_PER_DIRECTION * direction, LINES_PER_DIRECTION * (direction + 1))
            for line in lines:
                for cell in LINES[line]:
                    self.add(sum(self.on[turn, cell] for turn in turns) >= full[line, rank])
            cells = sum(len(LINES[line]) * full[line, rank] for line in lines)
            self.add(cells <= len(turns))
            yield NUMBERS[direction][rank] * cells

    def _points_of_rays(self, suns: Sequence[bool]) -> cp_model.LinearExprT:
        """The points of the rays: all sets of rays that a board can have are written out, a few thousand.

        Args:
            suns: whether each tile bears a sun.
        """
        suns_on = [self.new_bool_var(f"sun on cell {cell}") for cell in range(CELLS)]
        for cell in range(CELLS):
            self.add(sum(self.on[turn, cell] for turn, sun in enumerate(suns) if sun) == suns_on[cell])
        sunny = np.arange(1 << CELLS)
        count = np.bitwise_count(sunny)
        sunny = sunny[(count <= sum(suns)) & (CELLS - count <= len(suns) - sum(suns)), None]
        rays = np.unique(np.hstack([LINE_MASKS & ~sunny == 0, LINE_MASKS & sunny == 0]), axis=0)
        points = rays @ np.concatenate([SUNRAY_POINTS * LINE_LENGTHS, MOONBEAM_POINTS * LINE_LENGTHS])
        has_rays = [self.new_bool_var("") for _ in rays]
        self.add_exactly_one(has_rays)
        for has, own in zip(has_rays, rays, strict=True):
            for line in np.flatnonzero(own[: len(LINES)]):
                self.add_bool_and(suns_on[cell] for cell in LINES[line]).only_enforce_if(has)
            for line in np.flatnonzero(own[len(LINES) :]):
                self.add_bool_and(~suns_on[cell] for cell in LINES[line]).only_enforce_if(has)
        return cp_model.LinearExpr.weighted_sum(has_rays, points.tolist())
