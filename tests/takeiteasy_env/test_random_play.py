"""What uniformly random play scores, against what can be computed exactly."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from takeiteasy_env.board import LINES, LINES_PER_DIRECTION
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import BITBOARD, Rules, place_all, scores_of
from takeiteasy_env.tiles import NUMBERS

GAMES = 1_000_000
GAMES_AT_ONCE = 100_000


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    """int64 (GAMES,) points of tiles put on empty cells chosen uniformly at random."""
    return np.concatenate([random_scores(batch) for batch in range(GAMES // GAMES_AT_ONCE)])


def random_scores(batch: int) -> np.ndarray:
    rules = Rules()
    draws = draw_orders(stream(0, Purpose.EVALUATE, batch), GAMES_AT_ONCE)
    cells = stream(0, Purpose.AGENT, batch).permuted(
        np.tile(np.arange(19, dtype=np.int8), (GAMES_AT_ONCE, 1)), axis=1
    )
    boards = np.full((GAMES_AT_ONCE, 19), -1, dtype=np.int8)
    bitboards = np.zeros((GAMES_AT_ONCE, BITBOARD), dtype=np.int32)
    points = np.empty((19, GAMES_AT_ONCE), dtype=np.int32)
    for turn in range(19):
        place_all(boards, bitboards, draws[:, turn], cells[:, turn], rules.code, points[turn])
    scores = points.sum(axis=0)
    assert np.array_equal(scores, scores_of(boards, rules))
    return scores


def expected_score() -> Fraction:
    """Of the 27 tiles, 9 bear a number: the chance that all tiles of a line do, times what it then scores."""
    return sum(
        Fraction(comb(9, len(line)), comb(27, len(line))) * len(line) * sum(NUMBERS[i // LINES_PER_DIRECTION])
        for i, line in enumerate(LINES)
    )


def test_random_play_scores_10_69_on_average(scores):
    expected = float(expected_score())
    assert round(expected, 2) == 10.69
    standard_error = scores.std(ddof=1) / np.sqrt(GAMES)
    assert abs(scores.mean() - expected) < 4 * standard_error


def test_random_play_scores_nothing_in_about_50_9_percent_of_the_games(scores):
    share = np.mean(scores == 0)
    assert abs(share - 0.509) < 0.0005 + 4 * np.sqrt(0.509 * 0.491 / GAMES)


def test_no_score_is_above_307(scores):
    assert 0 <= scores.min() <= scores.max() <= 307
