"""The table of the environments, registered with Gymnasium when the package is imported."""

from typing import Any, Final

import gymnasium

#: Id -> the arguments of :class:`takeiteasy_env.env.TakeItEasyEnv` that differ from its defaults.
ENVIRONMENTS: Final[dict[str, dict[str, Any]]] = {
    "TakeItEasy-v0": {},
    "TakeItEasyAdjacent-v0": {"placement": "adjacent"},
    "TakeItEasySunMoon-v0": {"placement": "sun_moon"},
    "TakeItEasySunrays-v0": {"scoring": "sunrays"},
}


def register_environments() -> None:
    """Register every environment of the table that is not registered yet."""
    for environment_id, arguments in ENVIRONMENTS.items():
        if environment_id not in gymnasium.registry:
            gymnasium.register(
                environment_id,
                entry_point="takeiteasy_env.env:TakeItEasyEnv",
                vector_entry_point="takeiteasy_env.vector_env:TakeItEasyVectorEnv",
                kwargs=dict(arguments),
            )
