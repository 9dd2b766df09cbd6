"""What many final boards have in common, as counts that add up."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numba import njit

from takeiteasy_env.board import CELLS, DIRECTIONS, LINE_LENGTHS, LINE_MASKS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import (
    FIRST_NUMBER,
    MOONBEAM_POINTS,
    SUNRAY_POINTS,
    Rules,
    bitboards_of,
    ray_points,
)
from takeiteasy_env.tiles import NUMBERS, RANKS, TILE_RANKS, TILES

#: The lengths of lines.
LENGTHS = tuple(int(length) for length in np.unique(LINE_LENGTHS))


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over the final boards of many games.

    Attributes:
        games: how many games.
        placed: int64 (27, 19), games in which a tile lies on a cell.
        completed: int64 (15, 3), games in which all tiles of a line bear the number of a rank.
        rays: int64 (15, 2), games in which a line is all moons, and all suns.
    """

    games: int
    placed: np.ndarray
    completed: np.ndarray
    rays: np.ndarray

    @classmethod
    def empty(cls) -> Self:
        """No games."""
        return cls(
            0,
            np.zeros((TILES, CELLS), dtype=np.int64),
            np.zeros((len(LINES), RANKS), dtype=np.int64),
            np.zeros((len(LINES), 2), dtype=np.int64),
        )

    @classmethod
    def of(cls, boards: np.ndarray, rules: Rules) -> Self:
        """The counts of int8 (N, 19) full boards."""
        tally = cls.empty()
        _count(boards, bitboards_of(boards, rules), tally.placed, tally.completed, tally.rays)
        return cls(len(boards), tally.placed, tally.completed, tally.rays)

    def __add__(self, other: "Tally") -> "Tally":
        """The counts of the games of both."""
        return Tally(
            self.games + other.games,
            self.placed + other.placed,
            self.completed + other.completed,
            self.rays + other.rays,
        )

    @property
    def moves(self) -> int:
        """Placements in all games."""
        return CELLS * self.games

    def completion(self) -> dict[int, dict[int, float]]:
        """By number and by length: the share of the lines of that length that are completed with it.

        A game has two lines of 3, two of 4 and one of 5 in a number's direction.
        """
        shares = self.completed.reshape(DIRECTIONS, LINES_PER_DIRECTION, RANKS) / self.games
        lengths = LINE_LENGTHS[:LINES_PER_DIRECTION]
        return {
            number: {length: float(shares[direction, lengths == length, rank].mean()) for length in LENGTHS}
            for direction in range(DIRECTIONS)
            for rank, number in enumerate(NUMBERS[direction])
        }

    def places(self) -> dict[int, np.ndarray]:
        """By number: float64 (19,), the share of games in which a tile that bears it lies on each cell."""
        return {
            number: self.placed[TILE_RANKS[:, direction] == rank].sum(axis=0) / self.games
            for direction in range(DIRECTIONS)
            for rank, number in enumerate(NUMBERS[direction])
        }

    def ray_points(self) -> tuple[float, float]:
        """What the Moonbeams and the Sunrays of a game are worth in the mean, at 6 and 7 points a tile."""
        moonbeams, sunrays = LINE_LENGTHS @ self.rays / self.games
        return MOONBEAM_POINTS * float(moonbeams), SUNRAY_POINTS * float(sunrays)


@njit(cache=True)
def _count(
    boards: np.ndarray, bitboards: np.ndarray, placed: np.ndarray, completed: np.ndarray, rays: np.ndarray
) -> None:
    for game in range(len(boards)):
        for cell in range(CELLS):
            placed[boards[game, cell], cell] += 1
        for line in range(len(LINES)):
            first = FIRST_NUMBER + RANKS * (line // LINES_PER_DIRECTION)
            for rank in range(RANKS):
                if not LINE_MASKS[line] & ~bitboards[game, first + rank]:
                    completed[line, rank] += 1
            points = ray_points(bitboards[game], LINE_MASKS[line], 1)
            if points:
                rays[line, int(points == SUNRAY_POINTS)] += 1
