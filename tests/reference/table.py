"""Several players' games at a table: the best rays, the rounds that add up and the winners."""

from dataclasses import dataclass, field
from fractions import Fraction

from tests.reference.board import LINES
from tests.reference.game import DEFAULT_SUNS, ReferenceGame, line_points

Ray = tuple[int, int]
"""A ray's length and its line's number: the greater tuple is the better ray."""

POINTS_TO_SHARE = 60


def best_ray(game: ReferenceGame, symbol: frozenset[str]) -> Ray | None:
    """The best line that scores and all of whose tiles are among those of one symbol."""
    rays = []
    for direction, cells in LINES:
        points = line_points(game.board, (direction, cells), "standard", game.suns)
        if points and symbol.issuperset(game.board[cell] for cell in cells):
            rays.append((len(cells), points // len(cells)))
    return max(rays, default=None)


def bonuses(games: list[ReferenceGame]) -> list[Fraction]:
    """What each of the players gets for the best Sunray and for the best Moonbeam of the table."""
    totals = [Fraction(0)] * len(games)
    for sunny in (True, False):
        best = [best_ray(game, symbol_of(game, sunny)) for game in games]
        for player, ray in enumerate(best):
            if ray is not None and ray == max(other for other in best if other is not None):
                totals[player] += Fraction(POINTS_TO_SHARE, best.count(ray))
    return totals


def symbol_of(game: ReferenceGame, sunny: bool) -> frozenset[str]:
    """The tiles on the board that bear a sun, or those that bear a moon."""
    return frozenset(tile for tile in game.board.values() if (tile in game.suns) == sunny)


@dataclass
class ReferenceTable:
    """A match of players none of whom ever puts a tile where it may not go.

    Attributes:
        players: How many play.
        placement: As for a game.
        scoring: As for a game.
        suns: As for a game.
        games: Each player's game of the round that is played.
        points: Each player's points of the whole match.
    """

    players: int
    placement: str = "free"
    scoring: str = "standard"
    suns: frozenset[str] = DEFAULT_SUNS
    games: list[ReferenceGame] = field(default_factory=list)
    points: list[Fraction] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.points = [Fraction(0)] * self.players
        self.begin_round()

    def begin_round(self) -> None:
        """Gives everybody an empty board."""
        self.games = [ReferenceGame(self.placement, self.scoring, self.suns) for _ in range(self.players)]

    def place(self, tile: str, cells: list[int]) -> list[Fraction]:
        """Lets every player put the drawn tile on a cell, and returns what each of them gets for that."""
        gained = [Fraction(game.place(tile, cell)) for game, cell in zip(self.games, cells, strict=True)]
        if self.scoring == "best_ray" and len(self.games[0].board) == 19:
            gained = [own + bonus for own, bonus in zip(gained, bonuses(self.games), strict=True)]
        self.points = [before + more for before, more in zip(self.points, gained, strict=True)]
        return gained

    def winners(self) -> set[int]:
        """The players with the most points."""
        return {player for player, points in enumerate(self.points) if points == max(self.points)}
