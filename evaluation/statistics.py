"""What many scores say, and how sure that is. All numbers are points unless said otherwise.

Each interval is a 95 % one, and is made by the method that is honest for its kind of number:

- **means** and differences of means: Student's t, the differences game by game on the same draws (paired);
  the same without the luck of the draw, which has the same mean (:mod:`agents.luck`);
- **quantiles**: the order statistics that bracket them by the binomial distribution, which supposes nothing
  about how scores are spread (a bootstrap of a quantile of whole numbers has no acceleration);
- **shares** of games: Wilson's score interval, and for the difference of two agents' shares Student's t;
- **means of the lowest games**: Student's t on what each game changes in them, the infinitesimal jackknife;
- **probability of improvement**: the BCa bootstrap up to :data:`BOOTSTRAP_GAMES` games, and beyond those,
  where the two agree, Student's t; if every game has the same winner, the exact binomial interval.
"""

from dataclasses import dataclass, replace
from math import ceil
from typing import Final

import numpy as np
from scipy import stats

CONFIDENCE: Final = 0.95
#: How surely a true difference is to be found, in :func:`games_needed`.
POWER: Final = 0.8
QUANTILES: Final = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
#: A good game and a very good one, in points.
GOOD: Final = 150
VERY_GOOD: Final = 200
#: The part of the games that is looked at as the bad ones.
LOWEST: Final = 0.1
BOOTSTRAP_GAMES: Final = 1_000
BOOTSTRAP_RESAMPLES: Final = 9_999

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its 95 % interval."""

    value: float
    ci95: Interval


@dataclass(frozen=True, slots=True)
class Quantile:
    """A quantile and its 95 % interval, None where the games are too few to bracket it."""

    value: float
    ci95: Interval | None


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Scores, or differences of two agents' scores, less the luck of the draw.

    Attributes:
        mean: the mean, an estimate of the same number as the mean with luck.
        ci95: its 95 % interval, by Student's t.
        sd: the standard deviation in one game.
    """

    mean: float
    ci95: Interval
    sd: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The scores of one agent.

    Attributes:
        mean: the mean.
        ci95: the 95 % interval of the mean, by Student's t.
        sd: the standard deviation of one game (n - 1 in the denominator).
        median: the median.
        q05: the 5 % quantile.
        q95: the 95 % quantile.
        min: the least.
        max: the most.
        quantiles: the quantiles of :data:`QUANTILES`, by their probability.
        at_zero: the share of games without a point.
        good: the share of games of at least 150 points.
        very_good: the share of games of at least 200 points.
        lowest: the mean of the lowest tenth of the games.
        adjusted: the mean without luck, None where nobody says what was luck.
    """

    mean: float
    ci95: Interval
    sd: float
    median: float
    q05: float
    q95: float
    min: int
    max: int
    quantiles: dict[float, Quantile]
    at_zero: Estimate
    good: Estimate
    very_good: Estimate
    lowest: Estimate
    adjusted: Adjusted | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two agents did on the same draws, seen from the first one.

    Attributes:
        mean: the mean of the differences game by game.
        ci95: its 95 % interval, by Student's t on the differences (a paired interval).
        sd: the standard deviation of the difference in one game.
        wins: games in which the first has more points.
        ties: games in which both have as many.
        losses: games in which the first has less.
        improvement: the probability that the first does better in a game, a tie counting half.
        games_needed: on how many shared draws a difference as large as this one is found at the 5 % level in
            80 % of all cases; None where there is no difference.
        very_good: the difference of their shares of games of at least 200 points, None at tables.
        lowest: the difference of the means of their lowest tenths of games, None at tables.
        adjusted: the mean difference without luck, None where nobody says what was luck.
    """

    mean: float
    ci95: Interval
    sd: float
    wins: int
    ties: int
    losses: int
    improvement: Estimate
    games_needed: int | None
    very_good: Estimate | None = None
    lowest: Estimate | None = None
    adjusted: Adjusted | None = None


def summarise(scores: np.ndarray, luck: np.ndarray | None = None) -> Summary:
    """The summary of (N,) scores, N at least 2, and of them less (N,) points that were luck, if given."""
    ordered = np.sort(scores)
    quantiles = {probability: quantile(ordered, probability) for probability in QUANTILES}
    return Summary(
        mean=float(scores.mean()),
        ci95=t_interval(scores),
        sd=float(scores.std(ddof=1)),
        median=quantiles[0.5].value,
        q05=quantiles[0.05].value,
        q95=quantiles[0.95].value,
        min=int(ordered[0]),
        max=int(ordered[-1]),
        quantiles=quantiles,
        at_zero=share(int((scores == 0).sum()), len(scores)),
        good=share(int((scores >= GOOD).sum()), len(scores)),
        very_good=share(int((scores >= VERY_GOOD).sum()), len(scores)),
        lowest=estimate_mean(_tail_terms(scores, LOWEST)),
        adjusted=None if luck is None else adjust(scores, luck),
    )


