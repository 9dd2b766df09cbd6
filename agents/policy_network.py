"""The network that scores the cells where the tile in hand may go: logits for PPO, quantiles for Q-learning.

Its first layer is a sum of rows of a table: those of the position, and for each legal cell those of the
placement there (:mod:`agents.placement_features`). Behind it one small stack scores all cells, and another
one values the position. Only legal cells are computed, packed into one matrix.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numba import njit
from torch import nn

from agents.descent import STACK_RATE
from agents.placement_features import (
    ROWS_PER_PLACEMENT,
    ROWS_PER_POSITION,
    placement_rows,
    position_rows,
    section_starts,
)
from agents.value_network import RowSums
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules


class PolicyNetwork(nn.Module):
    """Scores of the cells for the tile in hand, and of the position.

    Args:
        rules: the rules, which say how many rows there are and which cells are legal.
        width: units of the first layer.
        stack: units of each of the two layers behind it.
        outputs: scores for each cell, and for the position.
    """

    def __init__(self, rules: Rules, width: int, stack: int, outputs: int = 1) -> None:
        super().__init__()
        self.rules, self.outputs = rules, outputs
        rows = int(section_starts(rules)[-1])
        scale = 1 / math.sqrt(ROWS_PER_POSITION + ROWS_PER_PLACEMENT)
        self.table = nn.Parameter(torch.randn(rows + 1, width) * scale)
        self.bias = nn.Parameter(torch.zeros(width))
        self.cells = _stack(width, stack, outputs)
        self.position = _stack(width, stack, outputs)

    def forward(self, positions: Positions) -> tuple[torch.Tensor, torch.Tensor]:
        """Score N positions.

        Returns:
            float32 (N, 19, K) scores of the cells, minus infinity where the tile may not go, and (N, K) of
            the positions.
        """
        games, cells = np.nonzero(positions.legal(self.rules))
        position = RowSums.apply(self.table, position_rows(positions, self.rules)) + self.bias
        rows = placement_rows(positions, games, cells, self.rules)
        scored = self.cells(PlacementSums.apply(position, self.table, games, rows))
        scores = torch.full((len(positions), CELLS, self.outputs), -math.inf)
        scores = scores.index_put((torch.from_numpy(games), torch.from_numpy(cells)), scored)
        return scores, self.position(torch.relu(position))

    def groups(self) -> Iterator[tuple[Iterator[nn.Parameter], float]]:
        """The parameters with the part of the learning rate that they learn at."""
        yield self.rows(), 1.0
        yield self.stacks(), STACK_RATE

    def rows(self) -> Iterator[nn.Parameter]:
        """The parameters of the first layer."""
        yield from (self.table, self.bias)

    def stacks(self) -> Iterator[nn.Parameter]:
        """The parameters of the layers behind it."""
        yield from (*self.cells.parameters(), *self.position.parameters())


def _stack(width: int, stack: int, outputs: int) -> nn.Sequential:
    """Two hidden layers, and outputs that are close to 0 at first."""
    sizes = (width, stack, stack, outputs)
    layers = [nn.Linear(inputs, units) for inputs, units in pairwise(sizes)]
    for layer in layers:
        nn.init.normal_(layer.weight, std=math.sqrt(2 / layer.in_features))
        nn.init.zeros_(layer.bias)
    with torch.no_grad():
        layers[-1].weight *= 0.1
    return nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])


class PlacementSums(torch.autograd.Function):
    """The first layer of placements: the position's sums and the placement's rows, where that is positive."""

    @staticmethod
    def forward(
        ctx: Any, position: torch.Tensor, table: torch.Tensor, games: np.ndarray, rows: np.ndarray
    ) -> torch.Tensor:
        """float32 (M, H), from the (N, H) sums of the positions, the table, int64 (M,) and int32 (M, R)."""
        hidden = torch.empty(len(rows), table.shape[1])
        _sum_placements(position.detach().numpy(), table.detach().numpy(), games, rows, hidden.numpy())
        ctx.games, ctx.rows, ctx.hidden = games, rows, hidden
        ctx.shapes = position.shape, table.shape
        return hidden

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None, None]:
        """Give each position and each row the sum of the gradients of the placements that have it."""
        position, table = (torch.zeros(shape) for shape in ctx.shapes)
        gradient, hidden = gradients[0].contiguous().numpy(), ctx.hidden.numpy()
        _spread_placements(gradient, hidden, ctx.games, ctx.rows, position.numpy(), table.numpy())
        return position, table, None, None


@njit(cache=True, nogil=True)
def _sum_placements(
    position: np.ndarray, table: np.ndarray, games: np.ndarray, rows: np.ndarray, hidden: np.ndarray
) -> None:
    nothing, width = table.shape[0] - 1, table.shape[1]
    for placement in range(rows.shape[0]):
        total, start = hidden[placement], position[games[placement]]
        for unit in range(width):
            total[unit] = start[unit]
        for row in rows[placement]:
            if row != nothing:
                for unit in range(width):
                    total[unit] += table[row, unit]
        for unit in range(width):
            total[unit] = max(total[unit], np.float32(0))


@njit(cache=True, nogil=True)
def _spread_placements(
    gradients: np.ndarray,
    hidden: np.ndarray,
    games: np.ndarray,
    rows: np.ndarray,
    position: np.ndarray,
    table: np.ndarray,
) -> None:
    nothing, width = table.shape[0] - 1, table.shape[1]
    passed = np.empty(width, dtype=np.float32)
    for placement in range(rows.shape[0]):
        start = position[games[placement]]
        for unit in range(width):
            positive = hidden[placement, unit] > 0
            passed[unit] = gradients[placement, unit] if positive else np.float32(0)
            start[unit] += passed[unit]
        for row in rows[placement]:
            if row != nothing:
                for unit in range(width):
                    table[row, unit] += passed[unit]
