"""What many scores say, and how sure that is. All numbers are points."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

CONFIDENCE: Final = 0.95


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
    """

    mean: float
    ci95: tuple[float, float]
    sd: float
    median: float
    q05: float
    q95: float
    min: int
    max: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more one agent scores than another on the same draws.

    Attributes:
        mean: the mean of the differences game by game.
        ci95: its 95 % interval, by Student's t on the differences (a paired interval).
    """

    mean: float
    ci95: tuple[float, float]


def summarise(scores: np.ndarray) -> Summary:
    """The summary of (N,) scores, N at least 2."""
    q05, median, q95 = np.quantile(scores, (0.05, 0.5, 0.95))
    return Summary(
        mean=float(scores.mean()),
        ci95=t_interval(scores),
        sd=float(scores.std(ddof=1)),
        median=float(median),
        q05=float(q05),
        q95=float(q95),
        min=int(scores.min()),
        max=int(scores.max()),
    )


def paired_difference(first: np.ndarray, second: np.ndarray) -> Difference:
    """How much more ``first`` scores than ``second``, both (N,) scores on the same draws, N at least 2."""
    differences = first.astype(np.int64) - second
    return Difference(mean=float(differences.mean()), ci95=t_interval(differences))


def t_interval(sample: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of the mean of an (N,) sample, by Student's t with N - 1 degrees of freedom."""
    standard_error = sample.std(ddof=1) / np.sqrt(len(sample))
    margin = stats.t.ppf((1 + CONFIDENCE) / 2, df=len(sample) - 1) * standard_error
    return float(sample.mean() - margin), float(sample.mean() + margin)
