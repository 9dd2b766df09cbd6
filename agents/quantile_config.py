"""How the quantiles of the final score are learned, as numbers.

Imports no PyTorch: commands read it before they choose threads.
"""

from dataclasses import dataclass

from agents.config import AgentConfig
from agents.errors import UsageError


@dataclass
class QuantileConfig(AgentConfig):
    """What ``configs/agent/quantile.yaml`` and the presets set.

    Attributes:
        model: directory of the value model whose play they describe, null for the shipped one of these rules.
        quantiles: how many, each the mean of a slice of equal probability.
        stack: units of the two layers behind the value network's first one.
        games: games that are played for each turn, one board of each.
        exploration: part of the moves in them that are random.
        steps: steps of gradient descent for each turn.
        batch: boards in one step.
        learning_rate: of Adam, at its highest; it falls to 0 as a cosine.
    """

    model: str | None
    quantiles: int
    stack: int
    games: int
    exploration: float
    steps: int
    batch: int
    learning_rate: float

    def check(self) -> None:
        """Raise :class:`UsageError` for a value out of range, naming it and what is allowed."""
        super().check()
        for name, least in (("quantiles", 2), ("stack", 1), ("games", 1), ("steps", 1), ("batch", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give {least} or more")
        if not self.learning_rate > 0:
            raise UsageError(f"agent.learning_rate={self.learning_rate}: give more than 0")
        if not 0 <= self.exploration <= 1:
            raise UsageError(f"agent.exploration={self.exploration}: give 0 to 1")
