"""Whole games played in the vector environment, as policy gradient and Q-learning learn from them."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from gymnasium.vector import AutoresetMode

from agents.errors import UsageError
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules
from takeiteasy_env.vector_env import TakeItEasyVectorEnv


@dataclass(frozen=True, slots=True)
class Experience:
    """N finished games of T placements each: all of a game, so no transition leads across a reset.

    Placement ``T * game + turn`` is that of a game's turn.

    Attributes:
        board: int8 (N, T, 19), the board before each placement.
        tile: int8 (N, T), the tile in hand.
        previous: int8 (N, T), the tile drawn just before, -1 for none.
        cells: int64 (N, T), where it went.
        points: float32 (N, T), what that completed.
    """

    board: np.ndarray
    tile: np.ndarray
    previous: np.ndarray
    cells: np.ndarray
    points: np.ndarray

    @classmethod
    def empty(cls, games: int, turns: int) -> "Experience":
        """Room for so many games of so many placements each."""
        return cls(
            board=np.zeros((games, turns, CELLS), dtype=np.int8),
            tile=np.zeros((games, turns), dtype=np.int8),
            previous=np.zeros((games, turns), dtype=np.int8),
            cells=np.zeros((games, turns), dtype=np.int64),
            points=np.zeros((games, turns), dtype=np.float32),
        )

    @classmethod
    def of(cls, tensors: dict[str, torch.Tensor]) -> "Experience":
        """What :meth:`tensors` gave."""
        return cls(**{name: tensor.numpy() for name, tensor in tensors.items()})

    def tensors(self) -> dict[str, torch.Tensor]:
        """The same as tensors, for a checkpoint."""
        return {name: torch.from_numpy(getattr(self, name)) for name in self.__slots__}

    @property
    def turns(self) -> int:
        """Placements of each game."""
        return self.cells.shape[1]

    def positions(self, placements: np.ndarray) -> Positions:
        """The positions before some of the placements."""
        games, turns = np.divmod(placements, self.turns)
        return Positions(self.board[games, turns], self.tile[games, turns], self.previous[games, turns])

    def first(self, games: int) -> "Experience":
        """The first so many games."""
        return Experience(*(getattr(self, name)[:games] for name in self.__slots__))

    def write(self, games: np.ndarray, experience: "Experience") -> None:
        """Put other games in place of some of these."""
        for name in self.__slots__:
            getattr(self, name)[games] = getattr(experience, name)


def make_envs(agent: str, rules: Rules, games: int) -> TakeItEasyVectorEnv:
    """So many games of a player alone, which do not begin anew by themselves.

    Raises:
        UsageError: for rules of a table, naming the agent.
    """
    if rules.scoring == "best_ray":
        raise UsageError(f"agent={agent} plays alone: give other rules than {rules.name}, or agent=value")
    return TakeItEasyVectorEnv(
        games, rules.placement, rules.scoring, rules.suns, autoreset_mode=AutoresetMode.DISABLED
    )


def play_games(
    envs: TakeItEasyVectorEnv, draws: np.ndarray, choose: Callable[[Positions], np.ndarray]
) -> tuple[Experience, float]:
    """Play the games of an environment to their ends.

    Args:
        envs: N games that end together and do not begin anew by themselves.
        draws: int8 (N, 19), their tiles.
        choose: says for N positions on which cells the tiles go, int64 (N,).

    Returns:
        The games, and how many seconds were spent in the environment.
    """
    steps: list[tuple[Positions, np.ndarray, np.ndarray]] = []
    begun = time.perf_counter()
    envs.reset(options={"tiles": draws})
    seconds = time.perf_counter() - begun
    over = np.zeros(len(draws), dtype=np.bool_)
    while not over.all():
        positions = envs.positions
        cells = choose(positions)
        begun = time.perf_counter()
        _, rewards, over, _, _ = envs.step(cells)
        seconds += time.perf_counter() - begun
        steps.append((positions, cells, rewards))
    experience = Experience.empty(len(draws), len(steps))
    for turn, (positions, cells, rewards) in enumerate(steps):
        experience.board[:, turn], experience.tile[:, turn] = positions.board, positions.tile
        experience.previous[:, turn] = positions.previous
        experience.cells[:, turn], experience.points[:, turn] = cells, rewards
    return experience, seconds
