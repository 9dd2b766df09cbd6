"""Many games of Latice at once, each seat played by an agent."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from agents.latice.agent import LaticeAgent
from latice_env.actions import ACTIONS, WIND_SHIFT
from latice_env.actions import EXCHANGE as LAST_SHIFT
from latice_env.rules import Rules
from latice_env.state import GAME, Outcome, views
from latice_env.vector_env import advance, begin_all


class Games(NamedTuple):
    """Games that are over.

    Attributes:
        winners: bool (N, P), who won; several share a tie.
        outcomes: int8 (N,), how they ended, as :class:`latice_env.state.Outcome`.
        actions: int32 (N, P), micro-actions of each player.
        turns: int32 (N, P), turns of each player.
        winds: int32 (N, P), winds that each player played.
        left: int8 (N, P), tiles that each player had left.
    """

    winners: np.ndarray
    outcomes: np.ndarray
    actions: np.ndarray
    turns: np.ndarray
    winds: np.ndarray
    left: np.ndarray


def play(agents: Sequence[LaticeAgent], rules: Rules, words: np.ndarray) -> Games:
    """Play a game for each row of words, in which agent i sits at seat i.

    Args:
        agents: as many as there are players.
        rules: the rules.
        words: uint64 (N, 5), see :func:`latice_env.deal.begin`.
    """
    count, players = len(words), rules.players
    records = np.zeros(count, dtype=GAME)
    masks = np.zeros((count, ACTIONS), dtype=np.int8)
    begin_all(records, np.arange(count), words, rules.code, masks)
    numbers = np.zeros((3, count, players), dtype=np.int32)
    actions = np.zeros(count, dtype=np.int64)
    rewards = np.zeros((count, players), dtype=np.float32)
    outcomes = np.zeros(count, dtype=np.int8)
    movers = np.full(count, -1)
    while (playing := records["outcome"] == Outcome.PLAYING).any():
        for seat, agent in enumerate(agents):
            rows = np.flatnonzero(playing & (records["player"] == seat))
            if len(rows):
                actions[rows] = agent.values(views(records[rows])).argmax(axis=1)
        _count(playing, records["player"], actions, movers, numbers)
        advance(records, actions, 0.0, masks, rewards, outcomes)
    return Games(
        winners=records["winners"][:, :players].astype(np.bool_),
        outcomes=outcomes,
        actions=numbers[0],
        turns=numbers[1],
        winds=numbers[2],
        left=(records["rack_sizes"] + records["pool_sizes"])[:, :players],
    )


@njit(cache=True)
def _count(
    playing: np.ndarray, players: np.ndarray, actions: np.ndarray, movers: np.ndarray, numbers: np.ndarray
) -> None:
    """Count each player's actions, turns and winds; ``movers`` holds who moved before."""
    for game in range(len(playing)):
        if playing[game]:
            player = players[game]
            numbers[0, game, player] += 1
            numbers[1, game, player] += movers[game] != player
            numbers[2, game, player] += WIND_SHIFT <= actions[game] <= LAST_SHIFT
            movers[game] = player
