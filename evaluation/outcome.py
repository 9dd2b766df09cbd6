"""What an evaluation found, as plain data that tables, files and pages are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evaluation.calibration import Calibration
from evaluation.statistics import Comparison, Estimate, Summary, compare, summarise
from evaluation.tally import Tally
from takeiteasy_env.rules import Rules


@dataclass(frozen=True, slots=True)
class Shown:
    """One game to look at.

    Attributes:
        number: which game of the evaluation it is, 0 for the first.
        draws: int8 (19,), the tiles in the order they were drawn.
        cells: int8 (19,), the cell on which each of them was put.
        score: points.
    """

    number: int
    draws: np.ndarray
    cells: np.ndarray
    score: int


@dataclass(frozen=True, slots=True)
class Entry:
    """What one agent did on the draws of an evaluation.

    Attributes:
        agent: the text that names it.
        scores: int16 (N,), points of its own board, in the order of the draws.
        tally: what its final boards have in common.
        shown: its ``best``, ``median`` and ``worst`` game, the first such game of each.
        seconds: how long it played, without the time to load it and to compile, over all workers.
        seconds_alone: how long it takes for a move when it is asked about one position alone.
        calibration: what it predicted, None for one that predicts no points.
        luck: float32 (N,), points of the scores that were luck of the draw, None where nobody says so.
    """

    agent: str
    scores: np.ndarray
    tally: Tally
    shown: dict[str, Shown]
    seconds: float
    seconds_alone: float
    calibration: Calibration | None = None
    luck: np.ndarray | None = None

    def summary(self) -> Summary:
        """What its scores say, as they are and without luck."""
        return summarise(self.scores, self.luck)

    @property
    def moves_per_second(self) -> float:
        """Decisions a second of one worker, many games side by side."""
        return self.tally.moves / self.seconds


@dataclass(frozen=True, slots=True)
class Seat:
    """How one agent did at the tables that it sat at; points include the bonuses of the best rays.

    Where it has several seats at a table, a draw counts once, with their mean.

    Attributes:
        agent: the text that names it.
        points: the mean with its interval.
        bonus: how many of them are bonuses, in the mean.
        rank: the mean place at the table with its interval, 1 the best; equal ones share their places' mean.
        wins: the share of tables won, a tie shared, with its interval.
        lead: how many points it has more than the mean of the other agents' seats at its tables; None where
            it sits with itself alone.
    """

    agent: str
    points: Estimate
    bonus: float
    rank: Estimate
    wins: Estimate
    lead: Estimate | None


@dataclass(frozen=True, slots=True)
class Tables:
    """What the agents did at tables of several players.

    Attributes:
        tables: who sat at each table, on every draw.
        seats: one for each agent.
        pairs: every two agents in the order of their points, the better one of the two first: the difference
            of their points on each draw, in the mean over the tables at which both sit.
    """

    tables: tuple[tuple[str, ...], ...]
    seats: tuple[Seat, ...]
    pairs: dict[tuple[str, str], Comparison]


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that an evaluation found.

    Attributes:
        rules: of all the games.
        games: how many each agent played.
        seed: of the draws and of the agents' random choices.
        command: what was typed.
        entries: one for each agent, in the order in which they were named.
        tables: what they did at tables, None for players alone.
        adjust: names the value agent by whose network luck was told from play, None when it was not.
    """

    rules: Rules
    games: int
    seed: int
    command: str
    entries: Sequence[Entry]
    tables: Tables | None = None
    adjust: str | None = None

    def pairs(self) -> dict[tuple[str, str], Comparison]:
        """Every two agents on the same draws, the one with the better mean first."""
        ranked = sorted(self.entries, key=lambda entry: -entry.scores.mean())
        return {
            (better.agent, other.agent): compare(
                better.scores,
                other.scores,
                None if better.luck is None or other.luck is None else better.luck - other.luck,
            )
            for better, other in combinations(ranked, 2)
        }
