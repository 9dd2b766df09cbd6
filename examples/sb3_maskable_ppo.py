"""Maskable PPO of sb3-contrib: ``python examples/sb3_maskable_ppo.py``.

    python -m pip install "takeiteasy-env[sb3]"

It asks the environment's ``action_masks()`` which cells are legal, in this process (``DummyVecEnv``) or in
one process for each game (``SubprocVecEnv``, started by ``spawn``: hence the module before the id's colon).
"""

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

ENVIRONMENT = "takeiteasy_env:TakeItEasy-v0"


def make_games(games: int, processes: bool) -> VecEnv:
    """So many games, each in a process of its own or all in this one."""
    if processes:
        return make_vec_env(
            ENVIRONMENT, games, seed=0, vec_env_cls=SubprocVecEnv, vec_env_kwargs={"start_method": "spawn"}
        )
    return make_vec_env(ENVIRONMENT, games, seed=0, vec_env_cls=DummyVecEnv)


def train(steps: int, games: int = 8, processes: bool = False) -> MaskablePPO:
    """A model trained for so many steps, 19 a game."""
    torch.set_num_threads(1)  # the layers are small: threads would only wait for one another
    envs = make_games(games, processes)
    model = MaskablePPO("MlpPolicy", envs, n_steps=19 * 8, batch_size=19 * games, gamma=1.0, seed=0)
    model.learn(steps)
    envs.close()
    return model


def mean_score(model: MaskablePPO, games: int) -> float:
    """Points of the model in the mean of some games of seeds it was not trained on."""
    env = gymnasium.make(ENVIRONMENT, illegal="raise")
    scores = []
    for seed in range(1_000, 1_000 + games):
        observation, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            cell, _ = model.predict(observation, action_masks=info["action_mask"], deterministic=True)
            observation, _, terminated, _, info = env.step(cell)
        scores.append(info["score"])
    return sum(scores) / games


if __name__ == "__main__":
    print(f"{mean_score(train(steps=200_000), games=500):.1f} points, where random play makes 10.7")
