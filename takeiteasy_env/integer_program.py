"""The best board as an integer program, solved by OR-Tools CP-SAT: slow, and shares no idea with the search.

It checks :mod:`takeiteasy_env.branch_and_bound` and proves the facts of the rules page. Needs the extra
``hindsight``.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from ortools.sat.python import cp_model

from takeiteasy_env.board import CELLS, DIRECTIONS, LINES, LINES_PER_DIRECTION, NEIGHBOURS
from takeiteasy_env.rules import MOONBEAM_POINTS, SUNRAY_POINTS, Rules
from takeiteasy_env.tiles import NUMBERS, TILE_RANKS


class BoardModel(cp_model.CpModel):
    """All boards that some tiles can make, and what they score.

    Attributes:
        tiles: the tiles, in the order of the draws; a board takes any 19 of them.
        on: on[turn, cell] is true when that tile lies on that cell.
        score: the points of the board, as an expression.

    Args:
        tiles: as above, indices 0-26; 19, or more where any 19 of them will do.
        rules: the rules; a placement other than ``free`` takes exactly 19 tiles.
        placed: the cells of the first tiles.
    """

    def __init__(self, tiles: Sequence[int], rules: Rules, placed: Sequence[int] = ()) -> None:
        super().__init__()
        self.tiles = list(tiles)
        self.on = {
            (turn, cell): self.new_bool_var(f"tile {turn} on cell {cell}")
            for turn in range(len(tiles))
            for cell in range(CELLS)
        }
        for cell in range(CELLS):
            self.add_exactly_one(self.on[turn, cell] for turn in range(len(tiles)))
        for turn in range(len(tiles)):
            self.add_at_most_one(self.on[turn, cell] for cell in range(CELLS))
        for turn, cell in enumerate(placed):
            self.add(self.on[turn, cell] == 1)
        self._add_placement(rules)
        self.score = sum(self._points(rules))

    def board(self, is_true: "cp_model.CpSolver | cp_model.CpSolverSolutionCallback") -> np.ndarray:
        """int8 (19,): the tile on each cell of a solution."""
        board = np.empty(CELLS, dtype=np.int8)
        for (turn, cell), on in self.on.items():
            if is_true.boolean_value(on):
                board[cell] = self.tiles[turn]
        return board

    def _points(self, rules: Rules) -> Iterator[cp_model.LinearExprT]:
        """The points of each direction's lines by their numbers, and of all lines by their rays."""
        for direction in range(DIRECTIONS):
            lines = LINES[LINES_PER_DIRECTION * direction : LINES_PER_DIRECTION * (direction + 1)]
            ranks = [TILE_RANKS[tile, direction] for tile in self.tiles]
            yield self._points_of(lines, ranks, dict(enumerate(NUMBERS[direction])))
            if rules.scoring == "sunrays":
                symbols = [rules.suns[tile] for tile in self.tiles]
                yield self._points_of(lines, symbols, {True: SUNRAY_POINTS, False: MOONBEAM_POINTS})

    def _points_of(
        self, lines: Sequence[tuple[int, ...]], kinds: Sequence[int], points: Mapping[int, int]
    ) -> cp_model.LinearExprT:
        """What parallel lines score when each of them may be full of tiles of one kind.

        Args:
            lines: the cells of each.
            kinds: the kind of each tile.
            points: what each cell of a line full of a kind scores.
        """
        full = {
            (line, kind): self.new_bool_var(f"{line} full of {kind}") for line, kind in product(lines, points)
        }
        for line in lines:
            self.add_at_most_one(full[line, kind] for kind in points)
        for kind in points:
            turns = [turn for turn, own in enumerate(kinds) if own == kind]
            for line in lines:
                for cell in line:
                    self.add(sum(self.on[turn, cell] for turn in turns) >= full[line, kind])
            self.add(sum(len(line) * full[line, kind] for line in lines) <= len(turns))
        return sum(len(line) * points[kind] * is_full for (line, kind), is_full in full.items())

    def _add_placement(self, rules: Rules) -> None:
        """Where it must, each tile lies beside one that was drawn before it."""
        for turn in range(1, len(self.tiles)):
            alike = rules.suns[self.tiles[turn]] == rules.suns[self.tiles[turn - 1]]
            if rules.placement == "adjacent" or (rules.placement == "sun_moon" and alike):
                for cell in range(CELLS):
                    self.add_bool_or(
                        ~self.on[turn, cell],
                        *(
                            self.on[earlier, neighbour]
                            for neighbour in range(CELLS)
                            if NEIGHBOURS[cell] >> neighbour & 1
                            for earlier in range(turn)
                        ),
                    )
