"""What configurations share: which rules are played, and what every agent that learns has."""

from dataclasses import dataclass
from typing import Any

from agents.errors import UsageError
from takeiteasy_env.arguments import rules_for
from takeiteasy_env.rules import Rules


@dataclass
class RulesConfig:
    """The ``rules`` group of ``configs/``.

    Attributes:
        placement: free, adjacent or sun_moon.
        scoring: standard or sunrays, or best_ray at a table.
        suns: the tiles that are suns, or 27 flags; null for the default map.
    """

    placement: str = "free"
    scoring: str = "standard"
    suns: list[Any] | None = None


@dataclass
class AgentConfig:
    """What the ``agent`` group of ``configs/`` sets for every agent that learns; each adds its own.

    Attributes:
        name: which agent it is.
        players: boards on the same draws that compete under ``best_ray``.
    """

    name: str
    players: int

    def check(self) -> None:
        """Raise :class:`UsageError` for a value out of range, naming it and what is allowed."""
        if not 2 <= self.players <= 6:
            raise UsageError(f"agent.players={self.players}: give 2 to 6")


def rules_from_config(config: RulesConfig, players: int = 1) -> Rules:
    """The rules that a configuration describes, for a player alone or for a table of several.

    Raises:
        UsageError: for a value that the rules do not allow, or that so many players cannot play.
    """
    try:
        return rules_for(players, config.placement, config.scoring, config.suns)
    except ValueError as error:
        raise UsageError(f"rules: {error}") from None
