"""What is predicted against what comes, worked out by hand and for agents that know the truth."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from agents.agent import make_agent
from agents.errors import UsageError
from agents.play import Games, play
from evaluation.calibration import PARTS, Calibration, shares_below, shown_quantiles
from evaluation.tournament import Tournament
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules, scores_of

GAMES = 30
ROUNDED = 1 / PARTS


class Oracle:
    """Puts tiles in the order of the cells and predicts the same at every move, if it predicts at all."""

    def __init__(self, predicted: float, predicts_points: bool = True) -> None:
        self.predicted = predicted
        self.predicts_points = predicts_points

    def values(self, positions: Positions) -> np.ndarray:
        legal = positions.legal(Rules())
        first = legal & (legal.cumsum(axis=1) == 1)
        return np.where(first, self.predicted, np.where(legal, self.predicted - 1, -np.inf)).astype(
            np.float32
        )


class Forecaster(Oracle):
    """Predicts a spread besides."""

    def __init__(self, quantiles: list[float]) -> None:
        super().__init__(float(np.mean(quantiles)))
        self.spread = np.array(quantiles, dtype=np.float32)

    def quantiles(self, positions: Positions, cells: np.ndarray) -> np.ndarray:
        return np.tile(self.spread, (len(positions), 1))


def games_of(agent: Oracle, games: int = GAMES) -> Games:
    return play(agent, draw_orders(stream(0, Purpose.VALIDATE), games), Rules())


def calibration_of(agent: Oracle, games: Games) -> Calibration:
    found = Calibration.of(agent, games, Rules())
    assert found is not None
    return found


def points_to_come(games: Games, move: int) -> np.ndarray:
    """What each game brings from a move on, by scoring the board before it."""
    board = np.full_like(games.boards, -1)
    placed = games.cells[:, :move].astype(np.int64)
    np.put_along_axis(board, placed, games.draws[:, :move], axis=1)
    return games.scores - scores_of(board, Rules())


def test_the_error_of_a_move_is_what_came_less_what_was_predicted():
    agent = Oracle(7.25)
    games = games_of(agent)
    errors = calibration_of(agent, games).mean_errors()
    assert len(errors) == CELLS
    for move, error in enumerate(errors):
        differences = points_to_come(games, move) - 7.25
        margin = 2.0452 * differences.std(ddof=1) / np.sqrt(GAMES)
        assert error.value == pytest.approx(differences.mean(), abs=ROUNDED)
        assert error.ci95 == pytest.approx(
            (differences.mean() - margin, differences.mean() + margin), abs=1e-2
        )
    assert calibration_of(agent, games).largest_error() == max(abs(error.value) for error in errors)


def test_an_agent_that_predicts_no_points_is_not_held_to_any():
    for agent in (Oracle(1.0, predicts_points=False), make_agent("line_odds", Rules())):
        games = play(agent, draw_orders(stream(0, Purpose.VALIDATE), 2), Rules())
        assert Calibration.of(agent, games, Rules()) is None


def test_a_game_lies_below_the_quantiles_above_it():
    quantiles = np.array([[10.0, 20.0, 30.0, 40.0]] * 5)
    below = shares_below(quantiles, np.array([5, 20, 25, 45, 40]))
    np.testing.assert_allclose(
        below, [[1, 1, 1, 1], [0, 0.5, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0.5]]
    )


def test_equal_quantiles_share_what_came_as_chance_would():
    below = shares_below(np.array([[0.0, 10.2, 9.8, 10.0]]), np.array([10]))
    np.testing.assert_allclose(below, [[0, 1 / 6, 3 / 6, 5 / 6]])


@pytest.mark.parametrize("quantiles", [2, 5, 64])
def test_true_quantiles_cover_what_they_say(quantiles: int):
    """Also where few outcomes are possible, and some are likely."""
    rng = np.random.default_rng(0)
    outcomes = np.array([0, 0, 0, 0, 0, 0, 3, 12, 12, 40])
    true = np.quantile(outcomes, (np.arange(quantiles) + 0.5) / quantiles, method="inverted_cdf")
    below = shares_below(np.tile(true, (20_000, 1)), rng.choice(outcomes, 20_000)).mean(axis=0)
    np.testing.assert_allclose(below, (np.arange(quantiles) + 0.5) / quantiles, atol=0.01 + 0.5 / quantiles)


def test_coverage_is_counted_for_each_move():
    agent = Forecaster([0.0, 5.0, 60.0])
    games = games_of(agent)
    found = calibration_of(agent, games)
    assert found.levels == pytest.approx([1 / 6, 3 / 6, 5 / 6])
    for move, shares in enumerate(found.coverage()):
        expected = shares_below(np.tile(agent.spread, (GAMES, 1)), points_to_come(games, move)).mean(axis=0)
        np.testing.assert_allclose(shares, expected, atol=ROUNDED)
    assert found.largest_gap() == np.abs(found.coverage() - found.levels).max()


def test_parts_of_the_games_add_up_to_exactly_what_all_give():
    agent = Forecaster([0.0, 2.0, 9.0, 30.0])
    games = games_of(agent)
    whole = calibration_of(agent, games)
    parts = [
        calibration_of(
            agent, replace(games, **{name: getattr(games, name)[rows] for name in Games.__slots__})
        )
        for rows in (slice(start, stop) for start, stop in pairwise((0, 7, 8, GAMES)))
    ]
    added = parts[0] + parts[1] + parts[2]
    assert added.games == whole.games
    for name in ("errors", "squares", "below"):
        np.testing.assert_array_equal(getattr(added, name), getattr(whole, name))


def test_the_results_say_what_was_predicted_before_each_move():
    agent = Forecaster([1.0, 3.0])
    games = games_of(agent)
    found = calibration_of(agent, games)
    mean = float(games.scores.mean())
    results = found.results(mean)
    assert results["largest_error"] == found.largest_error()
    assert len(results["moves"]) == CELLS
    for move, row in enumerate(results["moves"]):
        so_far = mean - points_to_come(games, move).mean()
        assert row["predicted"] == pytest.approx(so_far + 2.0, abs=ROUNDED)
        assert (row["realised"], row["realised"] - row["predicted"]) == (mean, pytest.approx(row["error"]))
    assert results["quantiles"]["levels"] == [0.25, 0.75]
    assert np.shape(results["quantiles"]["shares_below"]) == (CELLS, 2)
    assert "quantiles" not in calibration_of(Oracle(0.0), games_of(Oracle(0.0))).results(0.0)


def test_of_many_quantiles_those_nearest_to_round_levels_are_shown():
    levels = (np.arange(64) + 0.5) / 64
    assert levels[shown_quantiles(levels)] == pytest.approx([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95], abs=0.01)


def test_quantiles_that_are_none_are_refused_by_the_agents_name():
    agent = Forecaster([1.0])
    agent.quantiles = lambda positions, cells: np.zeros(3)  # pyright: ignore
    tournament = Tournament(("mine:Forecaster",), 4, 0, Rules())
    with pytest.raises(UsageError, match=r"agent 'mine:Forecaster': quantiles: .*shape \(4, Q\)"):
        tournament.play_batch(agent, 0, 0)
