"""Take It Easy! as Gymnasium environments: importing the package registers ``TakeItEasy-v0`` and others."""

from takeiteasy_env.env import TakeItEasyEnv
from takeiteasy_env.position import Positions
from takeiteasy_env.registration import ENVIRONMENTS, register_environments
from takeiteasy_env.rules import Rules
from takeiteasy_env.vector_env import TakeItEasyVectorEnv
from takeiteasy_env.wrappers import DictObservation

__all__ = [
    "ENVIRONMENTS",
    "DictObservation",
    "Positions",
    "Rules",
    "TakeItEasyEnv",
    "TakeItEasyVectorEnv",
]

register_environments()
