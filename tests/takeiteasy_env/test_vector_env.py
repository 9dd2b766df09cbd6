"""The vector environment: N single ones, array by array, whatever follows the end of a game."""

import copy
import tracemalloc
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from takeiteasy_env import TakeItEasyEnv, TakeItEasyVectorEnv
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules, scores_of
from takeiteasy_env.tiles import tile_indices
from takeiteasy_env.vector_env import GAMES_AHEAD

# Rules page, "Facts to test against".
KNOWN_BOARDS = {
    93: "123 163 173 | 523 563 573 524 | 923 963 973 924 964 | 124 164 174 128 | 564 574 528",
    126: "568 573 528 | 964 963 923 978 | 168 174 124 123 178 | 578 924 563 173 | 574 564 163",
    190: "568 563 573 | 164 168 173 123 | 178 564 578 923 978 | 968 974 928 963 | 574 924 128",
    307: "573 578 524 | 978 973 928 964 | 174 178 123 168 164 | 574 528 563 568 | 924 968 963",
}

GAMES = 5
VARIANTS = [{"placement": placement, "scoring": scoring} for placement in PLACEMENTS for scoring in SCORINGS]
each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_mode = pytest.mark.parametrize("mode", AutoresetMode)
each_reward = pytest.mark.parametrize("reward", ["line", "final"])


def some_cells(masks: np.ndarray, rng: np.random.Generator, illegal: float) -> np.ndarray:
    """A random legal cell for each game, and now and then any cell at all."""
    legal = (rng.random(masks.shape) * masks).argmax(axis=1)
    return np.where(rng.random(len(masks)) < illegal, rng.integers(19, size=len(masks)), legal)


def pair(mode: AutoresetMode, **arguments) -> tuple[TakeItEasyVectorEnv, SyncVectorEnv]:
    """The native vector environment, and Gymnasium's own over single environments."""
    native = TakeItEasyVectorEnv(GAMES, autoreset_mode=mode, **arguments)
    return native, SyncVectorEnv([lambda: TakeItEasyEnv(**arguments)] * GAMES, autoreset_mode=mode)


def sorted_infos(infos: dict) -> dict:
    return {
        key: sorted_infos(value) if isinstance(value, dict) else value for key, value in sorted(infos.items())
    }


def assert_same(native: tuple, single: tuple) -> None:
    assert data_equivalence(native[:-1], single[:-1], exact=True)
    assert data_equivalence(sorted_infos(native[-1]), sorted_infos(single[-1]), exact=True)


@each_variant
@each_mode
@each_reward
@pytest.mark.parametrize("illegal", [0.0, 0.1])
def test_it_returns_what_single_environments_return(variant, mode, reward, illegal):
    native, single = pair(mode, reward=reward, **variant)
    rng = np.random.default_rng(0)
    returned = native.reset(seed=3)
    assert_same(returned, single.reset(seed=3))
    over = np.zeros(GAMES, dtype=bool)
    for _ in range(150):
        if mode is AutoresetMode.DISABLED and over.any():
            returned = native.reset(options={"reset_mask": over})
            assert_same(returned, single.reset(options={"reset_mask": over.copy()}))
        masks = np.array([single_env.action_masks() for single_env in single.envs])
        cells = some_cells(masks, rng, illegal)
        returned = native.step(cells)
        assert_same(returned, single.step(cells))
        over = returned[2]


@each_mode
def test_games_go_on_as_single_ones_beyond_the_draws_read_ahead(mode):
    native, single = pair(mode)
    native.reset(seed=[5, None, 5, 2**40, 1])
    single.reset(seed=[5, None, 5, 2**40, 1])
    known = np.array([True, False, True, True, True])
    for game in range(2 * GAMES_AHEAD + 2):
        returned, expected = native.reset(), single.reset()
        assert (returned[0][known] == expected[0][known]).all(), game


def test_seeds_are_one_for_all_counting_up_or_one_for_each():
    env = TakeItEasyVectorEnv(3)
    counted, _ = env.reset(seed=7)
    assert env.np_random_seed == (7, 8, 9)
    listed, _ = env.reset(seed=[7, 8, 9])
    assert (counted == listed).all()
    with pytest.raises(ValueError, match="2 seeds for 3 games"):
        env.reset(seed=[1, 2])


def test_seeds_0_and_1_share_no_order_of_draws():
    env = TakeItEasyVectorEnv(2)
    orders: list[set[bytes]] = [set(), set()]
    env.reset(seed=0)
    for _ in range(1000):
        drawn = np.empty((19, 2), dtype=np.int8)
        for cell in range(19):
            drawn[cell] = env.positions.tile
            env.step([cell, cell])
        for game in range(2):
            orders[game].add(drawn[:, game].tobytes())
    assert [len(of_seed) for of_seed in orders] == [1000, 1000]
    assert not orders[0] & orders[1]


