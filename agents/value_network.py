"""The value network: how many points a board after a placement still brings.

The first layer is a sum of rows of a table, one for each feature of the board (:mod:`agents.features`),
shared by all turns. Beside it stands how the tiles that remain match the empty cells, as
:mod:`agents.matching` says. Behind both each number of tiles on the board has a small stack of its own.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numba import njit
from torch import nn
from torch.nn import functional

from agents.features import row_count
from agents.lanes import LANES
from agents.match_layer import MatchLayer
from agents.matching import MATCHES
from agents.model_files import read_model, write_model
from agents.prizes import RAYS
from agents.successors import TURNS
from agents.weights import Weights
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import Rules


class ValueNetwork(nn.Module):
    """Hundreds of points still to come, from the rows of a board.

    Args:
        rules: the rules, which say how many rows there are.
        width: units of the first layer.
        stack: units of each of the two layers behind it.
    """

    def __init__(self, rules: Rules, width: int, stack: int) -> None:
        super().__init__()
        rows = row_count(rules)
        self.table = nn.Parameter(torch.randn(rows + 1, width) / math.sqrt(CELLS))
        self.bias = nn.Parameter(torch.zeros(width))
        self.matches = MatchLayer(rules)
        inputs = width + MATCHES
        self.first = nn.Parameter(torch.randn(TURNS, inputs, stack) * math.sqrt(2 / inputs))
        self.first_bias = nn.Parameter(torch.zeros(TURNS, 1, stack))
        self.second = nn.Parameter(torch.randn(TURNS, stack, stack) * math.sqrt(2 / stack))
        self.second_bias = nn.Parameter(torch.zeros(TURNS, 1, stack))
        self.last = nn.Parameter(torch.randn(TURNS, stack, 1) * 0.1 / math.sqrt(stack))
        self.last_bias = nn.Parameter(torch.full((TURNS, 1, 1), 0.5))
        rays = RAYS if rules.scoring == "best_ray" else 0
        self.prizes: torch.Tensor
        self.register_buffer("prizes", torch.zeros(2, rays))

    def forward(self, rows: np.ndarray | torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """float32 (B,) values of boards sorted by turn, so many of each, from their int (B, R) rows.

        Rows in an array are added up by compiled functions, those in a tensor by PyTorch on its device.
        """
        parts = self.hidden(rows).split(list(sizes))
        return torch.cat([self.behind(part, turn) for turn, part in enumerate(parts)])

    def hidden(self, rows: np.ndarray | torch.Tensor) -> torch.Tensor:
        """float32 (B, H + 32), what the stacks read of boards: the first layer and the matches."""
        return torch.cat([torch.relu(row_sums(self.table, rows) + self.bias), self.matches(rows)], dim=1)

    def behind(self, hidden: torch.Tensor, turn: int) -> torch.Tensor:
        """float32 (B,) values from what the stacks read, float (B, I), of boards of ``turn + 1`` tiles.

        The last layer keeps its precision where the others are computed in less.
        """
        layer = torch.relu(torch.addmm(self.first_bias[turn], hidden, self.first[turn]))
        layer = torch.relu(torch.addmm(self.second_bias[turn], layer, self.second[turn]))
        with torch.autocast(hidden.device.type, enabled=False):
            return torch.addmm(self.last_bias[turn], layer.float(), self.last[turn]).squeeze(-1)

    def rows(self) -> Iterator[nn.Parameter]:
        """The parameters of the first layer, and of the scores of tiles on cells."""
        yield from (self.table, self.bias, self.matches.worth, self.matches.prices)

    def stacks(self) -> Iterator[nn.Parameter]:
        """The parameters of the layers behind it."""
        yield from (self.first, self.first_bias, self.second, self.second_bias, self.last, self.last_bias)
        yield self.matches.mix

    def weights(self) -> Weights:
        """A copy of the parameters in half precision, as a saved model has them, for compiled functions."""
        matches, width = self.matches, self.table.shape[1]
        return Weights(
            table=_halves(whole_lanes(self.table, width, dim=1)),
            bias=_copy(whole_lanes(self.bias, width, dim=0)),
            worth=_halves(matches.worth.flatten(0, 1)),
            prices=_halves(matches.prices),
            mix=_copy(matches.mix),
            first=_copy(whole_lanes(self.first, width, dim=1)),
            first_bias=_copy(self.first_bias[:, 0]),
            second=_copy(self.second),
            second_bias=_copy(self.second_bias[:, 0]),
            last=_copy(self.last[..., 0]),
            last_bias=_copy(self.last_bias[:, 0, 0]),
            prizes=_copy(self.prizes),
        )


def whole_lanes(parameter: torch.Tensor, width: int, dim: int) -> torch.Tensor:
    """A parameter with zeros behind the ``width`` units of the first layer, which so fill whole lanes."""
    units, others = parameter.tensor_split([width], dim)
    shape = list(units.shape)
    shape[dim] = -width % LANES
    return torch.cat([units, units.new_zeros(shape), others], dim)


def _copy(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().half().float().numpy()


def _halves(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().half().numpy().view(np.uint16)


def row_sums(table: torch.Tensor, rows: np.ndarray | torch.Tensor) -> torch.Tensor:
    """float32 (N, H) sums of rows of a float32 (rows + 1, H) table, from int (N, R) rows on its device.

    The table's last row stands for nothing and never changes anything.
    """
    if isinstance(rows, np.ndarray):
        return cast(torch.Tensor, RowSums.apply(table, rows))
    return functional.embedding_bag(rows, table, mode="sum", padding_idx=len(table) - 1)


class RowSums(torch.autograd.Function):
    """:func:`row_sums`, compiled."""

    @staticmethod
    def forward(ctx: Any, table: torch.Tensor, rows: np.ndarray) -> torch.Tensor:
        """float32 (N, H) sums, from a float32 (rows + 1, H) table and int (N, R) rows."""
        ctx.rows, ctx.shape = rows, table.shape
        sums = torch.empty(len(rows), table.shape[1])
        _sum_rows(table.detach().numpy(), rows, sums.numpy())
        return sums

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        """Give each row the sum of the gradients of the boards that have it."""
        table = torch.zeros(ctx.shape)
        _spread_rows(gradients[0].contiguous().numpy(), ctx.rows, table.numpy())
        return table, None


@njit(cache=True, nogil=True)
def _sum_rows(table: np.ndarray, rows: np.ndarray, sums: np.ndarray) -> None:
    nothing = table.shape[0] - 1
    for board in range(rows.shape[0]):
        total = sums[board]
        for unit in range(total.shape[0]):
            total[unit] = 0
        for row in rows[board]:
            if row != nothing:
                for unit in range(total.shape[0]):
                    total[unit] += table[row, unit]


@njit(cache=True, nogil=True)
def _spread_rows(gradients: np.ndarray, rows: np.ndarray, table: np.ndarray) -> None:
    nothing = table.shape[0] - 1
    for board in range(rows.shape[0]):
        gradient = gradients[board]
        for row in rows[board]:
            if row != nothing:
                for unit in range(gradient.shape[0]):
                    table[row, unit] += gradient[unit]


def save_model(directory: Path, network: ValueNetwork, rules: Rules) -> None:
    """Write ``model.safetensors`` in half precision and the ``config.json`` that says what it is."""
    sizes = {"width": network.table.shape[1], "stack": network.first.shape[2]}
    write_model(directory, network, rules, "value", sizes)


def load_model(directory: Path, rules: Rules) -> ValueNetwork:
    """The network in a directory, for the rules it was trained for.

    Raises:
        UsageError: when there is none, when it is damaged or when it was made for other rules or features.
    """
    return read_model(
        directory,
        rules,
        "value",
        ("width", "stack"),
        lambda width, stack: ValueNetwork(rules, width, stack),
    )
