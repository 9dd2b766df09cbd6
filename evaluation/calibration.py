"""Do agents get what they expect? What they predict at each move against what came of it.

All is kept as sums of whole numbers over games: they add up exactly, in any order, and take the same room for
a million games as for one.
"""

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from agents.agent import Agent, DistributionalAgent, PredictingAgent
from agents.play import Games
from evaluation.statistics import Estimate, estimate_of_sums
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import BITBOARD, Rules, place_all

#: Errors are summed in parts of a point, and shares of games in parts of a game.
PARTS: Final = 1 << 10
#: An error that is larger counts as one of so many points.
LARGEST: Final = 2_000
#: The quantiles that are shown of many are those nearest to these levels.
SHOWN_LEVELS: Final = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What an agent predicted before each of the 19 moves of many games, against what came.

    Attributes:
        games: how many.
        errors: int64 (19,), sums of the points that came from a move on, less those predicted for the cell
            that was chosen, in parts of a point.
        squares: int64 (19,), sums of the squares of these.
        below: int64 (19, Q), games in which less came than each predicted quantile, in parts of a game;
            (19, 0) where none are predicted.
    """

    games: int
    errors: np.ndarray
    squares: np.ndarray
    below: np.ndarray

    @classmethod
    def of(cls, agent: Agent, games: Games, rules: Rules) -> Self | None:
        """What an agent predicted in the games that it has played; None for one that predicts no points.

        Raises:
            ValueError: when its quantiles are no (N, Q) array.
        """
        if not (isinstance(agent, PredictingAgent) and agent.predicts_points):
            return None
        boards = np.full_like(games.boards, -1)
        bitboards = np.zeros((len(boards), BITBOARD), dtype=np.int32)
        points, previous = np.empty(len(boards), dtype=np.int32), Positions.empty(len(boards)).tile
        to_come = games.scores.astype(np.float64)
        errors, below = np.empty((CELLS, len(boards)), dtype=np.int64), []
        for move in range(CELLS):
            tiles, cells = games.draws[:, move].copy(), games.cells[:, move].astype(np.int64)
            error = np.clip(to_come - games.values[:, move], -LARGEST, LARGEST)
            errors[move] = np.rint(PARTS * error)
            if isinstance(agent, DistributionalAgent):
                quantiles = agent.quantiles(Positions(boards, tiles, previous), cells)
                below.append(np.rint(PARTS * shares_below(quantiles, to_come)).sum(axis=0))
            place_all(boards, bitboards, tiles, cells, rules.code, points)
            to_come -= points
            previous = tiles
        return cls(
            len(boards),
            errors.sum(axis=1),
            (errors**2).sum(axis=1),
            np.array(below, dtype=np.int64).reshape(CELLS, -1),
        )

    def __add__(self, other: "Calibration") -> "Calibration":
        """The predictions in the games of both."""
        return Calibration(
            self.games + other.games,
            self.errors + other.errors,
            self.squares + other.squares,
            self.below + other.below,
        )

    def mean_errors(self) -> list[Estimate]:
        """For each move: how many points came more than were predicted, in the mean, with its interval."""
        return [
            estimate_of_sums(self.games, int(total) / PARTS, int(squares) / PARTS**2)
            for total, squares in zip(self.errors, self.squares, strict=True)
        ]

    @property
    def levels(self) -> np.ndarray:
        """float64 (Q,): the share of games that is to lie below each quantile."""
        quantiles = self.below.shape[1]
        return (np.arange(quantiles) + 0.5) / quantiles

    def coverage(self) -> np.ndarray:
        """float64 (19, Q): for each move, the share of games that lies below each quantile."""
        return self.below / PARTS / self.games

    def largest_error(self) -> float:
        """The largest mean error of a move, in points, without its sign."""
        return max(abs(error.value) for error in self.mean_errors())

    def largest_gap(self) -> float:
        """The largest difference, over moves and quantiles, between the share below and what it is to be."""
        return float(np.abs(self.coverage() - self.levels).max())

    def results(self, mean: float) -> dict[str, Any]:
        """All this as plain values, given the mean score of the games."""
        errors = self.mean_errors()
        found: dict[str, Any] = {
            "largest_error": self.largest_error(),
            "moves": [
                {"predicted": mean - error.value, "realised": mean, "error": error.value, "ci95": error.ci95}
                for error in errors
            ],
        }
        if self.below.size:
            shown = shown_quantiles(self.levels)
            found["quantiles"] = {
                "largest_gap": self.largest_gap(),
                "levels": self.levels[shown].tolist(),
                "shares_below": self.coverage()[:, shown].tolist(),
            }
        return found


def shown_quantiles(levels: np.ndarray) -> list[int]:
    """The numbers of the quantiles whose levels are nearest to :data:`SHOWN_LEVELS`."""
    return sorted({int(np.abs(levels - level).argmin()) for level in SHOWN_LEVELS})


def shares_below(quantiles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """float64 (N, Q): 1 where less came than a quantile says, 0 where more came.

    Points are whole numbers, so quantiles are rounded. Where as much came as several quantiles say, chance
    would have it anywhere among them: the lower ones count less, the higher ones more, and one alone a half
    (Czado, Gneiting and Held, Predictive model assessment for count data, 2009).

    Args:
        quantiles: float (N, Q), what was predicted, in ascending order.
        points: (N,), what came.

    Raises:
        ValueError: when the quantiles are no (N, Q) array.
    """
    if not isinstance(quantiles, np.ndarray) or quantiles.ndim != 2 or len(quantiles) != len(points):
        raise ValueError(f"quantiles are no array of shape ({len(points)}, Q)")
    rounded = np.rint(quantiles)
    less = (rounded < points[:, None]).sum(axis=1, keepdims=True)
    equal = (rounded == points[:, None]).sum(axis=1, keepdims=True)
    places = np.arange(quantiles.shape[1]) + 0.5 - less
    return np.clip(np.where(equal > 0, places / np.maximum(equal, 1), places > 0), 0, 1)
