"""What the configurations of PPO and of Q-learning may say."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from agents.config import AgentConfig
from agents.dqn_config import DQNConfig
from agents.errors import UsageError
from agents.ppo_config import PPOConfig

CONFIGS = Path(__file__).parents[2] / "configs" / "agent"
SCHEMAS = {"ppo": PPOConfig, "dqn": DQNConfig}


def config_of(name: str, changes: dict[str, Any]) -> AgentConfig:
    """The defaults with some settings changed, as Hydra composes them."""
    defaults = OmegaConf.load(CONFIGS / f"{name}.yaml")
    defaults.pop("defaults")
    assert set(defaults) == {field.name for field in fields(SCHEMAS[name])}, "the file shows every setting"
    config = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(SCHEMAS[name]), defaults, changes))
    assert isinstance(config, AgentConfig)
    return config


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("ppo", {"width": 1, "stack": 1, "rounds": 1, "games": 1, "epochs": 1, "batch": 1}),
        ("ppo", {"gae_lambda": 0.0, "entropy": 0.0}),
        ("ppo", {"gae_lambda": 1.0, "clip": 1e-9}),
        ("dqn", {"width": 1, "stack": 1, "quantiles": 1, "rounds": 1, "steps": 1, "batch": 1, "n_step": 1}),
        ("dqn", {"games": 7, "replay_games": 7, "averaging": 0.0, "exploration": 0.0}),
        ("dqn", {"n_step": 100, "averaging": 1.0, "exploration": 1.0}),
    ],
)
def test_the_ends_of_each_range_are_allowed(name: str, changes: dict[str, Any]):
    config_of(name, changes).check()


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        *(("ppo", setting, 0) for setting in ("width", "stack", "rounds", "games", "epochs", "batch")),
        *(("ppo", setting, 0.0) for setting in ("learning_rate", "clip")),
        ("ppo", "learning_rate", float("nan")),
        ("ppo", "gae_lambda", -0.01),
        ("ppo", "gae_lambda", 1.01),
        ("ppo", "entropy", -0.01),
        ("ppo", "players", 1),
        *(("dqn", setting, 0) for setting in ("width", "stack", "quantiles", "rounds", "games")),
        *(("dqn", setting, 0) for setting in ("replay_games", "steps", "batch", "n_step")),
        ("dqn", "replay_games", 255),
        ("dqn", "learning_rate", 0.0),
        ("dqn", "averaging", 1.01),
        ("dqn", "exploration", -0.01),
        ("dqn", "players", 7),
    ],
)
def test_a_value_out_of_range_is_named_with_what_is_allowed(name: str, setting: str, value: float):
    with pytest.raises(UsageError, match=rf"^agent\.{setting}=[^\n]+: give [^\n]+$"):
        config_of(name, {setting: value}).check()
