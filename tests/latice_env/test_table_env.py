"""Latice as an environment: PettingZoo's checks, types, rewards, wrong input and pictures."""

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import latice_env

TABLES: dict[str, dict[str, Any]] = {
    "two": {},
    "three": {"players": 3, "deal": "tournament", "shaping": 1.0},
    "four": {"players": 4, "first_player": 2, "no_progress_rounds": 1},
}
each_table = pytest.mark.parametrize("arguments", TABLES.values(), ids=TABLES)


def play(env: Any, seed: int, rng: np.random.Generator) -> list[tuple]:
    """Random legal actions to the end of a game; what each agent was told before each of them."""
    told = []
    env.reset(seed=seed)
    for agent in env.agent_iter():
        told.append((agent, *env.last()))
        over = told[-1][3]
        env.step(None if over else int(rng.choice(np.flatnonzero(told[-1][-1]["action_mask"]))))
    return told


# ---------------------------------------------------------------------------------- PettingZoo's checks


@each_table
def test_pettingzoos_checks_pass_without_a_warning(arguments):
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # that of the import itself
        from pettingzoo.test import api_test, seed_test

    with warnings.catch_warnings(action="error"):
        api_test(latice_env.env(**arguments), num_cycles=300)
        seed_test(lambda: latice_env.env(**arguments))


@each_table
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # that of the import itself
def test_they_pass_with_a_dict_too_of_which_they_warn_unless_it_is_of_their_own_games(arguments):
    from pettingzoo.test import api_test, seed_test

    api_test(latice_env.env(observation="dict", **arguments), num_cycles=300)
    seed_test(lambda: latice_env.env(observation="dict", **arguments))


def mask_in(observation: Any) -> np.ndarray:
    """The mask in an observation of either kind."""
    return observation["action_mask"] if isinstance(observation, dict) else observation[-764:]


@each_table
@pytest.mark.parametrize("kind", ["box", "dict"])
def test_what_is_returned_is_in_the_spaces_and_never_without_a_legal_action_before_the_end(arguments, kind):
    env = latice_env.env(observation=kind, **arguments)
    assert env.action_space("player_0").n == 764
    told = play(env, 0, np.random.default_rng(0))
    for agent, observation, reward, terminated, truncated, info in told:
        assert observation in env.observation_space(agent)
        assert [type(part) for part in (reward, terminated, truncated)] == [float, bool, bool]
        assert (mask_in(observation) == info["action_mask"]).all()
        assert mask_in(observation).any() != terminated
        assert not np.shares_memory(mask_in(observation), info["action_mask"])
    assert [entry[3] for entry in told[-len(env.possible_agents) :]] == [True] * len(env.possible_agents)
    assert env.agents == []


def test_both_kinds_of_observation_say_the_same():
    box, apart = latice_env.env(), latice_env.env(observation="dict")
    for env in (box, apart):
        env.reset(seed=5)
    for agent in box.agents:
        seen = apart.observe(agent)
        assert np.array_equal(box.observe(agent), np.concatenate([seen["observation"], seen["action_mask"]]))


def test_others_than_the_player_to_move_have_nothing_to_do():
    env = latice_env.env(players=3)
    env.reset(seed=1)
    for agent in env.agents:
        assert mask_in(env.observe(agent)).any() == (agent == env.agent_selection)
        assert env.infos[agent]["action_mask"].any() == (agent == env.agent_selection)


def test_the_state_is_the_whole_truth():
    env = latice_env.env()
    env.reset(seed=0)
    before = env.state()
    seen = [env.observe(agent) for agent in env.agents]
    assert before in env.state_space
    pool = env._games[0]["pools"][0]
    pool[[0, 1, 2]] = pool[[1, 2, 0]]
    assert not np.array_equal(env.state(), before)
    assert all(np.array_equal(env.observe(agent), one) for agent, one in zip(env.agents, seen, strict=True))


def test_a_view_hides_what_the_player_does_not_see():
    env = latice_env.env()
    env.reset(seed=0)
    view = env.view("player_1")[0]
    assert (view["racks"][0] == -1).all()
    assert (view["pools"] == -1).all()
    assert not view["random"].any()
    assert (view["racks"][1] >= 0).all()


