"""The order of the draws: at random, without replacement, the same again from the same seed."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from scipy import stats

from takeiteasy_env.draws import WORDS_PER_GAME, Purpose, deal, draw_orders, random_words, skip_games, stream

SIGNIFICANCE = 0.01


@pytest.fixture(scope="module")
def orders() -> np.ndarray:
    return draw_orders(stream(0, Purpose.VALIDATE), 100_000)


def test_each_order_is_19_distinct_tiles(orders):
    assert orders.shape == (100_000, 19)
    assert orders.dtype == np.int8
    in_order = np.sort(orders, axis=1)
    assert (np.diff(in_order, axis=1) > 0).all()
    assert (in_order[:, 0].min(), in_order[:, -1].max()) == (0, 26)


def test_at_each_turn_each_tile_is_drawn_equally_often(orders):
    counts = np.array([np.bincount(orders[:, turn], minlength=27) for turn in range(19)])
    assert stats.chisquare(counts, axis=1).pvalue.min() > SIGNIFICANCE / 19


def test_each_pair_of_tiles_follows_one_another_equally_often(orders):
    counts = [
        np.bincount(27 * orders[:, turn].astype(int) + orders[:, turn + 1], minlength=27 * 27)
        for turn in range(18)
    ]
    possible = np.flatnonzero(np.arange(27 * 27) % 28)
    assert np.sum(counts) == np.array(counts)[:, possible].sum()
    assert stats.chisquare(np.array(counts)[:, possible], axis=1).pvalue.min() > SIGNIFICANCE / 18


def test_the_first_orders_are_the_same_however_many_are_asked_for():
    many = draw_orders(stream(3, Purpose.EVALUATE), 50)
    rng = stream(3, Purpose.EVALUATE)
    assert np.array_equal(np.concatenate([draw_orders(rng, games) for games in (1, 0, 7, 42)]), many)


@pytest.mark.parametrize("games", [0, 1, 7, 49])
def test_games_can_be_skipped_without_dealing_them(games):
    rng = stream(3, Purpose.EVALUATE)
    skip_games(rng, games)
    assert np.array_equal(draw_orders(rng, 50 - games), draw_orders(stream(3, Purpose.EVALUATE), 50)[games:])


def test_skipping_goes_on_from_where_a_stream_is():
    rng = stream(3, Purpose.EVALUATE)
    draw_orders(rng, 10)
    skip_games(rng, 5)
    assert np.array_equal(draw_orders(rng, 10), draw_orders(stream(3, Purpose.EVALUATE), 25)[15:])


def streams() -> Iterator[np.random.Generator]:
    for seed, purpose in product((0, 1, 2), Purpose):
        yield stream(seed, purpose)
        for key in ((0,), (1,), (0, 0), (0, 1)):
            yield stream(seed, purpose, *key)


def test_streams_of_other_seeds_purposes_or_keys_share_no_order():
    games = 1000
    drawn = [{order.tobytes() for order in draw_orders(rng, games)} for rng in streams()]
    assert len(set().union(*drawn)) == games * len(drawn)


def test_the_same_stream_gives_the_same_orders_again():
    once, again = (draw_orders(stream(7, Purpose.TRAIN, 2), 10) for _ in range(2))
    assert np.array_equal(once, again)


@pytest.mark.parametrize("word", [0, 2**64 - 1, 2**63])
def test_the_least_and_the_greatest_word_draw_tiles_that_remain(word):
    draws = np.empty((1, 19), dtype=np.int8)
    deal(np.full((1, WORDS_PER_GAME), word, dtype=np.uint64), draws)
    assert len(set(draws[0].tolist()) & set(range(27))) == 19


def test_words_come_in_the_order_of_the_games():
    rng = stream(1, Purpose.AGENT)
    words = random_words(rng, 3)
    assert (words.shape, words.dtype) == ((3, WORDS_PER_GAME), np.uint64)
    assert np.array_equal(words, random_words(stream(1, Purpose.AGENT), 5)[:3])
