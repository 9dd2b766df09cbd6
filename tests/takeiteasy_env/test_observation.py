"""An observation says what the player sees, flag by flag, and nothing of the draws to come."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from takeiteasy_env import Positions, Rules
from takeiteasy_env.observation import observation_size, observe
from tests.reference.game import DEFAULT_SUNS, NUMBERS, TILES

WITH_SYMBOLS = [
    Rules("sun_moon"),
    Rules(scoring="sunrays"),
    Rules("sun_moon", "sunrays"),
    Rules(scoring="best_ray"),
]
PLAIN = [Rules(), Rules("adjacent")]


@st.composite
def boards(draw) -> tuple[dict[int, str], str | None, str | None]:
    """Tiles on cells, the tile in hand and the one drawn just before."""
    order = draw(st.permutations(TILES))
    cells = draw(st.lists(st.integers(0, 18), unique=True, max_size=19))
    board = dict(zip(cells, order, strict=False))
    hand = order[len(cells)] if len(cells) < 19 else None
    return board, hand, order[len(cells) - 1] if cells else None


def positions_of(board: dict[int, str], hand: str | None, previous: str | None) -> Positions:
    def index(tile: str | None) -> int:
        return -1 if tile is None else TILES.index(tile)

    return Positions(
        np.array([[index(board.get(cell)) for cell in range(19)]], dtype=np.int8),
        np.array([index(hand)], dtype=np.int8),
        np.array([index(previous)], dtype=np.int8),
    )


def number_flags(tile: str | None) -> list[int]:
    """1 for the number of each direction, in the order 1 5 9, 2 6 7, 3 4 8."""
    return [
        int(tile is not None and tile[direction] == number)
        for direction, numbers in enumerate(NUMBERS.values())
        for number in numbers
    ]


def symbol_flags(tile: str | None) -> list[int]:
    return [int(tile in DEFAULT_SUNS), int(tile is not None and tile not in DEFAULT_SUNS)]


@given(boards())
def test_an_observation_has_the_numbers_on_each_cell_those_in_hand_and_the_tiles_that_remain(seen):
    board, hand, _ = seen
    expected = [flag for cell in range(19) for flag in number_flags(board.get(cell))]
    expected += number_flags(hand)
    expected += [int(tile not in board.values() and tile != hand) for tile in TILES]
    for rules in PLAIN:
        observation = observe(positions_of(*seen), rules)
        assert observation.dtype == np.int8
        assert observation.tolist() == [expected]
    for rules in WITH_SYMBOLS:
        assert observe(positions_of(*seen), rules)[:, :207].tolist() == [expected]


@given(boards())
def test_where_symbols_matter_an_observation_has_those_on_each_cell_in_hand_and_just_before(seen):
    board, hand, previous = seen
    tiles = [*(board.get(cell) for cell in range(19)), hand, previous]
    expected = [flag for tile in tiles for flag in symbol_flags(tile)]
    for rules in WITH_SYMBOLS:
        assert observe(positions_of(*seen), rules)[:, 207:].tolist() == [expected]


def test_only_rules_with_symbols_pay_for_them():
    assert [observation_size(rules) for rules in PLAIN] == [207, 207]
    assert {observation_size(rules) for rules in WITH_SYMBOLS} == {249}


def test_an_observation_follows_the_map_of_the_suns():
    positions = positions_of({4: "978"}, "123", "978")
    observation = observe(positions, Rules(scoring="sunrays", suns=("978",)))[0, 207:].tolist()
    assert observation[8:10] == [1, 0]
    assert observation[38:] == [0, 1, 1, 0]


def test_many_positions_are_observed_as_one_by_one():
    rng = np.random.default_rng(0)
    tiles = rng.permuted(np.tile(np.arange(27, dtype=np.int8), (100, 1)), axis=1)
    board = np.where(rng.random((100, 19)) < 0.5, tiles[:, :19], -1).astype(np.int8)
    positions = Positions(board, tiles[:, 20], tiles[:, 21])
    for rules in PLAIN + WITH_SYMBOLS:
        one_by_one = [observe(positions[game : game + 1], rules)[0] for game in range(100)]
        assert (observe(positions, rules) == one_by_one).all()
