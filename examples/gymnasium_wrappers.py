"""Gymnasium's own wrappers around the game: ``python examples/gymnasium_wrappers.py``.

python -m pip install "takeiteasy-env[video]"
"""

from pathlib import Path

import gymnasium
import numpy as np
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo

ENVIRONMENT = "takeiteasy_env:TakeItEasy-v0"


def record_games(games: int, directory: Path) -> list[float]:
    """Play some games at random, each into a video of its own; their scores."""
    env = gymnasium.make(ENVIRONMENT, render_mode="rgb_array")
    env = RecordVideo(RecordEpisodeStatistics(env), str(directory), episode_trigger=lambda game: True)
    scores = []
    for game in range(games):
        _, info = env.reset(seed=game)
        terminated = False
        while not terminated:
            cell = env.action_space.sample(mask=info["action_mask"])
            _, _, terminated, _, info = env.step(cell)
        scores.append(info["episode"]["r"])
    env.close()
    return scores


def play_in_processes(games: int, steps: int) -> np.ndarray:
    """float64 (games,): the points that some games, each in a process of its own, make in so many steps."""
    envs = gymnasium.make_vec(
        ENVIRONMENT, games, vectorization_mode="async", vector_kwargs={"context": "spawn"}
    )
    _, infos = envs.reset(seed=0)
    points = np.zeros(games)
    for _ in range(steps):
        cells = envs.action_space.sample(mask=tuple(infos["action_mask"]))
        _, rewards, _, _, infos = envs.step(cells)
        points += rewards
    envs.close()
    return points


if __name__ == "__main__":
    print("in videos/, random play makes", record_games(2, Path("videos")))
    print("in processes of their own, one game each,", play_in_processes(games=2, steps=19))
