"""The part of the configuration that every command shares: which rules are played."""

from dataclasses import dataclass
from typing import Any

from agents.errors import UsageError
from takeiteasy_env.rules import Rules


@dataclass
class RulesConfig:
    """The ``rules`` group of ``configs/``.

    Attributes:
        placement: free, adjacent or sun_moon.
        scoring: standard or sunrays.
        suns: the tiles that are suns, or 27 flags; null for the default map.
    """

    placement: str = "free"
    scoring: str = "standard"
    suns: list[Any] | None = None


def rules_from_config(config: RulesConfig) -> Rules:
    """The rules that a configuration describes.

    Raises:
        UsageError: for a value that the rules do not allow.
    """
    try:
        if config.suns is None:
            return Rules(config.placement, config.scoring)
        return Rules(config.placement, config.scoring, tuple(config.suns))
    except ValueError as error:
        raise UsageError(f"rules: {error}") from None
