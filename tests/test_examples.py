"""Each example runs, and plays legally and as the rules say."""

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import RecordEpisodeStatistics

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_about_a_screen_long(path):
    assert len(path.read_text().splitlines()) <= 70


# ------------------------------------------------------------------------------------- Gymnasium's wrappers


def test_record_episode_statistics_reports_the_score_after_19_steps():
    env = RecordEpisodeStatistics(gym.make("takeiteasy_env:TakeItEasy-v0"))
    _, info = env.reset(seed=0)
    while "episode" not in info:
        info = env.step(env.action_space.sample(mask=info["action_mask"]))[4]
    assert (info["episode"]["r"], info["episode"]["l"]) == (info["score"], 19)


def test_each_recorded_game_is_a_video(tmp_path):
    pytest.importorskip("moviepy")
    from examples.gymnasium_wrappers import record_games

    scores = record_games(2, tmp_path)
    assert len(scores) == len(list(tmp_path.glob("*.mp4"))) == 2
    assert all(0 <= score <= 307 for score in scores)


def test_games_play_in_spawned_processes():
    from examples.gymnasium_wrappers import play_in_processes

    points = play_in_processes(games=2, steps=19)
    assert points.shape == (2,)
    assert all(0 <= score <= 307 for score in points)


# ------------------------------------------------------------------------------------- PettingZoo


def test_players_play_a_match_together_and_a_round_in_turns():
    from examples.pettingzoo_table import play_in_turns, play_together

    players = [f"player_{seat}" for seat in range(4)]
    for points in (play_together(seed=0), play_in_turns(seed=0)):
        assert list(points) == players
        assert all(0 <= score <= 2 * (307 + 120) for score in points.values())


# ------------------------------------------------------------------------------------- Stable-Baselines3


@pytest.mark.parametrize(
    "processes", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["dummy", "spawned"]
)
def test_maskable_ppo_trains_on_whole_games_alone(processes):
    from examples.sb3_maskable_ppo import mean_score, train

    model = train(steps=304, games=2, processes=processes)
    assert {episode["l"] for episode in model.ep_info_buffer} == {19}, "an illegal cell would end a game"
    assert 0 <= mean_score(model, games=3) <= 307


def test_maskable_ppo_gives_illegal_cells_no_chance_at_all():
    from examples.sb3_maskable_ppo import train

    model = train(steps=1, games=2)
    env = gym.make("TakeItEasyAdjacent-v0")
    env.reset(seed=0)
    observation, *_, info = env.step(0)
    flags, _ = model.policy.obs_to_tensor(observation)
    chances = model.policy.get_distribution(flags, info["action_mask"]).distribution.probs[0]
    assert set(np.flatnonzero(chances.detach().numpy())) == {1, 3, 4}


# ------------------------------------------------------------------------------------- TorchRL


def test_a_torchrl_policy_plays_whole_games_legally():
    from examples.torchrl_env import play

    scores = play(games=3)
    assert scores.shape == (3,)
    assert all(0 <= score <= 307 for score in scores.tolist())


def test_torchrl_finds_its_own_specs_kept_and_its_random_actions_legal():
    from torchrl.envs import check_env_specs

    from examples.torchrl_env import make_env

    env = make_env()
    check_env_specs(env)
    played = env.rollout(38, break_when_any_done=False)
    assert played["next", "done"].flatten().nonzero().flatten().tolist() == [18, 37]


# ------------------------------------------------------------------------------------- RLlib, by shape alone


def test_rllib_gets_the_keys_and_types_that_its_masked_module_reads():
    from examples.rllib_env import make_env

    env = make_env({"placement": "sun_moon"})
    space = env.observation_space
    assert list(space) == ["action_mask", "observations"]
    assert (space["observations"].shape, space["observations"].dtype) == ((249,), np.float32)
    assert (space["action_mask"].shape, space["action_mask"].dtype) == ((19,), np.int8)
    observation, info = env.reset(seed=0)
    terminated = False
    while not terminated:
        assert observation in space
        assert (observation["action_mask"] == info["action_mask"]).all()
        cell = env.action_space.sample(mask=observation["action_mask"])
        observation, _, terminated, _, info = env.step(cell)
    assert observation in space
    assert not observation["action_mask"].any()
