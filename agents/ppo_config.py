"""How PPO learns, as numbers.

Imports no PyTorch: commands read it before they choose threads.
"""

from dataclasses import dataclass

from agents.config import AgentConfig
from agents.errors import UsageError


@dataclass
class PPOConfig(AgentConfig):
    """What ``configs/agent/ppo.yaml`` and the presets set.

    Attributes:
        width: units of the first layer.
        stack: units of the two layers behind it.
        rounds: how often games are played and learned from.
        games: games of each round, all 19 placements of each.
        epochs: how often a round's placements are gone through.
        batch: placements of one step of gradient descent.
        learning_rate: of Adam, at its highest; it falls to 0 as a cosine.
        gae_lambda: how far an advantage looks at what was gained rather than at the predicted value.
        clip: how far the probability of a placement may move before its gradient is cut off, as a part.
        entropy: weight of the entropy of the policy; it falls to 0 with the learning rate.
    """

    width: int
    stack: int
    rounds: int
    games: int
    epochs: int
    batch: int
    learning_rate: float
    gae_lambda: float
    clip: float
    entropy: float

    def check(self) -> None:
        """Raise :class:`UsageError` for a value out of range, naming it and what is allowed."""
        super().check()
        for name in ("width", "stack", "rounds", "games", "epochs", "batch"):
            if getattr(self, name) < 1:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give 1 or more")
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give more than 0")
        if not 0 <= self.gae_lambda <= 1:
            raise UsageError(f"agent.gae_lambda={self.gae_lambda}: give 0 to 1")
        if not self.entropy >= 0:
            raise UsageError(f"agent.entropy={self.entropy}: give 0 or more")
