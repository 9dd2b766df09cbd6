"""The two simplest baselines: ``random`` puts a tile anywhere it may go, ``greedy`` where it completes most.

Both play every placement and scoring variant of :class:`~takeiteasy_env.rules.Rules`.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numba import njit

from agents.errors import UsageError
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, random_words, skip_games, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import RuleCode, Rules, bitboards_of, place, points_through


@dataclass(slots=True)
class Chance:
    """Random numbers that depend on a seed, on a game's number and on its turn, not on the games beside it.

    Args:
        seed: of all of them.
    """

    seed: int
    first: int = field(init=False)
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.begin(0)

    def begin(self, first: int) -> None:
        """Begin games anew, of which row 0 is number ``first``."""
        self.first, self.rng = first, stream(self.seed, Purpose.AGENT)

    def numbers(self, games: int) -> np.ndarray:
        """float32 (N, 19): uniform random numbers below 1 for the next turn of each game."""
        turn = self.rng.spawn(1)[0]
        skip_games(turn, self.first)
        return (random_words(turn, games) >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)


@dataclass(frozen=True, slots=True)
class RandomAgent:
    """Chooses uniformly among the legal cells."""

    rules: Rules
    chance: Chance

    def begin(self, first: int) -> None:
        """Begin games anew, of which row 0 is number ``first``."""
        self.chance.begin(first)

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): uniform random numbers, minus infinity where the tile may not go."""
        values = self.chance.numbers(len(positions))
        values[~positions.legal(self.rules)] = -np.inf
        return values


def make_random(rules: Rules, seed: int, source: Path | None) -> RandomAgent:
    """The random agent; raises :class:`UsageError` when given a source."""
    refuse_source("random", source)
    return RandomAgent(rules, Chance(seed))


@dataclass(frozen=True, slots=True)
class GreedyAgent:
    """Takes the most points that one placement completes, ties at random."""

    rules: Rules
    chance: Chance

    def begin(self, first: int) -> None:
        """Begin games anew, of which row 0 is number ``first``."""
        self.chance.begin(first)

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): the points completed now, plus a random number below 1 that breaks ties."""
        values = self.chance.numbers(len(positions))
        legal = positions.legal(self.rules)
        add_points_now(
            bitboards_of(positions.board, self.rules), positions.tile, legal, self.rules.code, values
        )
        values[~legal] = -np.inf
        return values


@njit(cache=True)
def add_points_now(
    bitboards: np.ndarray, tiles: np.ndarray, legal: np.ndarray, code: RuleCode, values: np.ndarray
) -> None:
    """Add to float32 (N, 19) values the points that each legal placement completes."""
    for game in range(len(bitboards)):
        for cell in range(CELLS):
            if legal[game, cell]:
                successor = bitboards[game].copy()
                place(successor, tiles[game], cell, code)
                values[game, cell] += points_through(successor, tiles[game], cell, code)


def make_greedy(rules: Rules, seed: int, source: Path | None) -> GreedyAgent:
    """The greedy agent; raises :class:`UsageError` when given a source."""
    refuse_source("greedy", source)
    return GreedyAgent(rules, Chance(seed))


def refuse_source(name: str, source: Path | None) -> None:
    """Raise :class:`UsageError` when a baseline is named with a directory: it has nothing to load."""
    if source is not None:
        raise UsageError(f"{name} has nothing to load: write {name}, not {name}:{source}")
