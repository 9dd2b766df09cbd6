"""PPO against sb3-contrib's MaskablePPO on the same game: ``python benchmarks/ppo_vs_sb3.py``.

    python -m pip install -e ".[train,sb3]"

MaskablePPO learns for a while, and then ours: the scores are compared after as many steps of the environment
as it took, and after as much time. It gets an MLP of two layers of 256, rewards of the size of ours, no
discount, 64 games side by side and one thread for its products, as ours has for each half of a batch; the
rest are its defaults.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

import gymnasium as gym
import numpy as np
import torch
from omegaconf import DictConfig, OmegaConf
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

from agents.agent import Agent
from agents.play import play
from agents.ppo import PPOTrainer
from agents.ppo_config import PPOConfig
from agents.threads import use_threads
from benchmarks.machine import Measurement, report
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.observation import observe
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules

CONFIG = Path(__file__).resolve().parents[1] / "configs" / "agent" / "ppo.yaml"
POINTS_PER_UNIT = 100.0
GAMES_SIDE_BY_SIDE = 64


class Logits:
    """The policy of MaskablePPO as an agent of ours: its move is the likeliest one."""

    def __init__(self, model: MaskablePPO) -> None:
        self.model = model

    @torch.no_grad()
    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): logits, minus infinity where the tile may not go."""
        policy = self.model.policy
        observations = torch.from_numpy(observe(positions, Rules())).float()
        features = cast(torch.Tensor, policy.extract_features(observations))
        logits = policy.action_net(policy.mlp_extractor.forward_actor(features)).numpy()
        return np.where(positions.legal(Rules()), logits, np.float32(-np.inf))


class Stop(BaseCallback):
    """Ends a training after so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    def _on_training_start(self) -> None:
        self.end = time.perf_counter() + self.seconds

    def _on_step(self) -> bool:
        return time.perf_counter() < self.end


def one_game() -> gym.Env:
    env = gym.make("takeiteasy_env:TakeItEasy-v0")
    return gym.wrappers.TransformReward(env, lambda reward: float(reward) / POINTS_PER_UNIT)


def train_sb3(seconds: float) -> tuple[Agent, int, float]:
    """Train MaskablePPO; returns the agent, the steps of the environment and the seconds that it took."""
    games = make_vec_env(one_game, GAMES_SIDE_BY_SIDE, seed=0)
    model = MaskablePPO(
        "MlpPolicy",
        games,
        n_steps=4 * CELLS,
        batch_size=512,
        gamma=1.0,
        policy_kwargs={"net_arch": [256, 256]},
        seed=0,
        device="cpu",
    )
    begun = time.perf_counter()
    model.learn(10**9, callback=Stop(seconds))
    return Logits(model), model.num_timesteps, time.perf_counter() - begun


def train_ours(trainer: PPOTrainer, done: Callable[[int, float], bool], seconds: float = 0.0) -> float:
    """Go on until the steps and seconds of training are enough; returns the seconds, with those before."""
    begun = time.perf_counter() - seconds
    while trainer.round < trainer.rounds:
        trainer.advance()
        if done(CELLS * trainer.games_played, time.perf_counter() - begun):
            break
    return time.perf_counter() - begun


def mean_score(agent: Agent, games: int) -> float:
    """Points in the mean of some games that nobody was trained on."""
    return float(play(agent, draw_orders(stream(0, Purpose.EVALUATE), games), Rules()).scores.mean())


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Compare PPO with MaskablePPO of sb3-contrib.")
    parser.add_argument("--seconds", type=float, default=300.0, help="of training for each")
    parser.add_argument("--games", type=int, default=5_000, help="of evaluation")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/ppo_vs_sb3.json"))
    arguments = parser.parse_args()

    threads = use_threads(0)
    theirs, steps, their_seconds = train_sb3(arguments.seconds)
    settings = cast(DictConfig, OmegaConf.load(CONFIG))
    settings.pop("defaults")
    config = cast(PPOConfig, OmegaConf.to_object(OmegaConf.merge(PPOConfig, settings)))
    trainer = PPOTrainer(config, Rules(), seed=0, threads=threads)
    seconds = train_ours(trainer, lambda done, _: done >= steps)
    speed = CELLS * trainer.games_played / seconds
    after_as_many_steps = mean_score(trainer.agent(), arguments.games)
    train_ours(trainer, lambda _, passed: passed >= their_seconds, seconds)
    after_as_much_time = mean_score(trainer.agent(), arguments.games)
    reached = mean_score(theirs, arguments.games)
    report(
        [
            Measurement("MaskablePPO, steps", steps, "steps", ""),
            Measurement("MaskablePPO, time", their_seconds, "s", ""),
            Measurement("MaskablePPO, mean score", reached, "points", ""),
            Measurement("ours after as many steps", after_as_many_steps, "points", "higher"),
            Measurement("ours after as much time", after_as_much_time, "points", "higher"),
            Measurement("MaskablePPO, speed", steps / their_seconds, "steps/s", ""),
            Measurement("our speed", speed, "steps/s", "5 times as many"),
            Measurement("our time for as many steps", seconds, "s", ""),
        ],
        ["numpy", "torch", "gymnasium", "sb3-contrib"],
        arguments.out,
    )


if __name__ == "__main__":
    main()
