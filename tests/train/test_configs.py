"""What ``configs/`` composes for ``train.py``: every agent with every preset."""

from dataclasses import asdict
from pathlib import Path
from typing import cast

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf

from agents.trainers import LEARNERS
from train import TrainConfig, check

CONFIGS = Path(__file__).parents[2] / "configs"
PRESETS = ("quick", "standard", "strong")


def composed(*overrides: str) -> DictConfig:
    """The configuration of a command line."""
    with initialize_config_dir(str(CONFIGS), version_base="1.3"):
        return compose("train", list(overrides))


def config_of(*overrides: str) -> TrainConfig:
    return cast(TrainConfig, OmegaConf.to_object(composed(*overrides)))


@pytest.mark.parametrize("agent", LEARNERS)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_agent_can_be_trained_with_every_preset(agent: str, preset: str):
    config = config_of(f"agent={agent}", f"preset={preset}")
    assert type(config.agent) is LEARNERS[agent].config
    assert config.agent.name == agent
    check(config)


def test_no_preset_is_that_of_no_agent():
    files = {path.relative_to(CONFIGS / "preset").with_suffix("") for path in CONFIGS.glob("preset/*/*.yaml")}
    assert files == {Path(agent, preset) for agent in LEARNERS for preset in PRESETS}


def test_a_setting_of_the_command_line_comes_before_that_of_a_preset():
    strong, wide = config_of("preset=strong"), config_of("preset=strong", "agent.width=1000")
    assert asdict(wide.agent) == asdict(strong.agent) | {"width": 1000}
