"""Play many games of an agent on given draws."""

from dataclasses import dataclass

import numpy as np

from agents.agent import Agent
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
    """

    draws: np.ndarray
    cells: np.ndarray
    boards: np.ndarray
    scores: np.ndarray


def play(agent: Agent, draws: np.ndarray, rules: Rules) -> Games:
    """Play one game for each row of int8 (N, 19) draws, all of them side by side.

    Raises:
        PlayError: when the agent's values have the wrong shape, hold a NaN or prefer an illegal cell.
    """
    games = len(draws)
    positions = Positions.empty(games)
    boards = positions.board
    bitboards = np.zeros((games, BITBOARD), dtype=np.int32)
    cells = np.full((games, CELLS), NONE, dtype=np.int8)
    points = np.empty(games, dtype=np.int32)
    scores = np.zeros(games, dtype=np.int32)
    # Turn by turn, so that each array is contiguous and every compiled function is compiled once.
    tiles = np.ascontiguousarray(draws.T)
    for turn in range(CELLS):
        positions = Positions(boards, tiles[turn], positions.tile)
        cells[:, turn] = best_cells(agent.values(positions), positions, rules, turn)
        place_all(boards, bitboards, tiles[turn], cells[:, turn], rules.code, points)
        scores += points
    return Games(draws, cells, boards, scores)


def best_cells(values: np.ndarray, positions: Positions, rules: Rules, turn: int) -> np.ndarray:
    """int64 (N,): the cell of the highest value in each row, the lowest one on ties.

    Raises:
        PlayError: when the values have the wrong shape, hold a NaN or prefer an illegal cell.
    """
    expected = (len(positions), CELLS)
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
