"""Elo is what Bradley and Terry's model says, finite whatever was won; its intervals know of the deals."""

from math import log10

import numpy as np
import pytest

from evaluation.latice.elo import ratings

RNG = np.random.default_rng(1)


def played(above: float, deals: int, luck: float = 0.0, games: int = 2) -> np.ndarray:
    """Games of a pair of which the first is so much Elo above; the luck of a deal changes seats with it."""
    side = np.resize([1.0, -1.0], games)
    chances = 1 / (1 + 10 ** (-(above + luck * RNG.normal(size=(deals, 1)) * side) / 400))
    return (RNG.random((deals, games)) < chances).astype(float)


def test_of_two_agents_it_is_the_logarithm_of_the_odds():
    won = np.zeros((500, 2))
    won[:250] = 1
    won[250:300] = 0.5
    found = ratings({(0, 1): won}, 2).above(0, 1)
    odds = (won.sum() + 1) / (1000 - won.sum() + 1)
    assert found.value == pytest.approx(400 * log10(odds), abs=1e-3)
    assert ratings({(0, 1): 1 - won}, 2).above(1, 0).value == pytest.approx(found.value, abs=1e-3)


def test_who_wins_all_games_is_as_far_above_as_so_many_games_can_say():
    few, many = (ratings({(0, 1): np.ones((deals, 2))}, 2).above(0, 1) for deals in (10, 1000))
    assert many.value == pytest.approx(400 * log10(2001), abs=0.1)
    assert 0 < few.ci95[0] < few.value < many.value
    assert 900 < many.ci95[0] < 400 * log10(2000)


def test_agents_that_always_tie_are_level():
    found = ratings({(0, 1): np.full((50, 2), 0.5)}, 2).above(0, 1)
    assert (found.value, *found.ci95) == pytest.approx((0, 0, 0))


def test_three_agents_are_found_where_they_are():
    results = {(0, 1): played(-100, 5000), (0, 2): played(-300, 5000), (1, 2): played(-200, 5000)}
    found = ratings(results, 3)
    assert found.elo == pytest.approx([0, 100, 300], abs=15)
    assert found.above(2, 1).value == pytest.approx(found.elo[2] - found.elo[1])


def test_mirrored_deals_tell_more_of_agents_whom_luck_decides_between():
    narrow, wide = (
        np.subtract(*ratings({(0, 1): won}, 2).above(0, 1).ci95[::-1])
        for won in (played(0, 500, luck=1500), played(0, 500))
    )
    assert narrow < 0.7 * wide


@pytest.mark.parametrize(("luck", "games"), [(0, 2), (600, 2), (600, 1)])
def test_intervals_hold_the_truth_as_often_as_they_say(luck, games):
    """With luck the chance of a win is not the model's, so the truth is what very many deals say."""
    above = (0, 80, 200)
    pairs = [(0, 1), (0, 2), (1, 2)]
    truth = ratings({p: played(above[p[0]] - above[p[1]], 200_000, luck, games) for p in pairs}, 3)
    inside = np.zeros(3)
    for _ in range(300):
        found = ratings({p: played(above[p[0]] - above[p[1]], 150, luck, games) for p in pairs}, 3)
        for number, (one, other) in enumerate(pairs):
            low, high = found.above(one, other).ci95
            inside[number] += low <= truth.elo[one] - truth.elo[other] <= high
    assert (inside / 300 >= 0.91).all()
    assert (inside / 300 <= 0.99).all()
