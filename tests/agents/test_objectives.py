"""Other objectives than the mean: what scores are worth, and the best play for that."""

from itertools import product

import numpy as np
import pytest

from agents.objectives import SCORES, expected_worth, worth_of_reaching, worth_of_tail
from agents.quantile import ObjectiveAgent
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import NONE, PLACEMENTS, SCORINGS, Rules, scores_of
from takeiteasy_env.tiles import TILES
from tests.agents.tiny_quantiles import agent_of, network_of, positions_at

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
NORMAL = np.random.default_rng(0).normal(100, 25, 400_000)


def expected(quantiles: np.ndarray, score: int, worth: np.ndarray) -> float:
    return expected_worth(quantiles.astype(np.float32), score, worth, np.append(0, np.cumsum(worth)))


def slices_of(sample: np.ndarray, slices: int) -> np.ndarray:
    return np.sort(sample).reshape(slices, -1).mean(axis=1)


@pytest.mark.parametrize("target", [120, 170, 190])
def test_the_chance_to_reach_a_score_is_that_of_the_distribution(target: int):
    chance = expected(slices_of(NORMAL, 64), 70, worth_of_reaching(target))
    assert chance == pytest.approx((np.rint(NORMAL) + 70 >= target).mean(), abs=0.003)


@pytest.mark.parametrize("part", [0.05, 0.1, 0.5])
def test_the_worth_of_a_tail_is_its_mean(part: float):
    worth = worth_of_tail(part, float(np.quantile(NORMAL, part)) + 70)
    lowest = np.sort(NORMAL)[: int(part * len(NORMAL))].mean() + 70
    assert expected(slices_of(NORMAL, 64), 70, worth) == pytest.approx(lowest, abs=0.5)


def test_what_is_certain_is_worth_what_it_is():
    for score in (199, 200):
        assert expected(np.zeros(8), score, worth_of_reaching(200)) == (score >= 200)
    assert expected(np.full(8, -30.0), 10, worth_of_reaching(1)) == 0
    assert expected(np.full(8, 1.0), SCORES, worth_of_reaching(1)) == 1


def test_no_score_is_beyond_the_worths():
    """Not even that of the best board if each of its lines were a Sunray."""
    assert SCORES > 307 + 7 * 57


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_the_last_two_placements_reach_as_often_as_can_be(rules: Rules):
    positions = positions_at(rules, CELLS - 2, games=20)
    target = int(scores_of(positions.board, rules).mean()) + 10
    agent = ObjectiveAgent(agent_of(network_of(rules), rules), worth_of_reaching(target))
    values, between = agent.values(positions), 0
    np.testing.assert_array_equal(np.isfinite(values), positions.legal(rules))
    for game, cell in zip(*np.nonzero(positions.legal(rules)), strict=True):
        board = positions.board[game].copy()
        board[cell] = positions.tile[game]
        left = np.setdiff1d(np.arange(TILES), board)
        endings = np.tile(board, (len(left), 1))
        endings[:, np.flatnonzero(board == NONE)[0]] = left
        chance = (scores_of(endings, rules) >= target).mean()
        assert values[game, cell] == pytest.approx(chance, abs=1e-3)
        between += 0 < chance < 1
    assert between


def test_where_the_chance_is_the_same_the_mean_decides():
    positions = positions_at(Rules(), 16, games=20)
    agent = agent_of(network_of(Rules()), Rules())
    hopeless = ObjectiveAgent(agent, worth_of_reaching(SCORES - 1))
    np.testing.assert_array_equal(
        hopeless.values(positions).argmax(axis=1), agent.values(positions).argmax(axis=1)
    )
