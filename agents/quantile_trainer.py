"""How the quantiles of the final score are learned: turn by turn, from the last one back.

The value network plays and stays as it is. What a board brings is the mixture, over the tiles that may come
next, of what the best reply to each brings, so its quantiles follow exactly from those of the boards one tile
later: no sampling noise, and nothing that moves, since a turn is learned when the one after it is done. The
last turn's follow from every outcome of the last two cells.

A round is a turn: games are played up to it, the board of each gets its target, and the turn's stack learns
from them. What is learned depends on the seed and the configuration alone, not on the number of threads.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.distributions import fill_mixtures
from agents.errors import UsageError
from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from agents.quantile import QuantileAgent
from agents.quantile_config import QuantileConfig
from agents.quantile_network import QuantileNetwork, save_quantile_model
from agents.successors import POINTS_PER_UNIT, TURNS
from agents.value import ValueAgent, value_model
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules, bitboards_of


class QuantileTrainer:
    """Trains the stacks of a quantile network, from the last turn to the first.

    Args:
        config: how.
        rules: of the games.
        seed: of everything random.
        threads: nothing here depends on it.

    Raises:
        UsageError: when there is no value model for these rules, or they are those of a table.
    """

    def __init__(self, config: QuantileConfig, rules: Rules, seed: int, threads: int) -> None:
        if rules.scoring == "best_ray":
            raise UsageError("quantiles are of the points of one board: choose rules of a player alone")
        torch.manual_seed(seed)
        self.config, self.rules, self.seed = config, rules, seed
        value = value_model(rules, None if config.model is None else Path(config.model))
        self.network = QuantileNetwork(value, config.quantiles, config.stack)
        self.round = 0

    @property
    def rounds(self) -> int:
        """How many rounds there are in all: one for each turn."""
        return TURNS

    @property
    def games_played(self) -> int:
        """Games of training so far."""
        return self.round * self.config.games

    def agent(self) -> QuantileAgent:
        """The agent as it is now."""
        return QuantileAgent(self._player(), self.network.weights())

    def save_model(self, directory: Path) -> None:
        """Write the value network and the quantiles as they are now."""
        save_quantile_model(directory, self.network, self.rules)

    def advance(self) -> dict[str, float]:
        """Learn the next turn; returns its metrics."""
        turn = TURNS - 1 - self.round
        rng = stream(self.seed, Purpose.TRAIN, turn)
        boards, last = self.boards_of(turn, rng)
        loss = self.learn(turn, boards, last, self.targets_of(boards, last), rng)
        self.round += 1
        return {"losses/quantiles": loss, "charts/tiles": turn + 1}

    def boards_of(self, turn: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """int8 (N, 19) boards with ``turn + 1`` tiles and the int8 (N,) tiles placed last, from N games."""
        games, player = self.config.games, self._player()
        draws, positions = draw_orders(rng, games).T.copy(), Positions.empty(games)
        board = positions.board
        for move in range(turn + 1):
            positions = Positions(board, draws[move], positions.tile)
            values = player.values(positions)
            explored = rng.random(games) < self.config.exploration
            noise = rng.random((int(explored.sum()), CELLS), dtype=np.float32)
            values[explored] = np.where(np.isfinite(values[explored]), noise, -np.inf)
            board[np.arange(games), values.argmax(axis=1)] = draws[move]
        return board, draws[turn]

    def targets_of(self, boards: np.ndarray, last: np.ndarray) -> np.ndarray:
        """float32 (N, Q): the exact quantiles of boards, given those of the boards one tile later."""
        targets = np.empty((len(boards), self.config.quantiles), dtype=np.float32)
        bitboards, player = bitboards_of(boards, self.rules), self._player()
        fill_mixtures(
            boards, bitboards, last, self.rules.code, player.weights, self.network.weights(), targets
        )
        return targets

    def learn(
        self, turn: int, boards: np.ndarray, last: np.ndarray, targets: np.ndarray, rng: np.random.Generator
    ) -> float:
        """Take the steps of a turn; returns the mean squared error over the last tenth, in points squared."""
        config, total = self.config, 0.0
        rows = np.empty((len(boards), ROWS_PER_BOARD), dtype=np.int32)
        fill_rows(boards, last, self.rules.code, row_count(self.rules), rows)
        wanted = torch.from_numpy(targets) / POINTS_PER_UNIT
        optimizer = torch.optim.Adam(self.network.stacks(), lr=config.learning_rate, fused=True)
        tenth = -(-config.steps // 10)
        for step in range(config.steps):
            chosen = rng.integers(len(boards), size=config.batch)
            hidden = self.network.hidden(rows[chosen])
            found = self.network.values(turn, hidden) + self.network(turn, hidden)
            loss = (found - wanted[chosen]).square().mean()
            for group in optimizer.param_groups:
                group["lr"] = config.learning_rate * (1 + math.cos(math.pi * (step + 1) / config.steps)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step >= config.steps - tenth:
                total += loss.item()
        return total / tenth * POINTS_PER_UNIT**2

    def state(self) -> dict[str, Any]:
        """All that the rest of the training depends on: tensors and plain values."""
        return {"network": self.network.state_dict(), "round": self.round}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        self.network.load_state_dict(state["network"])
        self.round = state["round"]

    def _player(self) -> ValueAgent:
        return ValueAgent(self.rules, self.network.value.weights())
