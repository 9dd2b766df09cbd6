"""Agents at tables of several players: all boards on the same draw, with the bonuses of the best rays."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.stats import rankdata

from evaluation.outcome import Seat, Tables
from evaluation.statistics import compare_differences, estimate_mean
from evaluation.tournament import Tournament
from takeiteasy_env.rules import bonuses_of


class Standings:
    """What each agent has at the tables of each draw: the mean over the tables, and over its seats at one.

    Args:
        tournament: who sits at which table.
    """

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.names = tuple(dict.fromkeys(tournament.agents))
        shape = (len(self.names), tournament.games)
        self.points, self.bonus, self.rank, self.wins, self.lead = (
            np.zeros(shape, dtype=np.float32) for _ in range(5)
        )
        self.pairs = {
            pair: np.zeros(tournament.games, dtype=np.float32)
            for pair in combinations(range(len(self.names)), 2)
        }

    def add(self, games: range, boards: np.ndarray, scores: np.ndarray) -> None:
        """Add some draws.

        Args:
            games: their numbers, N of them.
            boards: int8 (S, N, 19), the final boards of each seat.
            scores: int (S, N), their points.
        """
        drawn = slice(games.start, games.stop)
        names = np.array([self.names.index(agent) for agent in self.tournament.agents])
        for table in self.tournament.tables:
            seats = list(table)
            bonuses = bonuses_of(boards[seats].swapaxes(0, 1), self.tournament.rules).T
            points = scores[seats] + bonuses
            best = points == points.max(axis=0)
            ranks, wins = rankdata(-points, axis=0), best / best.sum(axis=0)
            sitting = names[seats]
            means = {name: points[sitting == name].mean(axis=0) for name in set(sitting.tolist())}
            for name in means:
                own = sitting == name
                for total, of_seats in ((self.points, points), (self.bonus, bonuses), (self.rank, ranks)):
                    total[name, drawn] += of_seats[own].mean(axis=0)
                self.wins[name, drawn] += wins[own].mean(axis=0)
                if not own.all():
                    self.lead[name, drawn] += means[name] - points[~own].mean(axis=0)
            for one, other in combinations(sorted(means), 2):
                self.pairs[one, other][drawn] += means[one] - means[other]

    def tables(self) -> Tables:
        """What they say when all draws have been added."""
        agents, tables = self.tournament.agents, self.tournament.tables
        at = [{self.names.index(agents[seat]) for seat in table} for table in tables]
        seats = tuple(self._seat(name, at) for name in range(len(self.names)))
        ranked = sorted(range(len(seats)), key=lambda name: -seats[name].points.value)
        pairs = {}
        for one, other in map(sorted, combinations(ranked, 2)):
            differences = self.pairs[one, other] / sum({one, other} <= sitting for sitting in at)
            if differences.mean() < 0:
                one, other, differences = other, one, -differences
            pairs[self.names[one], self.names[other]] = compare_differences(differences)
        return Tables(
            tables=tuple(tuple(agents[seat] for seat in table) for table in tables), seats=seats, pairs=pairs
        )

    def _seat(self, name: int, at: Sequence[set[int]]) -> Seat:
        tables = sum(name in sitting for sitting in at)
        return Seat(
            agent=self.names[name],
            points=estimate_mean(self.points[name] / tables),
            bonus=float(self.bonus[name].mean(dtype=np.float64)) / tables,
            rank=estimate_mean(self.rank[name] / tables),
            wins=estimate_mean(self.wins[name] / tables),
            lead=estimate_mean(self.lead[name] / tables) if len(self.names) > 1 else None,
        )
