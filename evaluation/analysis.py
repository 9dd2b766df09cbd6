"""What was the best move? A recorded game, judged by agents and by what its draws still allowed.

``analyse(GameRecord.load("game.json"), "value")`` says it in Python, and in a table and a page
``python evaluate.py analyse=game.json``.
"""

from dataclasses import dataclass, replace

import numpy as np

from agents.agent import RandomizedAgent, make_agent
from agents.errors import UsageError
from agents.play import PlayError, ask, best_cells
from takeiteasy_env.board import CELLS
from takeiteasy_env.hindsight import hindsight
from takeiteasy_env.record import GameRecord


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
        judgements: what each of some agents thinks of it.
        attainable: int64 (M + 1,), points of the board alone: the best score that the draws still allowed,
            before the first move and after each.
    """

    record: GameRecord
    judgements: tuple[Judgement, ...]
    attainable: np.ndarray

    @property
    def hindsight_losses(self) -> np.ndarray:
        """int64 (M,): by how many points each move lowered the best score that the draws allowed."""
        return -np.diff(self.attainable)


def analyse(record: GameRecord, *agents: str, seed: int = 0, number: int = 0) -> Analysis:
    """Let agents judge each move of a game, and find what each move cost with the draws known.

    Args:
        record: the game.
        agents: texts that :func:`agents.agent.make_agent` understands.
        seed: of the random choices of agents that make any.
        number: of the game, from which these choices follow too.

    Raises:
        UsageError: for an agent that cannot judge these rules, or gives no values.
    """
    judgements = tuple(judge(record, agent, seed, number) for agent in agents)
    return Analysis(record, judgements, attainable_scores(record))


def attainable_scores(record: GameRecord) -> np.ndarray:
    """int64 (M + 1,): the best score of the board alone that the draws allow, first and after each move."""
    rules = record.rules
    if rules.scoring == "best_ray":
        rules = replace(rules, scoring="standard")
    best = hindsight(record.draws, rules)
    scores = [best.score]
    for move, cell in enumerate(record.placements):
        # A move that the best game makes too keeps its score in reach, and less than the game's is none.
        if best.board[cell] != record.draws[move] and best.score > record.score:
            best = hindsight(record.draws, rules, placed=record.placements[: move + 1])
        scores.append(best.score)
    return np.array(scores)


def judge(record: GameRecord, agent: str, seed: int = 0, number: int = 0) -> Judgement:
    """What an agent thinks of each move, asked one after the other as in a game.

    Raises:
        UsageError: for an agent that cannot judge these rules, or gives no values.
    """
    player = make_agent(agent, record.rules, seed)
    if isinstance(player, RandomizedAgent):
        player.begin(number)
    positions = record.positions
    moves = len(positions)
    values = np.empty((moves, CELLS), dtype=np.float32)
    best = np.empty(moves, dtype=np.int64)
    try:
        for move in range(moves):
            position = positions[move : move + 1]
            answer = ask(player, position, move)
            best[move] = best_cells(answer, position, record.rules, move)[0]
            values[move] = answer[0]
    except PlayError as error:
        raise UsageError(f"agent {agent!r}, move {error.turn + 1} of {CELLS}: {error.reason}") from None
    each = np.arange(moves)
    losses = values[each, best] - values[each, list(record.placements)]
    return Judgement(agent, values, best, losses)
