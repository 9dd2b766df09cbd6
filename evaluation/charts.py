"""The charts of the report as geometry in percent of their box, which the page's template draws as SVG."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import asinh
from typing import Final

import numpy as np
from matplotlib.ticker import MaxNLocator

from evaluation.pictures import BAR
from evaluation.statistics import Estimate, Interval
from takeiteasy_env.board import CELLS, LINE_LENGTHS, LINES_PER_DIRECTION

#: Differences that a forest plot may be marked at, in points.
FOREST_MARKS: Final = (1, 3, 10, 30, 100, 300)
#: Moves that an axis of moves is marked at.
MARKED_MOVES: Final = (1, 5, 10, 15, 19)
MINUS: Final = "\N{MINUS SIGN}"
PERCENT: Final = "\N{NO-BREAK SPACE}%"


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: where it is, in percent of the axis, and what it says."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A curve for each agent over two axes.

    Attributes:
        curves: SVG path data in a box of 100 by 100, y downwards.
        means: (x, y) of each agent's mean on its curve; none where a mean has no place.
        x: ticks of the horizontal axis, from the left.
        y: ticks of the vertical axis, from below.
        notes: what the box is too small to show.
        bands: closed paths around the curves, where there are any.
    """

    curves: Sequence[str]
    means: Sequence[tuple[float, float]]
    x: Sequence[Tick]
    y: Sequence[Tick]
    notes: Sequence[str] = ()
    bands: Sequence[str] = ()


def histograms(scores: Mapping[str, np.ndarray]) -> Chart:
    """How many games have how many points, in bars of :data:`BAR` points.

    The first bar holds the games at 0 points alone; where it is too tall for the box a note says how tall.
    """
    top = max(int(sample.max()) for sample in scores.values())
    edges = np.arange(0.5 - BAR, max(top, 1) + BAR, BAR)
    bars = {agent: 100 * np.histogram(sample, edges)[0] / len(sample) for agent, sample in scores.items()}
    height = 1.1 * (max(percent[1:].max() for percent in bars.values()) or 100.0)
    x, y = _scale(edges[0], edges[-1]), _scale(height, 0.0)
    curves, means = [], []
    for agent, percent in bars.items():
        heights = y(np.minimum(percent, height))
        steps = "".join(f"V{top:.2f}H{right:.2f}" for top, right in zip(heights, x(edges[1:]), strict=True))
        curves.append(f"M0 100{steps}V100")
        mean = scores[agent].mean()
        means.append((float(x(mean)), float(heights[np.searchsorted(edges, mean) - 1])))
    cut_off = [
        f"{agent}: {percent[0]:.0f}{PERCENT} at 0" for agent, percent in bars.items() if percent[0] > height
    ]
    return Chart(
        curves, means, _ticks(0, edges[-1], x), _ticks(0, height, _scale(0, height), PERCENT), cut_off
    )


def shares_reaching(scores: Mapping[str, np.ndarray]) -> Chart:
    """The share of games with so many points or more."""
    top = max([1, *(int(sample.max()) for sample in scores.values())])
    x, y = _scale(0, top), _scale(100.0, 0.0)
    curves = []
    for sample in scores.values():
        reaching = np.bincount(sample, minlength=top + 1)[::-1].cumsum()[::-1]
        curves.append(_line(x(np.arange(top + 1)), y(100 * reaching / len(sample))))
    return Chart(curves, [], _ticks(0, top, x), _ticks(0, 100, _scale(0, 100), PERCENT))


def errors_by_move(errors: Sequence[Sequence[Estimate]]) -> Chart:
    """How many points came more than an agent predicted before each of its moves, with the 95 % intervals.

    Args:
        errors: of each agent, by move; none for an agent that predicts none.
    """
    ends = [end for agent in errors for error in agent for end in error.ci95]
    low, high = min([-1.0, *ends]), max([1.0, *ends])
    x, y = _scale(1, CELLS), _scale(high, low)
    moves = x(np.arange(1, CELLS + 1))
    curves = [_line(moves, y([error.value for error in agent])) if agent else "" for agent in errors]
    bands = [
        _band(moves, *(y(end) for end in np.array([error.ci95 for error in agent]).T)) if agent else ""
        for agent in errors
    ]
    ticks = [Tick(float(x(move)), f"{move}") for move in MARKED_MOVES]
    return Chart(curves, [], ticks, _ticks(low, high, _scale(low, high)), bands=bands)


def coverage(levels: Sequence[np.ndarray], shares: Sequence[np.ndarray]) -> Chart:
    """By how much more games lie below predicted quantiles than these say: the mean and range over the moves.

    Args:
        levels: of each agent, float (Q,), the share of games that is to lie below each quantile; none for an
            agent that predicts none.
        shares: of each agent, float (19, Q), the share that does.
    """
    gaps = [100 * (below - level) for level, below in zip(levels, shares, strict=True)]
    most = max([2.0, *(float(np.abs(gap).max()) for gap in gaps if gap.size)])
    x, y = _scale(0, 1), _scale(most, -most)
    curves = [
        _line(x(level), y(gap.mean(axis=0))) if gap.size else ""
        for level, gap in zip(levels, gaps, strict=True)
    ]
    bands = [
        _band(x(level), y(gap.min(axis=0)), y(gap.max(axis=0))) if gap.size else ""
        for level, gap in zip(levels, gaps, strict=True)
    ]
    ticks = _ticks(-most, most, _scale(-most, most), PERCENT)
    return Chart(curves, [], _ticks(0, 100, _scale(0, 100), PERCENT), ticks, bands=bands)


