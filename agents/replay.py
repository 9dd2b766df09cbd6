"""Boards to learn from, with what they are worth: a replay buffer, or a batch of it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from agents.play import Games
from agents.prizes import prizes_of
from agents.successors import TURNS
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import BITBOARD, NONE, Rules, place_all
from takeiteasy_env.tiles import TILES


@dataclass(frozen=True, slots=True)
class Boards:
    """Boards after a placement and what they bring, sorted by turn.

    Attributes:
        board: int8 (16, N, 19), N boards with 1, 2, ... 16 tiles.
        last: int8 (16, N), the tile placed last.
        target: float32 (16, N), points still to come.
    """

    board: np.ndarray
    last: np.ndarray
    target: np.ndarray

    @classmethod
    def empty(cls, boards: int) -> "Boards":
        """Room for so many boards of each turn."""
        return cls(
            np.full((TURNS, boards, CELLS), NONE, dtype=np.int8),
            np.full((TURNS, boards), NONE, dtype=np.int8),
            np.zeros((TURNS, boards), dtype=np.float32),
        )

    @classmethod
    def of(cls, tensors: dict[str, torch.Tensor]) -> "Boards":
        """What :meth:`tensors` gave."""
        return cls(tensors["board"].numpy(), tensors["last"].numpy(), tensors["target"].numpy())

    def tensors(self) -> dict[str, torch.Tensor]:
        """The same as tensors, for a checkpoint."""
        return {
            "board": torch.from_numpy(self.board),
            "last": torch.from_numpy(self.last),
            "target": torch.from_numpy(self.target),
        }

    def __len__(self) -> int:
        return self.board.shape[1]

    def write(self, slot: int, boards: "Boards", counts: np.ndarray) -> None:
        """Put the first ``counts`` (16,) boards of each turn where the round in that slot has its boards."""
        for turn, count in enumerate(counts):
            places = slice(slot * count, (slot + 1) * count)
            self.board[turn, places] = boards.board[turn, :count]
            self.last[turn, places] = boards.last[turn, :count]
            self.target[turn, places] = boards.target[turn, :count]


def boards_per_turn(most: float) -> np.ndarray:
    """int64 (16,): how many boards of each turn to keep or to learn from, with ``most`` of the fullest.

    The fullest are the hardest to learn and have the cheapest targets. So their number is in inverse
    proportion to the root of what a target costs: a successor for each remaining tile and empty cell.
    """
    tiles = np.arange(1, TURNS + 1)
    successors = (TILES - tiles) * (CELLS - tiles)
    return np.maximum(1, np.rint(most * np.sqrt(successors.min() / successors))).astype(np.int64)


class Choice(NamedTuple):
    """Which boards make a batch, sorted by turn.

    Attributes:
        turn: int64 (B,), of each board.
        place: int64 (B,), where it is among those of its turn.
        turned: bool (B,), whether it is turned by 180 degrees.
    """

    turn: np.ndarray
    place: np.ndarray
    turned: np.ndarray


def choose(rng: np.random.Generator, sizes: np.ndarray, among: np.ndarray) -> Choice:
    """Random boards of each turn, ``sizes`` (16,), among the first ones, ``among`` (16,); half are turned."""
    turn = np.arange(TURNS).repeat(sizes)
    return Choice(turn, rng.integers(among[turn]), rng.random(len(turn)) < 0.5)


def boards_of(games: Games, rules: Rules, prizes: np.ndarray) -> Boards:
    """The boards of finished games after their first 16 placements, and what followed: points and prizes."""
    found = Boards.empty(len(games.scores))
    board = np.full_like(games.boards, NONE)
    bitboards = np.zeros((len(board), BITBOARD), dtype=np.int32)
    points = np.empty(len(board), dtype=np.int32)
    to_come = games.scores + prizes_of(games.boards, rules, prizes)
    for turn in range(TURNS):
        tiles = games.draws[:, turn]
        place_all(board, bitboards, tiles, games.cells[:, turn], rules.code, points)
        to_come -= points
        found.board[turn], found.last[turn] = board, tiles
        found.target[turn] = to_come - prizes_of(board, rules, prizes)
    return found
