"""Many agents on the same draws."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from agents.agent import make_agent
from agents.errors import UsageError
from agents.play import PlayError, play
from agents.progress import Progress
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import Rules

#: Games played side by side. An agent is made anew, with a seed of its own, for each such shard, so that its
#: games depend on the seed and on their number alone.
SHARD_GAMES: Final = 5_000
WARM_UP_GAMES: Final = 4
#: The least number of games: one has no spread, hence no interval.
MIN_GAMES: Final = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """What one agent did in a tournament.

    Attributes:
        agent: the text that names it.
        scores: int16 (N,), points, in the order of the draws.
        seconds: how long it played, without the time to load it and to compile.
    """

    agent: str
    scores: np.ndarray
    seconds: float

    @property
    def games_per_second(self) -> float:
        """Games a second, all 19 moves of each."""
        return len(self.scores) / self.seconds


def play_tournament(agents: Sequence[str], games: int, seed: int, rules: Rules) -> list[Entry]:
    """Let each agent play the same ``games`` draws, which follow from ``seed``, and show the progress.

    Args:
        agents: texts that :func:`agents.agent.make_agent` understands, each once.
        games: how many, at least 2.
        seed: of the draws and of the agents' random choices, 0 or more.
        rules: the rules of all the games.

    Raises:
        UsageError: for arguments that are not as above, and for an agent that answers with what is no move;
            then it names the agent, the game and the move.
    """
    _check(agents, games, seed)
    draws = draw_orders(stream(seed, Purpose.EVALUATE), games)
    for agent in agents:
        _play_shard(agent, draws, 0, WARM_UP_GAMES, seed, rules)
    scores = np.empty((len(agents), games), dtype=np.int16)
    seconds = np.zeros(len(agents))
    with Progress("evaluating", total=len(agents) * games) as progress:
        for first in range(0, games, SHARD_GAMES):
            for row, agent in enumerate(agents):
                shard, took = _play_shard(agent, draws, first, SHARD_GAMES, seed, rules)
                scores[row, first : first + len(shard)] = shard
                seconds[row] += took
                progress.update(
                    len(agents) * first + (row + 1) * len(shard),
                    f"{agent} {scores[row, : first + len(shard)].mean():.1f}",
                )
    return [Entry(agent, scores[row], float(seconds[row])) for row, agent in enumerate(agents)]


def _check(agents: Sequence[str], games: int, seed: int) -> None:
    if not agents:
        raise UsageError("agents is empty: name at least one")
    twice = sorted({agent for agent in agents if list(agents).count(agent) > 1})
    if twice:
        raise UsageError(f"agents names {twice[0]!r} twice: it would play the same games again")
    if games < MIN_GAMES:
        raise UsageError(f"games={games}: give {MIN_GAMES} or more")
    if seed < 0:
        raise UsageError(f"seed={seed}: give 0 or more")


def _play_shard(
    agent: str, draws: np.ndarray, first: int, games: int, seed: int, rules: Rules
) -> tuple[np.ndarray, float]:
    """The scores of up to ``games`` games from ``first`` on, and how many seconds they took."""
    shard_seed = stream(seed, Purpose.AGENT, first // SHARD_GAMES).integers(1 << 63)
    player = make_agent(agent, rules, int(shard_seed))
    start = time.perf_counter()
    try:
        scores = play(player, draws[first : first + games], rules).scores
    except PlayError as error:
        raise UsageError(
            f"agent {agent!r}, game {first + error.game}, move {error.turn + 1} of 19: {error.reason}"
        ) from None
    return scores, time.perf_counter() - start
