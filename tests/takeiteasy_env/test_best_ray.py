"""Best Sunray and Best Moonbeam: which ray is the better, and how its 60 points are shared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from takeiteasy_env.board import HALF_TURN
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules, bonuses_of, scores_of
from takeiteasy_env.tiles import DEFAULT_SUNS, TILE_CODES, TILES, tile_index
from tests.reference.game import ReferenceGame
from tests.reference.table import bonuses

RICH_BOARD = "563 564 528 968 963 924 978 164 168 123 174 178 964 928 973 974 524 578 573"
RICH_TILES = [tile_index(tile) for tile in RICH_BOARD.split()]
SUN_MAPS = st.sampled_from([DEFAULT_SUNS, (True,) * TILES, (False,) * TILES]) | st.tuples(
    *[st.booleans()] * TILES
)
NINES_ON_THREE = {0: "963", 1: "974", 2: "928"}
ONES_ON_THREE = {0: "163", 1: "174", 2: "128"}
ONES_ON_FIVE = {7: "123", 8: "164", 9: "178", 10: "128", 11: "173"}
FIVES_ON_FOUR = {3: "523", 4: "563", 5: "574", 6: "528"}
SEVENS_ON_FOUR = {1: "173", 4: "974", 8: "578", 12: "978"}
EIGHTS_ON_THREE = {7: "128", 12: "568", 16: "978"}
MANY_NUMBERS_ON_THREE = {0: "563", 1: "974", 2: "928"}

Board = dict[int, str]


def board_of(tiles_on_cells: Board) -> np.ndarray:
    board = np.full(19, -1, dtype=np.int8)
    for cell, tile in tiles_on_cells.items():
        board[cell] = tile_index(tile)
    return board


def table_bonuses(boards: list[Board], suns: object = (True,) * TILES) -> list[int]:
    """The bonuses of one table, where all tiles bear a sun unless it is said which do."""
    rules = Rules(scoring="best_ray", suns=suns)
    return bonuses_of(np.stack([board_of(board) for board in boards])[None], rules)[0].tolist()


# ----------------------------------------------------------------------------------- which is better


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (ONES_ON_FIVE, FIVES_ON_FOUR),
        (ONES_ON_FIVE, NINES_ON_THREE),
        (FIVES_ON_FOUR, NINES_ON_THREE),
        (SEVENS_ON_FOUR, FIVES_ON_FOUR),
        (NINES_ON_THREE, EIGHTS_ON_THREE),
        (EIGHTS_ON_THREE, ONES_ON_THREE),
        (ONES_ON_THREE, MANY_NUMBERS_ON_THREE),
        (ONES_ON_THREE, {}),
    ],
    ids=str,
)
def test_the_longer_ray_is_better_and_then_the_one_of_the_higher_number(better, worse):
    assert table_bonuses([better, worse]) == [60, 0]
    assert table_bonuses([worse, better]) == [0, 60]
    assert table_bonuses([worse, better], suns=()) == [0, 60], "moonbeams are compared in the same way"


def test_a_player_is_judged_by_the_best_of_several_rays():
    assert table_bonuses([FIVES_ON_FOUR | NINES_ON_THREE, FIVES_ON_FOUR, NINES_ON_THREE]) == [30, 30, 0]


def test_rays_count_along_lines_that_score_alone():
    suns = tuple(MANY_NUMBERS_ON_THREE.values())
    moons = {16: "123", 17: "564", 18: "978"}
    assert table_bonuses([MANY_NUMBERS_ON_THREE, moons, {}], suns) == [0, 0, 0]
    boards = np.stack([board_of(MANY_NUMBERS_ON_THREE), board_of(moons)])
    assert scores_of(boards, Rules(scoring="sunrays", suns=suns)).tolist() == [3 * 7, 3 * 6]


def test_a_line_of_suns_and_moons_is_no_ray_and_an_incomplete_one_neither():
    assert table_bonuses([NINES_ON_THREE, {}], suns=("963",)) == [0, 0]
    assert table_bonuses([{0: "963", 1: "974"}, {}]) == [0, 0]


def test_one_player_may_have_the_best_sunray_and_the_best_moonbeam():
    suns = tuple(NINES_ON_THREE.values())
    both = NINES_ON_THREE | {16: "123", 17: "164", 18: "178"}
    assert table_bonuses([both, {}, {}], suns) == [120, 0, 0]
    assert table_bonuses([both, {}, NINES_ON_THREE], suns) == [90, 0, 30]


@pytest.mark.parametrize(("players", "share"), [(1, 60), (2, 30), (3, 20), (4, 15), (5, 12), (6, 10)])
def test_equally_good_rays_share_60_points_evenly(players, share):
    others = [EIGHTS_ON_THREE] * (6 - players)
    nines_elsewhere = {16: "964", 17: "973", 18: "924"}
    tied = [NINES_ON_THREE, nines_elsewhere] * 3
    assert table_bonuses(tied[:players] + others) == [share] * players + [0] * len(others)


def test_without_a_ray_there_is_no_bonus():
    assert table_bonuses([{}, MANY_NUMBERS_ON_THREE, {0: "963"}]) == [0, 0, 0]


def test_each_table_is_judged_by_itself():
    rules = Rules(scoring="best_ray", suns=(True,) * TILES)
    tables = [[NINES_ON_THREE, {}], [{}, {}], [ONES_ON_THREE, ONES_ON_FIVE]]
    boards = np.array([[board_of(board) for board in table] for table in tables])
    assert bonuses_of(boards, rules).tolist() == [[60, 0], [0, 0], [0, 60]]


# ----------------------------------------------------------------------------------- against the reference


@st.composite
def rich_boards(draw) -> list[int]:
    """A full board: the best one with some of its tiles exchanged, so that lines of each length score."""
    order = RICH_TILES + [tile for tile in range(TILES) if tile not in RICH_TILES]
    for _ in range(draw(st.integers(0, 5))):
        one, other = draw(st.tuples(st.integers(0, 18), st.integers(0, 26)))
        order[one], order[other] = order[other], order[one]
    return order[:19]


@given(
    st.lists(
        rich_boards() | st.permutations(range(TILES)).map(lambda order: order[:19]), min_size=2, max_size=6
    ),
    SUN_MAPS,
)
def test_bonuses_are_those_of_the_reference(boards, suns):
    rules = Rules(scoring="best_ray", suns=suns)
    codes = frozenset(str(TILE_CODES[tile]) for tile in range(TILES) if suns[tile])
    games = [
        ReferenceGame(
            scoring="best_ray", suns=codes, board={c: str(TILE_CODES[t]) for c, t in enumerate(board)}
        )
        for board in boards
    ]
    tables = np.array([boards], dtype=np.int8)
    assert bonuses_of(tables, rules)[0].tolist() == bonuses(games)
    assert scores_of(tables[0], rules).tolist() == [game.score() for game in games]


@given(st.lists(rich_boards(), min_size=2, max_size=6), SUN_MAPS)
def test_a_board_turned_round_has_the_same_bonuses(boards, suns):
    rules = Rules(scoring="best_ray", suns=suns)
    table = np.array([boards], dtype=np.int8)
    assert bonuses_of(table[:, :, HALF_TURN], rules).tolist() == bonuses_of(table, rules).tolist()


@given(st.lists(rich_boards(), min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_bonuses_do_not_depend_on_who_sits_where(boards, random):
    seats = random.sample(range(len(boards)), len(boards))
    rules = Rules(scoring="best_ray")
    table = np.array([boards], dtype=np.int8)
    assert bonuses_of(table[:, seats], rules).tolist() == bonuses_of(table, rules)[:, seats].tolist()


@given(st.lists(rich_boards(), min_size=2, max_size=6))
def test_other_scorings_have_no_bonuses(boards):
    for scoring in SCORINGS:
        assert not bonuses_of(np.array([boards], dtype=np.int8), Rules(scoring=scoring)).any()


# ----------------------------------------------------------------------------------- choosing it


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_any_placement_goes_with_it(placement):
    rules = Rules(placement, "best_ray")
    assert rules.name == ("best_ray" if placement == "free" else f"{placement}_best_ray")
    assert rules.uses_symbols


def test_it_is_for_2_to_6_players_and_the_other_scorings_for_1_to_8():
    assert list(Rules(scoring="best_ray").players) == [2, 3, 4, 5, 6]
    for scoring in SCORINGS:
        assert list(Rules(scoring=scoring).players) == [1, 2, 3, 4, 5, 6, 7, 8]
