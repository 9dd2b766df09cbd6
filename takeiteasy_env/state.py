"""The whole state of N games, the draws to come included: what the environments hold and advance.

A player sees less of it: :class:`takeiteasy_env.position.Positions`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from takeiteasy_env.board import CELLS
from takeiteasy_env.observation import fill_observations
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import (
    BITBOARD,
    FILLED,
    NONE,
    RuleCode,
    legal_cells,
    place,
    points_through,
)


class State(NamedTuple):
    """N games in progress, as a struct of arrays that the compiled functions change in place.

    Attributes:
        boards: int8 (N, 19), the tile on each cell, -1 for none.
        bitboards: int32 (N, 11), the same boards as sets of cells.
        draws: int8 (N, 19), the tiles in the order they are drawn.
        tiles: int8 (N,), the tile in hand, -1 when the game is over.
        previous: int8 (N,), the tile drawn just before, -1 for none.
        turns: int64 (N,), tiles placed so far.
        scores: int64 (N,), points so far.
        legal: int32 (N,), where the tile in hand may go, as a set of cells.
    """

    boards: np.ndarray
    bitboards: np.ndarray
    draws: np.ndarray
    tiles: np.ndarray
    previous: np.ndarray
    turns: np.ndarray
    scores: np.ndarray
    legal: np.ndarray

    @property
    def positions(self) -> Positions:
        """What the players see now: a copy, which later steps leave alone."""
        return Positions(self.boards.copy(), self.tiles.copy(), self.previous.copy())


def games_over(games: int) -> State:
    """``games`` games that have not begun: their boards are empty and no tile is in hand."""
    return State(
        boards=np.full((games, CELLS), NONE, dtype=np.int8),
        bitboards=np.zeros((games, BITBOARD), dtype=np.int32),
        draws=np.full((games, CELLS), NONE, dtype=np.int8),
        tiles=np.full(games, NONE, dtype=np.int8),
        previous=np.full(games, NONE, dtype=np.int8),
        turns=np.zeros(games, dtype=np.int64),
        scores=np.zeros(games, dtype=np.int64),
        legal=np.zeros(games, dtype=np.int32),
    )


@njit(cache=True)
def begin(state: State, games: np.ndarray, draws: np.ndarray, code: RuleCode) -> None:
    """Begin some games anew.

    Args:
        state: changed.
        games: int64 (M,), which games.
        draws: int8 (M, 19), their tiles in the order they are drawn.
        code: the rules.
    """
    for index, game in enumerate(games):
        state.boards[game] = NONE
        state.bitboards[game] = 0
        state.draws[game] = draws[index]
        state.tiles[game] = draws[index, 0]
        state.previous[game] = NONE
        state.turns[game] = 0
        state.scores[game] = 0
        state.legal[game] = legal_cells(0, draws[index, 0], NONE, code)


@njit(cache=True)
def advance(
    state: State,
    cells: np.ndarray,
    code: RuleCode,
    reward_at_end: bool,
    rewards: np.ndarray,
    terminated: np.ndarray,
) -> None:
    """Put each game's tile in hand on its cell and draw the next one; an illegal cell ends the game.

    A game that is over stays as it is, with reward 0 and terminated False.

    Args:
        state: changed.
        cells: int64 (N,), 0-18.
        code: the rules.
        reward_at_end: reward the score when the game ends, rather than the points of each placement.
        rewards: float64 (N,), written.
        terminated: bool (N,), written: whether this step ended the game.
    """
    for game in range(len(cells)):
        tile, cell = int(state.tiles[game]), int(cells[game])
        points = 0
        if tile != NONE:
            bitboard, legal = state.bitboards[game], state.legal[game]
            state.tiles[game], state.legal[game] = NONE, 0
            if legal >> cell & 1:
                state.boards[game, cell] = tile
                place(bitboard, tile, cell, code)
                points = points_through(bitboard, tile, cell, code)
                state.scores[game] += points
                state.previous[game] = tile
                state.turns[game] += 1
                if state.turns[game] < CELLS:
                    state.tiles[game] = state.draws[game, state.turns[game]]
                    state.legal[game] = legal_cells(bitboard[FILLED], state.tiles[game], tile, code)
        terminated[game] = tile != NONE and state.tiles[game] == NONE
        if not reward_at_end:
            rewards[game] = points
        else:
            rewards[game] = state.scores[game] if terminated[game] else 0


@njit(cache=True)
def look(state: State, code: RuleCode, observations: np.ndarray, masks: np.ndarray) -> None:
    """Write what the players see: int8 (N, D) observations and int8 (N, 19) masks of the legal cells."""
    fill_observations(state.boards, state.tiles, state.previous, code, observations)
    for game in range(len(masks)):
        for cell in range(CELLS):
            masks[game, cell] = state.legal[game] >> cell & 1


@njit(cache=True)
def advance_and_look(
    state: State,
    cells: np.ndarray,
    code: RuleCode,
    reward_at_end: bool,
    rewards: np.ndarray,
    terminated: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
) -> None:
    """:func:`advance`, then :func:`look`, in one call."""
    advance(state, cells, code, reward_at_end, rewards, terminated)
    look(state, code, observations, masks)
