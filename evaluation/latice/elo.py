"""Elo of agents from how every two of them did, with intervals that know which games are of one deal.

The model is Bradley and Terry's: i is ahead of j with the chance 1 / (1 + 10^((Elo_j - Elo_i) / 400)), and a
tie is half a win of each. Its likelihood is made the greatest, with one deal more for every pair, of which
both win as many games. So an agent that has won all of 2,000 games on 1,000 deals is 1,320 above the loser,
as if it had won 2,001 of 2,002: that, and not infinity, is what so many games can say.

Intervals are Wald's from the sandwich covariance with one term for each deal, whoever played it. The deals
that were added vary like the others, so an interval is wide where they decide.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from evaluation.statistics import CONFIDENCE, Estimate

#: Elo of a factor of e in the odds.
ELO_OF_A_NAT = 400 / np.log(10)


@dataclass(frozen=True, slots=True)
class Ratings:
    """The Elo of some agents, only the differences of which mean anything.

    Attributes:
        elo: float64 (A,), that of the first agent 0.
        covariance: float64 (A, A).
    """

    elo: np.ndarray
    covariance: np.ndarray

    def above(self, one: int, other: int) -> Estimate:
        """By how much one agent is above another."""
        weights = np.zeros(len(self.elo))
        weights[one] += 1
        weights[other] -= 1
        margin = stats.norm.ppf((1 + CONFIDENCE) / 2) * np.sqrt(weights @ self.covariance @ weights)
        value = float(weights @ self.elo)
        return Estimate(value, (float(value - margin), float(value + margin)))


def ratings(results: Mapping[tuple[int, int], np.ndarray], agents: int) -> Ratings:
    """The ratings of A agents.

    Args:
        results: of every pair of agents float (D, K), by deal and game: 1 where the first was ahead, a half
            for a tie, 0 where the second was. Rows of one number are the same deal.
        agents: A, each of which is in a pair.
    """
    pairs = np.array(list(results))
    # The sum of a pair's ratings by these weights is by how much its first is above its second.
    weights = np.eye(agents)[pairs[:, 0]] - np.eye(agents)[pairs[:, 1]]
    games = np.array([of_pair.size + of_pair.shape[1] for of_pair in results.values()])
    won = np.array([of_pair.sum() + of_pair.shape[1] / 2 for of_pair in results.values()])
    free = weights[:, 1:]

    def loss(ratings: np.ndarray) -> tuple[float, np.ndarray]:
        """Minus the log-likelihood of all but the first agent's ratings, and its gradient."""
        above = free @ ratings
        value = won @ log_expit(above) + (games - won) @ log_expit(-above)
        return -value, -(won - games * expit(above)) @ free

    def information(ratings: np.ndarray) -> np.ndarray:
        """Its second derivatives, float64 (A - 1, A - 1)."""
        above = free @ ratings
        return free.T @ (free * (games * expit(above) * expit(-above))[:, None])

    found = minimize(loss, np.zeros(agents - 1), jac=True, hess=information, method="trust-exact").x
    chances = expit(free @ found)
    deals = np.stack(
        [(of_pair - chance).sum(axis=1) for of_pair, chance in zip(results.values(), chances, strict=True)],
        axis=1,
    )
    added = np.diag([of_pair.shape[1] for of_pair in results.values()] * (0.5 - chances))
    scores = np.concatenate([deals, added]) @ free
    bread = np.linalg.inv(information(found))
    covariance = np.zeros((agents, agents))
    covariance[1:, 1:] = bread @ (scores.T @ scores) @ bread
    return Ratings(ELO_OF_A_NAT * np.append(0.0, found), ELO_OF_A_NAT**2 * covariance)
