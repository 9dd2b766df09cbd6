"""Masked quantile Q-learning: double, dueling, n-step (QR-DQN, Dabney et al. 2017, arXiv:1710.10044).

Each round plays whole games in the vector environment, nearly always the cell of the highest mean, and puts
them into the replay buffer. Quantiles of the points to come are then fitted, by the quantile Huber loss, to
what n placements brought and, unless the game was over by then, to the quantiles that the target network
predicts after them for the cell that the network itself likes best among the legal ones. The target network,
a moving average of the network, is also what plays in the end.
"""

import time
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import torch
from torch.nn.functional import huber_loss
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from agents.descent import PARTS, Descent, cosine, means_of
from agents.dqn_config import DQNConfig
from agents.errors import UsageError
from agents.experience import Experience, make_envs, play_games
from agents.model_files import read_model, write_model
from agents.policy_network import PolicyNetwork
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules

#: The network predicts hundreds of points, so that its outputs are of the order of 1.
POINTS_PER_UNIT: Final = 100.0
#: Up to this error, in hundreds of points, the loss is a square, beyond it linear.
HUBER: Final = 0.1
#: Positions that the agent values at a time, and values that a histogram shows.
POSITIONS_AT_A_TIME: Final = 1024


class DQNTrainer:
    """Trains a Q-network round by round.

    Args:
        config: how.
        rules: of the games.
        seed: of everything random.
        threads: to compute on; the result does not depend on them.

    Raises:
        UsageError: for rules of a table.
    """

    def __init__(self, config: DQNConfig, rules: Rules, seed: int, threads: int) -> None:
        torch.manual_seed(seed)
        self.config, self.rules, self.seed = config, rules, seed
        self.envs = make_envs("dqn", rules, config.games)
        self.network = PolicyNetwork(rules, config.width, config.stack, config.quantiles)
        self.average = AveragedModel(self.network, multi_avg_fn=get_ema_multi_avg_fn(config.averaging))
        self.descent = Descent(self.network, threads)
        self.replay: Experience | None = None
        self.round = 0

    @property
    def rounds(self) -> int:
        """How many rounds there are in all."""
        return self.config.rounds

    @property
    def games_played(self) -> int:
        """Games of training so far."""
        return self.round * self.config.games

    @property
    def target(self) -> PolicyNetwork:
        """The target network."""
        return cast(PolicyNetwork, self.average.module)

    def advance(self) -> Mapping[str, float | np.ndarray]:
        """Play and learn one round; returns its metrics."""
        rng = stream(self.seed, Purpose.TRAIN, self.round)
        exploration = self.config.exploration * (1 - self.round / self.rounds)
        begun = time.perf_counter()
        games, seconds_in_env = self.play(rng, exploration)
        replay = self.keep(games)
        played = time.perf_counter()
        losses = self.learn(replay, rng)
        ended = time.perf_counter()
        self.round += 1
        shown = games.positions(np.arange(min(games.cells.size, POSITIONS_AT_A_TIME)))
        return losses | {
            "charts/score": float(games.points.sum(axis=1).mean()),
            "charts/exploration": exploration,
            "charts/q_values": POINTS_PER_UNIT * mean_values(self.network, shown).max(axis=1),
            "time/steps_per_second": games.cells.size / (ended - begun),
            "time/env": seconds_in_env,
            "time/network": played - begun - seconds_in_env,
            "time/learning": ended - played,
        }

    def play(self, rng: np.random.Generator, exploration: float) -> tuple[Experience, float]:
        """Play the games of a round, and say how many seconds were spent in the environment."""
        parts = np.array_split(np.arange(self.config.games), PARTS)

        def choose(positions: Positions) -> np.ndarray:
            valued = self.descent.workers.map(lambda part: mean_values(self.network, positions[part]), parts)
            values = np.concatenate(list(valued))
            any_legal = np.where(np.isfinite(values), rng.random(values.shape), -1.0).argmax(axis=1)
            return np.where(rng.random(len(values)) < exploration, any_legal, values.argmax(axis=1))

        return play_games(self.envs, draw_orders(rng, self.config.games), choose)

    def keep(self, games: Experience) -> Experience:
        """Put games into the replay buffer in place of the oldest, and return those of it that are filled."""
        if self.replay is None:
            self.replay = Experience.empty(self.config.replay_games, games.turns)
        begin, end = self.games_played, self.games_played + self.config.games
        self.replay.write(np.arange(begin, end) % self.config.replay_games, games)
        return self.replay.first(min(end, self.config.replay_games))

    def learn(self, replay: Experience, rng: np.random.Generator) -> dict[str, float]:
        """Take the steps of a round on batches of the replay buffer; returns means over them."""
        config = self.config
        reported = []
        falling = 0.0
        for step in range(1, config.steps + 1):
            falling = cosine((self.round + step / config.steps) / config.rounds)
            batch = rng.integers(replay.cells.size, size=config.batch)
            reported.append(
                self.descent.step(batch, partial(self.loss, replay), config.learning_rate * falling)
            )
            self.average.update_parameters(self.network)
        return means_of(reported) | {"charts/learning_rate": config.learning_rate * falling}

    def loss(
        self, replay: Experience, placements: np.ndarray
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The loss of some placements, and what is reported of it."""
        target = self.targets(replay, placements)
        cells = torch.from_numpy(replay.cells.ravel()[placements])
        predicted = of_cells(quantiles(self.network, replay.positions(placements)), cells)
        loss = quantile_huber(predicted, target, HUBER)
        error = POINTS_PER_UNIT * (predicted.detach() - target).mean(dim=1)
        return loss, {
            "losses/quantile": loss.detach(),
            "losses/td_error": error.square().mean().sqrt(),
            "losses/bias": error.mean(),
        }

    @torch.no_grad()
    def targets(self, replay: Experience, placements: np.ndarray) -> torch.Tensor:
        """float32 (B, K): quantiles, in hundreds of points, of what is to come at some placements."""
        n_step = self.config.n_step
        gained = torch.from_numpy(points_of_next(replay.points, placements, n_step)) / POINTS_PER_UNIT
        target = gained[:, None].repeat(1, self.config.quantiles)
        going_on = np.flatnonzero(placements % replay.turns + n_step < replay.turns)
        if len(going_on):
            positions = replay.positions(placements[going_on] + n_step)
            best = quantiles(self.network, positions).mean(dim=2).argmax(dim=1)
            target[going_on] += of_cells(quantiles(self.target, positions), best)
        return target

    def agent(self) -> "DQNAgent":
        """The agent as it plays now."""
        return DQNAgent(self.rules, deepcopy(self.target))

    def save_model(self, directory: Path) -> None:
        """Write the target network as it is now."""
        sizes = {name: getattr(self.config, name) for name in SIZES}
        write_model(directory, self.target, self.rules, "dqn", sizes)

    def state(self) -> dict[str, Any]:
        """All that the rest of the training depends on; each round has a random stream of its own."""
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "descent": self.descent.state(),
            "replay": None if self.replay is None else self.replay.tensors(),
            "round": self.round,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.descent.restore(state["descent"])
        self.replay = None if state["replay"] is None else Experience.of(state["replay"])
        self.round = state["round"]


#: What a model is made of.
SIZES: Final = ("width", "stack", "quantiles")


@dataclass(frozen=True, slots=True)
class DQNAgent:
    """Answers by the mean of the quantiles."""

    rules: Rules
    network: PolicyNetwork

    @property
    def predicts_points(self) -> bool:
        """The values are points."""
        return True

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): expected points from here to the end, minus infinity where the tile may not go."""
        parts = [
            mean_values(self.network, positions[first : first + POSITIONS_AT_A_TIME])
            for first in range(0, len(positions), POSITIONS_AT_A_TIME)
        ]
        return POINTS_PER_UNIT * np.concatenate(parts)


def make_dqn(rules: Rules, seed: int, source: Path | None) -> DQNAgent:
    """The Q-network of a run directory; it makes no random choice.

    Raises:
        UsageError: without a directory, or when there is no such model for these rules.
    """
    if source is None:
        raise UsageError("no dqn model comes with the project: train one and name it, dqn:run_directory")

    def make(width: int, stack: int, quantiles: int) -> PolicyNetwork:
        return PolicyNetwork(rules, width, stack, quantiles)

    return DQNAgent(rules, read_model(source, rules, "dqn", SIZES, make))


def quantiles(network: PolicyNetwork, positions: Positions) -> torch.Tensor:
    """float32 (N, 19, K): quantiles of hundreds of points to come, minus infinity where the tile may not go.

    Dueling: those of the position, and how each legal cell differs from the mean of the legal ones.
    """
    differences, of_position = network(positions)
    legal = ~differences.isinf()
    mean = torch.where(legal, differences, 0).sum(dim=1) / legal.sum(dim=1)
    return differences + (of_position - mean)[:, None]


@torch.no_grad()
def mean_values(network: PolicyNetwork, positions: Positions) -> np.ndarray:
    """float32 (N, 19): hundreds of points to come, the mean of the quantiles."""
    return quantiles(network, positions).mean(dim=2).numpy()


def of_cells(quantiles: torch.Tensor, cells: torch.Tensor) -> torch.Tensor:
    """float32 (N, K): the quantiles of one cell in each row."""
    return quantiles[torch.arange(len(cells)), cells]


def points_of_next(points: np.ndarray, placements: np.ndarray, n_step: int) -> np.ndarray:
    """float32 (B,): what some placements and the following ones of their games gained, n in all or fewer.

    Args:
        points: float32 (N, T), what each placement gained.
        placements: int64 (B,), T * game + turn.
        n_step: how many count.
    """
    games, turns = np.divmod(placements, points.shape[1])
    so_far = np.zeros((len(points), points.shape[1] + 1), dtype=np.float32)
    np.cumsum(points, axis=1, out=so_far[:, 1:])
    return so_far[games, np.minimum(turns + n_step, points.shape[1])] - so_far[games, turns]


def quantile_huber(predicted: torch.Tensor, target: torch.Tensor, kappa: float) -> torch.Tensor:
    """The quantile Huber loss: its mean over rows, where it is a sum over quantiles of means over targets.

    Args:
        predicted: float32 (B, K), the quantiles of levels 1/2K, 3/2K, ...
        target: float32 (B, L), samples that they are to be quantiles of.
        kappa: errors up to this one count by their square.
    """
    count = predicted.shape[1]
    levels = (torch.arange(count) + 0.5) / count
    each, samples = torch.broadcast_tensors(predicted[:, :, None], target[:, None, :])
    too_high = (samples < each.detach()).float()
    weights = (levels[:, None] - too_high).abs()
    losses = weights * huber_loss(each, samples, reduction="none", delta=kappa) / kappa
    return losses.mean(dim=2).sum(dim=1).mean()
