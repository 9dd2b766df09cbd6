"""The rules in their own words, and against the reference on games of random moves."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeiteasy_env.board import HALF_TURN, LINES
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import BITBOARD, PLACEMENTS, TABLE_SCORINGS, Rules, place_all, scores_of, sun_flags
from takeiteasy_env.tiles import DEFAULT_SUNS, TILE_CODES, TILES, tile_index
from tests.reference.board import neighbours
from tests.reference.game import ReferenceGame

BY_RISING_RANK = tuple(tile // 3 % 3 == 0 for tile in range(TILES))
SUN_MAPS = st.sampled_from([DEFAULT_SUNS, BY_RISING_RANK, (True,) * TILES, (False,) * TILES]) | st.tuples(
    *[st.booleans()] * TILES
)
RULES = st.builds(Rules, st.sampled_from(PLACEMENTS), st.sampled_from(TABLE_SCORINGS), SUN_MAPS)
DRAWS = st.permutations(range(TILES)).map(lambda tiles: tiles[:19])
CHOICES = st.lists(st.integers(0, 18), min_size=19, max_size=19)


@dataclass
class Played:
    """One game: what was legal before each turn, where each tile went, and what that gained."""

    legal: list[set[int]]
    cells: list[int]
    gained: list[int]
    board: np.ndarray


def played(rules: Rules, draws: list[int], choices: list[int]) -> Played:
    """Play the drawn tiles; each choice picks one of the legal cells."""
    board = np.full((1, 19), -1, dtype=np.int8)
    bitboard = np.zeros((1, BITBOARD), dtype=np.int32)
    points = np.empty(1, dtype=np.int32)
    tiles = np.array([-1, *draws], dtype=np.int8)
    game = Played([], [], [], board[0])
    for turn, choice in enumerate(choices):
        previous, tile = tiles[turn : turn + 1], tiles[turn + 1 : turn + 2]
        legal = np.flatnonzero(Positions(board, tile, previous).legal(rules)[0])
        cell = legal[choice % len(legal)]
        place_all(board, bitboard, tile, np.array([cell]), rules.code, points)
        game.legal.append(set(legal.tolist()))
        game.cells.append(int(cell))
        game.gained.append(int(points[0]))
    return game


def reference_of(rules: Rules) -> ReferenceGame:
    suns = frozenset(str(TILE_CODES[tile]) for tile in range(TILES) if rules.suns[tile])
    return ReferenceGame(rules.placement, rules.scoring, suns)


def score(tiles_on_cells: dict[int, str], rules: Rules) -> int:
    board = np.full((1, 19), -1, dtype=np.int8)
    for cell, tile in tiles_on_cells.items():
        board[0, cell] = tile_index(tile)
    return int(scores_of(board, rules)[0])


# ------------------------------------------------------------------------------------- games of random moves


@given(RULES, DRAWS, CHOICES)
def test_legal_cells_and_points_are_those_of_the_reference(rules, draws, choices):
    game = played(rules, draws, choices)
    reference = reference_of(rules)
    for turn, tile in enumerate(str(TILE_CODES[tile]) for tile in draws):
        assert game.legal[turn] == reference.legal_cells(tile)
        assert game.gained[turn] == reference.place(tile, game.cells[turn])


@given(RULES, DRAWS, CHOICES)
def test_no_game_gets_stuck_and_the_first_tile_goes_anywhere(rules, draws, choices):
    game = played(rules, draws, choices)
    assert game.legal[0] == set(range(19))
    assert all(game.legal)
    assert sorted(game.board.tolist()) == sorted(draws)


@given(RULES, DRAWS, CHOICES)
def test_the_points_gained_add_up_to_the_score_also_of_the_board_turned_round(rules, draws, choices):
    game = played(rules, draws, choices)
    assert scores_of(game.board[[range(19), HALF_TURN]], rules).tolist() == [sum(game.gained)] * 2


@given(SUN_MAPS, DRAWS, CHOICES)
def test_under_free_every_empty_cell_is_legal(suns, draws, choices):
    game = played(Rules("free", suns=suns), draws, choices)
    for turn, legal in enumerate(game.legal):
        assert legal == set(range(19)) - set(game.cells[:turn])


@given(SUN_MAPS, DRAWS, CHOICES)
def test_under_sun_moon_a_symbol_like_that_of_the_tile_drawn_just_before_must_touch(suns, draws, choices):
    game = played(Rules("sun_moon", suns=suns), draws, choices)
    for turn in range(1, 19):
        filled = set(game.cells[:turn])
        empty = set(range(19)) - filled
        if suns[draws[turn]] == suns[draws[turn - 1]]:
            assert game.legal[turn] == {cell for cell in empty if neighbours(cell) & filled}
        else:
            assert game.legal[turn] == empty


@given(SUN_MAPS, SUN_MAPS, DRAWS, CHOICES)
def test_suns_do_not_matter_to_adjacent_placement_and_standard_scoring(suns, other_suns, draws, choices):
    game = played(Rules("adjacent", "standard", suns), draws, choices)
    other = played(Rules("adjacent", "standard", other_suns), draws, choices)
    assert (game.legal, game.cells, game.gained) == (other.legal, other.cells, other.gained)


@given(DRAWS, CHOICES)
def test_where_all_symbols_are_alike_sun_moon_is_adjacent_and_every_line_a_ray(draws, choices):
    for suns, points_a_tile in (((True,) * TILES, 7), ((False,) * TILES, 6)):
        rays = played(Rules("sun_moon", "sunrays", suns), draws, choices)
        plain = played(Rules("adjacent", "standard", suns), draws, choices)
        assert (rays.legal, rays.cells) == (plain.legal, plain.cells)
        assert sum(rays.gained) - sum(plain.gained) == points_a_tile * sum(len(line) for line in LINES)


# ------------------------------------------------------------------------------------- lines and rays


@pytest.mark.parametrize(
    ("cells", "tiles", "points"),
    [
        ((0, 1, 2), "963 974 928", 27),
        ((7, 8, 9, 10, 11), "123 164 178 128 173", 5),
        ((3, 4, 5, 6), "523 563 573 924", 0),
        ((2, 5, 9, 13, 16), "163 564 968 164 563", 30),
        ((18, 15, 11), "123 524 928", 6),
        ((0, 4, 9, 14, 18), "128 568 978 168 578", 40),
        ((0, 4, 9, 14), "128 568 978 168", 0),
    ],
    ids=["ones", "five ones", "two numbers", "sixes", "twos", "eights", "incomplete"],
)
def test_a_line_scores_its_number_for_each_cell_when_complete_and_alike(cells, tiles, points):
    assert score(dict(zip(cells, tiles.split(), strict=True)), Rules()) == points


def test_a_ray_need_not_score_and_a_line_that_does_scores_both():
    scoring = Rules(scoring="sunrays", suns=("963", "974", "928", "123"))
    assert score({0: "963", 1: "974", 2: "928"}, scoring) == 3 * 9 + 3 * 7
    assert score({0: "963", 1: "974", 2: "123"}, scoring) == 3 * 7
    assert score({0: "563", 1: "574", 2: "528"}, scoring) == 3 * 5 + 3 * 6
    assert score({0: "563", 1: "574", 2: "128"}, scoring) == 3 * 6
    assert score({0: "963", 1: "974", 2: "978"}, scoring) == 3 * 9
    assert score({0: "963", 1: "974"}, scoring) == 0


# ------------------------------------------------------------------------------------- choosing the rules


def test_the_standard_game_is_the_default():
    assert Rules() == Rules("free", "standard", DEFAULT_SUNS)
    assert Rules().name == "standard"
    assert Rules("sun_moon", "sunrays").name == "sun_moon_sunrays"
    assert Rules("adjacent").name == "adjacent"


def test_unknown_rules_are_named_with_what_is_allowed():
    with pytest.raises(
        ValueError, match="unknown placement 'anywhere': choose one of free, adjacent, sun_moon"
    ):
        Rules("anywhere")
    with pytest.raises(
        ValueError, match="unknown scoring 'double': choose one of standard, sunrays, best_ray"
    ):
        Rules(scoring="double")


@pytest.mark.parametrize(
    "suns",
    [
        BY_RISING_RANK,
        list(BY_RISING_RANK),
        np.array(BY_RISING_RANK),
        [int(sun) for sun in BY_RISING_RANK],
        np.array(BY_RISING_RANK, dtype=np.int8),
        [tile for tile in range(TILES) if BY_RISING_RANK[tile]],
        {int(code) for code, sun in zip(TILE_CODES, BY_RISING_RANK, strict=True) if sun},
        [str(code) for code, sun in zip(TILE_CODES, BY_RISING_RANK, strict=True) if sun],
        np.flatnonzero(BY_RISING_RANK),
    ],
    ids=["flags", "list", "numpy bools", "0/1", "int8 0/1", "indices", "codes", "texts", "numpy indices"],
)
def test_suns_may_be_flags_or_tiles_as_one_likes(suns):
    rules = Rules(suns=suns)
    assert rules == Rules(suns=BY_RISING_RANK)
    assert hash(rules) == hash(Rules(suns=BY_RISING_RANK))
    assert {type(sun) for sun in rules.suns} == {bool}


def test_suns_may_be_none_all_or_two_of_the_tiles():
    assert sun_flags(()) == (False,) * TILES
    assert sun_flags(range(TILES)) == sun_flags([1] * TILES) == (True,) * TILES
    assert sun_flags([0] * TILES) == (False,) * TILES
    assert sun_flags([0, 1]) == (True, True) + (False,) * 25


@pytest.mark.parametrize(
    ("suns", "message"),
    [
        ([True] * 26, r"suns has 26 flags: give 27 flags in tile order, or the tiles that are suns"),
        ([0, 1] * 14, r"suns has 28 flags: give 27 flags in tile order, or the tiles that are suns"),
        ([123, 979], r"suns: unknown tile 979: a tile is an index 0-26 or written like 978"),
        (["978", 26], r"suns: tile 978 comes twice: each tile exists once"),
        ([True], r"suns: unknown tile True: a tile is an index 0-26 or written like 978"),
        ([2, True, False], r"suns: unknown tile True: a tile is an index 0-26 or written like 978"),
    ],
)
def test_a_wrong_map_of_suns_is_named_with_what_is_allowed(suns, message):
    with pytest.raises(ValueError, match=message):
        Rules(suns=suns)
