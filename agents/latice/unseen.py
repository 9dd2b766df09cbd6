"""The tiles that a player does not see: in a pool or on another rack."""

from typing import NamedTuple

import numpy as np
from numba import njit

from latice_env.actions import RACK
from latice_env.board import NONE, SQUARES
from latice_env.legal import bits
from latice_env.state import Game
from latice_env.tiles import COPIES, WIND


class Unseen(NamedTuple):
    """What is unseen, as sets of kinds.

    Attributes:
        once: the kinds of colour tile of which at least one is unseen.
        twice: those of which two are.
        winds: how many winds are unseen.
        total: how many tiles, winds included, at least 1.
    """

    once: int
    twice: int
    winds: int
    total: int


@njit(cache=True, nogil=True)
def unseen_by(view: Game) -> Unseen:
    """What the player to move does not see."""
    counts = COPIES.astype(np.int64)
    for square in range(SQUARES):
        if view["board"][square] != NONE:
            counts[view["board"][square]] -= 1
    for slot in range(RACK):
        tile = view["racks"][view["player"], slot]
        if tile != NONE:
            counts[tile] -= 1
    counts[WIND] -= view["discarded"]
    once = twice = 0
    for kind in range(WIND):
        if counts[kind] > 0:
            once |= 1 << kind
        if counts[kind] > 1:
            twice |= 1 << kind
    return Unseen(once, twice, int(counts[WIND]), max(int(counts.sum()), 1))


@njit(cache=True, nogil=True)
def unseen_of_kinds(unseen: Unseen, kinds: int) -> int:
    """How many unseen tiles are of some kinds of colour tile."""
    return bits(kinds & unseen.once) + bits(kinds & unseen.twice)
