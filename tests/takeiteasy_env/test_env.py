"""The single environment: Gymnasium's checks, the rules by the reference, rewards, ends and wrong input."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.utils.env_match import check_environments_match
from hypothesis import given
from hypothesis import strategies as st

from takeiteasy_env import ENVIRONMENTS, DictObservation, TakeItEasyEnv
from takeiteasy_env.observation import observe
from takeiteasy_env.rules import PLACEMENTS, SCORINGS
from takeiteasy_env.tiles import TILE_CODES
from tests.reference.game import ReferenceGame

VARIANTS = [{"placement": placement, "scoring": scoring} for placement in PLACEMENTS for scoring in SCORINGS]
each_variant = pytest.mark.parametrize("variant", VARIANTS)
#: Every id, and every variant by the arguments of the first one.
each_game = pytest.mark.parametrize(
    ("environment_id", "arguments"),
    [(name, {}) for name in ENVIRONMENTS] + [("TakeItEasy-v0", variant) for variant in VARIANTS],
)
each_reward = pytest.mark.parametrize("reward", ["line", "final"])


def play_to_the_end(env: gym.Env, rng: np.random.Generator, seed: int | None = None) -> list[tuple]:
    """Random legal moves; what reset and the steps returned."""
    returned = [env.reset(seed=seed)]
    terminated = False
    while not terminated:
        cells = np.flatnonzero(returned[-1][-1]["action_mask"])
        step = env.step(rng.choice(cells))
        returned.append(step)
        terminated = step[2]
    return returned


@each_game
@each_reward
def test_the_environment_passes_gymnasiums_check_without_a_warning(
    environment_id, arguments, reward, monkeypatch
):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    check_env(gym.make(environment_id, reward=reward, **arguments).unwrapped)


@each_game
def test_two_environments_on_one_seed_match(environment_id, arguments):
    one, other = (gym.make(environment_id, render_mode="ansi", **arguments) for _ in range(2))
    check_environments_match(one, other, 200)


@each_variant
@given(seed=st.integers(0, 2**63), choices=st.lists(st.integers(0, 18), min_size=19, max_size=19))
def test_games_go_move_by_move_as_by_the_reference(variant, seed, choices):
    env = TakeItEasyEnv(**variant)
    reference = ReferenceGame(**variant)
    _, info = env.reset(seed=seed)
    for turn, choice in enumerate(choices):
        tile = str(TILE_CODES[env.positions.tile[0]])
        legal = reference.legal_cells(tile)
        assert set(np.flatnonzero(info["action_mask"])) == set(np.flatnonzero(env.action_masks())) == legal
        cell = sorted(legal)[choice % len(legal)]
        observation, reward, terminated, truncated, info = env.step(cell)
        assert reward == reference.place(tile, cell)
        assert info["score"] == reference.points
        assert (terminated, truncated) == (turn == 18, False)
        assert (observation == observe(env.positions, env.rules)[0]).all()
    assert not info["action_mask"].any()
    assert not env.action_masks().any()


@each_reward
@each_variant
def test_the_rewards_sum_to_the_score(reward, variant):
    env = TakeItEasyEnv(reward=reward, **variant)
    rng = np.random.default_rng(0)
    scores = set()
    for seed in range(100):
        _, *steps = play_to_the_end(env, rng, seed)
        assert len(steps) == 19
        assert sum(step[1] for step in steps) == steps[-1][4]["score"]
        if reward == "final":
            assert not any(step[1] for step in steps[:-1])
        scores.add(steps[-1][4]["score"])
    assert len(scores) > 5


def test_the_given_tiles_are_drawn_in_their_order():
    env = TakeItEasyEnv()
    tiles = [978, "123", 5, *range(6, 22)]
    env.reset(seed=0, options={"tiles": tiles})
    drawn = []
    for cell in range(19):
        drawn.append(int(env.positions.tile[0]))
        env.step(cell)
    assert drawn == [26, 0, 5, *range(6, 22)]


def test_given_tiles_leave_the_stream_of_draws_alone():
    one, other = TakeItEasyEnv(), TakeItEasyEnv()
    one.reset(seed=0)
    other.reset(seed=0, options={"tiles": range(19)})
    other.reset(options={"tiles": range(19)})
    other.reset(seed=0)
    assert (one.reset()[0] == other.reset()[0]).all()


@each_reward
def test_an_illegal_cell_ends_the_game_with_the_points_so_far(reward):
    env = TakeItEasyEnv(reward=reward)
    env.reset(options={"tiles": [*(tile for tile in range(9)), *range(10, 20)]})
    env.step(0)
    env.step(1)
    _, _, _, _, info = env.step(2)  # column 0 is complete: three tiles of number 1
    assert info["score"] == 3
    board = env.positions.board
    observation, rewarded, terminated, truncated, info = env.step(2)
    assert rewarded == (0 if reward == "line" else 3)
    assert (terminated, truncated) == (True, False)
    assert info["score"] == 3
    assert info["illegal_action"] == 2
    assert not info["action_mask"].any()
    assert (env.positions.board == board).all()
    assert observation in env.observation_space
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(3)
    assert "illegal_action" not in env.reset()[1]


def test_an_illegal_cell_raises_on_demand_and_changes_nothing():
    env = TakeItEasyEnv(placement="adjacent", illegal="raise")
    env.reset(options={"tiles": range(26, 7, -1)})
    env.step(0)
    before = env.positions
    with pytest.raises(ValueError, match=r"tile 974 may not go on cell 18; its legal cells are 1, 3, 4"):
        env.step(18)
    assert data_equivalence(before.board, env.positions.board)
    assert env.step(1)[4]["score"] == 0


def test_the_types_are_gymnasiums():
    env = TakeItEasyEnv()
    for returned in play_to_the_end(env, np.random.default_rng(0), 0):
        observation, *middle, info = returned
        assert observation.dtype == np.int8
        assert observation in env.observation_space
        assert [type(value) for value in middle] in ([], [float, bool, bool])
        assert info["action_mask"].dtype == np.int8
        assert info["action_mask"].shape == (19,)
        assert type(info["score"]) is int


def test_what_is_returned_is_never_changed_or_returned_again():
    env = TakeItEasyEnv()
    returned = play_to_the_end(env, np.random.default_rng(0), 0) + play_to_the_end(
        env, np.random.default_rng(1)
    )
    arrays = [array for step in returned for array in (step[0], step[-1]["action_mask"])]
    for index, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[:index])
    again = play_to_the_end(TakeItEasyEnv(), np.random.default_rng(0), 0)
    assert data_equivalence(returned[:20], again, exact=True)
    env.positions.board[:] = 0
    arrays[-1][:] = 1
    assert not env.action_masks().any()


@pytest.mark.parametrize(
    "action", [4, np.int64(4), np.int8(4), np.uint8(4), np.array(4), np.array([4]), np.array([[4]])]
)
def test_an_action_is_an_integer_of_any_kind(action):
    env = TakeItEasyEnv()
    env.reset(seed=0)
    env.step(action)
    assert np.flatnonzero(env.positions.board[0] >= 0).tolist() == [4]


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (3.0, TypeError),
        (True, TypeError),
        (np.True_, TypeError),
        (np.array([True]), TypeError),
        (None, TypeError),
        ("4", TypeError),
        (np.array([3.0]), TypeError),
        (np.array([3, 4]), TypeError),
        (-1, ValueError),
        (19, ValueError),
        (np.array([19]), ValueError),
    ],
)
def test_anything_else_is_refused_by_name_and_changes_nothing(action, error):
    env = TakeItEasyEnv()
    env.reset(seed=0)
    with pytest.raises(error) as refused:
        env.step(action)
    assert repr(action) in str(refused.value)
    assert "0-18" in str(refused.value)
    assert (env.positions.board == -1).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"placement": "near"}, "unknown placement 'near'"),
        ({"scoring": "double"}, "unknown scoring 'double'"),
        (
            {"scoring": "best_ray"},
            "'best_ray' is for 2 to 6 players .*takeiteasy_env.parallel_env, not for 1",
        ),
        ({"suns": [27]}, "suns: unknown tile 27"),
        ({"reward": "points"}, "unknown reward 'points': choose one of line, final"),
        ({"illegal": "ignore"}, "unknown illegal 'ignore': choose one of terminate, raise"),
        ({"render_mode": "png"}, "unknown render_mode 'png': choose one of human, ansi, rgb_array, svg"),
    ],
)
def test_unknown_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        TakeItEasyEnv(**arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tile": [1]}, "unknown reset option 'tile': choose one of tiles"),
        ({"tiles": range(18)}, "a game takes 19 tiles, not 18"),
        ({"tiles": [0] * 19}, "tile 123 comes twice"),
        ({"tiles": [*range(18), 999]}, "unknown tile 999"),
    ],
)
def test_wrong_options_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        TakeItEasyEnv().reset(options=options)


def test_a_step_before_the_first_reset_is_refused():
    with pytest.raises(ResetNeeded, match="call reset"):
        TakeItEasyEnv().step(0)


def test_seeds_0_and_1_share_no_order_of_draws():
    def orders(seed: int) -> set[bytes]:
        env = TakeItEasyEnv()
        env.reset(seed=seed)
        return {play_draws(env) for _ in range(1000)}

    def play_draws(env: TakeItEasyEnv) -> bytes:
        drawn = []
        env.reset()
        for cell in range(19):
            drawn.append(int(env.positions.tile[0]))
            env.step(cell)
        return bytes(drawn)

    of_0, of_1 = orders(0), orders(1)
    assert len(of_0) == len(of_1) == 1000
    assert not of_0 & of_1


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_plays_on_as_the_original(duplicate):
    env = TakeItEasyEnv()
    env.reset(seed=0)
    for cell in range(7):
        env.step(cell)
    other = duplicate(env)
    for cell in range(7, 19):
        assert data_equivalence(env.step(cell), other.step(cell), exact=True)
    assert data_equivalence(env.reset(), other.reset(), exact=True)


def test_the_mask_samples_legal_actions():
    env = gym.make("TakeItEasy-v0", illegal="raise", placement="adjacent")
    env.action_space.seed(0)
    _, info = env.reset(seed=0)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(env.action_space.sample(mask=info["action_mask"]))


@pytest.mark.parametrize("keys", [{}, {"observation": "observations", "action_mask": "mask"}])
def test_a_wrapper_puts_the_mask_into_the_observation(keys):
    env = DictObservation(gym.make("TakeItEasy-v0"), **keys)
    observation_key, mask_key = keys.values() or ("observation", "action_mask")
    plain = gym.make("TakeItEasy-v0")
    flat, _ = plain.reset(seed=0)
    observation, info = env.reset(seed=0)
    for cell in range(19):
        assert observation in env.observation_space
        assert (observation[observation_key] == flat).all()
        assert (observation[mask_key] == info["action_mask"]).all()
        flat = plain.step(cell)[0]
        observation, _, _, _, info = env.step(cell)
    assert env.spec.make().observation_space == env.observation_space
