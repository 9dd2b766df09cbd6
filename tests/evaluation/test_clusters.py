"""Shares of games that come in groups: Wilson's interval for as many games as say the same."""

import numpy as np
import pytest

from evaluation.clusters import share_of_groups
from evaluation.statistics import share

RNG = np.random.default_rng(0)


def width(values):
    found = share_of_groups(values)
    assert found is not None
    return found.ci95[1] - found.ci95[0]


@pytest.mark.parametrize(("won", "of"), [(3, 10), (900, 1000), (0, 50), (50, 50)])
def test_games_that_stand_alone_have_wilsons_interval(won, of):
    found = share_of_groups((np.arange(of) < won)[:, None])
    assert found is not None
    assert found.value == won / of
    assert found.ci95 == pytest.approx(share(won, of).ci95)


def test_games_that_always_end_alike_count_as_one():
    groups = RNG.random((500, 1)) < 0.3
    assert width(np.repeat(groups, 4, axis=1)) == pytest.approx(width(groups), rel=0.01)


def test_games_of_which_one_is_won_and_one_lost_say_more():
    first = RNG.random((500, 1)) < 0.5
    assert width(np.hstack([first, ~first])) < 0.2 * width(RNG.random((500, 2)) < 0.5)


def test_where_all_is_won_the_groups_count_and_a_lost_game_does_not_narrow_the_interval():
    won = np.ones((1000, 2))
    lows = []
    for lost in range(4):
        won[:lost, 0] = 0
        found = share_of_groups(won)
        assert found is not None
        lows.append(found.ci95[0])
    assert lows[0] == pytest.approx(share(1000, 1000).ci95[0])
    assert lows[1] == pytest.approx(lows[0], abs=1e-4)
    assert lows[1] > lows[2] > lows[3]


def test_a_tie_can_be_half_a_win_and_games_can_be_left_out():
    values = np.array([[1, 0.5], [0, 1]])
    whole, decided = share_of_groups(values), share_of_groups(values, values != 0.5)
    assert whole is not None
    assert decided is not None
    assert (whole.value, decided.value) == (2.5 / 4, 2 / 3)
    assert share_of_groups(values, np.zeros((2, 2), dtype=bool)) is None


@pytest.mark.parametrize("alike", [-0.9, 0.0, 0.9])
def test_intervals_hold_the_truth_as_often_as_they_say(alike):
    """Pairs of games whose luck is correlated, positively or negatively; the share is 0.7."""
    threshold = -0.5244  # of which 70 % of standard normals are above
    inside = 0
    for _ in range(400):
        luck = RNG.multivariate_normal([0, 0], [[1, alike], [alike, 1]], size=200)
        found = share_of_groups(luck > threshold)
        assert found is not None
        inside += found.ci95[0] <= 0.7 <= found.ci95[1]
    assert 0.92 <= inside / 400 <= 0.98
