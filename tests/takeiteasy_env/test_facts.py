"""The facts of the rules page: boards whose scores are known, by the rules and by the reference."""

import gymnasium
import numpy as np
import pytest

from takeiteasy_env.board import HALF_TURN
from takeiteasy_env.rules import Rules, scores_of
from takeiteasy_env.tiles import tile_indices
from tests.reference.board import half_turn
from tests.reference.game import ReferenceGame, score_columns

BOARDS = [
    (126, "568 573 528 | 964 963 923 978 | 168 174 124 123 178 | 578 924 563 173 | 574 564 163"),
    (129, "578 124 123 | 173 928 563 524 | 973 924 978 964 974 | 573 523 568 528 | 178 163 128"),
    (137, "973 924 923 | 568 528 124 563 | 163 128 964 174 173 | 123 168 178 574 | 523 578 573"),
    (93, "123 163 173 | 523 563 573 524 | 923 963 973 924 964 | 124 164 174 128 | 564 574 528"),
    (139, "963 974 973 | 164 573 924 923 | 168 128 123 524 563 | 928 163 574 564 | 968 978 964"),
    (190, "568 563 573 | 164 168 173 123 | 178 564 578 923 978 | 968 974 928 963 | 574 924 128"),
    (307, "563 564 528 | 968 963 924 978 | 164 168 123 174 178 | 964 928 973 974 | 524 578 573"),
    (307, "563 568 524 | 964 963 928 974 | 168 164 123 178 174 | 968 924 973 978 | 528 574 573"),
    (307, "563 568 524 | 968 963 928 974 | 164 168 123 178 174 | 564 528 573 578 | 924 978 973"),
    (307, "563 574 524 | 968 973 924 964 | 168 178 123 164 174 | 978 928 963 974 | 528 568 573"),
    (307, "563 578 524 | 568 573 528 564 | 164 178 123 168 174 | 974 928 963 978 | 924 968 973"),
    (307, "563 578 528 | 964 973 928 968 | 164 174 123 168 178 | 974 924 963 978 | 524 564 573"),
    (307, "573 568 524 | 578 563 528 574 | 174 168 123 178 164 | 964 928 973 968 | 924 978 963"),
    (307, "573 578 524 | 978 973 928 964 | 174 178 123 168 164 | 574 528 563 568 | 924 968 963"),
]

# The booklet prints no board for its worked example. This one has the same points and rays: a Moonbeam of
# four, a Sunray of four, a Sunray of three and a Moonbeam of three.
WORKED_EXAMPLE = "968 978 963 | 528 574 568 573 | 924 928 964 974 923 | 164 168 174 123 | 564 578 524"


each_board = pytest.mark.parametrize(
    ("points", "columns"), BOARDS, ids=[f"{points}-{number}" for number, (points, _) in enumerate(BOARDS)]
)


def board(columns: str) -> np.ndarray:
    return np.array(tile_indices(columns.replace("|", " ").split()), dtype=np.int8)


@each_board
def test_known_boards_score_as_stated(points, columns):
    tiles = board(columns)
    assert scores_of(np.array([tiles, tiles[HALF_TURN]]), Rules()).tolist() == [points, points]


@each_board
def test_known_boards_score_as_stated_by_the_reference(points, columns):
    tiles = columns.replace("|", " ").split()
    turned = " ".join(tiles[half_turn(cell)] for cell in range(19))
    assert score_columns(columns) == score_columns(turned) == points


@each_board
def test_known_boards_score_as_stated_placed_tile_by_tile(points, columns):
    game = ReferenceGame()
    gained = [game.place(tile, cell) for cell, tile in enumerate(columns.replace("|", " ").split())]
    assert sum(gained) == game.score() == points


@each_board
def test_known_boards_score_as_stated_by_the_environment(points, columns):
    env = gymnasium.make("takeiteasy_env:TakeItEasy-v0")
    env.reset(options={"tiles": columns.replace("|", " ").split()})
    steps = [env.step(cell) for cell in range(19)]
    assert sum(reward for _, reward, *_ in steps) == points
    assert [terminated for _, _, terminated, _, _ in steps] == [False] * 18 + [True]
    assert steps[-1][-1]["score"] == points


def test_known_boards_score_as_stated_by_the_vector_environment():
    """All of them and their half turns at once, the tiles put on the cells from the last to the first."""
    boards = np.array([board(columns) for _, columns in BOARDS])
    boards = np.concatenate([boards, boards[:, HALF_TURN]])
    env = gymnasium.make_vec("takeiteasy_env:TakeItEasy-v0", num_envs=len(boards))
    env.reset(options={"tiles": boards[:, ::-1]})
    steps = [env.step(np.full(len(boards), cell)) for cell in reversed(range(19))]
    assert sum(rewards for _, rewards, *_ in steps).tolist() == [points for points, _ in BOARDS] * 2
    assert steps[-1][-1]["final_info"]["score"].tolist() == [points for points, _ in BOARDS] * 2


def test_the_boards_of_307_are_16_in_8_pairs_of_half_turns():
    best = [tuple(board(columns).tolist()) for points, columns in BOARDS if points == 307]
    turned = [tuple(tiles[cell] for cell in HALF_TURN) for tiles in best]
    assert len(best) == 8
    assert len(set(best) | set(turned)) == 16


def test_a_sunray_scores_7_and_a_moonbeam_6_for_each_tile_besides_the_normal_score():
    tiles = board(WORKED_EXAMPLE)[None]
    assert scores_of(tiles, Rules()).tolist() == [228]
    assert scores_of(tiles, Rules(scoring="sunrays")).tolist() == [228 + 24 + 28 + 21 + 18] == [319]
    assert score_columns(WORKED_EXAMPLE) == 228
    assert score_columns(WORKED_EXAMPLE, "sunrays") == 319
