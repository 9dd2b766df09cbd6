"""Gymnasium wrappers that show the game the way other libraries look at it."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from takeiteasy_env.board import CELLS


class DictObservation(gymnasium.Wrapper, RecordConstructorArgs):
    """Makes the observation a dict of the flat observation and the mask of the legal cells.

    The default names are PettingZoo's and TorchRL's; RLlib reads ``observations`` and ``action_mask``.

    Args:
        env: an environment whose infos hold an ``action_mask``.
        observation: the key of the observation.
        action_mask: the key of the mask, int8 (19,).
    """

    def __init__(
        self, env: gymnasium.Env, observation: str = "observation", action_mask: str = "action_mask"
    ) -> None:
        RecordConstructorArgs.__init__(self, observation=observation, action_mask=action_mask)
        gymnasium.Wrapper.__init__(self, env)
        self._keys = observation, action_mask
        self.observation_space = spaces.Dict(
            {observation: env.observation_space, action_mask: spaces.Box(0, 1, (CELLS,), np.int8)}
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Reset the environment, and add the mask to its observation."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._with_mask(observation, info), info

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], Any, bool, bool, dict[str, Any]]:
        """Step the environment, and add the mask to its observation."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._with_mask(observation, info), reward, terminated, truncated, info

    def _with_mask(self, observation: Any, info: dict[str, Any]) -> dict[str, np.ndarray]:
        observation_key, mask_key = self._keys
        return {observation_key: observation, mask_key: info["action_mask"].copy()}