def _line(right: np.ndarray, down: np.ndarray) -> str:
    """Path data through some points."""
    return "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in zip(right, down, strict=True))


def _band(right: np.ndarray, low: np.ndarray, high: np.ndarray) -> str:
    """Path data around what lies between two curves."""
    return f"{_line(right, low)}L{_line(right[::-1], high[::-1])[1:]}Z"


@dataclass(frozen=True, slots=True)
class Forest:
    """Intervals over one axis, in percent of its length.

    Attributes:
        rows: low end, middle and high end of each interval.
        ticks: the marks of the axis, that of 0 among them.
        zero: where 0 is.
    """

    rows: Sequence[tuple[float, float, float]]
    ticks: Sequence[Tick]
    zero: float


def linear_forest(estimates: Sequence[Estimate]) -> Forest:
    """The plot of numbers with their intervals over a linear axis, on which 0 is."""
    ends = [0.0, *(end for estimate in estimates for end in estimate.ci95)]
    scale = _scale(min(ends), max(ends) if max(ends) > min(ends) else 1.0)

    def place(number: float) -> float:
        return float(scale(number))

    return Forest(
        [(place(low), place(found.value), place(high)) for found in estimates for low, high in [found.ci95]],
        _ticks(min(ends), max(ends), scale),
        place(0),
    )


def forest(differences: Sequence[tuple[float, Interval]]) -> Forest:
    """The plot of mean differences, each with its interval, in points, over an axis that is linear near 0.

    Beyond it is logarithmic.
    """
    ends = [end for _, interval in differences for end in interval]
    lowest, highest = min([-1.0, *ends]), max([1.0, *ends])
    scale = _scale(asinh(lowest), asinh(highest))

    def place(points: float) -> float:
        return float(scale(asinh(points)))

    marks = sorted((0, *FOREST_MARKS, *(-mark for mark in FOREST_MARKS)))
    return Forest(
        [(place(low), place(mean), place(high)) for mean, (low, high) in differences],
        [Tick(place(mark), f"{mark}".replace("-", MINUS)) for mark in marks if lowest <= mark <= highest],
        place(0),
    )


@dataclass(frozen=True, slots=True)
class Strips:
    """A row of dots for each number on the tiles, one dot for each agent.

    Attributes:
        title: what the dots count.
        rows: by number, where each agent's dot is.
        ticks: the marks of the axis.
    """

    title: str
    rows: dict[int, list[Tick]]
    ticks: list[Tick]


def line_strips(completions: Sequence[Mapping[int, Mapping[int, float]]]) -> list[Strips]:
    """How many lines each agent completes with each number: in a game, and of those of each length.

    Args:
        completions: for each agent, by number and length, lines completed in a game, in the mean.
    """
    numbers = list(completions[0])
    in_all = {number: [sum(lines[number].values()) for lines in completions] for number in numbers}
    by_length = {
        f"Of the {'line' if lines_of_it == 1 else 'two lines'} of {length} cells": {
            number: [100 * lines[number][length] / lines_of_it for lines in completions] for number in numbers
        }
        for length, lines_of_it in sorted(Counter(LINE_LENGTHS[:LINES_PER_DIRECTION].tolist()).items())
    }
    most = max(amount for rows in by_length.values() for row in rows.values() for amount in row)
    return [
        _strips("Lines in a game, of five", in_all, max(max(row) for row in in_all.values())),
        *(_strips(title, percent, most, PERCENT) for title, percent in by_length.items()),
    ]


def _strips(title: str, amounts: Mapping[int, Sequence[float]], most: float, unit: str = "") -> Strips:
    """Strips from 0 to ``most`` or a little more."""
    most = most or 1.0
    scale = _scale(0, 1.05 * most)
    rows = {
        number: [Tick(float(scale(amount)), f"{amount:.3g}{unit}") for amount in row]
        for number, row in amounts.items()
    }
    return Strips(title, rows, _ticks(0, 1.05 * most, scale, unit))


def _scale(start: float, end: float) -> Callable[..., np.ndarray]:
    """Where numbers lie on the way from one to another, in percent."""
    return lambda numbers: 100 * (np.asarray(numbers) - start) / (end - start)


def _ticks(low: float, high: float, scale: Callable[..., np.ndarray], unit: str = "") -> list[Tick]:
    """Ticks at round numbers."""
    numbers = MaxNLocator(nbins=6, steps=[1, 2, 5, 10]).tick_values(low, high)
    return [
        Tick(float(scale(at)), f"{at:g}{unit}".replace("-", MINUS)) for at in numbers if low <= at <= high
    ]
