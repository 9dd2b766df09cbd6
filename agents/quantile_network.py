"""The quantile network: how the points still to come are spread around the value network's own value."""

import math
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import nn

from agents.distributions import QuantileWeights
from agents.model_files import read_model, write_model
from agents.successors import TURNS
from agents.value_network import ValueNetwork, whole_lanes
from takeiteasy_env.rules import Rules

#: What the network is made of, as its ``config.json`` names it.
SIZES: Final[tuple[str, ...]] = ("width", "stack", "quantiles", "quantile_stack")


class QuantileNetwork(nn.Module):
    """By how many hundred points each quantile differs from the value of a network that stays as it is.

    Args:
        value: the value network.
        quantiles: how many quantiles.
        stack: units of each of the two layers behind the value network's first one.
    """

    def __init__(self, value: ValueNetwork, quantiles: int, stack: int) -> None:
        super().__init__()
        self.value = value.requires_grad_(False)
        inputs = value.first.shape[1]
        self.first = nn.Parameter(torch.randn(TURNS, inputs, stack) * math.sqrt(2 / inputs))
        self.first_bias = nn.Parameter(torch.zeros(TURNS, stack))
        self.second = nn.Parameter(torch.randn(TURNS, stack, stack) * math.sqrt(2 / stack))
        self.second_bias = nn.Parameter(torch.zeros(TURNS, stack))
        self.last = nn.Parameter(torch.randn(TURNS, stack, quantiles) * 0.1 / math.sqrt(stack))
        self.last_bias = nn.Parameter(torch.zeros(TURNS, quantiles))

    def hidden(self, rows: np.ndarray) -> torch.Tensor:
        """float32 (B, H + 32): what the value network's own stacks read, from the int (B, R) rows."""
        with torch.no_grad():
            return self.value.hidden(rows)

    def values(self, turn: int, hidden: torch.Tensor) -> torch.Tensor:
        """float32 (B, 1): hundreds of points still to come in the mean, on boards of ``turn + 1`` tiles."""
        return self.value.behind(hidden, turn)[:, None]

    def forward(self, turn: int, hidden: torch.Tensor) -> torch.Tensor:
        """float32 (B, Q): how each quantile differs from the value, on boards of ``turn + 1`` tiles."""
        layer = torch.relu(hidden @ self.first[turn] + self.first_bias[turn])
        layer = torch.relu(layer @ self.second[turn] + self.second_bias[turn])
        return layer @ self.last[turn] + self.last_bias[turn]

    def stacks(self) -> tuple[nn.Parameter, ...]:
        """The parameters that are learned."""
        return (self.first, self.first_bias, self.second, self.second_bias, self.last, self.last_bias)

    def weights(self) -> QuantileWeights:
        """A copy of these, as the compiled functions read them."""
        first, *others = (parameter.detach() for parameter in self.stacks())
        first = whole_lanes(first, self.value.table.shape[1], dim=1)
        return QuantileWeights(*(parameter.numpy().copy() for parameter in (first, *others)))


def save_quantile_model(directory: Path, network: QuantileNetwork, rules: Rules) -> None:
    """Write the value network and the stacks as a model that :func:`load_quantile_model` reads."""
    value, (_, own_stack, quantiles) = network.value, network.last.shape
    sizes = (value.table.shape[1], value.first.shape[2], quantiles, own_stack)
    write_model(directory, network, rules, "quantile", dict(zip(SIZES, sizes, strict=True)))


def load_quantile_model(directory: Path, rules: Rules) -> QuantileNetwork:
    """The network in a directory, for the rules it was trained for.

    Raises:
        UsageError: when there is none, when it is damaged or when it was made for other rules or features.
    """

    def make(width: int, stack: int, quantiles: int, quantile_stack: int) -> QuantileNetwork:
        return QuantileNetwork(ValueNetwork(rules, width, stack), quantiles, quantile_stack)

    return read_model(directory, rules, "quantile", SIZES, make)
