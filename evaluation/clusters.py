"""Shares of games that come in groups, such as all games of one deal, with intervals that know of it.

Games of one deal are not independent: a good hand may win from either seat, or each seat once. Wilson's
interval is taken for as many independent games as say the same: the number of games divided by the *design
effect* (Rao and Scott 1992), which is how many times more the groups' sums vary than those of independent
games would. It is estimated from the groups, and one more that counts like a single game in doubt and whose
games all end alike. So where hardly a game is lost, games count as their groups do, and no interval shrinks
to a point.
"""

import numpy as np
from scipy import stats

from evaluation.statistics import CONFIDENCE, Estimate


def share_of_groups(values: np.ndarray, counted: np.ndarray | None = None) -> Estimate | None:
    """The share that values make of all, with its 95 % interval.

    Args:
        values: float (D, K) from 0 to 1, by group and game: 1 for a game that is part of the share.
        counted: bool (D, K), the games that are looked at, all of them if None.

    Returns:
        The share, None when no game is looked at.
    """
    counted = np.ones(values.shape, dtype=np.bool_) if counted is None else counted
    sizes = counted.sum(axis=1)
    games = int(sizes.sum())
    if games == 0:
        return None
    sums = (values * counted).sum(axis=1, dtype=np.float64)
    share = float(sums.sum() / games)
    varied = float(((sums - sizes * share) ** 2).sum())
    expected = games * share * (1 - share)
    effect = (varied + sizes.max()) / (expected + 1)
    return Estimate(share, wilson(share, games / effect))


def wilson(share: float, games: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of so many independent games, which need not be a whole number."""
    z = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    middle = (share + z**2 / (2 * games)) / (1 + z**2 / games)
    margin = z / (1 + z**2 / games) * np.sqrt(share * (1 - share) / games + z**2 / (4 * games**2))
    low, high = max(0.0, middle - margin), min(1.0, middle + margin)
    return (0.0 if share == 0 else float(low), 1.0 if share == 1 else float(high))
