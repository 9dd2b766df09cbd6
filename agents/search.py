"""``search``: looks one tile ahead with the value network's eyes.

The network values the board after a placement. One ply of expectimax values it better: the mean, over all
tiles that may come next, of the best reply to each, valued by the network one tile later. It is asked only
about cells that are close to the best by the network's own values; with one such cell there is nothing to
search. With two cells left the search is exact.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit, prange

from agents.endings import unseen_tiles
from agents.prizes import gain_through, prize_of
from agents.self_play import expected_value
from agents.successors import BOARDS_PER_TASK, Scratch, Weights, make_scratch, value_successors
from agents.value import ValueAgent, make_value
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import (
    BITBOARD,
    RuleCode,
    Rules,
    bitboards_of,
    place,
)
from takeiteasy_env.tiles import TILES


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How far to look.

    Attributes:
        margin: how many points below the best one, by the network, a cell may lie to be searched.
    """

    margin: float = 5.0

    def __post_init__(self) -> None:
        if self.margin < 0:
            raise ValueError(f"margin:{self.margin:g}: give 0 or more points")


@dataclass(frozen=True, slots=True)
class SearchAgent:
    """Answers by one ply of expectimax over the values of a value agent.

    Attributes:
        agent: whose values they are.
        options: how far it looks.
    """

    agent: ValueAgent
    options: SearchOptions

    @property
    def predicts_points(self) -> bool:
        """As of the agent whose values they are."""
        return self.agent.predicts_points

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): expected points from here to the end, minus infinity where the tile may not go.

        A cell that was not searched is worth what the network says.
        """
        rules = self.agent.rules
        values = self.agent.values(positions)
        bitboards = bitboards_of(positions.board, rules)
        search_games(
            positions.board,
            bitboards,
            positions.tile,
            rules.code,
            self.agent.weights,
            self.options.margin,
            values,
        )
        return values


def make_search(rules: Rules, seed: int, source: Path | None, options: SearchOptions) -> SearchAgent:
    """The search over the value agent of a directory, or the shipped one; it makes no random choice.

    Raises:
        UsageError: when there is no model for these rules.
    """
    return SearchAgent(make_value(rules, seed, source), options)


@njit(cache=True, parallel=True, nogil=True)
def search_games(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    code: RuleCode,
    weights: Weights,
    margin: float,
    values: np.ndarray,
) -> None:
    """Search the best cells of each game, whose float32 (N, 19) network's values are changed."""
    for task in prange((len(boards) + BOARDS_PER_TASK - 1) // BOARDS_PER_TASK):
        start = task * BOARDS_PER_TASK
        stop = min(start + BOARDS_PER_TASK, len(boards))
        _search_games(boards, bitboards, tiles, code, weights, margin, values, start, stop)


@njit(cache=True)
def _search_games(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    code: RuleCode,
    weights: Weights,
    margin: float,
    values: np.ndarray,
    start: int,
    stop: int,
) -> None:
    scratch = make_scratch(weights)
    for game in range(start, stop):
        if np.isfinite(values[game]).sum() > 1:
            search_cells(
                boards[game], bitboards[game], int(tiles[game]), code, weights, scratch, margin, values[game]
            )


@njit(cache=True)
def search_cells(
    board: np.ndarray,
    bitboard: np.ndarray,
    tile: int,
    code: RuleCode,
    weights: Weights,
    scratch: Scratch,
    margin: float,
    values: np.ndarray,
) -> None:
    """Replace the values of the best cells by those that one ply of expectimax gives.

    Args:
        board: int8 (19,).
        bitboard: int32 (11,), the same board.
        tile: the tile in hand.
        code: the rules.
        weights: the network.
        scratch: working memory.
        margin: how many points below the best one a cell may lie to be searched.
        values: float32 (19,), the network's values, changed.
    """
    close = np.isfinite(values) & (values >= values.max() - margin)
    remaining = unseen_tiles(board) & ~(1 << tile)
    prize = prize_of(bitboard, weights.prizes)
    if close.sum() == 1:
        return
    replies = np.empty((TILES, CELLS), dtype=np.float32)
    after = np.empty(CELLS, dtype=np.int8)
    after_bitboard = np.empty(BITBOARD, dtype=np.int32)
    for cell in range(CELLS):
        if close[cell]:
            after[:] = board
            after[cell] = tile
            after_bitboard[:] = bitboard
            place(after_bitboard, tile, cell, code)
            value_successors(after, after_bitboard, tile, remaining, code, weights, scratch, replies)
            gain = gain_through(after_bitboard, tile, cell, prize, code, weights.prizes)
            values[cell] = gain + expected_value(replies, remaining)
