"""The micro-actions worth a thought, and what each would do, as numbers that a network reads.

An action is described by what it does now, and by the end of the turn that the search of
:mod:`agents.latice.planner` finds behind it: a turn goes on for up to ten micro-actions, and a tile that is placed for the
squares that it opens cannot be told from others by what it earns. How good that end is, is for the network to
say. What the search does not consider is left out; of the exchanges those of the least useful tiles are left.

Layout of an action, float32:

| entries | what they say |
|---|---|
| 0-6 | 1 for a placement, a wind, an exchange, a move for a sunstone, one for halfstones, a wind back, the end |
| 7, 8 | sunstones it earns, of 3; 1 for a halfstone |
| 9, 10 | tiles that the placed one touches, of 4; 1 when it covers a sun |
| 11, 12 | tiles exchanged, of 5; those of them that fit nowhere |
| 13-16 | 1 for an end that is a pass; for one that blocks the game and wins, ties or loses it |
| 17, 18 | the planner's value, less that of its best action, at least -5 tiles, of 5; 1 when it is the best |
| 19 | 1 when the turn that begins so wins the game |
| 20-26 | at the end of that turn: tiles got rid of, of 5; sunstones that are kept, of 3; halfstones, of 4; winds on the rack, tiles on it, tiles that are drawn, of 5; moves left unused |
| 27-47 | the outlook there (:mod:`agents.latice.outlook`) |

After an exchange the rack is what is kept. Layout of a position, float32:

| entries | what they say |
|---|---|
| 0-7 | of the player: tiles left, of 42; the first ten of them, of 10; rack and pool, of 5 and 42; sunstones, of 3; halfstones, of 4; winds on the rack, of 5; tiles exchanged so far, of 20 |
| 8-14 | of the next player the same, but for the winds |
| 15 | tiles left less the fewest of the others, of 10 |
| 16-19 | moves left, of 2; 1 when a move was made in this turn; when a tile or wind was played; once the game is open |
| 20, 21 | turns in a row without a move, of the players; without progress, of the limit |
| 22-24 | winds discarded, of 12; tiles on the board, of 84; the part of winds among the unseen tiles |
| 25 | what the best action promises above the end of the turn, by the planner, at most 10 tiles, of 5 |
| 26-46 | the outlook |

All of it but the planner's choice among ends of the same worth is the same in the 8 x 6! x 6! x 2 relabelings of a
position, so that each of them is learned from every game.
"""  # noqa: E501 (tables)

from typing import Final, NamedTuple

import numpy as np
from numba import njit

from agents.latice.outlook import OUTLOOK, fill_best, fill_outlook
from agents.latice.planner import Weights, plan
from agents.latice.unseen import Unseen, unseen_by
from latice_env.actions import (
    ACTIONS,
    BUY_WIND,
    BUY_WITH_HALFSTONES,
    BUY_WITH_SUNSTONE,
    END,
    EXCHANGE,
    RACK,
    WIND_SHIFT,
)
from latice_env.board import DIRECTIONS, IS_SUN, NEIGHBOURS, NONE, SQUARES
from latice_env.deal import take_from_rack
from latice_env.legal import bits, fill_mask
from latice_env.moves import MOST_SUNSTONES, remaining, stones_for
from latice_env.state import GAME, Game, Outcome
from latice_env.tiles import TILES, WIND, WINDS

_END_OF_TURN: Final = 20
ACTION_SIZE: Final = _END_OF_TURN + 7 + OUTLOOK
_COUNTS: Final = 26
STATE_SIZE: Final = _COUNTS + OUTLOOK
#: Exchanges that are considered: of the least useful colour tiles, one to five, and of the whole rack.
EXCHANGES: Final = RACK + 1
#: How the planner looks for the end of the turn.
BEAM: Final = 16
DEPTH: Final = 10
WINDS_CONSIDERED: Final = 6
WEIGHTS: Final = Weights()
_PLAYING: Final = int(Outcome.PLAYING)


