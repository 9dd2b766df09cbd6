"""How the value agent learns, as numbers.

Imports no PyTorch: commands read it before they choose threads.
"""

from dataclasses import dataclass

from agents.config import AgentConfig
from agents.errors import UsageError


@dataclass
class ValueConfig(AgentConfig):
    """What ``configs/agent/value.yaml`` and the presets set.

    Attributes:
        width: units of the first layer.
        stack: units of the two layers behind it.
        lesson_games: games of ``line_odds`` to learn from first, 0 for none.
        lesson_steps: steps of gradient descent on them.
        rounds: how often games are played and learned from.
        games: games of each round.
        kept: part of the games whose board of 16 tiles is valued exactly and kept; of emptier boards fewer
            are, as :func:`agents.replay.boards_per_turn` says.
        replay_rounds: rounds whose boards the replay buffer holds; their targets grow old.
        steps: steps of gradient descent in each round.
        batch: boards of 16 tiles in one step; fewer of emptier boards.
        learning_rate: of Adam, at its highest; it falls to 0 as a cosine.
        exploration: part of the moves that are random at first; it falls to 0.
    """

    width: int
    stack: int
    lesson_games: int
    lesson_steps: int
    rounds: int
    games: int
    kept: float
    replay_rounds: int
    steps: int
    batch: int
    learning_rate: float
    exploration: float

    def check(self) -> None:
        """Raise :class:`UsageError` for a value out of range, naming it and what is allowed."""
        super().check()
        for name in ("width", "stack", "rounds", "games", "replay_rounds", "steps", "batch"):
            if getattr(self, name) < 1:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give 1 or more")
        for name in ("lesson_games", "lesson_steps"):
            if getattr(self, name) < 0:
                raise UsageError(f"agent.{name}={getattr(self, name)}: give 0 or more")
        if self.lesson_games and not self.lesson_steps:
            raise UsageError("agent.lesson_steps=0: give 1 or more, or agent.lesson_games=0 for no lesson")
        if not self.learning_rate > 0:
            raise UsageError(f"agent.learning_rate={self.learning_rate}: give more than 0")
        if not 0 <= self.exploration <= 1:
            raise UsageError(f"agent.exploration={self.exploration}: give 0 to 1")
        if not 1 <= self.kept * self.games <= self.games:
            raise UsageError(
                f"agent.kept={self.kept}: give a part of the games, one game at least, 1 at most"
            )
