"""How much of a score was the luck of the draw, so that it can be taken out of it.

A value network says what the tile in hand may bring at its best, and what the tiles that might have come
would have, in the mean; a draw's luck is the difference. Whatever the agent does and however wrong the
network is, each tile left is as likely to come, so luck is 0 in the mean, and a score less the luck of its 19
draws has the mean of the score. The better the network, the less chance is left in it. This is the advantage
sum of Zinkevich, Bowling, Bard, Kan and Billings (Optimal unbiased estimators for evaluating agent
performance, AAAI 2006).
"""

from typing import Protocol, runtime_checkable

import numpy as np
from numba import njit, prange

from agents.agent import make_agent
from agents.endings import unseen_tiles
from agents.errors import NoModelError, UsageError
from agents.self_play import expected_value
from agents.successors import BOARDS_PER_TASK, value_successors
from agents.weights import Weights, make_scratch
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import BITBOARD, NONE, RuleCode, Rules, place
from takeiteasy_env.tiles import TILES


@runtime_checkable
class NetworkAgent(Protocol):
    """An agent that plays by a value network."""

    @property
    def rules(self) -> Rules:
        """Of the games whose boards it values."""
        ...

    @property
    def weights(self) -> Weights:
        """The network."""
        ...


def value_network_of(spec: str, rules: Rules) -> Weights:
    """The value network of the agent that a text names, as :func:`agents.agent.make_agent` takes it.

    Raises:
        UsageError: when it cannot be made, or has no such network of these rules.
    """
    agent = make_agent(spec, rules)
    if not (isinstance(agent, NetworkAgent) and isinstance(agent.weights, Weights) and agent.rules == rules):
        raise UsageError(
            f"it is no value network of {rules.name} rules: choose value, or value:run_directory for one "
            "you trained"
        )
    return agent.weights


def shipped_network(rules: Rules) -> Weights | None:
    """The value network that comes with the project for these rules, None where there is none.

    Raises:
        UsageError: when it is damaged.
    """
    try:
        return value_network_of("value", rules)
    except NoModelError:
        return None


def luck_of(draws: np.ndarray, cells: np.ndarray, rules: Rules, weights: Weights) -> np.ndarray:
    """The luck of each draw of games that anybody has played.

    Args:
        draws: int8 (N, 19), the tiles of each game in the order they were drawn.
        cells: int8 (N, 19), the cell on which each of them was put.
        rules: which were played, not those of a table.
        weights: a value network of these rules.

    Returns:
        float32 (N, 19), points: by how much the best placement of the tile drawn is worth more than that of
        the tiles that might have been, in the mean.
    """
    luck = np.empty(draws.shape, dtype=np.float32)
    _fill_luck(draws, cells, rules.code, weights, luck)
    return luck


@njit(cache=True, parallel=True, nogil=True)
def _fill_luck(
    draws: np.ndarray, cells: np.ndarray, code: RuleCode, weights: Weights, luck: np.ndarray
) -> None:
    for task in prange((len(draws) + BOARDS_PER_TASK - 1) // BOARDS_PER_TASK):
        start = task * BOARDS_PER_TASK
        stop = min(start + BOARDS_PER_TASK, len(draws))
        _fill_luck_of_task(draws[start:stop], cells[start:stop], code, weights, luck[start:stop])


@njit(cache=True)
def _fill_luck_of_task(
    draws: np.ndarray, cells: np.ndarray, code: RuleCode, weights: Weights, luck: np.ndarray
) -> None:
    scratch = make_scratch(weights)
    values = np.empty((TILES, CELLS), dtype=np.float32)
    board = np.empty(CELLS, dtype=np.int8)
    bitboard = np.empty(BITBOARD, dtype=np.int32)
    for game in range(len(draws)):
        board[:] = NONE
        bitboard[:] = 0
        last = NONE
        for turn in range(CELLS):
            tile, cell, tiles = int(draws[game, turn]), int(cells[game, turn]), unseen_tiles(board)
            value_successors(board, bitboard, last, tiles, code, weights, scratch, values)
            luck[game, turn] = values[tile].max() - expected_value(values, tiles)
            board[cell] = tile
            place(bitboard, tile, cell, code)
            last = tile
