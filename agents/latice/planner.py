"""A planner of the whole turn: placements, winds and bought moves, searched for the best end of the turn.

From the position to move on, a beam of the most promising positions within the turn is extended action by
action. Each may be where the turn ends; a value written by hand says how good that is. What is drawn is not
foreseen: an exchange has a flat value of its own.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numba import njit

from agents.latice.chance import chances
from agents.latice.heuristics import best_stones, held_kinds, masks_of
from agents.latice.unseen import Unseen, unseen_by, unseen_of_kinds
from latice_env.actions import (
    ACTIONS,
    BUY_WITH_HALFSTONES,
    BUY_WITH_SUNSTONE,
    END,
    EXCHANGE,
    RACK,
    WIND_SHIFT,
)
from latice_env.board import DIRECTIONS, NEIGHBOURS, NONE, SQUARES
from latice_env.legal import bits, fill_mask, fitting_kinds
from latice_env.moves import MOST_SUNSTONES, act, remaining, stones_for
from latice_env.state import GAME, Game, Outcome
from latice_env.tiles import TILES, WIND

_PLAYING: Final = int(Outcome.PLAYING)
_WON: Final = 1000.0
_LAST_RESORT: Final = 10.0
#: Stones by their value in halfstones, at most those of a latice on a sun.
_STONES: Final = 7


class Weights(NamedTuple):
    """What the value is made of, in tiles: a tile less is worth 1.

    Attributes:
        sunstone: a sunstone kept.
        halfstone: a halfstone kept.
        wind: a wind on the rack, which needs no move to be played: what it costs less than another tile.
        fit: a kind of tile on the rack that fits somewhere.
        danger: a halfstone that the best placement of the next player is expected to earn.
        exchange: a tile exchanged.
    """

    sunstone: float = 0.95
    halfstone: float = 0.42
    wind: float = 0.7
    fit: float = 0.2
    danger: float = 0.25
    exchange: float = 0.05


@dataclass(frozen=True, slots=True)
class PlannerAgent:
    """Plays for the best end of the own turn.

    Args:
        seed: of what breaks ties.
        weights: what an end of a turn is worth.
        beam: positions that are extended at each depth.
        depth: micro-actions that are planned at most.
        winds: shifts that are considered in each position.
    """

    seed: int = 0
    weights: Weights = field(default_factory=Weights)
    beam: int = 8
    depth: int = 10
    winds: int = 4

    def values(self, views: np.ndarray) -> np.ndarray:
        """float32 (N, 764): the best end of the turn that begins with each action, in tiles."""
        values = chances(self.seed, views) * np.float32(1e-4)
        _fill_plans(views, masks_of(views), self.weights, self.beam, self.depth, self.winds, values)
        return values


@njit(cache=True)
def _fill_plans(
    views: np.ndarray,
    masks: np.ndarray,
    weights: Weights,
    beam: int,
    depth: int,
    winds: int,
    values: np.ndarray,
) -> None:
    ends = np.zeros(ACTIONS, dtype=GAME)
    for index in range(len(views)):
        best = np.full(ACTIONS, -np.inf)
        plan(views[index : index + 1], weights, beam, depth, winds, best, ends)
        for action in range(ACTIONS):
            if not masks[index, action]:
                values[index, action] = -np.inf
            elif best[action] == -np.inf:
                values[index, action] -= 10 * _WON  # legal, but not considered
            else:
                values[index, action] += best[action]


@njit(cache=True, nogil=True)
def plan(
    view: np.ndarray,
    weights: Weights,
    beam: int,
    depth: int,
    winds: int,
    best: np.ndarray,
    ends: np.ndarray,
) -> None:
    """Write the value of the best end of the turn that begins with each action, where one was found.

    Args:
        view: a record (1,).
        weights: those of the value.
        beam: positions that are extended at each depth.
        depth: micro-actions at most.
        winds: shifts that are considered in each position.
        best: float64 (764,), minus infinity at first.
        ends: records (764,): that end of the turn, but for an exchange, of which nobody knows how it goes on.
    """
    unseen = unseen_by(view[0])
    positions, following = np.zeros(beam, dtype=GAME), np.zeros(beam, dtype=GAME)
    first, following_first = np.zeros(beam, dtype=np.int64), np.zeros(beam, dtype=np.int64)
    promise, following_promise = np.zeros(beam), np.zeros(beam)
    child = np.zeros(1, dtype=GAME)
    mask = np.zeros(ACTIONS, dtype=np.int8)
    actions = np.zeros(ACTIONS, dtype=np.int64)
    positions[0] = view[0]
    count = 1
    stay, _ = _value_and_hope(view[0], weights, unseen)
    best[END] = _value_of_ending(view[0], stay)
    ends[END] = view[0]
    _value_exchanges(view[0], weights, stay, mask, best)
    for level in range(depth):
        kept = 0
        for index in range(count):
            for number in range(choices(positions[index], winds, mask, actions)):
                action = actions[number]
                child[0] = positions[index]
                begins_with = action if level == 0 else first[index]
                over = act(child[0], action)
                value, more = _value_and_hope(child[0], weights, unseen)
                if value > best[begins_with]:
                    best[begins_with] = value
                    ends[begins_with] = child[0]
                if not over:
                    hope = value + more
                    slot = _slot_for(hope, following_promise, kept, beam)
                    if slot >= 0:
                        following[slot] = child[0]
                        following_first[slot] = begins_with
                        following_promise[slot] = hope
                        kept = max(kept, slot + 1)
        if kept == 0:
            break
        positions, following = following, positions
        first, following_first = following_first, first
        promise, following_promise = following_promise, promise
        count = kept


@njit(cache=True)
def _value_of_ending(game: Game, stay: float) -> float:
    """What ending the turn here is worth: a pass may block the game, which the fewest tiles win.

    So it wins at once if all others have just passed and have more; without a lead it is the last resort.
    """
    if game["moved"]:
        return stay
    player = game["player"]
    fewest = TILES
    for other in range(game["players"]):
        if other != player:
            fewest = min(fewest, remaining(game, other))
    if remaining(game, player) >= fewest:
        return stay - _LAST_RESORT
    return _WON if game["passes"] == game["players"] - 1 else stay


@njit(cache=True)
def _slot_for(hope: float, promises: np.ndarray, kept: int, beam: int) -> int:
    """Where a position goes in the beam, -1 for nowhere: not beside one that promises exactly the same."""
    lowest = 0
    for slot in range(kept):
        if promises[slot] == hope:
            return -1
        if promises[slot] < promises[lowest]:
            lowest = slot
    if kept < beam:
        return kept
    return lowest if hope > promises[lowest] else -1


@njit(cache=True)
def choices(game: Game, winds: int, mask: np.ndarray, actions: np.ndarray) -> int:
    """Write the actions worth planning, and return how many: all placements, some winds, needed moves."""
    fill_mask(game, mask)
    count = 0
    for action in range(WIND_SHIFT):
        if mask[action]:
            actions[count] = action
            count += 1
    if game["moves"] == 0:
        for action in (BUY_WITH_HALFSTONES, BUY_WITH_SUNSTONE):
            if mask[action]:
                actions[count] = action
                count += 1
                break
    return count + _best_winds(game, winds, mask, actions[count:])


@njit(cache=True)
def _best_winds(game: Game, winds: int, mask: np.ndarray, actions: np.ndarray) -> int:
    """Write the shifts after which the best placement earns most, and return how many."""
    gains = np.zeros(winds, dtype=np.int64)
    board = game["board"]
    held = held_kinds(game)
    kept = 0
    for action in range(WIND_SHIFT, EXCHANGE + 1):
        if mask[action]:
            square, direction = divmod(action - WIND_SHIFT, DIRECTIONS)
            onto = NEIGHBOURS[square, direction]
            board[onto] = board[square]
            board[square] = NONE
            gain = best_stones(board, held)
            board[square] = board[onto]
            board[onto] = NONE
            if kept < winds:
                slot, kept = kept, kept + 1
            else:
                slot = gains.argmin()
                if gain <= gains[slot]:
                    continue
            gains[slot], actions[slot] = gain, action
    return kept


@njit(cache=True)
def _value_exchanges(game: Game, weights: Weights, stay: float, mask: np.ndarray, best: np.ndarray) -> None:
    """Write what exchanges are worth: a little for each tile that fits nowhere, less for others."""
    fill_mask(game, mask)
    rack = game["racks"][game["player"]]
    useless = 0
    for slot in range(RACK):
        if 0 <= rack[slot] < WIND and best_stones(game["board"], 1 << int(rack[slot])) < 0:
            useless |= 1 << slot
    for subset in range(1, 1 << RACK):
        if mask[EXCHANGE + subset]:
            good, bad = bits(subset & useless), bits(subset & ~useless)
            best[EXCHANGE + subset] = stay + weights.exchange * (good - 3 * bad)


@njit(cache=True)
def _value_and_hope(game: Game, weights: Weights, unseen: Unseen) -> tuple[float, float]:
    """What it is worth to the player to move to end the turn here, in tiles, and what may still be gained.

    That is what the moves that are left may bring: a tile each, and the stones of the next placement.
    """
    player = game["player"]
    if game["outcome"] != _PLAYING:
        return _WON, 0.0
    winds = 0
    for slot in range(RACK):
        winds += game["racks"][player, slot] == WIND
    fits, stones, danger = _outlook(game, unseen)
    value = (
        weights.wind * winds
        - remaining(game, player)
        + weights.sunstone * min(game["sunstones"][player], MOST_SUNSTONES)
        + weights.halfstone * game["halfstones"][player]
        + weights.fit * fits
        - weights.danger * danger
    )
    if game["moves"] == 0 or stones < 0:
        return value, 0.0
    return value, game["moves"] + stones * weights.halfstone


@njit(cache=True)
def _outlook(game: Game, unseen: Unseen) -> tuple[int, int, float]:
    """How many kinds on the own rack fit, the best of their stones, and those the next player may expect.

    In halfstones; the best is -1 when none fits.
    """
    board, player = game["board"], game["player"]
    held, fitting, best = held_kinds(game), 0, -1
    other = (player + 1) % game["players"]
    none = np.ones(_STONES)  # the chance that the next player has no tile for any square of that worth
    for square in range(SQUARES):
        kinds = fitting_kinds(board, square)
        if kinds:
            sunstones, halfstones = stones_for(board, square)
            stones = 2 * sunstones + halfstones
            if kinds & held:
                fitting |= kinds & held
                best = max(best, stones)
            if stones > 0:
                matching = unseen_of_kinds(unseen, kinds)
                none[stones] *= (1 - matching / unseen.total) ** game["rack_sizes"][other]
    danger, so_far = 0.0, 1.0
    for stones in range(_STONES - 1, 0, -1):
        danger += stones * so_far * (1 - none[stones])
        so_far *= none[stones]
    return bits(fitting), best, danger
