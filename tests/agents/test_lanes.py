"""Operations on sixteen floats at once, against NumPy's."""

import numpy as np
import pytest
from numba import njit

from agents.lanes import LANES, fused, greater, load, plus, spread, store, times, where_equal


@njit
def computed(rows: np.ndarray, out: np.ndarray) -> None:
    one, other, third = load(rows, 0), load(rows, 1), load(rows, 2)
    store(out, 0, plus(one, other))
    store(out, 1, times(one, other))
    store(out, 2, fused(one, other, third))
    store(out, 3, greater(one, other))
    store(out, 4, where_equal(one, other, third))
    store(out, 5, spread(rows[1, 3]))


@njit
def summed(rows: np.ndarray, out: np.ndarray) -> None:
    total = spread(0.0)
    for row in range(len(rows)):
        if row % 2:
            total = plus(total, load(rows, row))
    store(out, len(out) - 1, total)


@pytest.fixture
def rows() -> np.ndarray:
    """Small whole numbers, some of which are equal, in two rows; any in the third."""
    rng = np.random.default_rng(0)
    whole = rng.integers(-2, 3, size=(2, LANES))
    return np.concatenate([whole, rng.normal(size=(1, LANES))]).astype(np.float32)


def test_each_operation_is_numpys(rows):
    out = np.full((7, LANES), 99, dtype=np.float32)
    computed(rows, out)
    one, other, third = rows
    expected = [one + other, one * other, one * other + third, np.maximum(one, other)]
    np.testing.assert_allclose(out[:4], expected, rtol=1e-6)
    assert 0 < (one == other).sum() < LANES
    assert (out[4] == np.where(one == other, third, 0)).all()
    assert (out[5] == other[3]).all()
    assert (out[6] == 99).all()


def test_a_variable_lives_through_loops_and_branches():
    rows = np.random.default_rng(0).normal(size=(9, LANES)).astype(np.float32)
    out = np.zeros((3, LANES), dtype=np.float32)
    summed(rows, out)
    np.testing.assert_allclose(out[2], rows[1::2].sum(axis=0), rtol=1e-5)
    assert (out[:2] == 0).all()
