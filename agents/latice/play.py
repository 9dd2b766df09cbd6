"""Many games of Latice at once, each seat played by an agent."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numba import njit

from agents.latice.agent import LaticeAgent
from latice_env.actions import ACTIONS, BUY_WIND, BUY_WITH_HALFSTONES, BUY_WITH_SUNSTONE, WIND_SHIFT
from latice_env.actions import EXCHANGE as LAST_SHIFT
from latice_env.board import SQUARES
from latice_env.moves import stones_for
from latice_env.rules import Rules
from latice_env.state import GAME, Outcome, views
from latice_env.vector_env import advance, begin_all

_PLAYING: Final = int(Outcome.PLAYING)


class Games(NamedTuple):
    """Games that are over.

    Attributes:
        winners: bool (N, P), who won; several share a tie.
        outcomes: int8 (N,), how they ended, as :class:`latice_env.state.Outcome`.
        left: int8 (N, P), tiles that each player had left.
        actions: int32 (N, P), micro-actions of each player.
        turns: int32 (N, P), turns of each player.
        winds: int32 (N, P), winds that each player played.
        sunstones: int32 (N, P), sunstones that each player earned.
        halfstones: int32 (N, P), halfstones that each player earned.
        sunstone_moves: int32 (N, P), moves that each player bought with a sunstone.
        halfstone_moves: int32 (N, P), moves that each player bought with two halfstones.
        winds_bought: int32 (N, P), winds that each player bought back.
        exchanged: int32 (N, P), tiles that each player exchanged.
        sunstones_kept: int8 (N, P), sunstones that each player had at the end.
        halfstones_kept: int8 (N, P), halfstones that each player had at the end.
    """

    winners: np.ndarray
    outcomes: np.ndarray
    left: np.ndarray
    actions: np.ndarray
    turns: np.ndarray
    winds: np.ndarray
    sunstones: np.ndarray
    halfstones: np.ndarray
    sunstone_moves: np.ndarray
    halfstone_moves: np.ndarray
    winds_bought: np.ndarray
    exchanged: np.ndarray
    sunstones_kept: np.ndarray
    halfstones_kept: np.ndarray


#: What is counted action by action, and where.
_COUNTED: Final = Games._fields[Games._fields.index("actions") : Games._fields.index("exchanged")]
_ACTIONS, _TURNS, _WINDS, _SUNSTONES, _HALFSTONES, _SUNSTONE_MOVES, _HALFSTONE_MOVES, _WINDS_BOUGHT = range(
    len(_COUNTED)
)


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
    numbers = np.zeros((len(_COUNTED), count, players), dtype=np.int32)
    actions = np.zeros(count, dtype=np.int64)
    rewards = np.zeros((count, players), dtype=np.float32)
    outcomes = np.zeros(count, dtype=np.int8)
    movers = np.full(count, -1)
    while (playing := records["outcome"] == Outcome.PLAYING).any():
        for seat, agent in enumerate(agents):
            rows = np.flatnonzero(playing & (records["player"] == seat))
            if len(rows):
                actions[rows] = agent.values(views(records[rows])).argmax(axis=1)
        _count(records, actions, movers, numbers)
        advance(records, actions, 0.0, masks, rewards, outcomes)
    return Games(
        winners=records["winners"][:, :players].astype(np.bool_),
        outcomes=outcomes,
        left=(records["rack_sizes"] + records["pool_sizes"])[:, :players],
        **dict(zip(_COUNTED, numbers, strict=True)),
        exchanged=records["exchanged"][:, :players],
        sunstones_kept=records["sunstones"][:, :players],
        halfstones_kept=records["halfstones"][:, :players],
    )


@njit(cache=True)
def _count(records: np.ndarray, actions: np.ndarray, movers: np.ndarray, numbers: np.ndarray) -> None:
    """Count what the actions are that come next; ``movers`` holds who moved before."""
    for index in range(len(records)):
        game = records[index]
        if game["outcome"] != _PLAYING:
            continue
        action, player = actions[index], game["player"]
        counts = numbers[:, index, player]
        counts[_ACTIONS] += 1
        counts[_TURNS] += movers[index] != player
        movers[index] = player
        if action < WIND_SHIFT:
            sunstones, halfstones = stones_for(game["board"], action % SQUARES)
            counts[_SUNSTONES] += sunstones
            counts[_HALFSTONES] += halfstones
        elif action <= LAST_SHIFT:
            counts[_WINDS] += 1
        elif action == BUY_WITH_SUNSTONE:
            counts[_SUNSTONE_MOVES] += 1
        elif action == BUY_WITH_HALFSTONES:
            counts[_HALFSTONE_MOVES] += 1
        elif action == BUY_WIND:
            counts[_WINDS_BOUGHT] += 1
