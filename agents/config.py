"""The part of the configuration that every command shares: which rules are played."""

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


def rules_from_config(config: RulesConfig, players: int = 1) -> Rules:
    """The rules that a configuration describes, for a player alone or for a table of several.

    Raises:
        UsageError: for a value that the rules do not allow, or that so many players cannot play.
    """
    try:
        return rules_for(players, config.placement, config.scoring, config.suns)
    except ValueError as error:
        raise UsageError(f"rules: {error}") from None
