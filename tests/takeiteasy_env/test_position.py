"""What a player may see: the remaining tiles and the legal cells of positions."""

import numpy as np
import pytest

from takeiteasy_env.draws import draw_orders
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, Rules


def positions(boards: list[dict[int, int]], tiles: list[int], previous: list[int]) -> Positions:
    board = np.full((len(boards), 19), -1, dtype=np.int8)
    for row, cells in zip(board, boards, strict=True):
        row[list(cells)] = list(cells.values())
    return Positions(board, np.array(tiles, dtype=np.int8), np.array(previous, dtype=np.int8))


def test_empty_boards_have_no_tile_anywhere():
    empty = Positions.empty(3)
    assert len(empty) == 3
    assert (empty.board == -1).all()
    assert (empty.tile == -1).all()
    assert (empty.previous == -1).all()
    assert empty.filled.tolist() == [0, 0, 0]
    assert not np.shares_memory(empty.tile, empty.previous)


def test_the_tiles_neither_on_the_board_nor_in_hand_remain():
    seen = positions([{}, {4: 26, 18: 0}, {4: 26}], tiles=[-1, 7, -1], previous=[-1, 0, 26])
    remaining = seen.remaining()
    assert remaining.shape == (3, 27)
    assert [set(np.flatnonzero(~row)) for row in remaining] == [set(), {0, 7, 26}, {26}]
    assert seen.filled.tolist() == [0, 2, 1]


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_no_cell_is_legal_without_a_tile_in_hand(placement):
    seen = positions([{}, {9: 3}], tiles=[-1, -1], previous=[-1, 3])
    assert not seen.legal(Rules(placement)).any()


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_no_cell_of_a_full_board_is_legal(placement):
    full = positions([{cell: cell for cell in range(19)}], tiles=[20], previous=[18])
    assert not full.legal(Rules(placement)).any()
    assert full.filled.tolist() == [19]


def test_the_legal_cells_of_each_placement():
    """Cell 0 holds tile 0, a sun; tile 1 is a moon and tile 26 a sun."""
    seen = positions([{0: 0}, {0: 0}], tiles=[26, 1], previous=[0, 0])
    anywhere, beside = set(range(1, 19)), {1, 3, 4}
    expected = {"free": [anywhere, anywhere], "adjacent": [beside, beside], "sun_moon": [beside, anywhere]}
    for placement, cells in expected.items():
        mask = seen.legal(Rules(placement))
        assert mask.dtype == np.bool_
        assert [set(np.flatnonzero(row)) for row in mask] == cells


def test_some_of_the_games_can_be_picked():
    draws = draw_orders(np.random.default_rng(0), 5)
    all_five = Positions(draws, draws[:, 3], draws[:, 2])
    assert all_five[1:3].board.tolist() == draws[1:3].tolist()
    picked = all_five[np.array([4, 0])]
    assert (picked.tile.tolist(), picked.previous.tolist()) == (
        [draws[4, 3], draws[0, 3]],
        [draws[4, 2], draws[0, 2]],
    )


def test_no_games_at_all_are_positions_too():
    none = Positions.empty(0)
    assert none.legal(Rules()).shape == (0, 19)
    assert none.remaining().shape == (0, 27)
