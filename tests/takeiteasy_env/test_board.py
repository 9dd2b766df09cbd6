"""The hexagon, in the words of the rules page, "Board and tiles"."""

from itertools import product

import numpy as np

from takeiteasy_env.board import (
    CELL_LINES,
    CELLS,
    COLUMN_LENGTHS,
    COORDINATES,
    HALF_TURN,
    LINE_LENGTHS,
    LINE_MASKS,
    LINES,
    NEIGHBOURS,
)
from tests.reference import board as reference

VERTICAL, RISING, FALLING = LINES[:5], LINES[5:10], LINES[10:]


def cells_in(mask: int) -> set[int]:
    return {cell for cell in range(32) if mask >> cell & 1}


def test_columns_hold_3_4_5_4_3_cells_numbered_from_top_to_bottom_and_left_to_right():
    assert VERTICAL == ((0, 1, 2), (3, 4, 5, 6), (7, 8, 9, 10, 11), (12, 13, 14, 15), (16, 17, 18))
    assert COLUMN_LENGTHS == (3, 4, 5, 4, 3)


def test_cell_9_is_the_centre():
    assert COORDINATES[9] == (0, 0)
    assert np.sum(COORDINATES, axis=0).tolist() == [0, 0]


def test_five_lines_of_3_4_5_4_3_cells_in_each_direction():
    assert LINE_LENGTHS.tolist() == [3, 4, 5, 4, 3] * 3
    for lines in (VERTICAL, RISING, FALLING):
        assert sorted(cell for line in lines for cell in line) == list(range(CELLS))


def test_rising_lines_go_up_to_the_right_and_falling_lines_down():
    """In both a step goes one column to the right; heights grow downwards in half cells."""
    for lines, step in ((RISING, (1, -1)), (FALLING, (1, 1)), (VERTICAL, (0, 2))):
        for line in lines:
            steps = np.diff([COORDINATES[cell] for cell in line], axis=0)
            assert {tuple(row) for row in steps.tolist()} == {step}


def test_the_lines_are_those_of_the_reference():
    for i, name in enumerate(("vertical", "rising", "falling")):
        mine = {frozenset(line) for line in LINES[5 * i : 5 * i + 5]}
        theirs = {frozenset(line) for direction, line in reference.LINES if direction == name}
        assert mine == theirs


def test_line_masks_and_cell_lines_agree_with_the_lines():
    for line, mask in zip(LINES, LINE_MASKS.tolist(), strict=True):
        assert cells_in(mask) == set(line)
    for cell, through in enumerate(CELL_LINES.tolist()):
        assert [line // 5 for line in through] == [0, 1, 2]
        assert all(cell in LINES[line] for line in through)


def test_neighbours_share_an_edge():
    for cell, mask in enumerate(NEIGHBOURS.tolist()):
        assert cells_in(mask) == reference.neighbours(cell)
    assert cells_in(int(NEIGHBOURS[9])) == {4, 5, 8, 10, 13, 14}
    assert cells_in(int(NEIGHBOURS[0])) == {1, 3, 4}


def test_the_half_turn_is_that_of_the_reference():
    assert HALF_TURN.tolist() == [reference.half_turn(cell) for cell in range(CELLS)]


def test_only_the_identity_and_the_half_turn_keep_every_direction():
    """Among all permutations of the cells that take each line to a line of the same direction.

    Such a permutation keeps the middle line of each direction and either swaps the two of four cells or not,
    and the two of three or not. What it does to the three lines through a cell says where the cell goes.
    """
    images_of_lines = [
        (outer[0], inner[0], 2, inner[1], outer[1])
        for outer, inner in product(((0, 4), (4, 0)), ((1, 3), (3, 1)))
    ]
    cell_of_lines = {tuple(lines % 5): cell for cell, lines in enumerate(CELL_LINES)}
    symmetries = set()
    for images in product(images_of_lines, repeat=3):
        moved = [tuple(images[d][lines[d] % 5] for d in range(3)) for lines in CELL_LINES]
        if all(lines in cell_of_lines for lines in moved):
            symmetries.add(tuple(cell_of_lines[lines] for lines in moved))
    assert symmetries == {tuple(range(CELLS)), tuple(HALF_TURN.tolist())}
