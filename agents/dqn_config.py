"""How Q-learning learns, as numbers.

Imports no PyTorch: commands read it before they choose threads.
"""

from dataclasses import dataclass

from agents.config import AgentConfig
from agents.errors import UsageError


@dataclass
class DQNConfig(AgentConfig):
    """What ``configs/agent/dqn.yaml`` and the presets set.

    Attributes:
        width: units of the first layer.
        stack: units of the two layers behind it.
        quantiles: of the points to come that are predicted for each cell.
        rounds: how often games are played and learned from.
        games: games of each round.
        replay_games: games that the replay buffer holds.
        steps: steps of gradient descent in each round.
        batch: placements of one step.
        learning_rate: of Adam, at its highest; it falls to 0 as a cosine.
        n_step: placements whose points a target counts before it asks the target network.
        averaging: what each step keeps of the target network, a moving average of the network.
        exploration: part of the moves that are random at first; it falls to 0.
    """

    width: int
    stack: int
    quantiles: int
    rounds: int
    games: int
    replay_games: int
    steps: int
    batch: int
    learning_rate: float
    n_step: int
    averaging: float
    exploration: float

    def check(self) -> None:
        """Raise :class:`UsageError` for a value out of range, naming it and what is allowed."""
        super().check()
        counts = (
            "width",
            "stack",
            "quantiles",
            "rounds",
            "games",
            "replay_games",
            "steps",
            "batch",
            "n_step",
        )
        for name in counts:
            if getattr(self, name) < 1:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give 1 or more")
        if self.replay_games < self.games:
            raise UsageError(f"agent.replay_games={self.replay_games}: give agent.games={self.games} or more")
        if not self.learning_rate > 0:
            raise UsageError(f"agent.learning_rate={self.learning_rate}: give more than 0")
        for name in ("averaging", "exploration"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give 0 to 1")
