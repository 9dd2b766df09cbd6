"""How good an agent is while it learns: on which draws, alone and at a table, with how little luck."""

from pathlib import Path

import numba
import numpy as np
import pytest

from agents import value
from agents.agent import make_agent
from agents.errors import UsageError
from agents.luck import luck_of, value_network_of
from agents.play import play
from agents.validation import BASELINES, Validation
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import Rules
from takeiteasy_env.tiles import TILE_CODES
from tests.reference.game import DEFAULT_SUNS, ReferenceGame
from tests.reference.table import bonuses

GAMES = 60
RAYS = Rules(scoring="best_ray")
#: Of line_odds, as the README says it of 100,000 other games: the mean, and half the width of its interval.
KNOWN = (163.80, 0.17)
NORMAL = 1.96


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


def test_alone_points_are_scores_and_their_mean_is_without_what_the_shipped_network_calls_luck():
    found = Validation(Rules(), 0, GAMES).of(make_agent("line_odds", Rules()))
    assert np.array_equal(found.points, found.games.scores)
    network = value_network_of("value", Rules())
    luck = luck_of(found.games.draws, found.games.cells, Rules(), network).sum(axis=1)
    adjusted = found.points - luck
    assert found.mean == pytest.approx(adjusted.mean(), abs=1e-3)
    assert found.margin == pytest.approx(NORMAL * adjusted.std(ddof=1) / GAMES**0.5, abs=1e-3)
    assert found.points[found.median_game] == np.sort(found.points)[GAMES // 2], "of the games people see"


def test_the_mean_of_line_odds_is_what_a_hundred_times_as_many_games_say():
    """To three standard errors: one right program in 370 would miss it."""
    found = Validation(Rules(), 0).of(make_agent("line_odds", Rules()))
    assert len(found.points) == 1_000
    assert found.margin < 0.5
    mean, margin = KNOWN
    assert abs(found.mean - mean) < 3 * np.hypot(found.margin, margin) / NORMAL


@pytest.mark.parametrize(
    "rules",
    [RAYS, Rules("sun_moon", "best_ray"), Rules(scoring="sunrays", suns=(0, 1, 2, 13, 26))],
    ids=["a table", "a table without a model", "other suns than the model's"],
)
def test_the_luck_stays_in_where_no_network_tells_it(rules: Rules):
    found = Validation(rules, 0, GAMES).of(make_agent("line_odds", rules))
    assert not found.luck.any()
    assert found.mean == pytest.approx(found.points.mean())
    assert found.margin == pytest.approx(NORMAL * found.points.std(ddof=1) / GAMES**0.5)


def test_where_the_luck_stays_in_there_are_twice_as_many_games():
    assert len(Validation(RAYS, 0, players=3).draws) == 2 * len(Validation(Rules(), 0).draws)


def test_the_curve_by_which_models_are_chosen_is_that_mean_and_the_histogram_is_of_scores():
    validation = Validation(Rules(), 0, GAMES)
    agent = make_agent("line_odds", Rules())
    found, curves = validation.of(agent), validation.examine(agent).curves
    assert curves[validation.measure] == found.mean
    assert curves["eval/ci_low"] == found.mean - found.margin
    assert curves["eval/ci_high"] == found.mean + found.margin
    assert np.array_equal(curves["eval/scores"], found.games.scores)


def test_it_does_not_depend_on_the_threads():
    validation, agent = Validation(Rules(), 0, GAMES), make_agent("line_odds", Rules())
    threads, found = numba.get_num_threads(), []
    try:
        for count in (1, threads):
            numba.set_num_threads(count)
            found.append(validation.of(agent))
    finally:
        numba.set_num_threads(threads)
    assert np.array_equal(found[0].luck, found[1].luck)
    assert found[0].mean == found[1].mean


def test_a_damaged_network_is_no_reason_to_leave_the_luck_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(value, "SHIPPED_MODELS", tmp_path)
    (tmp_path / "standard").mkdir()
    with pytest.raises(UsageError, match=r"standard: config\.json: No such file"):
        Validation(Rules(), 0, GAMES).of(make_agent("random", Rules()))


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
