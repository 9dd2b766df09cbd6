"""The two simplest players of Latice: ``random`` does anything legal, ``greedy`` wants stones now."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import njit

from agents.latice.chance import chances
from latice_env.actions import (
    ACTIONS,
    BUY_WIND,
    BUY_WITH_HALFSTONES,
    BUY_WITH_SUNSTONE,
    EXCHANGE,
    RACK,
    WIND_SHIFT,
)
from latice_env.board import SQUARES
from latice_env.legal import bits, fill_mask, fitting_kinds
from latice_env.moves import stones_for
from latice_env.state import Game
from latice_env.tiles import WIND

#: What greedy puts before what: placing (and then the stones, a sunstone for 2 and a halfstone for 1), buying
#: a move for a tile that fits, playing a wind, exchanging as many tiles as it can. Ending is worth 0.
_PLACING: Final = 100.0
_BUYING: Final = 50.0
_WIND: Final = 30.0
_EXCHANGING: Final = 10.0


@dataclass(frozen=True, slots=True)
class RandomAgent:
    """Chooses uniformly among the legal micro-actions."""

    seed: int = 0

    def values(self, views: np.ndarray) -> np.ndarray:
        """float32 (N, 764): uniform random numbers, minus infinity where an action is not legal."""
        values = chances(self.seed, views)
        values[masks_of(views) == 0] = -np.inf
        return values


@dataclass(frozen=True, slots=True)
class GreedyAgent:
    """Places while anything fits, buying moves for it, where that earns most stones now; ties at random."""

    seed: int = 0

    def values(self, views: np.ndarray) -> np.ndarray:
        """float32 (N, 764): what an action is worth by the order above, plus a random number below 1."""
        values = chances(self.seed, views)
        add_stones_now(views, masks_of(views), values)
        return values


def masks_of(views: np.ndarray) -> np.ndarray:
    """int8 (N, 764): the micro-actions that are legal to the players whose turn it is."""
    masks = np.empty((len(views), ACTIONS), dtype=np.int8)
    _fill_masks(views, masks)
    return masks


@njit(cache=True)
def _fill_masks(views: np.ndarray, masks: np.ndarray) -> None:
    for index in range(len(views)):
        fill_mask(views[index], masks[index])


@njit(cache=True)
def add_stones_now(views: np.ndarray, masks: np.ndarray, values: np.ndarray) -> None:
    """Add greedy's values to float32 (N, 764) random numbers below 1."""
    for index in range(len(views)):
        view, mask = views[index], masks[index]
        wants_a_move = view["moves"] == 0 and best_stones(view["board"], held_kinds(view)) >= 0
        for action in range(ACTIONS):
            if not mask[action]:
                values[index, action] = -np.inf
            elif action < WIND_SHIFT:
                sunstones, halfstones = stones_for(view["board"], action % SQUARES)
                values[index, action] += _PLACING + 2 * sunstones + halfstones
            elif action <= EXCHANGE:
                values[index, action] += _WIND
            elif action < BUY_WITH_SUNSTONE:
                values[index, action] += _EXCHANGING + bits(action - EXCHANGE)
            elif action < BUY_WIND and wants_a_move:
                values[index, action] += _BUYING + (action == BUY_WITH_HALFSTONES)
            elif action <= BUY_WIND:
                values[index, action] -= 1


@njit(cache=True)
def held_kinds(game: Game) -> int:
    """The kinds of colour tile on the player's rack, as a set."""
    rack = game["racks"][game["player"]]
    held = 0
    for slot in range(RACK):
        if 0 <= rack[slot] < WIND:
            held |= 1 << int(rack[slot])
    return held


@njit(cache=True)
def best_stones(board: np.ndarray, held: int) -> int:
    """The most stones, in halfstones, that a tile of these kinds earns by one placement; -1 if none fits."""
    best = -1
    for square in range(SQUARES):
        if fitting_kinds(board, square) & held:
            sunstones, halfstones = stones_for(board, square)
            best = max(best, 2 * sunstones + halfstones)
    return best
