"""PPO of RLlib with masked actions: ``python examples/rllib_env.py``.

RLlib's module for masked actions reads ``observations`` and ``action_mask`` from a dict, and its networks
floats. RLlib 2.60 asks for Gymnasium 1.2.2, older than this package does, so pip installs no two that agree;
beside that one, ``python -m pip install --no-deps takeiteasy-env`` works.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers import DtypeObservation

from takeiteasy_env import DictObservation


def make_env(config: dict[str, Any]) -> gymnasium.Env:
    """The game as RLlib reads it; ``config`` holds arguments of the environment."""
    game = gymnasium.make("takeiteasy_env:TakeItEasy-v0", **config)
    return DictObservation(DtypeObservation(game, np.float32), observation="observations")


def train(iterations: int) -> float:
    """Train for some iterations and return the mean score of the last one."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env

    register_env("takeiteasy", make_env)
    config = (
        PPOConfig()
        .environment("takeiteasy", env_config={"reward": "line"})
        .env_runners(num_env_runners=0)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
        .training(gamma=1.0, train_batch_size_per_learner=19 * 100, minibatch_size=19 * 10)
    )
    algorithm = config.build_algo()
    result: dict[str, Any] = {}
    for _ in range(iterations):
        result = algorithm.train()
    algorithm.stop()
    return result["env_runners"]["episode_return_mean"]


if __name__ == "__main__":
    print(f"{train(iterations=20):.1f} points, where random play makes 10.7")
