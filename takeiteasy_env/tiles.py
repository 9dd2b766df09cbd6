"""The 27 tiles, their three numbers and their symbols.

A tile is written vertical-rising-falling, ``978``; its index is
``9 * vertical rank + 3 * rising rank + falling rank``, so 0 is ``123`` and 26 is ``978``.
(Rules page, "Board and tiles".)
"""

import operator
from collections.abc import Iterable
from itertools import product
from typing import Final, SupportsIndex

import numpy as np

TILES: Final = 27
RANKS: Final = 3
#: The three numbers of each direction (vertical, rising, falling), by rank.
NUMBERS: Final = ((1, 5, 9), (2, 6, 7), (3, 4, 8))

#: int8 (27, 3): rank 0, 1 or 2 of each tile's number in each direction.
TILE_RANKS: Final = np.array(list(product(range(RANKS), repeat=3)), dtype=np.int8)
#: int8 (27, 3): each tile's vertical, rising and falling number.
TILE_NUMBERS: Final = np.array(list(product(*NUMBERS)), dtype=np.int8)
#: int32 (27,): each tile as it is written, 123 to 978.
TILE_CODES: Final = TILE_NUMBERS.astype(np.int32) @ np.array([100, 10, 1], dtype=np.int32)
_INDEX_OF_CODE: Final = {int(code): index for index, code in enumerate(TILE_CODES)}

#: Which tiles bear a sun; the others bear a moon. **Not taken from the box: check yours**, and pass
#: your own map as ``suns``. No public source lists the symbols, so this map is a decision: a tile is a
#: sun when the sum of its three ranks is even, which gives 14 suns and 13 moons, every number on 4 or 5 suns.
DEFAULT_SUNS: Final = tuple(int(sum(ranks)) % 2 == 0 for ranks in TILE_RANKS)


def tile_index(tile: SupportsIndex | str) -> int:
    """Index 0-26 of a tile given as an index (``26``) or as it is written (``978`` or ``"978"``).

    Raises:
        ValueError: naming the value, when it is neither.
    """
    try:
        number = int(tile) if isinstance(tile, str) else operator.index(tile)
    except (TypeError, ValueError):
        number = -1
    if 0 <= number < TILES and not isinstance(tile, str | bool):
        return number
    if number in _INDEX_OF_CODE:
        return _INDEX_OF_CODE[number]
    raise ValueError(
        f"unknown tile {tile!r}: a tile is an index 0-26 or written like 978, with a number "
        "of 1 5 9, then of 2 6 7, then of 3 4 8"
    )


def tile_indices(tiles: Iterable[SupportsIndex | str]) -> list[int]:
    """Indices of distinct tiles, each given as :func:`tile_index` takes it.

    Raises:
        ValueError: naming the value, for an unknown tile or one that comes twice.
    """
    indices = [tile_index(tile) for tile in tiles]
    for position, index in enumerate(indices):
        if index in indices[:position]:
            raise ValueError(f"tile {TILE_CODES[index]} comes twice: each tile exists once")
    return indices
