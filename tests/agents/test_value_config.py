"""What the configuration of the value agent may say, and what the files in ``configs/`` say."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from agents.errors import UsageError
from agents.value_config import ValueConfig

CONFIGS = Path(__file__).parents[2] / "configs"
DEFAULTS = OmegaConf.load(CONFIGS / "agent" / "value.yaml")
DEFAULTS.pop("defaults")


def config_of(*changes: Any) -> ValueConfig:
    """The defaults with some settings changed, as Hydra composes them."""
    config = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(ValueConfig), DEFAULTS, *changes))
    assert isinstance(config, ValueConfig)
    return config


@pytest.mark.parametrize(
    "changes",
    [
        {
            "width": 1,
            "stack": 1,
            "rounds": 1,
            "games": 1,
            "kept": 1.0,
            "replay_rounds": 1,
            "steps": 1,
            "batch": 1,
        },
        {"lesson_games": 0, "lesson_steps": 0},
        {"exploration": 0.0, "players": 6},
        {"exploration": 1.0},
    ],
)
def test_the_ends_of_each_range_are_allowed(changes: dict[str, Any]):
    config_of(changes).check()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("width", 0),
        ("stack", 0),
        ("rounds", 0),
        ("games", -1),
        ("replay_rounds", 0),
        ("steps", 0),
        ("batch", 0),
        ("lesson_games", -1),
        ("lesson_steps", -1),
        ("lesson_steps", 0),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("exploration", -0.1),
        ("exploration", 1.1),
        ("players", 1),
        ("players", 7),
        ("kept", 0.0),
        ("kept", 1.1),
        ("kept", float("nan")),
    ],
)
def test_a_value_out_of_range_is_named_with_what_is_allowed(name: str, value: object):
    with pytest.raises(UsageError, match=rf"^agent\.{name}={value}: give [^\n]+$"):
        config_of({name: value}).check()


def test_the_file_shows_every_setting():
    assert set(DEFAULTS) == {field.name for field in fields(ValueConfig)}
