"""The board of 9 by 9 squares: suns, the moon, neighbours and symmetries.

Constants only. Square ``9 * row + column``, row 0 on top. (Rules page, "Parts".)
"""

from typing import Final

import numpy as np

SIDE: Final = 9
SQUARES: Final = SIDE * SIDE
MOON: Final = SQUARES // 2
DIRECTIONS: Final = 4
UP, DOWN, LEFT, RIGHT = range(DIRECTIONS)
DIRECTION_NAMES: Final = ("up", "down", "left", "right")
#: Rows and columns that a step in each direction adds.
STEPS: Final = ((-1, 0), (1, 0), (0, -1), (0, 1))
NONE: Final = -1

_SUN_COORDINATES: Final = (
    *((0, 0), (1, 1), (2, 2), (0, 8), (1, 7), (2, 6), (8, 0), (7, 1), (6, 2), (8, 8), (7, 7), (6, 6)),
    *((0, 4), (4, 0), (4, 8), (8, 4)),
)
#: bool (81,): whether a square bears a sun.
IS_SUN: Final = np.zeros(SQUARES, dtype=np.bool_)
IS_SUN[[SIDE * row + column for row, column in _SUN_COORDINATES]] = True


def _square(row: int, column: int) -> int:
    """The square there, -1 beyond the edge."""
    return SIDE * row + column if 0 <= row < SIDE and 0 <= column < SIDE else NONE


#: int8 (81, 4): the square one step up, down, left and right, -1 beyond the edge.
NEIGHBOURS: Final = np.array(
    [
        [_square(row + down, column + right) for down, right in STEPS]
        for row in range(SIDE)
        for column in range(SIDE)
    ],
    dtype=np.int8,
)


def _symmetries() -> tuple[np.ndarray, np.ndarray]:
    """Where the eight symmetries of the square take each square and each direction."""
    rows, columns = np.divmod(np.arange(SQUARES), SIDE)
    squares, directions = [], []
    for transposed in (False, True):
        for down in (1, -1):
            for right in (1, -1):
                row = rows if down == 1 else SIDE - 1 - rows
                column = columns if right == 1 else SIDE - 1 - columns
                squares.append(SIDE * column + row if transposed else SIDE * row + column)
                turned = [(down * step[0], right * step[1]) for step in STEPS]
                directions.append([STEPS.index(step[::-1] if transposed else step) for step in turned])
    return np.array(squares, dtype=np.int8), np.array(directions, dtype=np.int8)


#: int8 (8, 81) and (8, 4): where each symmetry of the board takes a square and a direction; the first is the
#: identity.
SYMMETRY_SQUARES, SYMMETRY_DIRECTIONS = _symmetries()
