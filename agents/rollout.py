"""``rollout``: flat Monte Carlo over ``line_odds``, the baseline that looks ahead and has learned nothing.

The tiles to come are shuffled many times. For each cell the game is played to its end on every one of these
orders, by ``line_odds``; the cell is worth the mean of what that brings. All cells meet the same orders, so
that luck is no reason to prefer one.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit, prange

from agents.endings import indices_of, unseen_tiles
from agents.heuristics import refuse_source
from agents.line_odds import NEVER_DRAWN, completion_chances, fill_worth, kinds_of_tiles
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import FILLED, RuleCode, Rules, bitboards_of, legal_cells, place, score
from takeiteasy_env.tiles import TILES


@dataclass(frozen=True, slots=True)
class RolloutOptions:
    """How often to play.

    Attributes:
        rollouts: games played to their end for each cell.
    """

    rollouts: int = 100

    def __post_init__(self) -> None:
        if self.rollouts < 1:
            raise ValueError(f"rollouts:{self.rollouts}: give 1 or more")


@dataclass(slots=True)
class RolloutAgent:
    """Answers by the mean of games played to their end.

    Attributes:
        rules: the rules; under ``best_ray`` it plays for the points of its own board alone.
        seed: of the orders of tiles, with the number of the game and the turn.
        options: how often it plays.
        first: the number of the game in row 0.
    """

    rules: Rules
    seed: int
    options: RolloutOptions
    first: int = 0

    def begin(self, first: int) -> None:
        """Begin games anew, of which row 0 is number ``first``."""
        self.first = first

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): mean points from here to the end, minus infinity where the tile may not go."""
        values = np.full((len(positions), CELLS), -np.inf, dtype=np.float32)
        fill_rollouts(
            positions.board,
            bitboards_of(positions.board, self.rules),
            positions.tile,
            positions.previous,
            self._words(positions),
            self.rules.code,
            kinds_of_tiles(self.rules),
            completion_chances(),
            values,
        )
        return values

    def _words(self, positions: Positions) -> np.ndarray:
        """uint64 (N, rollouts, 27): random words that shuffle the tiles to come."""
        size = (self.options.rollouts, TILES)
        words = np.empty((len(positions), *size), dtype=np.uint64)
        for row, turn in enumerate(positions.filled):
            rng = stream(self.seed, Purpose.AGENT, self.first + row, int(turn))
            words[row] = rng.integers(1 << 64, dtype=np.uint64, size=size)
        return words


def make_rollout(rules: Rules, seed: int, source: Path | None, options: RolloutOptions) -> RolloutAgent:
    """The agent; raises :class:`UsageError` when given a source."""
    refuse_source("rollout", source)
    return RolloutAgent(rules, seed, options)


@njit(cache=True, parallel=True, nogil=True)
def fill_rollouts(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    previous: np.ndarray,
    words: np.ndarray,
    code: RuleCode,
    kinds: np.ndarray,
    chances: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write what each legal cell brings in the mean.

    Args:
        boards: int8 (N, 19).
        bitboards: int32 (N, 11), the same boards.
        tiles: int8 (N,), the tiles in hand.
        previous: int8 (N,), the tiles drawn just before.
        words: uint64 (N, rollouts, 27), random.
        code: the rules.
        kinds: of :func:`agents.line_odds.kinds_of_tiles`.
        chances: of :func:`agents.line_odds.completion_chances`.
        values: float32 (N, 19), written where the tile may go.
    """
    for game in prange(len(boards)):
        roll_out(
            boards[game],
            bitboards[game],
            int(tiles[game]),
            int(previous[game]),
            words[game],
            code,
            kinds,
            chances,
            values[game],
        )


@njit(cache=True)
def roll_out(
    board: np.ndarray,
    bitboard: np.ndarray,
    tile: int,
    previous: int,
    words: np.ndarray,
    code: RuleCode,
    kinds: np.ndarray,
    chances: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write what each legal cell of one position brings in the mean, as :func:`fill_rollouts`."""
    legal = legal_cells(bitboard[FILLED], tile, previous, code)
    if legal == 0:
        return
    remaining = indices_of(unseen_tiles(board) & ~(1 << tile))
    order = np.empty_like(remaining)
    totals = np.zeros(CELLS)
    for rollout in range(len(words)):
        shuffle(remaining, words[rollout], order)
        for cell in range(CELLS):
            if legal >> cell & 1:
                after, after_bitboard = board.copy(), bitboard.copy()
                after[cell] = tile
                place(after_bitboard, tile, cell, code)
                play_on(after, after_bitboard, tile, order, code, kinds, chances)
                totals[cell] += score(after_bitboard, code)
    now = score(bitboard, code)
    for cell in range(CELLS):
        if legal >> cell & 1:
            values[cell] = totals[cell] / len(words) - now


@njit(cache=True)
def shuffle(tiles: np.ndarray, words: np.ndarray, order: np.ndarray) -> None:
    """Write int64 (T,) tiles in the order that uint64 words say, as :func:`takeiteasy_env.draws.deal`."""
    order[:] = tiles
    for turn in range(len(order)):
        left = np.uint64(len(order) - turn)
        chosen = turn + np.int64((words[turn] >> np.uint64(32)) * left >> np.uint64(32))
        order[turn], order[chosen] = order[chosen], order[turn]


@njit(cache=True)
def play_on(
    board: np.ndarray,
    bitboard: np.ndarray,
    last: int,
    order: np.ndarray,
    code: RuleCode,
    kinds: np.ndarray,
    chances: np.ndarray,
) -> None:
    """Fill a board by ``line_odds`` with tiles in their order, of which the last eight are not drawn.

    Args:
        board: int8 (19,), filled.
        bitboard: int32 (11,), the same board, filled.
        last: the tile placed last.
        order: int64 (T,), all tiles that are not on the board.
        code: the rules.
        kinds: of :func:`agents.line_odds.kinds_of_tiles`.
        chances: of :func:`agents.line_odds.completion_chances`.
    """
    worth, legal = np.empty(CELLS, dtype=np.float32), np.empty(CELLS, dtype=np.bool_)
    for turn in range(len(order) - NEVER_DRAWN):
        tile = int(order[turn])
        cells = legal_cells(bitboard[FILLED], tile, last, code)
        for cell in range(CELLS):
            legal[cell] = cells >> cell & 1
        worth[:] = -np.inf
        fill_worth(board, tile, order[turn + 1 :], legal, kinds, chances, worth)
        cell = int(worth.argmax())
        board[cell] = tile
        place(bitboard, tile, cell, code)
        last = tile
