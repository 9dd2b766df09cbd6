"""``quantile``: knows how the final score is spread, and plays for the mean or for something else.

``quantile`` makes the moves of ``value`` and can say how sure each is. ``quantile+reach:200`` plays for the
best chance of 200 points or more, ``quantile+tail:0.1`` for the best mean of the lowest tenth of its games.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from agents.distributions import QuantileWeights, fill_mixtures, fill_predictions
from agents.model_files import directory_of
from agents.objectives import SCORES, fill_worths, worth_of_reaching, worth_of_tail
from agents.quantile_network import load_quantile_model
from agents.value import ValueAgent
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules, bitboards_of, scores_of

#: Where the models lie that come with the project, one directory for each set of rules.
SHIPPED_MODELS: Final = Path(__file__).parent.parent / "models" / "quantile"


@dataclass(frozen=True, slots=True)
class QuantileAgent:
    """Plays as a value agent does, and says how the points to come are spread when that plays on."""

    player: ValueAgent
    stacks: QuantileWeights

    @property
    def predicts_points(self) -> bool:
        """As of the value agent."""
        return self.player.predicts_points

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): the values of the value agent."""
        return self.player.values(positions)

    def quantiles(self, positions: Positions, cells: np.ndarray) -> np.ndarray:
        """float32 (N, Q): of the points from here to the end, when the tile in hand goes on a given cell.

        Each is the mean of a slice of equal probability, in ascending order.

        Args:
            positions: N positions with a tile in hand.
            cells: int (N,), a legal cell of each.
        """
        rules = self.player.rules
        quantiles = np.empty((len(positions), self.stacks.last.shape[2]), dtype=np.float32)
        fill_predictions(
            positions.board,
            bitboards_of(positions.board, rules),
            positions.tile,
            positions.previous,
            cells,
            rules.code,
            self.player.weights,
            self.stacks,
            quantiles,
        )
        return quantiles

    def final_score(self) -> np.ndarray:
        """float32 (Q,): the quantiles of the final score, before the first tile is drawn."""
        start, rules = Positions.empty(1), self.player.rules
        quantiles = np.empty((1, self.stacks.last.shape[2]), dtype=np.float32)
        fill_mixtures(
            start.board,
            bitboards_of(start.board, rules),
            start.tile,
            rules.code,
            self.player.weights,
            self.stacks,
            quantiles,
        )
        return quantiles[0]


@dataclass(frozen=True, slots=True)
class ObjectiveAgent:
    """Plays for the best mean of what the final score is worth.

    Attributes:
        agent: how the final scores are spread.
        worth: float64 (S,), what each is worth, S being more than any board scores.
    """

    agent: QuantileAgent
    worth: np.ndarray

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): expected worth of the final score, minus infinity where the tile may not go.

        Where cells are worth the same, the mean decides, and adds less than 0.001 to the values. The tiles
        after this one are supposed to be placed for the best mean, the last two for the best worth.
        """
        player, rules = self.agent.player, self.agent.player.rules
        values = np.empty((len(positions), CELLS), dtype=np.float32)
        fill_worths(
            positions.board,
            bitboards_of(positions.board, rules),
            positions.tile,
            positions.previous,
            scores_of(positions.board, rules),
            rules.code,
            player.weights,
            self.agent.stacks,
            self.worth,
            values,
        )
        return values


@dataclass(frozen=True, slots=True)
class QuantileOptions:
    """What it plays for besides the best mean, at most one of these.

    Attributes:
        reach: the best chance of a final score of so many points or more.
        tail: the best mean of this part of the games, the lowest ones.
    """

    reach: int | None = None
    tail: float | None = None

    def __post_init__(self) -> None:
        if self.reach is not None and self.tail is not None:
            raise ValueError("reach and tail are two objectives: give one of them")
        if self.reach is not None and not 0 < self.reach < SCORES:
            raise ValueError(f"reach:{self.reach}: give 1 to {SCORES - 1}")
        if self.tail is not None and not 0 < self.tail < 1:
            raise ValueError(f"tail:{self.tail}: give more than 0 and less than 1")


def make_quantile(
    rules: Rules, seed: int, source: Path | None, options: QuantileOptions
) -> QuantileAgent | ObjectiveAgent:
    """The quantile agent of a run or model directory, or the shipped one; it makes no random choice.

    Raises:
        UsageError: when there is no model for these rules.
    """
    advice = "train one with train.py agent=quantile and name it, quantile:run_directory"
    directory = directory_of(source, SHIPPED_MODELS, rules, "quantile model", advice)
    network = load_quantile_model(directory, rules)
    agent = QuantileAgent(ValueAgent(rules, network.value.weights()), network.weights())
    if options.reach is not None:
        return ObjectiveAgent(agent, worth_of_reaching(options.reach))
    if options.tail is not None:
        threshold = float(np.quantile(agent.final_score(), options.tail, method="hazen"))
        return ObjectiveAgent(agent, worth_of_tail(options.tail, threshold))
    return agent
