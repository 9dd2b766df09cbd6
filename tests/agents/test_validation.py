"""How good an agent is while it learns: on which draws, alone and at a table."""

import numpy as np
import pytest

from agents.agent import make_agent
from agents.play import play
from agents.validation import BASELINES, Validation
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import Rules
from takeiteasy_env.tiles import TILE_CODES
from tests.reference.game import DEFAULT_SUNS, ReferenceGame
from tests.reference.table import bonuses

GAMES = 60
RAYS = Rules(scoring="best_ray")


def reference_of(board: np.ndarray) -> ReferenceGame:
    """The finished game of a board."""
    game = ReferenceGame("free", "best_ray", DEFAULT_SUNS)
    for cell, tile in enumerate(board):
        game.place(str(TILE_CODES[tile]), cell)
    return game


def test_the_draws_are_those_for_validation_and_no_others():
    draws = Validation(Rules(), 3, GAMES).draws
    assert np.array_equal(draws, draw_orders(stream(3, Purpose.VALIDATE), GAMES))
    for purpose in (Purpose.TRAIN, Purpose.EVALUATE):
        assert not np.array_equal(draws, draw_orders(stream(3, purpose), GAMES))


def test_alone_points_are_scores_with_their_mean_interval_and_median():
    found = Validation(Rules(), 0, GAMES).of(make_agent("line_odds", Rules()))
    assert np.array_equal(found.points, found.games.scores)
    assert found.mean == pytest.approx(found.points.mean())
    assert found.margin == pytest.approx(1.96 * found.points.std(ddof=1) / GAMES**0.5)
    assert found.points[found.median_game] == np.sort(found.points)[GAMES // 2]


def test_at_a_table_the_bonuses_against_line_odds_on_the_other_seats_count():
    validation = Validation(RAYS, 0, GAMES, players=3)
    found = validation.of(make_agent("greedy", RAYS))
    others = play(make_agent("line_odds", RAYS), validation.draws, RAYS).boards
    expected = [
        bonuses([reference_of(board) for board in (mine, other, other)])[0]
        for mine, other in zip(found.games.boards, others, strict=True)
    ]
    assert np.array_equal(found.points - found.games.scores, expected)


def test_line_odds_among_its_copies_gets_its_share():
    validation = Validation(RAYS, 0, GAMES, players=4)
    found = validation.of(make_agent("line_odds", RAYS))
    assert set(found.points - found.games.scores) <= {0, 15, 30}


def test_the_baselines_are_judged_on_the_same_draws():
    validation = Validation(Rules(), 0, GAMES)
    assert validation.baselines == {name: validation.of(make_agent(name, Rules())).mean for name in BASELINES}
