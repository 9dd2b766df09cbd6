"""Play many games of an agent on given draws."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Agent, RandomizedAgent, describe
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import BITBOARD, NONE, Rules, place_all


class PlayError(Exception):
    """An agent answered with something that is no move.

    Attributes:
        game: the first game that it concerns, its row in the draws.
        turn: 0-18.
        reason: what was wrong with the answer.
    """

    def __init__(self, game: int, turn: int, reason: str) -> None:
        super().__init__(f"game {game}, turn {turn}: {reason}")
        self.game = game
        self.turn = turn
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Games:
    """N finished games.

    Attributes:
        draws: int8 (N, 19), the tiles in the order they were drawn.
        cells: int8 (N, 19), the cell on which each of them was put.
        boards: int8 (N, 19), the tile on each cell at the end.
        scores: int32 (N,), points.
        values: float32 (N, 19), what the agent said that each of these cells was worth.
    """

    draws: np.ndarray
    cells: np.ndarray
    boards: np.ndarray
    scores: np.ndarray
    values: np.ndarray


def play(agent: Agent, draws: np.ndarray, rules: Rules, first: int = 0) -> Games:
    """Play one game for each row of int8 (N, 19) draws, all of them side by side.

    Args:
        agent: who plays.
        draws: int8 (N, 19), the tiles of each game.
        rules: the rules.
        first: the number of the first game, which decides what a randomized agent chooses.

    Raises:
        PlayError: when the agent raises, or when its values have the wrong shape, hold a NaN or prefer an
            illegal cell.
    """
    games = len(draws)
    positions = Positions.empty(games)
    boards = positions.board
    bitboards = np.zeros((games, BITBOARD), dtype=np.int32)
    cells = np.full((games, CELLS), NONE, dtype=np.int8)
    points = np.empty(games, dtype=np.int32)
    scores = np.zeros(games, dtype=np.int32)
    worth = np.empty((games, CELLS), dtype=np.float32)
    if isinstance(agent, RandomizedAgent):
        agent.begin(first)
    # Turn by turn, so that each array is contiguous and every compiled function is compiled once.
    tiles = np.ascontiguousarray(draws.T)
    for turn in range(CELLS):
        positions = Positions(boards, tiles[turn], positions.tile)
        values = ask(agent, positions, turn)
        cells[:, turn] = best_cells(values, positions, rules, turn)
        worth[:, turn] = values[np.arange(games), cells[:, turn]]
        place_all(boards, bitboards, tiles[turn], cells[:, turn], rules.code, points)
        scores += points
    return Games(draws, cells, boards, scores, worth)


def ask(agent: Agent, positions: Positions, turn: int) -> Any:
    """What an agent answers.

    Raises:
        PlayError: when it raises; for the game whose position it cannot answer, or the first one if it
            answers each of them alone.
    """
    try:
        return agent.values(positions)
    except Exception as error:
        game, raised = _first_that_raises(agent, positions) or (0, error)
        raise PlayError(game, turn, f"it raised {describe(raised)}") from raised


def _first_that_raises(agent: Agent, positions: Positions) -> tuple[int, Exception] | None:
    for game in range(len(positions)):
        try:
            agent.values(positions[game : game + 1])
        except Exception as error:
            return game, error
    return None


def best_cells(values: Any, positions: Positions, rules: Rules, turn: int) -> np.ndarray:
    """int64 (N,): the cell of the highest value in each row, the lowest one on ties.

    Raises:
        PlayError: when the values are no (N, 19) array of numbers, hold a NaN or prefer an illegal cell.
    """
    expected = (len(positions), CELLS)
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiu":
        kind = f"an array of {values.dtype}" if isinstance(values, np.ndarray) else type(values).__name__
        raise PlayError(0, turn, f"values are {kind}, not a NumPy array of float32")
    if values.shape != expected:
        raise PlayError(0, turn, f"values of shape {values.shape} instead of {expected}")
    cells = values.argmax(axis=1)
    rows = np.arange(len(positions))
    wrong = np.flatnonzero(np.isnan(values[rows, cells]) | ~positions.legal(rules)[rows, cells])
    if len(wrong):
        game = int(wrong[0])
        cell, value = cells[game], values[game, cells[game]]
        raise PlayError(game, turn, f"cell {cell} of value {value} is not a legal move")
    return cells