def compare(first: np.ndarray, second: np.ndarray, luck: np.ndarray | None = None) -> Comparison:
    """How one agent does against another one on the same draws.

    Args:
        first: (N,) points of the one, N at least 2.
        second: (N,) points of the other.
        luck: (N,) points of luck that the one had more than the other, if that is known.
    """
    reached = (first >= VERY_GOOD).astype(np.float64) - (second >= VERY_GOOD)
    differences = first.astype(np.float64) - second
    return replace(
        compare_differences(differences),
        adjusted=None if luck is None else adjust(differences, luck),
        very_good=estimate_mean(reached),
        lowest=estimate_mean(_tail_terms(first, LOWEST) - _tail_terms(second, LOWEST)),
    )


def compare_differences(differences: np.ndarray) -> Comparison:
    """The comparison that the (N,) differences of two agents' points on the same draws make, N at least 2."""
    differences = differences.astype(np.float64)
    mean, sd = float(differences.mean()), float(differences.std(ddof=1))
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return Comparison(
        mean=mean,
        ci95=t_interval(differences),
        sd=sd,
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
        improvement=improvement(differences),
        games_needed=games_needed(mean, sd),
    )


def adjust(points: np.ndarray, luck: np.ndarray) -> Adjusted:
    """What (N,) points say, N at least 2, of which (N,) were luck."""
    adjusted = points - luck.astype(np.float64)
    return Adjusted(float(adjusted.mean()), t_interval(adjusted), float(adjusted.std(ddof=1)))


def estimate_mean(sample: np.ndarray) -> Estimate:
    """The mean of an (N,) sample, N at least 2, with its interval."""
    return Estimate(float(sample.mean(dtype=np.float64)), t_interval(sample))


def t_interval(sample: np.ndarray) -> Interval:
    """The 95 % interval of the mean of an (N,) sample, by Student's t with N - 1 degrees of freedom."""
    mean, standard_error = sample.mean(dtype=np.float64), stats.sem(sample.astype(np.float64))
    margin = stats.t.ppf((1 + CONFIDENCE) / 2, df=len(sample) - 1) * standard_error
    return float(mean - margin), float(mean + margin)


def estimate_of_sums(games: int, total: float, squares: float) -> Estimate:
    """The mean of at least 2 numbers with its interval, from their sum and the sum of their squares."""
    mean = total / games
    variance = max(squares - total * mean, 0.0) / (games - 1)
    margin = stats.t.ppf((1 + CONFIDENCE) / 2, df=games - 1) * np.sqrt(variance / games)
    return Estimate(mean, (float(mean - margin), float(mean + margin)))


def _tail_terms(scores: np.ndarray, part: float) -> np.ndarray:
    """float64 (N,): numbers whose mean is the mean of the lowest ``part`` of the scores.

    What a score changes in it, to first order, is what its own number differs from that mean: this makes
    intervals and, score by score, paired ones (the infinitesimal jackknife).
    """
    games = len(scores)
    threshold = np.partition(scores, min(int(part * games), games - 1))[min(int(part * games), games - 1)]
    return threshold - np.maximum(threshold - scores.astype(np.float64), 0) / part


def quantile(ordered: np.ndarray, probability: float) -> Quantile:
    """A quantile of (N,) scores in ascending order, and the scores that bracket it."""
    games = len(ordered)
    low, high = stats.binom.ppf(((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2), games, probability).astype(int)
    value = float(np.quantile(ordered, probability))
    if low < 1 or high >= games:
        return Quantile(value, None)
    return Quantile(value, (float(ordered[low - 1]), float(ordered[high])))


def share(games: int, of: int) -> Estimate:
    """The share that some games are of all, with Wilson's interval."""
    interval = stats.binomtest(games, of).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(games / of, (float(interval.low), float(interval.high)))


def improvement(differences: np.ndarray) -> Estimate:
    """The probability that a difference is above 0, equal ones counting half, from (N,) differences."""
    outcomes = (1 + np.sign(differences)) / 2
    games, mean = len(outcomes), float(outcomes.mean())
    if outcomes.min() == outcomes.max():
        won = round(mean * games)
        decided = stats.binomtest(won, games).proportion_ci(CONFIDENCE, method="exact")
        return Estimate(mean, (float(decided.low), float(decided.high)) if mean in (0, 1) else (mean, mean))
    if games > BOOTSTRAP_GAMES:
        low, high = t_interval(outcomes)
        return Estimate(mean, (max(low, 0.0), min(high, 1.0)))
    interval = stats.bootstrap(
        (outcomes,),
        np.mean,
        n_resamples=BOOTSTRAP_RESAMPLES,
        confidence_level=CONFIDENCE,
        method="BCa",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return Estimate(mean, (float(interval.low), float(interval.high)))


def games_needed(difference: float, sd: float) -> int | None:
    """Shared draws on which a true mean difference is found at the 5 % level in 80 % of all cases.

    Args:
        difference: of the means.
        sd: of the difference in one game.

    Returns:
        The number of games, None without a difference.
    """
    if difference == 0:
        return None
    quantiles = stats.norm.ppf((1 + CONFIDENCE) / 2) + stats.norm.ppf(POWER)
    return max(2, ceil((quantiles * sd / difference) ** 2))
