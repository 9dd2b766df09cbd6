"""What a ray is worth at a table of ``best_ray``: the bonus that may be expected for it.

The bonus of a player depends on the boards of the others, which nobody sees while placing. Against players
whose habits are known it has an expectation for each ray, a *prize*; a board's prize is that of its best
Sunray and its best Moonbeam. A placement gains points and what it adds to the prize; where no bonus is given
there are no prizes, and points are all.
"""

from typing import Final

import numpy as np
from numba import njit

from takeiteasy_env.board import LINE_LENGTHS
from takeiteasy_env.rules import (
    BEST_RAY_POINTS,
    RuleCode,
    Rules,
    best_rays,
    bitboards_of,
    points_through,
)
from takeiteasy_env.tiles import NUMBERS

#: Rays are ranked by :func:`takeiteasy_env.rules.best_rays`, 0 for none.
RAYS: Final = 10 * int(LINE_LENGTHS.max()) + int(np.max(NUMBERS)) + 1


def rays_of(boards: np.ndarray, rules: Rules) -> np.ndarray:
    """int32 (N, 2): the best Sunray and the best Moonbeam of each int8 (N, 19) board, 0 for none."""
    rays = np.empty((len(boards), 2), dtype=np.int32)
    _fill_rays(bitboards_of(boards, rules), rays)
    return rays


@njit(cache=True)
def _fill_rays(bitboards: np.ndarray, rays: np.ndarray) -> None:
    for board in range(len(bitboards)):
        rays[board] = best_rays(bitboards[board])


def prizes_of(boards: np.ndarray, rules: Rules, prizes: np.ndarray) -> np.ndarray:
    """float32 (N,): the prize of each int8 (N, 19) board, 0 where there are no prizes."""
    if not prizes.size:
        return np.zeros(len(boards), dtype=np.float32)
    sunrays, moonbeams = rays_of(boards, rules).T
    return prizes[0, sunrays] + prizes[1, moonbeams]


def expected_prizes(rays: np.ndarray) -> np.ndarray:
    """float32 (2, 60): points that each Sunray and each Moonbeam brings in the mean to a player of a group.

    Args:
        rays: int (T, P, 2), the best Sunray and Moonbeam of each of the P boards of T groups on the same
            draws. A player's opponents are the others of the group.
    """
    groups, players, symbols = rays.shape
    prizes = np.zeros((symbols, RAYS), dtype=np.float32)
    for player in range(players):
        others = np.delete(rays, player, axis=1)
        best = others.max(axis=1)
        sharing = 1 + (others == best[:, None]).sum(axis=1)
        for symbol in range(symbols):
            reached = np.bincount(best[:, symbol], minlength=RAYS)
            shared = np.bincount(best[:, symbol], 1 / sharing[:, symbol], minlength=RAYS)
            prizes[symbol] += np.cumsum(reached) - reached + shared
    prizes *= BEST_RAY_POINTS / (groups * players)
    prizes[:, 0] = 0
    return prizes


@njit(cache=True)
def prize_of(bitboard: np.ndarray, prizes: np.ndarray) -> float:
    """Points to be expected for the best rays of a board, 0 where there are no prizes."""
    if not prizes.size:
        return 0.0
    sunray, moonbeam = best_rays(bitboard)
    return float(prizes[0, sunray] + prizes[1, moonbeam])


@njit(cache=True)
def gain_through(
    bitboard: np.ndarray, tile: int, cell: int, prize: float, code: RuleCode, prizes: np.ndarray
) -> float:
    """Points that placing ``tile`` on a cell, where it now lies, completed, and what they add to the prize.

    Args:
        bitboard: int32 (11,), the board with the tile.
        tile: the tile.
        cell: its cell.
        prize: the prize of the board before it.
        code: the rules.
        prizes: float32 (2, 60), or (2, 0) where there are none.
    """
    points = float(points_through(bitboard, tile, cell, code))
    if prizes.size and points:
        points += prize_of(bitboard, prizes) - prize
    return points
