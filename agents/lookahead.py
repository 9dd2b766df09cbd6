"""Expectimax over the value network: the worth of a board after a placement, one tile ahead or two.

The network values a board after a placement. A look one tile ahead values it better: the mean, over the tiles
that may come next, of the best reply to each, which the network values. Two tiles ahead the best replies to
each tile, as the network sees them, are looked at one tile ahead themselves. A board with few empty cells is
valued exactly.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from agents.endings import boards_to_the_end, ending_value, unseen_tiles
from agents.prizes import gain_through, prize_of
from agents.self_play import expected_value
from agents.successors import value_successors
from agents.weights import Scratch, Weights, make_scratch
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import BITBOARD, NONE, RuleCode, place
from takeiteasy_env.tiles import TILES


class Scope(NamedTuple):
    """How far to look, and what to leave out.

    ``plies`` tiles ahead, 0 to 2; at most ``width`` cells for the tile in hand, and of these at each ply only
    those that are at most ``margin`` or, two tiles ahead, ``close`` points below the best one; of the replies
    to a tile at most ``replies``, and those that are ``close``. Boards with so many empty cells as ``exact``
    are valued exactly.
    """

    plies: int
    width: int
    margin: float
    close: float
    replies: int
    exact: int


class Sight(NamedTuple):
    """Working memory of one thread.

    ``near`` and ``far`` (27, 19) hold the values of the replies to the next tile and to the one after it,
    ``after`` (19,) and ``after_bitboard`` (11,) the board after a reply. ``nodes`` (1,) counts the boards
    that were valued.
    """

    scratch: Scratch
    near: np.ndarray
    far: np.ndarray
    after: np.ndarray
    after_bitboard: np.ndarray
    nodes: np.ndarray


@njit(cache=True)
def make_sight(weights: Weights) -> Sight:
    """Working memory to look ahead from any board."""
    return Sight(
        scratch=make_scratch(weights),
        near=np.empty((TILES, CELLS), dtype=np.float32),
        far=np.empty((TILES, CELLS), dtype=np.float32),
        after=np.empty(CELLS, dtype=np.int8),
        after_bitboard=np.empty(BITBOARD, dtype=np.int32),
        nodes=np.zeros(1, dtype=np.int64),
    )


@njit(cache=True)
def value_two_ahead(
    board: np.ndarray,
    bitboard: np.ndarray,
    last: int,
    scope: Scope,
    code: RuleCode,
    weights: Weights,
    sight: Sight,
) -> float:
    """As :func:`value_one_ahead`, with the best replies to each tile looked at one tile further.

    The board has more empty cells than are valued exactly.
    """
    remaining = unseen_tiles(board)
    near, after, after_bitboard = sight.near, sight.after, sight.after_bitboard
    value_successors(board, bitboard, last, remaining, code, weights, sight.scratch, near)
    sight.nodes[0] += np.isfinite(near).sum()
    prize = prize_of(bitboard, weights.prizes)
    total, tiles = 0.0, 0
    for tile in range(TILES):
        if not remaining >> tile & 1:
            continue
        row = near[tile]
        least, best = row.max() - scope.close, -np.inf
        for _ in range(scope.replies):
            cell = row.argmax()
            if row[cell] == -np.inf or row[cell] < least:
                break
            row[cell] = -np.inf
            after[:] = board
            after[cell] = tile
            after_bitboard[:] = bitboard
            place(after_bitboard, tile, cell, code)
            gain = gain_through(after_bitboard, tile, cell, prize, code, weights.prizes)
            rest = value_one_ahead(after, after_bitboard, tile, scope, code, weights, sight)
            best = max(best, gain + rest)
        total += best
        tiles += 1
    return total / tiles


@njit(cache=True)
def value_one_ahead(
    board: np.ndarray,
    bitboard: np.ndarray,
    last: int,
    scope: Scope,
    code: RuleCode,
    weights: Weights,
    sight: Sight,
) -> float:
    """Expected points still to come on a board after a placement, looking one tile ahead or to the end.

    Args:
        board: int8 (19,), not full.
        bitboard: int32 (11,), the same board.
        last: the tile placed last.
        scope: what is valued exactly and what is left out.
        code: the rules.
        weights: the network.
        sight: working memory.
    """
    remaining = unseen_tiles(board)
    empty = (board == NONE).sum()
    if empty <= scope.exact:
        sight.nodes[0] += boards_to_the_end(empty)
        return ending_value(bitboard, remaining, last, code, weights.prizes)
    value_successors(board, bitboard, last, remaining, code, weights, sight.scratch, sight.far)
    sight.nodes[0] += np.isfinite(sight.far).sum()
    return expected_value(sight.far, remaining)


@njit(cache=True)
def nodes_one_ahead(empty: int, scope: Scope) -> int:
    """How many boards are valued to look one tile ahead from one with so many empty cells, at the most."""
    if empty <= scope.exact:
        return boards_to_the_end(empty)
    return (TILES - CELLS + empty) * empty


@njit(cache=True)
def nodes_two_ahead(empty: int, scope: Scope) -> int:
    """How many boards are valued to look two tiles ahead from one with so many empty cells, at the most."""
    replies = (TILES - CELLS + empty) * min(scope.replies, empty)
    return nodes_one_ahead(empty, scope) + replies * nodes_one_ahead(empty - 1, scope)
