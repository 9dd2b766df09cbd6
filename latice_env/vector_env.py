"""Thousands of games at once, stepped by compiled calls: for training and for tournaments."""

from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from numba import njit

from latice_env.actions import ACTIONS
from latice_env.arguments import actions_of
from latice_env.deal import begin, random_words
from latice_env.legal import fill_mask
from latice_env.moves import play
from latice_env.observation import fill_observation, observation_size
from latice_env.rewards import fill_potentials, fill_returns
from latice_env.rules import RuleCode, Rules
from latice_env.state import GAME, MOST_PLAYERS, Outcome
from latice_env.state import views as views_of

_PLAYING = int(Outcome.PLAYING)


class Turn(NamedTuple):
    """What N games show after a step, each to the player whose turn it is. All arrays are new.

    Attributes:
        observations: int8 (N, D), see :mod:`latice_env.observation`.
        masks: int8 (N, 764), the legal micro-actions.
        players: int8 (N,), whose turn it is.
        rewards: float32 (N, P), what the step brought every player.
        terminated: bool (N,), whether it ended a game; then all else but the reward shows the next game.
        outcomes: int8 (N,), how, as an :class:`latice_env.state.Outcome`.
    """

    observations: np.ndarray
    masks: np.ndarray
    players: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    outcomes: np.ndarray


class LaticeVectorEnv:
    """N games of :class:`latice_env.table_env.LaticeEnv`, one after another at each of N tables.

    A game that ends is followed by the next one in the same step. The games of the first round are those that
    the words of :func:`latice_env.deal.random_words` deal for the seed, in their order.

    Args:
        num_envs: N.
        players: as for the single environment, like the rest.
        deal: as above.
        first_player: as above.
        no_progress_rounds: as above.
        shaping: as above.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """

    def __init__(
        self,
        num_envs: int = 1,
        players: int = 2,
        deal: str = "standard",
        first_player: int | None = None,
        no_progress_rounds: int = 10,
        shaping: float = 0.0,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs is at least 1, not {num_envs}")
        self.num_envs = num_envs
        self.rules = Rules(players, deal, first_player, no_progress_rounds)
        self.shaping = shaping
        self._games = np.zeros(num_envs, dtype=GAME)
        self._masks = np.zeros((num_envs, ACTIONS), dtype=np.int8)
        self._np_random: np.random.Generator | None = None

    def reset(self, seed: int | None = None) -> Turn:
        """Begin all games; without a seed the stream of deals goes on."""
        if seed is not None or self._np_random is None:
            self._np_random, _ = seeding.np_random(seed)
        self._begin(np.arange(self.num_envs), self._masks)
        rewards = np.zeros((self.num_envs, self.rules.players), dtype=np.float32)
        return self._turn(rewards, np.zeros(self.num_envs, dtype=np.int8))

    def step(self, actions: Any) -> Turn:
        """Let the player whose turn it is do a micro-action in each game.

        Args:
            actions: integers (N,), legal ones.

        Raises:
            TypeError: when the actions are not integers.
            ValueError: when they are not N, not 0-763 or not legal, naming the first; all games stay as they
            were. ResetNeeded: before the first reset.
        """
        if self._np_random is None:
            raise ResetNeeded("no game has begun: call reset()")
        legal = actions_of(actions, self._masks)
        rewards = np.empty((self.num_envs, self.rules.players), dtype=np.float32)
        outcomes = np.empty(self.num_envs, dtype=np.int8)
        advance(self._games, legal, self.shaping, self._masks, rewards, outcomes)
        ended = np.flatnonzero(outcomes)
        if len(ended):
            self._begin(ended, self._masks)
        return self._turn(rewards, outcomes)

    def views(self) -> np.ndarray:
        """Records (N,) of the games as the players to move see them, which the scripted agents read."""
        return views_of(self._games)

    def _begin(self, which: np.ndarray, masks: np.ndarray) -> None:
        assert self._np_random is not None
        begin_all(self._games, which, random_words(self._np_random, len(which)), self.rules.code, masks)

    def _turn(self, rewards: np.ndarray, outcomes: np.ndarray) -> Turn:
        observations = np.empty((self.num_envs, observation_size(self.rules.players)), dtype=np.int8)
        look(self._games, observations)
        return Turn(
            observations=observations,
            masks=self._masks.copy(),
            players=self._games["player"].copy(),
            rewards=rewards,
            terminated=outcomes != _PLAYING,
            outcomes=outcomes,
        )


@njit(cache=True)
def begin_all(
    games: np.ndarray, which: np.ndarray, words: np.ndarray, code: RuleCode, masks: np.ndarray
) -> None:
    """Begin some games anew and write their masks.

    Args:
        games: records (N,), changed.
        which: int64 (M,), which of them.
        words: uint64 (M, 5), see :func:`latice_env.deal.begin`.
        code: the rules.
        masks: int8 (N, 764), changed.
    """
    for index in range(len(which)):
        game = games[which[index]]
        begin(game, words[index], code)
        fill_mask(game, masks[which[index]])


@njit(cache=True)
def advance(
    games: np.ndarray,
    actions: np.ndarray,
    shaping: float,
    masks: np.ndarray,
    rewards: np.ndarray,
    outcomes: np.ndarray,
) -> None:
    """Do a legal micro-action in each game that is not over.

    Args:
        games: records (N,), changed.
        actions: int64 (N,).
        shaping: the weight of the potential, see :mod:`latice_env.rewards`.
        masks: int8 (N, 764), written: what is legal afterwards.
        rewards: float (N, P), written.
        outcomes: int8 (N,), written.
    """
    before, after = np.zeros(MOST_PLAYERS), np.zeros(MOST_PLAYERS)
    for index in range(len(games)):
        game = games[index]
        rewards[index] = 0
        if game["outcome"] == _PLAYING:
            if shaping != 0:
                fill_potentials(game, before)
            play(game, actions[index], masks[index])
            if game["outcome"] != _PLAYING:
                fill_returns(game, rewards[index])
            if shaping != 0:
                fill_potentials(game, after)
                for player in range(game["players"]):
                    rewards[index, player] += shaping * (after[player] - before[player])
        outcomes[index] = game["outcome"]


@njit(cache=True)
def look(games: np.ndarray, observations: np.ndarray) -> None:
    """Write what the player sees whose turn it is in each game: int8 (N, D)."""
    for index in range(len(games)):
        fill_observation(games[index], games[index]["player"], observations[index])
