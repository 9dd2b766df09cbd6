"""The game has 8 x 6! x 6! x 2 exact relabelings: what is legal, and what it does, is relabeled with it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latice_env import Rules
from latice_env.actions import BUY_WITH_SUNSTONE, EXCHANGE, WIND_SHIFT
from latice_env.board import IS_SUN, MOON, NEIGHBOURS, SYMMETRY_DIRECTIONS, SYMMETRY_SQUARES
from latice_env.tiles import WIND
from tests.latice_env.tables import Table


@st.composite
def relabelings(draw) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where squares, directions and kinds of tile go; index -1 of the kinds is no tile, and goes nowhere."""
    symmetry = draw(st.integers(0, 7))
    colours, shapes = draw(st.permutations(range(6))), draw(st.permutations(range(6)))
    swapped = draw(st.booleans())
    kinds = [
        6 * shapes[kind % 6] + colours[kind // 6] if swapped else 6 * colours[kind // 6] + shapes[kind % 6]
        for kind in range(WIND)
    ]
    return SYMMETRY_SQUARES[symmetry], SYMMETRY_DIRECTIONS[symmetry], np.array([*kinds, WIND, -1])


def relabeled(table: Table, squares: np.ndarray, kinds: np.ndarray) -> Table:
    """The same situation with other names for squares, colours and shapes, the racks sorted by these."""
    other = table.copy()
    other.game["board"][squares] = kinds[table.game["board"]]
    other.game["pools"][:] = kinds[table.game["pools"]]
    for seat in range(table.rules.players):
        size = table.game["rack_sizes"][seat]
        other.game["racks"][seat, :size] = np.sort(kinds[table.game["racks"][seat, :size]])
        other.game["returned"][seat] = 0
    other.look()
    return other


def relabel(action: int, table: Table, other: Table, squares: Any, directions: Any, kinds: Any) -> int:
    """What a legal action is called in the relabeled situation."""
    rack, others = table.game["racks"][table.player], other.game["racks"][table.player].tolist()
    if action < WIND_SHIFT:
        slot, square = divmod(action, 81)
        return 81 * others.index(kinds[rack[slot]]) + int(squares[square])
    if action <= EXCHANGE:
        square, direction = divmod(action - WIND_SHIFT, 4)
        return WIND_SHIFT + 4 * int(squares[square]) + int(directions[direction])
    if action < BUY_WITH_SUNSTONE:
        subset, taken = action - EXCHANGE, 0
        for slot in range(5):
            if subset >> slot & 1:
                first = others.index(kinds[rack[slot]])
                taken |= 1 << next(place for place in range(first, 5) if not taken >> place & 1)
        return EXCHANGE + taken
    return action


@settings(max_examples=60)
@given(relabelings(), st.integers(0, 1000), st.integers(2, 4))
def test_the_mask_and_what_actions_do_are_equivariant(relabeling, seed, players):
    squares, directions, kinds = relabeling
    rng = np.random.default_rng(seed)
    table = Table(Rules(players), seed)
    for _ in range(rng.integers(0, 120)):
        if not table.over:
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
    other = relabeled(table, squares, kinds)
    legal = np.flatnonzero(table.mask)
    names = [relabel(int(action), table, other, squares, directions, kinds) for action in legal]
    assert sorted(names) == np.flatnonzero(other.mask).tolist()
    if not table.over:
        choice = rng.integers(len(legal))
        table.play(int(legal[choice]))
        other.play(names[choice])
        again = relabeled(table, squares, kinds)
        # Exchanged tiles are shuffled by chance, which knows no names.
        by_chance = {"returned"} | (
            {"racks", "pools"} if EXCHANGE < legal[choice] < BUY_WITH_SUNSTONE else set()
        )
        for field in set(table.game.dtype.names) - by_chance:
            assert np.array_equal(other.game[field], again.game[field]), field


@pytest.mark.parametrize("symmetry", range(8))
def test_a_symmetry_keeps_suns_moon_and_neighbours(symmetry):
    squares, directions = SYMMETRY_SQUARES[symmetry], SYMMETRY_DIRECTIONS[symmetry]
    assert sorted(squares) == list(range(81))
    assert (IS_SUN[squares] == IS_SUN).all()
    assert squares[MOON] == MOON
    moved = NEIGHBOURS[squares][:, directions]
    assert (np.where(NEIGHBOURS < 0, -1, squares[NEIGHBOURS]) == moved).all()


def test_all_eight_symmetries_differ():
    assert len({squares.tobytes() for squares in SYMMETRY_SQUARES}) == 8
