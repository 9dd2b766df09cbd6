import numpy as np
import pytest
from scipy import stats

from agents.agent import make_agent
from agents.play import play
from evaluation.statistics import compare, summarise, t_interval
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import Rules


def test_a_summary_worked_out_by_hand():
    summary = summarise(np.array([100, 120, 140, 160, 180], dtype=np.int16))
    assert summary.mean == 140
    assert summary.sd == pytest.approx(np.sqrt(1000))
    assert (summary.min, summary.q05, summary.median, summary.q95, summary.max) == (100, 104, 140, 176, 180)
    # Student's t for 4 degrees of freedom is 2.7764 at 97.5 %, the standard error sqrt(1000 / 5).
    assert summary.ci95 == pytest.approx((140 - 2.7764 * np.sqrt(200), 140 + 2.7764 * np.sqrt(200)), abs=1e-3)


def test_the_interval_is_the_one_of_scipy():
    scores = np.random.default_rng(0).integers(0, 308, 1000).astype(np.int16)
    expected = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    assert summarise(scores).ci95 == pytest.approx((expected.low, expected.high))


def test_the_interval_covers_the_truth_as_often_as_it_says():
    samples = np.random.default_rng(1).normal(150, 25, (2000, 20))
    covered = [low <= 150 <= high for low, high in map(t_interval, samples)]
    assert stats.binomtest(sum(covered), len(covered), 0.95).pvalue > 0.001


def test_equal_scores_have_an_interval_without_width():
    assert summarise(np.full(3, 75, dtype=np.int16)).ci95 == (75, 75)


def test_a_compare_is_that_of_scipy_and_does_not_overflow():
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 30_000, (2, 500)).astype(np.int16)
    first[0], second[0] = 32_000, -32_000
    difference = compare(first, second)
    expected = stats.ttest_rel(first.astype(float), second.astype(float)).confidence_interval(0.95)
    assert difference.ci95 == pytest.approx((expected.low, expected.high))
    assert difference.mean == pytest.approx((expected.low + expected.high) / 2)


def test_an_agent_differs_from_itself_by_exactly_nothing():
    scores = np.random.default_rng(3).integers(0, 308, 100).astype(np.int16)
    difference = compare(scores, scores)
    assert (difference.mean, *difference.ci95) == (0, 0, 0)


def test_shared_draws_narrow_the_interval_of_two_greedy_players():
    rules = Rules()
    draws = draw_orders(stream(0, Purpose.EVALUATE), 1000)
    one, other = (play(make_agent("greedy", rules, seed), draws, rules).scores for seed in (1, 2))
    low, high = compare(one, other).ci95
    unpaired = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    assert high - low < unpaired.high - unpaired.low
