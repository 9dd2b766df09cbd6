"""What an agent is, and the table of those that go by a name."""

from importlib import import_module
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from agents.errors import UsageError
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules


class Agent(Protocol):
    """Anything that answers the one question: what is each cell worth for the tile in hand?"""

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): the worth of each cell, minus infinity where the tile may not go.

        The move is the argmax, on ties the lowest cell. The unit is the agent's own: points for those that
        predict points.
        """
        ...


class AgentFactory(Protocol):
    """How an agent is made."""

    def __call__(self, rules: Rules, seed: int, source: Path | None) -> Agent:
        """Make the agent for ``rules``.

        Args:
            rules: the rules it will play.
            seed: seeds its random choices, where it makes any.
            source: a run directory or model directory to load, None for the shipped model.

        Raises:
            UsageError: when it cannot play these rules or cannot load ``source``.
        """
        ...


#: Name -> "module:factory", imported when asked for, so that a baseline does not wait for PyTorch.
AGENTS: Final[dict[str, str]] = {
    "random": "agents.heuristics:make_random",
    "greedy": "agents.heuristics:make_greedy",
    "line_odds": "agents.line_odds:make_line_odds",
    "value": "agents.value:make_value",
    "search": "agents.search:make_search",
}


def make_agent(spec: str, rules: Rules, seed: int = 0) -> Agent:
    """The agent that a text names: ``name``, or ``name:directory`` for one trained by yourself.

    Raises:
        UsageError: for an unknown name or a directory that holds no such agent.
    """
    name, _, source = spec.partition(":")
    if name not in AGENTS:
        raise UsageError(f"unknown agent {name!r}: choose one of {', '.join(AGENTS)}, or name:run_directory")
    module, _, factory = AGENTS[name].partition(":")
    make: AgentFactory = getattr(import_module(module), factory)
    return make(rules, seed, Path(source) if source else None)
