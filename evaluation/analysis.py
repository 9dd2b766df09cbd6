"""What was the best move? A recorded game judged by an agent, and by what the draws still allowed.

analyse(GameRecord.load("game.json"), "value")
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import make_agent
from agents.errors import UsageError
from agents.play import PlayError, best_cells
from takeiteasy_env.hindsight import hindsight
from takeiteasy_env.record import GameRecord
from takeiteasy_env.tiles import TILE_CODES


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an agent thinks of each of the M moves of a game.

    Attributes:
        agent: the text that names it.
        values: float32 (M, 19), the worth of each cell before each move in the agent's own unit, minus
            infinity where the tile may not go.
        best: int64 (M,), the cells that it would have chosen.
        losses: float32 (M,), how much more these are worth to it than the cells that were played, at least 0.
    """

    agent: str
    values: np.ndarray
    best: np.ndarray
    losses: np.ndarray


@dataclass(frozen=True, slots=True)
class Analysis:
    """A game of M moves, judged.

    Attributes:
        record: the game.
        judgement: what an agent thinks of it.
        attainable: int64 (M + 1,), points: the best score that the draws still allowed before the first move
            and after each.
    """

    record: GameRecord
    judgement: Judgement
    attainable: np.ndarray

    @property
    def hindsight_losses(self) -> np.ndarray:
        """int64 (M,): by how many points each move lowered the best score that the draws allowed."""
        return -np.diff(self.attainable)

    def moves(self) -> list[dict[str, Any]]:
        """Each move as plain numbers, worth and losses in the agent's unit, hindsight in points."""
        judged, record = self.judgement, self.record
        return [
            {
                "tile": int(TILE_CODES[record.draws[move]]),
                "cell": cell,
                "points": record.points[move],
                "worth": float(judged.values[move, cell]),
                "best_cell": int(judged.best[move]),
                "loss": float(judged.losses[move]),
                "attainable": int(self.attainable[move + 1]),
                "hindsight_loss": int(self.hindsight_losses[move]),
            }
            for move, cell in enumerate(record.placements)
        ]


def analyse(record: GameRecord, agent: str, seed: int = 0) -> Analysis:
    """Let an agent judge each move of a game, and find what each cost with the draws known.

    Args:
        record: the game, of rules for one player.
        agent: a text that :func:`agents.agent.make_agent` understands.
        seed: of the agent's random choices.

    Raises:
        UsageError: when the agent cannot judge these rules, or gives no values.
        ValueError: for rules that need a table of several players.
    """
    return Analysis(record, judge(record, agent, seed), attainable_scores(record))


def judge(record: GameRecord, agent: str, seed: int = 0) -> Judgement:
    """What an agent thinks of each move of a game.

    Raises:
        UsageError: when it cannot judge these rules, or gives no values.
    """
    positions = record.positions
    values = make_agent(agent, record.rules, seed).values(positions)
    try:
        best = best_cells(values, positions, record.rules, turn=0)
    except PlayError as error:
        raise UsageError(f"agent {agent!r}, move {error.game + 1}: {error.reason}") from None
    moves = np.arange(len(best))
    losses = values[moves, best] - values[moves, list(record.placements)]
    return Judgement(agent, values, best, losses)


def attainable_scores(record: GameRecord) -> np.ndarray:
    """int64 (M + 1,): the best score that the draws allow from the start and after each of the M moves.

    Raises:
        ValueError: for rules that need a table of several players.
    """
    placed = [record.placements[:moves] for moves in range(len(record.placements) + 1)]
    return np.array([hindsight(record.draws, record.rules, placed=cells).score for cells in placed])
