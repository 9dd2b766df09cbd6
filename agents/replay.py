"""Boards to learn from, with what they are worth: a replay buffer, or a batch of it."""

from dataclasses import dataclass

import numpy as np
import torch

from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from agents.play import Games
from agents.prizes import prizes_of
from agents.successors import TURNS
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import BITBOARD, NONE, Rules, place_all


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

    def write(self, places: np.ndarray, boards: "Boards") -> None:
        """Put ``boards`` at the given places of every turn."""
        self.board[:, places], self.last[:, places] = boards.board, boards.last
        self.target[:, places] = boards.target

    @staticmethod
    def choose(rng: np.random.Generator, boards: int, among: int) -> tuple[np.ndarray, np.ndarray]:
        """int64 (16, N) random places among the first ones; bool (16, N), which boards are to be turned."""
        return rng.integers(among, size=(TURNS, boards)), rng.random((TURNS, boards)) < 0.5

    def sample(self, rng: np.random.Generator, boards: int, among: int) -> "Boards":
        """Random boards of each turn among the first ones, each turned by 180 degrees or not."""
        turn = np.arange(TURNS)[:, None]
        chosen, turned = self.choose(rng, boards, among)
        board = self.board[turn, chosen]
        board[turned] = board[turned][:, ::-1]
        return Boards(board, self.last[turn, chosen], self.target[turn, chosen])

    def rows(self, rules: Rules) -> np.ndarray:
        """int32 (16, N, R): the rows of each board, as :class:`ValueNetwork` reads them."""
        rows = np.empty((TURNS * len(self), ROWS_PER_BOARD), dtype=np.int32)
        fill_rows(self.board.reshape(-1, CELLS), self.last.ravel(), rules.code, row_count(rules), rows)
        return rows.reshape(TURNS, len(self), ROWS_PER_BOARD)


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
