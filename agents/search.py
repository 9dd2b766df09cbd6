"""``search``: looks ahead with the value network's eyes, where it matters.

The network values every cell. Those that come close to the best one are looked at one tile ahead, and those
that are then still close two tiles ahead (:mod:`agents.lookahead`): where one cell is clearly best there is
nothing to search. The best come first, so that the search may stop at any time and say what it has found.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numba import njit, prange

from agents.lookahead import (
    Scope,
    Sight,
    make_sight,
    nodes_one_ahead,
    nodes_two_ahead,
    value_one_ahead,
    value_two_ahead,
)
from agents.prizes import gain_through, prize_of
from agents.value import ValueAgent, make_value
from agents.weights import Weights
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, RuleCode, Rules, bitboards_of, place

#: Positions that one thread takes at a time.
POSITIONS_PER_TASK: Final = 4
#: Boards that are valued in a second, until that is measured, and the part of the time left that is planned.
FIRST_SPEED: Final = 1e6
SHARE_OF_TIME: Final = 0.8


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How far to look, what to leave out and when to stop.

    Attributes:
        plies: how many tiles to look ahead, 1 or 2.
        margin: how many points below the best one, by the network, a cell may lie to be looked at.
        close: how many points below the best one a cell may lie to be looked at two tiles ahead, or a reply.
        width: how many cells are looked at.
        replies: how many replies to each tile are looked at two tiles ahead.
        exact: boards with so many empty cells, or fewer, are valued exactly.
        nodes: how many boards may be valued for each position, 0 for no limit.
        ms: milliseconds for each position, in the mean of those that are asked together, 0 for no limit.
    """

    plies: int = 2
    margin: float = 2.5
    close: float = 1.0
    width: int = 8
    replies: int = 1
    exact: int = 4
    nodes: int = 20_000
    ms: float = 0.0

    def __post_init__(self) -> None:
        for name, least, most in (
            ("plies", 1, 2),
            ("margin", 0, math.inf),
            ("close", 0, math.inf),
            ("width", 1, CELLS),
            ("replies", 1, CELLS),
            ("exact", 2, 5),
            ("nodes", 0, math.inf),
            ("ms", 0, math.inf),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                allowed = f"{least} or more" if most == math.inf else f"{least} to {most}"
                raise ValueError(f"{name}:{value:g}: give {allowed}")

    @property
    def scope(self) -> Scope:
        """What the compiled functions read of it."""
        margins = float(self.margin), float(self.close)
        return Scope(self.plies, self.width, *margins, self.replies, self.exact)


@dataclass(frozen=True, slots=True)
class SearchAgent:
    """Answers by looking ahead from the close cells with the values of a value agent.

    Attributes:
        agent: whose values they are.
        options: how far it looks.
        clock: seconds, for the limit of ``ms``.
    """

    agent: ValueAgent
    options: SearchOptions
    clock: Callable[[], float] = time.perf_counter

    @property
    def predicts_points(self) -> bool:
        """As of the agent whose values they are."""
        return self.agent.predicts_points

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): expected points from here to the end, minus infinity where the tile may not go.

        A cell that was not searched is worth what the network says.
        """
        start = self.clock()
        search = Search.begin(self.agent, self.options.scope, positions)
        allowed = self.options.nodes or np.iinfo(np.int64).max
        if self.options.ms:
            self._search_in_time(search, start, allowed)
        else:
            search.go_on(allowed)
        return search.values

    def _search_in_time(self, search: "Search", start: float, most: int) -> None:
        """Let the positions value more and more boards, as many as the time that is left seems to allow."""
        games, speed = len(search.values), FIRST_SPEED
        seconds = self.options.ms / 1000 * games
        while (left := seconds - (self.clock() - start)) > 0:
            before = search.nodes.sum()
            more = int(SHARE_OF_TIME * left * speed / games)
            unfinished = search.go_on(min(most, search.nodes.max() + more))
            if not unfinished or search.nodes.sum() == before:
                return
            speed = search.nodes.sum() / (self.clock() - start)


@dataclass(frozen=True, slots=True)
class Search:
    """What has been found so far.

    Attributes:
        agent: whose values are searched with.
        scope: how far.
        positions: N of them.
        bitboards: int32 (N, 11), the same boards.
        values: float32 (N, 19), the best that is known of each cell.
        depths: int8 (N, 19), how many tiles ahead each cell has been looked at.
        nodes: int64 (N,), how many boards have been valued for it.
    """

    agent: ValueAgent
    scope: Scope
    positions: Positions
    bitboards: np.ndarray
    values: np.ndarray
    depths: np.ndarray
    nodes: np.ndarray

    @classmethod
    def begin(cls, agent: ValueAgent, scope: Scope, positions: Positions) -> "Search":
        """With what the network says."""
        values = agent.values(positions)
        return cls(
            agent,
            scope,
            positions,
            bitboards_of(positions.board, agent.rules),
            values,
            np.zeros(values.shape, dtype=np.int8),
            np.zeros(len(values), dtype=np.int64),
        )

    def go_on(self, allowed: int) -> bool:
        """Search on until each position has valued ``allowed`` boards; says whether any is unfinished."""
        unfinished = np.zeros(len(self.values), dtype=np.bool_)
        search_positions(
            self.positions.board,
            self.bitboards,
            self.positions.tile,
            self.agent.rules.code,
            self.agent.weights,
            self.scope,
            allowed,
            self.values,
            self.depths,
            self.nodes,
            unfinished,
        )
        return bool(unfinished.any())


def make_search(rules: Rules, seed: int, source: Path | None, options: SearchOptions) -> SearchAgent:
    """The search over the value agent of a directory, or the shipped one; it makes no random choice.

    Raises:
        UsageError: when there is no model for these rules.
    """
    return SearchAgent(make_value(rules, seed, source), options)


@njit(cache=True, parallel=True, nogil=True)
def search_positions(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    code: RuleCode,
    weights: Weights,
    scope: Scope,
    allowed: int,
    values: np.ndarray,
    depths: np.ndarray,
    nodes: np.ndarray,
    unfinished: np.ndarray,
) -> None:
    """Search each position on, as :meth:`Search.go_on`, with its arrays."""
    for task in prange((len(boards) + POSITIONS_PER_TASK - 1) // POSITIONS_PER_TASK):
        start = task * POSITIONS_PER_TASK
        stop = min(start + POSITIONS_PER_TASK, len(boards))
        _search_positions(
            boards,
            bitboards,
            tiles,
            code,
            weights,
            scope,
            allowed,
            values,
            depths,
            nodes,
            unfinished,
            start,
            stop,
        )


@njit(cache=True)
def _search_positions(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    code: RuleCode,
    weights: Weights,
    scope: Scope,
    allowed: int,
    values: np.ndarray,
    depths: np.ndarray,
    nodes: np.ndarray,
    unfinished: np.ndarray,
    start: int,
    stop: int,
) -> None:
    sight = make_sight(weights)
    for game in range(start, stop):
        empty = (boards[game] == NONE).sum() - 1
        while True:
            cell = next_cell(values[game], depths[game], scope)
            if cell == NONE:
                break
            if nodes[game] + nodes_needed(cell, depths[game], empty, scope) > allowed:
                unfinished[game] = True
                break
            sight.nodes[0] = 0
            look_further(
                boards[game],
                bitboards[game],
                int(tiles[game]),
                cell,
                empty,
                code,
                weights,
                scope,
                sight,
                values[game],
                depths[game],
            )
            nodes[game] += sight.nodes[0]


@njit(cache=True)
def next_cell(values: np.ndarray, depths: np.ndarray, scope: Scope) -> int:
    """The cell to look at next, NONE when there is nothing left to decide.

    Of the cells that are close to the best one, those that have been looked at least far come first, and of
    these the best one.
    """
    best = values.max()
    searched = (depths > 0).sum()
    for depth in range(scope.plies):
        least = best - (scope.close if depth else scope.margin)
        chosen, rivals = NONE, 0
        for cell in range(CELLS):
            if values[cell] == -np.inf or values[cell] < least:
                continue
            rivals += 1
            may = depths[cell] == depth and (depth > 0 or searched < scope.width)
            if may and (chosen == NONE or values[cell] > values[chosen]):
                chosen = cell
        if chosen != NONE and rivals > 1:
            return chosen
    return NONE


@njit(cache=True)
def nodes_needed(cell: int, depths: np.ndarray, empty: int, scope: Scope) -> int:
    """How many boards are valued at the most to look further from a cell.

    Twice as many where no cell has been looked at so far yet, since one alone could not be compared.
    """
    depth = depths[cell]
    nodes = nodes_two_ahead(empty, scope) if depth else nodes_one_ahead(empty, scope)
    return nodes if (depths > depth).any() else 2 * nodes


@njit(cache=True)
def look_further(
    board: np.ndarray,
    bitboard: np.ndarray,
    tile: int,
    cell: int,
    empty: int,
    code: RuleCode,
    weights: Weights,
    scope: Scope,
    sight: Sight,
    values: np.ndarray,
    depths: np.ndarray,
) -> None:
    """Look one tile further ahead from a cell than before, or to the end where that is near.

    Args:
        board: int8 (19,).
        bitboard: int32 (11,), the same board.
        tile: the tile in hand.
        cell: where it would go.
        empty: how many cells are empty then.
        code: the rules.
        weights: the network.
        scope: how far to look.
        sight: working memory.
        values: float32 (19,), the worth of the cells, changed.
        depths: int8 (19,), how many tiles ahead each of them has been looked at, changed.
    """
    after, after_bitboard = board.copy(), bitboard.copy()
    after[cell] = tile
    place(after_bitboard, tile, cell, code)
    gain = gain_through(after_bitboard, tile, cell, prize_of(bitboard, weights.prizes), code, weights.prizes)
    if depths[cell] == 0:
        rest = value_one_ahead(after, after_bitboard, tile, scope, code, weights, sight)
    else:
        rest = value_two_ahead(after, after_bitboard, tile, scope, code, weights, sight)
    values[cell] = gain + rest
    depths[cell] = scope.plies if empty <= scope.exact else depths[cell] + 1
