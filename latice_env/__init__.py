"""Latice, a tile game for two to four players: ``latice_env.env()`` is a PettingZoo environment."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from latice_env.rules import Rules

if TYPE_CHECKING:
    from latice_env.table_env import LaticeEnv as LaticeEnv
    from latice_env.table_env import env as env

__all__ = ["Rules"]


def __getattr__(name: str) -> Any:
    """The environment, imported when asked for, since it alone needs PettingZoo."""
    if name in ("LaticeEnv", "env"):
        return getattr(import_module("latice_env.table_env"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