@each_mode
def test_what_is_returned_is_never_changed_or_returned_again(mode):
    def arrays_of(data) -> list[np.ndarray]:
        if isinstance(data, dict):
            return [array for value in data.values() for array in arrays_of(value)]
        if data.dtype == object:
            return [data, *(row for row in data if row is not None)]
        return [data]

    env = TakeItEasyVectorEnv(3, autoreset_mode=mode)
    masks = env.reset(seed=0)[1]["action_mask"]
    kept, copies = [], []
    rng = np.random.default_rng(0)
    for _ in range(60):
        over = env.positions.tile < 0
        if mode is AutoresetMode.DISABLED and over.any():
            masks = env.reset(options={"reset_mask": over})[1]["action_mask"]
        returned = env.step(some_cells(masks, rng, 0.05))
        masks = returned[-1]["action_mask"]
        arrays = [array for part in returned for array in arrays_of(part)]
        for array in arrays:
            assert not any(np.may_share_memory(array, other) for other in kept)
        kept += arrays
        copies.append((returned, copy.deepcopy(returned)))
    for returned, as_it_was in copies:
        assert data_equivalence(returned, as_it_was, exact=True)


def test_changing_what_was_returned_changes_no_game():
    env, other = TakeItEasyVectorEnv(4), TakeItEasyVectorEnv(4)
    env.reset(seed=0)
    other.reset(seed=0)
    for turn in range(40):
        cells = np.full(4, turn % 19)
        returned = env.step(cells)
        assert data_equivalence(returned, other.step(cells), exact=True)
        for array in (*returned[:4], returned[4]["action_mask"], returned[4]["score"], cells):
            array[:] = 1


def test_known_boards_score_as_stated_when_their_tiles_are_given():
    boards = np.array([tile_indices(columns.replace("|", " ").split()) for columns in KNOWN_BOARDS.values()])
    env = TakeItEasyVectorEnv(len(boards), reward="final")
    cells = np.random.default_rng(0).permuted(np.tile(np.arange(19), (len(boards), 1)), axis=1)
    env.reset(options={"tiles": np.take_along_axis(boards, cells, axis=1)})
    for turn in range(19):
        _, rewards, terminated, _, infos = env.step(cells[:, turn])
    assert terminated.all()
    assert rewards.tolist() == infos["final_info"]["score"].tolist() == list(KNOWN_BOARDS)


def test_one_row_of_tiles_is_for_all_games():
    env = TakeItEasyVectorEnv(3)
    env.reset(options={"tiles": ["978", *range(18)]})
    assert env.positions.tile.tolist() == [26, 26, 26]
    env.step([1, 2, 3])
    assert env.positions.tile.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mask": 1}, ValueError, "unknown reset option 'mask': choose one of tiles, reset_mask"),
        ({"tiles": [range(19)] * 2}, ValueError, "tiles for 2 games, not 3"),
        ({"tiles": [range(18)] * 3}, ValueError, "a game takes 19 tiles, not 18"),
        ({"reset_mask": [True] * 3}, TypeError, "reset_mask is an array of bools"),
        ({"reset_mask": np.ones(3)}, TypeError, "reset_mask is an array of bools"),
        ({"reset_mask": np.ones(2, dtype=bool)}, ValueError, r"reset_mask has the shape \(3,\)"),
        ({"reset_mask": np.zeros(3, dtype=bool)}, ValueError, "at least one True"),
    ],
)
def test_wrong_options_are_refused_by_name_and_change_nothing(options, error, message):
    env = TakeItEasyVectorEnv(3)
    env.reset(seed=0)
    env.step([0, 1, 2])
    before = env.positions
    with pytest.raises(error, match=message):
        env.reset(options=options)
    assert (env.positions.board == before.board).all()


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([0.0, 1.0], TypeError, "actions are integers, cells 0-18, not float64"),
        ([True, False], TypeError, "not bool"),
        ([None, 1], TypeError, "not object"),
        ([0, 1, 2], ValueError, r"the shape \(2,\), one for each game, not \(3,\)"),
        (3, ValueError, r"not \(\)"),
        ([0, 19], ValueError, "an action is a cell 0-18, not 19 as for game 1"),
        ([-1, 0], ValueError, "not -1 as for game 0"),
    ],
)
def test_wrong_actions_are_refused_by_name_and_change_nothing(actions, error, message):
    env = TakeItEasyVectorEnv(2)
    env.reset(seed=0)
    with pytest.raises(error, match=message):
        env.step(actions)
    assert (env.positions.board == -1).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_actions_are_integers_of_any_kind(dtype):
    env = TakeItEasyVectorEnv(2)
    env.reset(seed=0)
    env.step(np.array([4, 7], dtype=dtype))
    assert np.argwhere(env.positions.board >= 0).tolist() == [[0, 4], [1, 7]]


