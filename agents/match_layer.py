"""The layer of the value network that learns how the tiles that remain match the empty cells."""

import math

import numpy as np
import torch
from torch import nn

from agents.best_scores import BestScores
from agents.device_matching import best_scores_on_device
from agents.features import MARKETS, tile_row
from agents.matching import CELL_SHARE, HEADS, match_rows
from takeiteasy_env.board import LINES
from takeiteasy_env.rules import Rules
from takeiteasy_env.tiles import TILES


class MatchLayer(nn.Module):
    """32 numbers of a board, from its rows, as :mod:`agents.matching` says.

    Args:
        rules: the rules, which say how many rows there are.

    Attributes:
        worth: (lines, 3 or 6, 16), what each state of a line makes of each kind of tile.
        prices: (markets, 16), what each state of a market adds to that.
        mix: (17, 16), how the heads of the best tile of a cell are mixed; the last row is the bias.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self.code = rules.code
        lines, kinds, markets = match_rows(rules)
        # From larger numbers it takes a thousand steps more to find out what fits.
        self.worth = nn.Parameter(torch.randn(lines, kinds, HEADS) * 0.1)
        self.prices = nn.Parameter(torch.zeros(markets, HEADS))
        self.mix = nn.Parameter(torch.randn(HEADS + 1, HEADS) * math.sqrt(2 / HEADS))

    def forward(self, rows: np.ndarray | torch.Tensor) -> torch.Tensor:
        """float32 (B, 32) numbers of boards, from their int (B, 44) rows.

        The best scores are found by compiled functions for an array, by PyTorch on its device for a tensor.
        """
        if isinstance(rows, np.ndarray):
            of_tile, of_cell = BestScores.apply(self.worth.view(-1, HEADS), self.prices, rows, self.code)
            tiles = torch.from_numpy(rows[:, len(LINES) + MARKETS : -1])
        else:
            of_tile, of_cell = best_scores_on_device(self.worth, self.prices, rows, self.code)
            tiles = rows[:, len(LINES) + MARKETS : -1]
        filled = tiles < tile_row(TILES, self.code)
        remaining = TILES - filled.sum(dim=1, keepdim=True)
        mixed = torch.relu(of_cell @ self.mix[:-1] + self.mix[-1]) * ~filled[..., None]
        return torch.cat([of_tile.sum(dim=1) / remaining, CELL_SHARE * mixed.sum(dim=1)], dim=1)
