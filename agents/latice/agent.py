"""What an agent of Latice is, and the names of those there are."""

from collections.abc import Callable
from importlib import import_module
from typing import Final, Protocol

import numpy as np

from agents.errors import UsageError


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
}


def make_latice_agent(name: str, seed: int = 0) -> LaticeAgent:
    """The agent of that name.

    Raises:
        UsageError: naming those there are, when there is none.
    """
    if name not in LATICE_AGENTS:
        raise UsageError(f"unknown agent of Latice {name!r}: choose one of {', '.join(LATICE_AGENTS)}")
    module, _, factory = LATICE_AGENTS[name].partition(":")
    make: Callable[[int], LaticeAgent] = getattr(import_module(module), factory)
    return make(seed)
