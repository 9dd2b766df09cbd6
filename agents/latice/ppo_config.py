"""How PPO learns Latice, as numbers.

Imports no PyTorch: commands read it before they choose threads.
"""

from dataclasses import dataclass

from agents.config import AgentConfig
from agents.errors import UsageError
from latice_env.rules import Rules


@dataclass
class LaticePPOConfig(AgentConfig):
    """What ``configs/agent/latice_ppo.yaml`` and the presets set.

    Attributes:
        deal: of its games, standard or tournament.
        width: units of each hidden layer.
        rounds: how often games are played and learned from.
        games: games of each round.
        league: part of the games in which one seat is played by a policy of the past.
        epochs: how often a round's decisions are gone through.
        batch: decisions of one step of gradient descent.
        learning_rate: of Adam, at its highest; it falls to 0 as a cosine.
        gae_lambda: how far an advantage looks at how the game ended rather than at the next value.
        clip: how far the probability of an action may move before its gradient is cut off, as a part.
        entropy: weight of the entropy of the policy; it falls to 0 with the learning rate.
    """

    deal: str
    width: int
    rounds: int
    games: int
    league: float
    epochs: int
    batch: int
    learning_rate: float
    gae_lambda: float
    clip: float
    entropy: float

    @property
    def rules(self) -> Rules:
        """The rules of its games.

        Raises:
            ValueError: naming the argument, for a value that is not allowed.
        """
        return Rules(self.players, self.deal)

    def check(self) -> None:
        """Raise :class:`UsageError` for a value out of range, naming it and what is allowed."""
        try:
            _ = self.rules
        except ValueError as error:
            raise UsageError(f"agent: {error}") from None
        for name in ("width", "rounds", "epochs", "batch"):
            if getattr(self, name) < 1:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give 1 or more")
        if self.games < 2:
            raise UsageError(f"agent.games={self.games}: give 2 or more")
        for name in ("learning_rate", "clip"):
            if not getattr(self, name) > 0:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give more than 0")
        for name in ("league", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give 0 to 1")
        if not self.entropy >= 0:
            raise UsageError(f"agent.entropy={self.entropy}: give 0 or more")
