"""Exact endings, against all that can happen, one tile and one cell at a time."""

from functools import cache
from itertools import permutations, product

import numpy as np
import pytest

from agents.agent import make_agent
from agents.endings import ending_value, unseen_tiles
from agents.play import Games, play
from agents.prizes import prizes_of
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules, bitboards_of, scores_of
from takeiteasy_env.tiles import TILES as ALL_TILES
from tests.reference.ending import expected_points
from tests.reference.game import TILES, ReferenceGame

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
#: Values of boards with three empty cells and more pass through float32.
SINGLE_PRECISION = 1e-4
NO_PRIZES = np.zeros((2, 0), dtype=np.float32)


def games_of(agent: str, rules: Rules, games: int) -> Games:
    return play(make_agent(agent, rules), draw_orders(stream(0, Purpose.VALIDATE), games), rules)


def board_after(games: Games, game: int, placed: int) -> np.ndarray:
    """int8 (19,): the board of a game when so many tiles were placed."""
    board = np.full(CELLS, -1, dtype=np.int8)
    board[games.cells[game, :placed]] = games.draws[game, :placed]
    return board


def value_of(board: np.ndarray, last: int, rules: Rules, prizes: np.ndarray = NO_PRIZES) -> float:
    bitboard = bitboards_of(board[None], rules)[0]
    return ending_value(bitboard, unseen_tiles(board), last, rules.code, prizes)


def enumerated(board: np.ndarray, rules: Rules, prizes: np.ndarray = NO_PRIZES) -> float:
    """Expected points of the best free placements, from the worth of every full board that may come."""
    empty = np.flatnonzero(board == -1)
    left = np.setdiff1d(np.arange(ALL_TILES, dtype=np.int8), board)
    orders = np.array(list(permutations(range(len(left)), len(empty))))
    full = np.repeat(board[None], len(orders), axis=0)
    full[:, empty] = left[orders]
    worth = np.full((len(left),) * len(empty), np.nan)
    worth[tuple(orders.T)] = scores_of(full, rules) + prizes_of(full, rules, prizes)

    @cache
    def value(filled: tuple[int | None, ...]) -> float:
        """``filled`` says which of the tiles left lies on each of the empty cells, None for none."""
        cells = [cell for cell, tile in enumerate(filled) if tile is None]
        if len(cells) == 1:
            return float(np.nanmean(worth[tuple(slice(None) if tile is None else tile for tile in filled)]))
        best = [
            max(value((*filled[:cell], tile, *filled[cell + 1 :])) for cell in cells)
            for tile in range(len(left))
            if tile not in filled
        ]
        return sum(best) / len(best)

    now = scores_of(board[None], rules)[0] + prizes_of(board[None], rules, prizes)[0]
    return value((None,) * len(empty)) - now


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize(("cells", "games"), [(0, 3), (1, 20), (2, 10), (3, 1)])
def test_an_ending_is_the_mean_of_the_best_by_the_second_set_of_rules(rules, cells, games):
    played = games_of("line_odds", rules, games)
    for game in range(games):
        reference = ReferenceGame(rules.placement, rules.scoring)
        for tile, cell in zip(played.draws[game, : CELLS - cells], played.cells[game], strict=False):
            reference.place(TILES[tile], int(cell))
        board = board_after(played, game, CELLS - cells)
        value = value_of(board, int(played.draws[game, CELLS - cells - 1]), rules)
        assert value == pytest.approx(expected_points(reference), abs=SINGLE_PRECISION)


@pytest.mark.parametrize(("cells", "boards"), [(2, 100), (3, 30)])
def test_endings_agree_with_enumeration(cells, boards):
    agree_on(cells, boards)


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "boards"), [(2, 400), (3, 400), (4, 200)])
def test_a_thousand_endings_agree_with_enumeration(cells, boards):
    agree_on(cells, boards)


def agree_on(cells: int, boards: int) -> None:
    rules = Rules(scoring="sunrays")
    played = games_of("line_odds", rules, boards)
    for game in range(boards):
        board = board_after(played, game, CELLS - cells)
        assert value_of(board, -1, rules) == pytest.approx(enumerated(board, rules), abs=SINGLE_PRECISION)


def test_prizes_count_as_points_do():
    rules = Rules(scoring="best_ray")
    prizes = np.random.default_rng(0).uniform(0, 60, size=(2, 60)).astype(np.float32)
    prizes.sort(axis=1)
    prizes[:, 0] = 0
    played = games_of("line_odds", rules, 60)
    more = 0.0
    for game, cells in product(range(60), (1, 2)):
        board = board_after(played, game, CELLS - cells)
        worth = value_of(board, -1, rules, prizes)
        assert worth == pytest.approx(enumerated(board, rules, prizes), abs=1e-4)
        more += worth - value_of(board, -1, rules)
    assert more > 0
