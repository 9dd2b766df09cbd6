import numpy as np
import pytest
from scipy import stats

from agents.agent import make_agent
from agents.play import play
from evaluation.statistics import (
    BOOTSTRAP_GAMES,
    QUANTILES,
    Adjusted,
    compare,
    games_needed,
    improvement,
    quantile,
    share,
    summarise,
    t_interval,
)
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import Rules


def covers_as_often_as_it_says(covered: list[bool]) -> bool:
    return stats.binomtest(sum(covered), len(covered), 0.95).pvalue > 0.001


def test_a_summary_worked_out_by_hand():
    summary = summarise(np.array([0, 100, 150, 200, 250], dtype=np.int16))
    assert summary.mean == 140
    assert summary.sd == pytest.approx(np.sqrt(37000 / 4))
    assert (summary.min, summary.median, summary.max) == (0, 150, 250)
    assert (summary.q05, summary.q95) == pytest.approx((20, 240))
    # Student's t for 4 degrees of freedom is 2.7764 at 97.5 %, the standard error sqrt(9250 / 5).
    assert summary.ci95 == pytest.approx(
        (140 - 2.7764 * np.sqrt(1850), 140 + 2.7764 * np.sqrt(1850)), abs=1e-2
    )
    assert (summary.at_zero.value, summary.good.value, summary.very_good.value) == (0.2, 0.6, 0.4)
    assert tuple(summary.quantiles) == QUANTILES
    assert summary.quantiles[0.25].value == 100


def test_luck_is_taken_out_of_scores_and_of_differences():
    first, second = np.array([100, 140, 210], np.int16), np.array([90, 150, 180], np.int16)
    luck, of_second = np.array([-10.5, 20, 49.5], np.float32), np.array([-10.5, 30, 39.5], np.float32)
    assert summarise(first).adjusted is None
    assert compare(first, second).adjusted is None
    # 110.5, 120 and 160.5 points were not luck, and of the differences 10, 0 and 20.
    adjusted = np.array([110.5, 120, 160.5])
    assert summarise(first, luck).adjusted == Adjusted(
        pytest.approx(391 / 3), pytest.approx(t_interval(adjusted)), pytest.approx(adjusted.std(ddof=1))
    )
    pair = compare(first, second, luck - of_second)
    # Student's t for 2 degrees of freedom is 4.3027 at 97.5 %, the standard error 10 / sqrt(3).
    assert pair.adjusted == Adjusted(10, pytest.approx((10 - 24.84, 10 + 24.84), abs=0.01), pytest.approx(10))
    assert pair.mean == 10, "the rest is as it was"
    assert pair.sd == pytest.approx(20)


def test_the_interval_of_the_mean_is_the_one_of_scipy():
    scores = np.random.default_rng(0).integers(0, 308, 1000).astype(np.int16)
    expected = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    assert summarise(scores).ci95 == pytest.approx((expected.low, expected.high))


def test_the_interval_of_the_mean_covers_the_truth_as_often_as_it_says():
    samples = np.random.default_rng(1).normal(150, 25, (1000, 20))
    assert covers_as_often_as_it_says([low <= 150 <= high for low, high in map(t_interval, samples)])


def test_equal_scores_have_an_interval_without_width():
    assert summarise(np.full(3, 75, dtype=np.int16)).ci95 == (75, 75)


@pytest.mark.parametrize("probability", QUANTILES)
def test_the_interval_of_a_quantile_is_the_exact_one_of_scipy(probability):
    scores = np.sort(np.random.default_rng(0).integers(0, 308, 1000))
    expected = stats.quantile_test(scores, p=probability).confidence_interval(0.95)
    assert quantile(scores, probability).ci95 == (expected.low, expected.high)


def test_the_interval_of_a_quantile_covers_the_truth_at_least_as_often_as_it_says():
    samples = np.sort(np.random.default_rng(3).integers(0, 21, (1000, 60)), axis=1)
    intervals = [quantile(sample, 0.25).ci95 for sample in samples]
    assert np.mean([low <= 5 <= high for low, high in intervals]) >= 0.95


@pytest.mark.parametrize(("probability", "games"), [(0.5, 6), (0.05, 72), (0.95, 72)])
def test_fewer_games_than_bracket_a_quantile_give_it_no_interval(probability, games):
    """All of n games lie on one side of it with a chance of (1 - p) ** n, which must be below 2.5 %."""
    assert quantile(np.arange(games), probability).ci95 is not None
    assert quantile(np.arange(games - 1), probability).ci95 is None


def test_a_share_has_wilsons_interval():
    # Of 10 games none: between 0 and z**2 / (10 + z**2).
    assert share(0, 10).ci95 == pytest.approx((0, 0.2775), abs=1e-4)
    assert share(5, 10).value == 0.5
    assert sum(share(5, 10).ci95) == pytest.approx(1)


def test_a_comparison_is_the_paired_one_of_scipy_and_does_not_overflow():
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 30_000, (2, 500)).astype(np.int16)
    first[0], second[0] = 32_000, -32_000
    comparison = compare(first, second)
    expected = stats.ttest_rel(first.astype(float), second.astype(float)).confidence_interval(0.95)
    assert comparison.ci95 == pytest.approx((expected.low, expected.high))
    assert comparison.mean == pytest.approx((expected.low + expected.high) / 2)
    assert comparison.sd == pytest.approx((first.astype(float) - second).std(ddof=1))


def test_wins_ties_and_losses_are_counted_game_by_game():
    comparison = compare(np.array([5, 5, 5, 5, 9]), np.array([4, 4, 4, 5, 10]))
    assert (comparison.wins, comparison.ties, comparison.losses) == (3, 1, 1)
    assert comparison.improvement.value == pytest.approx(0.7)
    assert (comparison.mean, comparison.games_needed) == (0.4, games_needed(0.4, comparison.sd))


