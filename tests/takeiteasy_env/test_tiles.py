"""The tiles, in the words of the rules page, "Board and tiles" and "Which tiles are suns"."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from takeiteasy_env.tiles import (
    DEFAULT_SUNS,
    NUMBERS,
    TILE_CODES,
    TILE_NUMBERS,
    TILE_RANKS,
    TILES,
    tile_index,
    tile_indices,
)
from tests.reference import game as reference


def test_the_27_tiles_are_every_combination_of_the_numbers_once():
    assert len(TILE_CODES) == TILES == 27
    assert {tuple(numbers) for numbers in TILE_NUMBERS.tolist()} == set(
        product((1, 5, 9), (2, 6, 7), (3, 4, 8))
    )
    assert [str(code) for code in TILE_CODES] == reference.TILES


def test_the_index_is_nine_vertical_ranks_three_rising_ranks_and_the_falling_rank():
    assert (TILE_RANKS @ [9, 3, 1]).tolist() == list(range(27))
    for ranks, numbers in zip(TILE_RANKS, TILE_NUMBERS, strict=True):
        assert [NUMBERS[d][rank] for d, rank in enumerate(ranks)] == numbers.tolist()
    assert (TILE_CODES[0], TILE_CODES[26]) == (123, 978)


@pytest.mark.parametrize("tile", [26, 978, "978", np.int8(26), np.int64(978), np.array(26)])
def test_a_tile_may_be_given_by_index_or_as_it_is_written(tile):
    assert tile_index(tile) == 26


@pytest.mark.parametrize(
    "tile",
    [27, -1, 979, 321, "26", "sun", "", 3.0, 3.7, float("inf"), True, np.True_, None, [1], np.array([1, 2])],
)
def test_an_unknown_tile_is_named_with_what_is_allowed(tile):
    with pytest.raises(
        ValueError, match=r"unknown tile .*: a tile is an index 0-26 or written like 978"
    ) as error:
        tile_index(tile)
    assert repr(tile) in str(error.value)


def test_each_tile_exists_once():
    assert tile_indices(["978", 0, 124]) == [26, 0, 1]
    with pytest.raises(ValueError, match="tile 978 comes twice"):
        tile_indices([26, 3, "978"])


def test_the_default_map_has_14_suns_and_13_moons_and_every_number_on_4_or_5_suns():
    assert Counter(DEFAULT_SUNS) == {True: 14, False: 13}
    suns_with_number = Counter(
        (d, n) for tile in np.flatnonzero(DEFAULT_SUNS) for d, n in enumerate(TILE_NUMBERS[tile])
    )
    assert len(suns_with_number) == 9
    assert set(suns_with_number.values()) == {4, 5}
    assert {str(TILE_CODES[tile]) for tile in np.flatnonzero(DEFAULT_SUNS)} == reference.DEFAULT_SUNS
