"""``value``: the learned value of the board after a placement, on every cell."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from agents.model_files import directory_of
from agents.successors import fill_values
from agents.value_network import ValueNetwork, load_model
from agents.weights import Weights
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules, bitboards_of

#: Where the models lie that come with the project, one directory for each set of rules.
SHIPPED_MODELS: Final = Path(__file__).parent.parent / "models" / "value"


@dataclass(frozen=True, slots=True)
class ValueAgent:
    """Answers by the points gained now and the network's points still to come."""

    rules: Rules
    weights: Weights

    @property
    def predicts_points(self) -> bool:
        """Whether the values are points of its own board: all but where they hold bonuses to be expected."""
        return self.rules.scoring != "best_ray"

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): expected points from here to the end, minus infinity where the tile may not go."""
        values = np.empty((len(positions), CELLS), dtype=np.float32)
        bitboards = bitboards_of(positions.board, self.rules)
        fill_values(
            positions.board,
            bitboards,
            positions.tile,
            positions.previous,
            self.rules.code,
            self.weights,
            values,
        )
        return values


def make_value(rules: Rules, seed: int, source: Path | None) -> ValueAgent:
    """The value agent of a run or model directory, or the shipped one; it makes no random choice.

    Raises:
        UsageError: when there is no model for these rules.
    """
    return ValueAgent(rules, value_model(rules, source).weights())


def value_model(rules: Rules, source: Path | None) -> ValueNetwork:
    """The network of a run or model directory, or the shipped one.

    Raises:
        UsageError: when there is no model for these rules.
    """
    advice = "train one with train.py and name it, value:run_directory"
    directory = directory_of(source, SHIPPED_MODELS, rules, "model", advice)
    return load_model(directory, rules)
