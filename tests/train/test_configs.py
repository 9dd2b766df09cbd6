"""What ``configs/`` composes for ``train.py``: every agent with every preset."""

import logging
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import cast

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf

from agents.trainers import LEARNERS
from train import TrainConfig, check

CONFIGS = Path(__file__).parents[2] / "configs"
RESULTS = Path(__file__).parents[2] / "results"
#: The directory of the run that each experiment repeats.
PUBLISHED = {
    "value_strong": "train_strong",
    "ppo_standard": "train_ppo",
    "dqn_standard": "train_dqn",
    "quantile_quick": "quantile",
    "latice_ppo_strong": "train_latice",
} | {f"value_quick_{run.name}": f"train_quick/{run.name}" for run in (RESULTS / "train_quick").iterdir()}
EXPERIMENTS = sorted(path.stem for path in CONFIGS.glob("experiment/*.yaml"))
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
    config = config_of(f"game={LEARNERS[agent].game}", f"agent={agent}", f"preset={preset}")
    assert type(config.agent) is LEARNERS[agent].config
    assert config.agent.name == agent
    check(config)


def test_no_preset_is_that_of_no_agent():
    files = {path.relative_to(CONFIGS / "preset").with_suffix("") for path in CONFIGS.glob("preset/*/*.yaml")}
    assert files == {Path(agent, preset) for agent in LEARNERS for preset in PRESETS}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_can_be_trained(experiment: str):
    config = config_of(f"experiment={experiment}")
    check(config)
    assert experiment.startswith(config.agent.name)


def test_there_is_an_experiment_for_each_run_that_was_published():
    assert sorted(PUBLISHED) == EXPERIMENTS


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_an_experiment_has_the_settings_of_the_run_that_was_published(experiment: str):
    published = OmegaConf.load(RESULTS / PUBLISHED[experiment] / "run.yaml")
    config = asdict(config_of(f"experiment={experiment}"))
    settings = dict(published.agent)
    # The strong run chose matching, which every value network has now.
    assert settings.pop("matching", True)
    assert config["agent"] == settings
    assert config["rules"] == published.rules
    assert (config["seed"], config["evaluation_games"]) == (published.seed, published.evaluation_games)


def test_settings_of_the_command_line_come_before_those_of_an_experiment():
    config = config_of("experiment=value_quick_adjacent", "seed=3", "preset=strong")
    assert (config.seed, config.rules.placement) == (3, "adjacent")
    assert config.agent == config_of("preset=strong").agent


@pytest.mark.parametrize("agent", sorted(LEARNERS.keys() - {"quantile"}))
def test_every_agent_that_learns_to_play_has_a_search_space_of_settings_that_it_has(agent: str):
    """What chooses is how well it plays, and learning quantiles leaves that as it is."""
    search = OmegaConf.load(CONFIGS / "search" / f"{agent}.yaml")
    names = {field.name for field in fields(LEARNERS[agent].config)}
    assert {f"agent.{name}" for name in names} >= set(search.hydra.sweeper.params)


@pytest.fixture
def logs_as_before() -> Iterator[None]:
    """What Hydra shows it logs, and its handler would stay with the output of this test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("logs_as_before")
@pytest.mark.parametrize("flags", [("--cfg", "job"), ("--info", "defaults"), ("--info", "config")])
def test_hydra_prints_the_configuration_that_it_composes(train_here, tmp_path, capsys, flags):
    assert train_here(*flags, "preset=strong", "rules=adjacent") == 0
    out = capsys.readouterr().out
    assert ("preset/value/strong" if "defaults" in flags else "placement: adjacent") in out
    assert not list(tmp_path.iterdir()), "it trained"


def test_a_setting_of_the_command_line_comes_before_that_of_a_preset():
    strong, wide = config_of("preset=strong"), config_of("preset=strong", "agent.width=1000")
    assert asdict(wide.agent) == asdict(strong.agent) | {"width": 1000}