class Decisions(NamedTuple):
    """What N players who are to move may do.

    Attributes:
        states: float32 (N, 47), the positions.
        features: float32 (M, 48), the actions of all, one position after another.
        actions: int16 (M,), which they are.
        starts: int64 (N + 1,), where those of each position begin, and where the last ones end.
    """

    states: np.ndarray
    features: np.ndarray
    actions: np.ndarray
    starts: np.ndarray


@njit(cache=True, nogil=True)
def decisions_of(views: np.ndarray) -> Decisions:
    """What may be done in records (N,) of games that are not over, as the players to move see them."""
    count = len(views)
    mask = np.zeros(ACTIONS, dtype=np.int8)
    room = 0
    for index in range(count):
        fill_mask(views[index], mask)
        room += mask[:WIND_SHIFT].sum() + WINDS_CONSIDERED + 2 + EXCHANGES + 1
    states = np.zeros((count, STATE_SIZE), dtype=np.float32)
    features = np.zeros((room, ACTION_SIZE), dtype=np.float32)
    actions = np.zeros(room, dtype=np.int16)
    starts = np.zeros(count + 1, dtype=np.int64)
    best, ends = np.empty(ACTIONS), np.zeros(ACTIONS, dtype=GAME)
    for index in range(count):
        view, first = views[index], starts[index]
        best[:] = -np.inf
        plan(views[index : index + 1], WEIGHTS, BEAM, DEPTH, WINDS_CONSIDERED, best, ends)
        fill_mask(view, mask)
        _keep_exchanges(view, mask)
        unseen, highest, last = unseen_by(view), best.max(), first
        for action in range(ACTIONS):
            if mask[action] and best[action] > -np.inf:
                actions[last] = action
                if EXCHANGE < action < BUY_WITH_SUNSTONE:
                    _exchange_unseen(view, action, ends)
                _fill_action(view, action, best[action] - highest, ends[action], unseen, features[last])
                last += 1
        starts[index + 1] = last
        _fill_state(view, highest - best[END], unseen, states[index])
    return Decisions(states, features[: starts[count]], actions[: starts[count]], starts)


@njit(cache=True, nogil=True)
def _keep_exchanges(view: Game, mask: np.ndarray) -> None:
    """Leave the exchanges of the least useful colour tiles legal, one to all, and that of the whole rack."""
    best, squares = np.empty(RACK, dtype=np.int64), np.empty(RACK, dtype=np.int64)
    fill_best(view, best, squares)
    rack = view["racks"][view["player"]]
    kept = np.zeros(EXCHANGES, dtype=np.int64)
    subset = whole = 0
    for number in range(RACK):
        chosen = -1
        for slot in range(RACK):
            if rack[slot] != NONE:
                whole |= 1 << slot
            if NONE < rack[slot] < WIND and not subset >> slot & 1:
                worth = SQUARES * best[slot] + squares[slot]
                if chosen < 0 or worth < SQUARES * best[chosen] + squares[chosen]:
                    chosen = slot
        if chosen >= 0:
            subset |= 1 << chosen
            kept[number] = subset
    kept[RACK] = whole
    for subset in range(1, 1 << RACK):
        if not (kept == subset).any():
            mask[EXCHANGE + subset] = 0


@njit(cache=True, nogil=True)
def _exchange_unseen(view: Game, action: int, ends: np.ndarray) -> None:
    """Write the position in which the tiles are set aside and no others have been drawn."""
    ends[action] = view
    end, subset = ends[action], action - EXCHANGE
    for slot in range(RACK - 1, -1, -1):
        if subset >> slot & 1:
            take_from_rack(end, end["player"], slot)
    end["pool_sizes"][end["player"]] += bits(subset)
    end["moves"] -= 1


