"""The end of a game by the rules, played out to the last tile and cell."""

from copy import deepcopy

from tests.reference.game import TILES, ReferenceGame


def expected_points(game: ReferenceGame) -> float:
    """The mean, over the tiles that may come, of the most points that each can bring."""
    if len(game.board) == 19:
        return 0.0
    left = [tile for tile in TILES if tile not in game.drawn]
    best = [max(points_of(game, tile, cell) for cell in game.legal_cells(tile)) for tile in left]
    return sum(best) / len(best)


def points_of(game: ReferenceGame, tile: str, cell: int) -> float:
    """What a placement gains, and what is to be expected after it."""
    after = deepcopy(game)
    gained = after.place(tile, cell)
    return gained + expected_points(after)
