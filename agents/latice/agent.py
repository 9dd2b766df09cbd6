"""What an agent of Latice is, and the names of those there are."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from agents.errors import UsageError
from agents.options import refuse_options, split_name


class LaticeAgent(Protocol):
    """Anything that answers the one question: what is each micro-action worth to the player to move?

    The answer for a view follows from the view alone and from the agent's seed.
    """

    def values(self, views: np.ndarray) -> np.ndarray:
        """float32 (N, 764): the worth of each micro-action, minus infinity where it is not legal.

        The action is the argmax. The unit is the agent's own.

        Args:
            views: records (N,) of games that are not over, as the players see them whose turn it is, see
                :func:`latice_env.state.views`.
        """
        ...


#: Name -> "module:factory"; a factory takes a seed.
LATICE_AGENTS: Final[dict[str, str]] = {
    "random": "agents.latice.heuristics:RandomAgent",
    "greedy": "agents.latice.heuristics:GreedyAgent",
    "planner": "agents.latice.planner:PlannerAgent",
    "ppo": "agents.latice.policy:make_policy",
}
#: Those that are trained: their factories take a directory besides, or None for the model that is shipped.
TRAINED: Final = ("ppo",)


def make_latice_agent(spec: str, seed: int = 0) -> LaticeAgent:
    """The agent that a text names: one of :data:`LATICE_AGENTS`, or ``ppo:directory`` for one of your own.

    Raises:
        UsageError: for an unknown name, or a directory that holds no such agent.
    """
    named = split_name(spec)
    if named.name not in LATICE_AGENTS:
        raise UsageError(f"unknown agent of Latice {named.name!r}: choose one of {', '.join(LATICE_AGENTS)}")
    refuse_options(named)
    module, _, factory = LATICE_AGENTS[named.name].partition(":")
    make: Callable[..., LaticeAgent] = getattr(import_module(module), factory)
    if named.name in TRAINED:
        return make(seed, Path(named.source) if named.source else None)
    if named.source:
        raise UsageError(f"{named.name} is not trained: write {named.name}, not {spec}")
    return make(seed)
