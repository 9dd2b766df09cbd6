"""The charts put each number where its axis says it is."""

import re

import numpy as np
import pytest

from evaluation.charts import (
    Tick,
    coverage,
    errors_by_move,
    forest,
    histograms,
    line_strips,
    shares_reaching,
)
from evaluation.statistics import Estimate

PERCENT = "\N{NO-BREAK SPACE}%"


def value_at(ticks: list[Tick], place: float) -> float:
    """What an axis means by a place, from its first and last tick."""
    first, last = ticks[0], ticks[-1]
    low, high = (
        float(tick.label.removesuffix(PERCENT).replace("\N{MINUS SIGN}", "-")) for tick in (first, last)
    )
    return low + (place - first.at) / (last.at - first.at) * (high - low)


def test_a_histogram_shows_the_share_of_games_for_every_five_points():
    scores = {"a": np.array([0] * 5 + [12] * 10 + [15] * 10 + [51] * 25), "b": np.array([0] * 45 + [49] * 5)}
    chart = histograms(scores)
    first, second = (
        [(100 - float(down), float(right)) for down, right in re.findall(r"V(-?[\d.]+)H([\d.]+)", curve)]
        for curve in chart.curves
    )
    shares = {int(value_at(chart.x, right)): value_at(chart.y, up) for up, right in first}
    assert {right: round(share) for right, share in shares.items() if share > 0.1} == {0: 10, 15: 40, 55: 50}
    assert second[0][0] == 100, "a bar beyond the top is cut off"
    assert chart.notes == [f"b: 90{PERCENT} at 0"]
    for (across, down), sample in zip(chart.means, scores.values(), strict=True):
        assert value_at(chart.x, across) == pytest.approx(sample.mean())
        assert 0 <= down <= 100


def test_the_other_curve_shows_the_share_of_games_with_so_many_points_or_more():
    chart = shares_reaching({"a": np.array([0, 10, 10, 40])})
    corners = [tuple(map(float, corner.split())) for corner in chart.curves[0][1:].split("L")]
    found = {round(value_at(chart.x, x)): round(value_at(chart.y, 100 - y)) for x, y in corners}
    expected = {points: 100 if points == 0 else 75 if points <= 10 else 25 for points in range(41)}
    assert found == expected


def test_a_forest_plot_keeps_the_order_of_differences_small_and_large():
    plot = forest([(0.5, (0.3, 0.7)), (157.0, (156.0, 158.0)), (-0.1, (-0.6, 0.4))])
    (small_low, small, small_high), (_, large, large_high), (negative_low, negative, _) = plot.rows
    assert negative_low < negative < plot.zero < small_low < small < small_high < large < large_high == 100
    assert [tick.label for tick in plot.ticks] == ["\N{MINUS SIGN}1", "0", "1", "3", "10", "30", "100"]
    assert [tick.at for tick in plot.ticks] == sorted(tick.at for tick in plot.ticks)
    assert plot.ticks[1].at == plot.zero
    ones = {tick.label: tick.at for tick in plot.ticks}
    assert ones["1"] - plot.zero == pytest.approx(plot.zero - ones["\N{MINUS SIGN}1"])


def test_line_strips_show_lines_in_a_game_and_how_many_of_those_of_each_length():
    completions = [{9: {3: 1.0, 4: 0.5, 5: 0.25}, 1: {3: 0.0, 4: 0.0, 5: 0.8}}]
    in_all, of_3, of_4, of_5 = line_strips(completions)
    for strips, nine, one in ((in_all, 1.75, 0.8), (of_3, 50, 0), (of_4, 25, 0), (of_5, 25, 80)):
        for number, amount in ((9, nine), (1, one)):
            (dot,) = strips.rows[number]
            assert value_at(strips.ticks, dot.at) == pytest.approx(amount)
            assert float(dot.label.removesuffix(PERCENT)) == amount


def corners_of(path: str) -> list[tuple[float, float]]:
    """The corners of a path, in percent from the left and from below."""
    corners = (corner.split() for corner in path.strip("MZ").split("L"))
    return [(float(right), 100 - float(down)) for right, down in corners]


def test_errors_stand_over_their_moves_within_their_intervals():
    errors = [Estimate(0.1 * move - 1, (0.1 * move - 1.5, 0.1 * move - 0.5)) for move in range(19)]
    chart = errors_by_move([[], errors])
    assert (chart.curves[0], chart.bands[0]) == ("", "")
    curve, band = corners_of(chart.curves[1]), corners_of(chart.bands[1])
    assert len(band) == 2 * len(curve) == 38
    for move, (right, up) in enumerate(curve):
        assert value_at(chart.x, right) == pytest.approx(move + 1, abs=0.01)
        assert value_at(chart.y, up) == pytest.approx(errors[move].value, abs=0.01)
        ends = [value_at(chart.y, band[place][1]) for place in (move, 37 - move)]
        assert ends == pytest.approx(errors[move].ci95, abs=0.01)


def test_coverage_shows_the_mean_and_the_range_over_the_moves():
    levels, shares = np.array([0.25, 0.75]), np.array([[0.25, 0.75]] * 17 + [[0.3, 0.7], [0.15, 0.8]])
    chart = coverage([levels], [shares])
    curve, band = corners_of(chart.curves[0]), corners_of(chart.bands[0])
    assert [value_at(chart.x, right) for right, _ in curve] == pytest.approx([25, 75], abs=0.1)
    assert [value_at(chart.y, up) for _, up in curve] == pytest.approx([-5 / 19, 0], abs=0.1)
    assert [value_at(chart.y, up) for _, up in band] == pytest.approx([-10, -5, 5, 5], abs=0.1)


@pytest.mark.parametrize("scores", [[0, 0], [0, 1], [5, 5]])
def test_charts_of_next_to_nothing_are_charts(scores: list[int]):
    sample = {"a": np.array(scores)}
    for chart in (histograms(sample), shares_reaching(sample)):
        assert "nan" not in chart.curves[0]
        assert len(chart.x) > 0
    assert forest([]).zero == pytest.approx(50)
    empty = line_strips([{9: {3: 0.0, 4: 0.0, 5: 0.0}}])
    assert all(strips.rows[9][0].at == 0 for strips in empty)
