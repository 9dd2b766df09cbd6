"""The two simplest baselines: ``random`` puts a tile anywhere it may go, ``greedy`` where it completes most.

Both play every placement and scoring variant of :class:`~takeiteasy_env.rules.Rules`.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit

from agents.errors import UsageError
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import RuleCode, Rules, bitboards_of, place, points_through


@dataclass(frozen=True, slots=True)
class RandomAgent:
    """Chooses uniformly among the legal cells."""

    rules: Rules
    rng: np.random.Generator

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): uniform random numbers, minus infinity where the tile may not go."""
        values = uniform_values(self.rng, len(positions))
        values[~positions.legal(self.rules)] = -np.inf
        return values


def uniform_values(rng: np.random.Generator, games: int) -> np.ndarray:
    """float32 (N, 19) uniform random numbers below 1, from a spawned stream of their own.

    So the first n rows are the same however many there are: a game does not depend on how many others are
    played beside it.
    """
    return rng.spawn(1)[0].random((games, CELLS), dtype=np.float32)


def make_random(rules: Rules, seed: int, source: Path | None) -> RandomAgent:
    """The random agent; raises :class:`UsageError` when given a source."""
    refuse_source("random", source)
    return RandomAgent(rules, stream(seed, Purpose.AGENT))


@dataclass(frozen=True, slots=True)
class GreedyAgent:
    """Takes the most points that one placement completes, ties at random."""

    rules: Rules
    rng: np.random.Generator

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): the points completed now, plus a random number below 1 that breaks ties."""
        values = uniform_values(self.rng, len(positions))
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
    return GreedyAgent(rules, stream(seed, Purpose.AGENT))


def refuse_source(name: str, source: Path | None) -> None:
    """Raise :class:`UsageError` when a baseline is named with a directory: it has nothing to load."""
    if source is not None:
        raise UsageError(f"{name} has nothing to load: write {name}, not {name}:{source}")