@each_mode
def test_an_illegal_cell_raises_on_demand_and_changes_nothing(mode):
    env = TakeItEasyVectorEnv(3, illegal="raise", autoreset_mode=mode)
    env.reset(options={"tiles": range(19)})
    env.step([0, 1, 2])
    before = env.positions
    with pytest.raises(
        ValueError, match="game 1: tile 124 may not go on cell 1; its legal cells are 0, 2, 3"
    ):
        env.step([1, 1, 1])
    assert (env.positions.board == before.board).all()
    for cells in ((np.array([0, 1, 2]) + turn) % 19 for turn in range(1, 19)):
        env.step(cells)


def test_a_game_that_is_over_is_not_stepped_when_nothing_resets_it():
    env = TakeItEasyVectorEnv(2, autoreset_mode="Disabled")
    with pytest.raises(ResetNeeded, match="game 0 has not begun or is over"):
        env.step([0, 0])
    env.reset(seed=0)
    env.step([0, 0])
    env.step([0, 1])
    with pytest.raises(ResetNeeded, match="game 0 has not begun or is over"):
        env.step([1, 2])
    env.reset(options={"reset_mask": np.array([True, False])})
    env.step([1, 2])
    assert np.argwhere(env.positions.board >= 0).tolist() == [[0, 1], [1, 0], [1, 1], [1, 2]]


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_a_step_before_the_first_reset_is_refused(mode):
    with pytest.raises(ResetNeeded, match="call reset"):
        TakeItEasyVectorEnv(2, autoreset_mode=mode).step([0, 0])


@each_mode
def test_the_mode_is_in_the_metadata_of_the_environment_alone(mode):
    before = copy.deepcopy((TakeItEasyVectorEnv.metadata, TakeItEasyEnv.metadata))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make_vec("TakeItEasy-v0", num_envs=2, autoreset_mode=mode.value)
    assert env.metadata["autoreset_mode"] is mode
    assert (TakeItEasyVectorEnv.metadata, TakeItEasyEnv.metadata) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs is at least 1, not 0"),
        (
            {"scoring": "best_ray"},
            "'best_ray' is for 2 to 6 players .*takeiteasy_env.parallel_env, not for 1",
        ),
        (
            {"autoreset_mode": "Never"},
            "unknown autoreset_mode 'Never': choose one of NextStep, SameStep, Disabled",
        ),
        ({"render_mode": "human"}, "unknown render_mode 'human': choose one of ansi, rgb_array, svg"),
        ({"reward": "points"}, "unknown reward 'points'"),
        ({"placement": "near"}, "unknown placement 'near'"),
    ],
)
def test_unknown_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        TakeItEasyVectorEnv(**arguments)


def test_gymnasiums_vector_wrappers_see_19_steps_an_episode_and_its_score():
    env = gym.wrappers.vector.RecordEpisodeStatistics(TakeItEasyVectorEnv(4))
    _, infos = env.reset(seed=0)
    rng = np.random.default_rng(0)
    episodes = 0
    for _ in range(60):
        _, _, terminated, _, infos = env.step(some_cells(infos["action_mask"], rng, 0.0))
        if terminated.any():
            assert infos["final_info"]["score"].tolist() == infos["episode"]["r"].tolist()
            assert infos["episode"]["l"].tolist() == [19] * 4
            episodes += 1
    assert episodes == 3


def test_a_copy_plays_on_as_the_original():
    env = TakeItEasyVectorEnv(3)
    env.reset(seed=0)
    env.step([3, 4, 5])
    other = copy.deepcopy(env)
    for turn in range(19 * (GAMES_AHEAD + 2)):
        cells = np.full(3, turn % 19)
        assert data_equivalence(env.step(cells), other.step(cells), exact=True)


def test_the_score_is_that_of_the_board():
    env = TakeItEasyVectorEnv(50, autoreset_mode="Disabled", scoring="sunrays")
    _, infos = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(19):
        *_, infos = env.step(some_cells(infos["action_mask"], rng, 0.0))
        assert (infos["score"] == scores_of(env.positions.board, Rules(scoring="sunrays"))).all()


def test_a_million_steps_leak_nothing():
    games = 1000
    env = TakeItEasyVectorEnv(games)
    rng = np.random.default_rng(0)
    _, infos = env.reset(seed=0)

    def play(steps: int) -> None:
        nonlocal infos
        for _ in range(steps):
            *_, infos = env.step(some_cells(infos["action_mask"], rng, 0.01))

    play(50)
    tracemalloc.start()
    try:
        play(50)
        before, _ = tracemalloc.get_traced_memory()
        play(1_000_000 // games)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 1_000_000