# ---------------------------------------------------------------------------------------------- rewards


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rewards_are_zero_until_the_end_and_sum_to_zero(players):
    for seed in range(4):
        told = play(latice_env.env(players=players), seed, np.random.default_rng(seed))
        assert all(reward == 0 for _, _, reward, over, *_ in told if not over)
        returns = [reward for _, _, reward, over, *_ in told if over]
        assert sum(returns) == pytest.approx(0)
        assert sum(value for value in returns if value > 0) == pytest.approx(1 if any(returns) else 0)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_shaping_is_zero_sum_changes_no_return_and_rewards_tiles_played(players):
    def returns(shaping: float) -> tuple[dict[str, float], list[float]]:
        env = latice_env.env(players=players, shaping=shaping)
        told = play(env, 3, np.random.default_rng(3))
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent, _, reward, *_ in told:
            totals[agent] += reward
        return totals, [reward for _, _, reward, *_ in told]

    plain, _ = returns(0.0)
    shaped, rewards = returns(2.0)
    assert shaped == pytest.approx(plain)
    assert np.count_nonzero(rewards) > 10
    env = latice_env.env(players=players, shaping=2.0)
    env.reset(seed=0)
    mover = env.agent_selection
    env.step(int(np.flatnonzero(env.infos[mover]["action_mask"])[0]))  # a placement on the moon
    assert env.rewards[mover] == pytest.approx(2 / (84 // players))
    assert sum(env.rewards.values()) == pytest.approx(0)


# ------------------------------------------------------------------------------------------ wrong input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 5}, "players is 2 to 4, not 5"),
        ({"observation": "image"}, "unknown observation 'image': choose one of box, dict"),
        ({"render_mode": "human"}, "unknown render_mode 'human': choose one of ansi, rgb_array, svg"),
    ],
)
def test_unknown_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        latice_env.env(**arguments)


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (764, ValueError, "an action is an integer 0-763, not 764"),
        (-1, ValueError, "not -1"),
        (True, TypeError, "not True"),
        (1.0, TypeError, "not 1.0"),
        (None, TypeError, "not None"),
        (0, ValueError, r"player_\d: action 0 \(place slot 0 on \(0, 0\)\) is not legal; \d+ others are"),
        (760, ValueError, r"action 760 \(buy a move with a sunstone\) is not legal"),
    ],
)
def test_a_wrong_action_is_refused_by_name_and_changes_nothing(action, error, message):
    env = latice_env.env()
    env.reset(seed=0)
    before = env.state()
    with pytest.raises(error, match=message):
        env.step(action)
    assert np.array_equal(env.state(), before)


def test_pettingzoos_wrapper_ends_the_game_for_an_illegal_action():
    env = TerminateIllegalWrapper(latice_env.env(), illegal_reward=-1)
    env.reset(seed=0)
    offender = env.agent_selection
    env.step(0)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards[offender] == -1


def test_a_step_before_the_first_reset_and_after_the_end_is_refused():
    env = latice_env.env()
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    play(env, 0, np.random.default_rng(0))
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(None)


def test_integers_of_any_kind_are_actions():
    for kind in (int, np.int32, np.int64, lambda action: np.array([action])):
        env = latice_env.env()
        env.reset(seed=0)
        env.step(kind(763))
        assert env.infos[env.agents[0]]["outcome"] == "playing"


# -------------------------------------------------------------------------------- seeds, pictures, packages


def test_seeded_games_repeat_and_unseeded_ones_go_on():
    env = latice_env.env()
    states = []
    for seed in (7, None, 7, None, 8):
        env.reset(seed=seed)
        states.append(env.state().tobytes())
    assert states[0] == states[2]
    assert states[1] == states[3]
    assert len(set(states)) == 3


@pytest.mark.parametrize(("mode", "kind"), [("ansi", str), ("svg", str), ("rgb_array", np.ndarray)])
def test_every_render_mode_works(mode, kind):
    env = latice_env.env(render_mode=mode)
    env.reset(seed=0)
    first = env.render()
    env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    assert isinstance(first, kind)
    assert not np.array_equal(first, env.render())
    env.close()


def test_rendering_without_a_mode_warns():
    env = latice_env.env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="draws nothing without a render_mode"):
        assert env.render() is None


def test_without_pettingzoo_the_rules_work_and_the_environment_says_what_it_needs():
    code = (
        "import sys; sys.modules['pettingzoo'] = None;"
        "import latice_env, latice_env.vector_env; latice_env.Rules(); latice_env.env()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'Latice needs PettingZoo: python -m pip install "takeiteasy-env[table]"' in done.stderr