@njit(cache=True, nogil=True)
def _fill_action(
    view: Game, action: int, advantage: float, end: Game, unseen: Unseen, features: np.ndarray
) -> None:
    """Write one action's row."""
    player, board = view["player"], view["board"]
    if action < WIND_SHIFT:
        features[0] = 1
        square = action % SQUARES
        sunstones, halfstones = stones_for(board, square)
        features[7] = sunstones / 3
        features[8] = halfstones
        for direction in range(DIRECTIONS):
            neighbour = NEIGHBOURS[square, direction]
            features[9] += np.float32(0.25) * (neighbour != NONE and board[neighbour] != NONE)
        features[10] = IS_SUN[square]
    elif action <= EXCHANGE:
        features[1] = 1
    elif action < BUY_WITH_SUNSTONE:
        features[2] = 1
        exchanged = bits(action - EXCHANGE)
        features[11] = exchanged / 5
        features[12] = _useless(view, action - EXCHANGE) / 5
    elif action == BUY_WITH_SUNSTONE:
        features[3] = 1
    elif action == BUY_WITH_HALFSTONES:
        features[4] = 1
    elif action == BUY_WIND:
        features[5] = 1
    else:
        features[6] = 1
        if not view["moved"]:
            lead = _fewest_of_others(view) - remaining(view, player)
            blocks = view["passes"] == view["players"] - 1
            features[13] = 1
            features[14] = blocks and lead > 0
            features[15] = blocks and lead == 0
            features[16] = blocks and lead < 0
    features[17] = max(advantage, -5.0) / 5
    features[18] = advantage == 0
    features[19] = end["outcome"] != _PLAYING
    after = features[_END_OF_TURN:]
    after[0] = (remaining(view, player) - remaining(end, player)) / 5
    after[1] = min(end["sunstones"][player], MOST_SUNSTONES) / 3
    after[2] = end["halfstones"][player] / 4
    after[3] = _winds_of(end) / 5
    after[4] = end["rack_sizes"][player] / 5
    after[5] = min(RACK - end["rack_sizes"][player], end["pool_sizes"][player]) / 5
    after[6] = end["moves"]
    fill_outlook(end, unseen, after[7:])


@njit(cache=True, nogil=True)
def _useless(view: Game, subset: int) -> int:
    """How many colour tiles of a subset of the slots fit nowhere."""
    best, squares = np.empty(RACK, dtype=np.int64), np.empty(RACK, dtype=np.int64)
    fill_best(view, best, squares)
    rack = view["racks"][view["player"]]
    useless = 0
    for slot in range(RACK):
        useless += subset >> slot & 1 and NONE < rack[slot] < WIND and best[slot] < 0
    return useless


@njit(cache=True, nogil=True)
def _winds_of(view: Game) -> int:
    """Winds on the rack of the player to move."""
    winds = 0
    for slot in range(RACK):
        winds += view["racks"][view["player"], slot] == WIND
    return winds


@njit(cache=True, nogil=True)
def _fewest_of_others(view: Game) -> int:
    """The fewest tiles that another player has left."""
    fewest = TILES
    for other in range(view["players"]):
        if other != view["player"]:
            fewest = min(fewest, remaining(view, other))
    return fewest


@njit(cache=True, nogil=True)
def _fill_state(view: Game, promise: float, unseen: Unseen, state: np.ndarray) -> None:
    """Write a position's row."""
    player = view["player"]
    _fill_seat(view, player, state)
    state[7] = _winds_of(view) / 5
    _fill_seat(view, (player + 1) % view["players"], state[8:])
    state[15] = (remaining(view, player) - _fewest_of_others(view)) / 10
    state[16] = view["moves"] / 2
    state[17] = view["moved"]
    state[18] = view["progressed"]
    state[19] = view["opened"]
    state[20] = view["passes"] / view["players"]
    state[21] = view["quiet_turns"] / view["quiet_limit"]
    state[22] = view["discarded"] / WINDS
    on_board = 0
    for square in range(SQUARES):
        on_board += view["board"][square] != NONE
    state[23] = on_board / TILES
    state[24] = unseen.winds / unseen.total
    state[25] = min(promise, 10.0) / 5
    fill_outlook(view, unseen, state[_COUNTS:])


@njit(cache=True, nogil=True)
def _fill_seat(view: Game, seat: int, counts: np.ndarray) -> None:
    """Write what everybody sees of a seat: seven numbers."""
    left = remaining(view, seat)
    counts[0] = left / 42
    counts[1] = min(left, 10) / 10
    counts[2] = view["rack_sizes"][seat] / 5
    counts[3] = view["pool_sizes"][seat] / 42
    counts[4] = view["sunstones"][seat] / 3
    counts[5] = view["halfstones"][seat] / 4
    counts[6] = view["exchanged"][seat] / 20
