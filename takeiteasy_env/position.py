"""What a player may see of N games, as a struct of arrays."""

from dataclasses import dataclass

import numpy as np

from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import FILLED, NONE, Rules, bitboards_of, fill_legal
from takeiteasy_env.tiles import TILES


@dataclass(frozen=True, slots=True)
class Positions:
    """N positions before a placement. All that a player may know follows from them and from the rules.

    Attributes:
        board: int8 (N, 19), the tile on each cell, -1 for none.
        tile: int8 (N,), the tile in hand, -1 for none.
        previous: int8 (N,), the tile drawn just before, -1 for none.
    """

    board: np.ndarray
    tile: np.ndarray
    previous: np.ndarray

    @classmethod
    def empty(cls, games: int) -> "Positions":
        """``games`` empty boards without a tile in hand."""
        none = np.full(games, NONE, dtype=np.int8)
        return cls(np.full((games, CELLS), NONE, dtype=np.int8), none, none.copy())

    def __len__(self) -> int:
        return len(self.board)

    def __getitem__(self, games: slice | np.ndarray) -> "Positions":
        """The positions of some of the games."""
        return Positions(self.board[games], self.tile[games], self.previous[games])

    @property
    def filled(self) -> np.ndarray:
        """int64 (N,): how many cells are filled."""
        return (self.board != NONE).sum(axis=1)

    def legal(self, rules: Rules) -> np.ndarray:
        """bool (N, 19): the cells where the tile in hand may go; none without a tile in hand."""
        mask = np.empty((len(self), CELLS), dtype=np.bool_)
        filled = bitboards_of(self.board, rules)[:, FILLED]
        fill_legal(filled, self.tile, self.previous, rules.code, mask)
        return mask

    def remaining(self) -> np.ndarray:
        """bool (N, 27): the tiles neither on the board nor in hand, of which the next is drawn."""
        remaining = np.ones((len(self), TILES + 1), dtype=np.bool_)
        np.put_along_axis(remaining, self.board.astype(np.int64), False, axis=1)
        np.put_along_axis(remaining, self.tile[:, None].astype(np.int64), False, axis=1)
        return remaining[:, :TILES]