def test_an_agent_differs_from_itself_by_exactly_nothing():
    scores = np.random.default_rng(3).integers(0, 308, 100).astype(np.int16)
    comparison = compare(scores, scores)
    assert (comparison.mean, *comparison.ci95) == (0, 0, 0)
    assert (comparison.wins, comparison.ties, comparison.losses) == (0, 100, 0)
    assert (comparison.improvement.value, comparison.improvement.ci95) == (0.5, (0.5, 0.5))
    assert comparison.games_needed is None


def test_shared_draws_narrow_the_interval_of_two_greedy_players():
    rules = Rules()
    draws = draw_orders(stream(0, Purpose.EVALUATE), 1000)
    one, other = (play(make_agent("greedy", rules, seed), draws, rules).scores for seed in (1, 2))
    low, high = compare(one, other).ci95
    unpaired = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    assert high - low < unpaired.high - unpaired.low


def test_two_seeds_of_one_agent_differ_no_more_often_than_five_percent_says():
    rules, games, comparisons = Rules(), 100, 300
    draws = draw_orders(stream(0, Purpose.EVALUATE), games * comparisons)
    one, other = (play(make_agent("greedy", rules, seed), draws, rules).scores for seed in (1, 2))
    intervals = [t_interval(differences) for differences in (one - other).reshape(comparisons, games)]
    assert covers_as_often_as_it_says([low <= 0 <= high for low, high in intervals])


@pytest.mark.parametrize("chances", [(0.45, 0.1), (0.9, 0.05)], ids=["close", "lopsided"])
def test_the_probability_of_improvement_is_covered_as_often_as_its_interval_says(chances, monkeypatch):
    monkeypatch.setattr("evaluation.statistics.BOOTSTRAP_RESAMPLES", 999)
    win, tie = chances
    rng, truth = np.random.default_rng(5), win + tie / 2
    games = rng.choice([1, 0, -1], size=(200, 150), p=[win, tie, 1 - win - tie])
    assert covers_as_often_as_it_says(
        [low <= truth <= high for low, high in (improvement(row).ci95 for row in games)]
    )


def test_the_bootstrap_and_the_t_interval_of_an_improvement_agree_where_one_takes_over():
    games = np.random.default_rng(6).choice([1, 0, -1], size=BOOTSTRAP_GAMES + 1, p=[0.5, 0.1, 0.4])
    bootstrapped, by_t = improvement(games[:-1]).ci95, improvement(games).ci95
    assert bootstrapped == pytest.approx(by_t, abs=0.003)


@pytest.mark.parametrize("games", [50, BOOTSTRAP_GAMES + 500])
def test_who_wins_every_game_need_not_do_so_for_ever(games):
    """The exact binomial bound: with a chance below 0.025 ** (1 / games) so many wins are a rare luck."""
    always, never = improvement(np.ones(games)), improvement(-np.ones(games))
    assert (always.value, never.value) == (1, 0)
    assert always.ci95 == pytest.approx((0.025 ** (1 / games), 1))
    assert never.ci95 == pytest.approx((0, 1 - 0.025 ** (1 / games)))


def test_the_games_needed_find_the_difference_in_four_of_five_cases():
    difference, sd = 4.0, 30.0
    games = games_needed(difference, sd)
    assert games == pytest.approx((1.95996 + 0.84162) ** 2 * sd**2 / difference**2, abs=1)
    samples = np.random.default_rng(7).normal(difference, sd, (2000, games))
    found = stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05
    assert stats.binomtest(int(found.sum()), 2000, 0.8).pvalue > 0.001
    assert games_needed(-difference, sd) == games
    assert games_needed(0, sd) is None
    assert games_needed(100, 0) == 2


def test_the_lowest_tenth_worked_out_by_hand():
    scores = np.random.default_rng(0).permutation(np.arange(40)).astype(np.int16)
    assert summarise(scores).lowest.value == pytest.approx(np.mean([0, 1, 2, 3]))
    # Of 25 games two and a half are the lowest tenth.
    assert summarise(scores[scores < 25]).lowest.value == pytest.approx((0 + 1 + 2 / 2) / 2.5)


def test_the_interval_of_the_lowest_tenth_is_about_that_of_a_bootstrap():
    scores = np.random.default_rng(0).normal(150, 25, 2_000).round()
    interval = stats.bootstrap(
        (scores,),
        lambda sample, axis: np.sort(sample, axis=axis)[..., :200].mean(axis=-1),
        n_resamples=1_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert summarise(scores).lowest.ci95 == pytest.approx((interval.low, interval.high), abs=0.6)


@pytest.mark.slow
def test_the_interval_of_a_difference_of_lowest_tenths_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(2)
    shared, own, other = rng.normal(150, 20, (400, 300)), *rng.normal(0, 10, (2, 400, 300))
    found = [compare(mine, theirs) for mine, theirs in zip(shared + own + 3, shared + other, strict=True)]
    covered = [pair.lowest.ci95[0] <= 3 <= pair.lowest.ci95[1] for pair in found if pair.lowest]
    assert covers_as_often_as_it_says(covered)


def test_very_good_games_are_compared_game_by_game():
    first, second = np.array([200, 210, 199, 250]), np.array([100, 220, 201, 250])
    pair = compare(first, second)
    assert pair.very_good is not None
    assert pair.very_good.value == 0
    # Differences of 1, 0, -1, 0: standard error sqrt(2 / 3) / 2, Student's t 3.1824 for 3 degrees of freedom.
    assert pair.very_good.ci95[1] == pytest.approx(3.1824 * np.sqrt(2 / 3) / 2, abs=1e-3)
