"""The hexagon of 19 cells: its cells, lines, neighbours and coordinates.

Constants only. Cells are numbered by column, left to right, each column top to bottom, so that
column 0 holds 0-2, column 1 holds 3-6, column 2 holds 7-11, column 3 holds 12-15 and column 4
holds 16-18; cell 9 is the centre. Cells are flat-top hexagons. (Rules page, "Board and tiles".)

A set of cells is an integer of 19 bits: bit ``c`` is cell ``c``.
"""

from typing import Final

import numpy as np

CELLS: Final = 19
DIRECTIONS: Final = 3
VERTICAL, RISING, FALLING = range(DIRECTIONS)
COLUMN_LENGTHS: Final = (3, 4, 5, 4, 3)
ALL_CELLS: Final = (1 << CELLS) - 1

#: (column, height) of each cell; heights grow downwards in half cells, the centre is (0, 0).
COORDINATES: Final = tuple(
    (column - 2, 2 * row - (length - 1))
    for column, length in enumerate(COLUMN_LENGTHS)
    for row in range(length)
)


def _lines_where_constant(offset: int) -> tuple[tuple[int, ...], ...]:
    """Cells grouped by ``height + offset * column``: parallel lines, each from left to right."""
    groups: dict[int, list[int]] = {}
    for cell, (column, height) in enumerate(COORDINATES):
        groups.setdefault(height + offset * column, []).append(cell)
    return tuple(tuple(groups[key]) for key in sorted(groups))


_COLUMNS = tuple(
    tuple(cell for cell, (column, _) in enumerate(COORDINATES) if column == wanted) for wanted in range(-2, 3)
)

#: The 15 lines as tuples of cells: five vertical, five rising, five falling; line = 5 * direction + i.
LINES: Final = _COLUMNS + _lines_where_constant(+1) + _lines_where_constant(-1)
LINES_PER_DIRECTION: Final = len(LINES) // DIRECTIONS
LINE_LENGTHS: Final = np.array([len(line) for line in LINES], dtype=np.int32)
LINE_MASKS: Final = np.array([sum(1 << cell for cell in line) for line in LINES], dtype=np.int32)

#: int8 (19, 3): the vertical, the rising and the falling line through each cell.
CELL_LINES: Final = np.array(
    [[i for i, line in enumerate(LINES) if cell in line] for cell in range(CELLS)], dtype=np.int8
)

#: int32 (19,): the cells that share an edge with each cell, as a set of cells.
NEIGHBOURS: Final = np.array(
    [
        sum(
            1 << other
            for other, (other_column, other_height) in enumerate(COORDINATES)
            if (abs(column - other_column), abs(height - other_height)) in {(0, 2), (1, 1)}
        )
        for column, height in COORDINATES
    ],
    dtype=np.int32,
)

#: int8 (19,): where each cell goes when the board is turned by 180 degrees, the one symmetry that
#: maps every direction onto itself.
HALF_TURN: Final = np.arange(CELLS - 1, -1, -1, dtype=np.int8)
