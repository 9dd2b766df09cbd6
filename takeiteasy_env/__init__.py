"""Take It Easy! as Gymnasium environments: importing the package registers ``TakeItEasy-v0`` and others."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from takeiteasy_env.env import TakeItEasyEnv
from takeiteasy_env.position import Positions
from takeiteasy_env.record import GameRecord
from takeiteasy_env.registration import ENVIRONMENTS, register_environments
from takeiteasy_env.rules import Rules
from takeiteasy_env.vector_env import TakeItEasyVectorEnv
from takeiteasy_env.wrappers import DictObservation

if TYPE_CHECKING:
    from takeiteasy_env.table_env import TakeItEasyTableEnv as TakeItEasyTableEnv
    from takeiteasy_env.table_env import parallel_env as parallel_env

__all__ = [
    "ENVIRONMENTS",
    "DictObservation",
    "GameRecord",
    "Positions",
    "Rules",
    "TakeItEasyEnv",
    "TakeItEasyVectorEnv",
]

register_environments()


def __getattr__(name: str) -> Any:
    """The table, imported when asked for, since it alone needs PettingZoo."""
    if name in ("TakeItEasyTableEnv", "parallel_env"):
        return getattr(import_module("takeiteasy_env.table_env"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
