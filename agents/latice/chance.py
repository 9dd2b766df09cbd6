"""Random numbers that follow from a seed and from what a player sees.

So a game is the same whatever is played beside it, and needs no stream of its own: two views that differ at
all get numbers that have nothing to do with each other.
"""

from typing import Final

import numpy as np
from numba import njit

from latice_env.actions import ACTIONS
from latice_env.state import GAME

#: Bytes of a record without those at its end that align it, which hold nothing.
_BYTES: Final = max(offset + dtype.itemsize for dtype, offset, *_ in (GAME.fields or {}).values())
_OFFSET: Final = np.uint64(0xCBF29CE484222325)
_PRIME: Final = np.uint64(0x100000001B3)


def chances(seed: int, views: np.ndarray) -> np.ndarray:
    """float32 (N, 764): uniform random numbers below 1, one for each micro-action of each view."""
    numbers = np.empty((len(views), ACTIONS), dtype=np.float32)
    _fill(seed, np.ascontiguousarray(views).view(np.uint8).reshape(len(views), -1), numbers)
    return numbers


@njit(cache=True)
def _fill(seed: int, rows: np.ndarray, numbers: np.ndarray) -> None:
    """Hash the seed and each row (FNV-1a), and let a xorshift go on from there."""
    for index in range(len(rows)):
        word = (_OFFSET ^ np.uint64(seed)) * _PRIME
        for at in range(_BYTES):
            word = (word ^ np.uint64(rows[index, at])) * _PRIME
        word ^= word >> np.uint64(29)
        word = max(word * _PRIME, np.uint64(1))
        for action in range(numbers.shape[1]):
            word ^= word << np.uint64(13)
            word ^= word >> np.uint64(7)
            word ^= word << np.uint64(17)
            numbers[index, action] = np.float32(word >> np.uint64(40)) * np.float32(2**-24)
