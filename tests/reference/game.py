"""One player's game by the rules, with tiles as strings such as "978" and the board as a dictionary."""

from dataclasses import dataclass, field
from itertools import product

from tests.reference.board import LINES, neighbours

NUMBERS = {"vertical": "159", "rising": "267", "falling": "348"}
POSITION_IN_CODE = {"vertical": 0, "rising": 1, "falling": 2}

TILES: list[str] = ["".join(digits) for digits in product(*NUMBERS.values())]
"""The 27 tiles, "123" to "978"."""

DEFAULT_SUNS: frozenset[str] = frozenset(
    tile
    for tile in TILES
    if sum(numbers.index(digit) for numbers, digit in zip(NUMBERS.values(), tile, strict=True)) % 2 == 0
)

POINTS_PER_SUN = 7
POINTS_PER_MOON = 6

NEIGHBOURS: list[set[int]] = [neighbours(cell) for cell in range(19)]


@dataclass
class ReferenceGame:
    """A game from the empty board to the full one.

    Attributes:
        placement: "free", "adjacent" or "sun_moon".
        scoring: "standard", "sunrays" or "best_ray", whose bonuses only a whole table decides.
        suns: The tiles that bear a sun; all others bear a moon.
        board: The tile on each cell that has one.
        drawn: The tiles drawn so far and placed, in order.
        points: The score of the board.
    """

    placement: str = "free"
    scoring: str = "standard"
    suns: frozenset[str] = DEFAULT_SUNS
    board: dict[int, str] = field(default_factory=dict)
    drawn: list[str] = field(default_factory=list)
    points: int = 0

    def legal_cells(self, tile: str) -> set[int]:
        """The cells on which the drawn tile may be put."""
        empty = set(range(19)) - set(self.board)
        if not self.drawn or not self._must_touch(tile):
            return empty
        return {cell for cell in empty if not NEIGHBOURS[cell].isdisjoint(self.board)}

    def place(self, tile: str, cell: int) -> int:
        """Puts the drawn tile on a legal cell and returns by how much that raises the score."""
        assert tile not in self.drawn, f"{tile} was drawn before"
        assert cell in self.legal_cells(tile), f"{tile} may not go on cell {cell}"
        self.board[cell] = tile
        self.drawn.append(tile)
        before, self.points = self.points, self.score()
        return self.points - before

    def score(self) -> int:
        """The points of the board as it stands, in which only lines without an empty cell can score."""
        return sum(line_points(self.board, line, self.scoring, self.suns) for line in LINES)

    def _must_touch(self, tile: str) -> bool:
        match self.placement:
            case "free":
                return False
            case "adjacent":
                return True
            case "sun_moon":
                return (tile in self.suns) == (self.drawn[-1] in self.suns)
        raise AssertionError(f"the rules know no placement {self.placement!r}")


def line_points(
    board: dict[int, str], line: tuple[str, list[int]], scoring: str, suns: frozenset[str]
) -> int:
    """The points of one line: its number for each of its cells, and with sunrays those of its symbols."""
    direction, cells = line
    if not all(cell in board for cell in cells):
        return 0
    tiles = [board[cell] for cell in cells]
    points = 0
    numbers = {tile[POSITION_IN_CODE[direction]] for tile in tiles}
    if len(numbers) == 1:
        points += len(tiles) * int(numbers.pop())
    if scoring == "sunrays":
        if all(tile in suns for tile in tiles):
            points += len(tiles) * POINTS_PER_SUN
        if not any(tile in suns for tile in tiles):
            points += len(tiles) * POINTS_PER_MOON
    return points


def score_columns(columns: str, scoring: str = "standard", suns: frozenset[str] = DEFAULT_SUNS) -> int:
    """The score of a full board, columns from top to bottom and separated by "|" as on the rules page."""
    board = dict(enumerate(columns.replace("|", " ").split()))
    return ReferenceGame(scoring=scoring, suns=suns, board=board).score()
