"""Masked PPO: proximal policy optimization over the legal cells (:mod:`agents.policy_gradient`).

Each round plays whole games in the vector environment. The policy is the softmax over the scores of the legal
cells; the advantage of a placement is estimated without a discount, since the return is the points to come,
and no value is ever asked beyond the end of a game. Then the clipped objective is gone down for a few epochs.
Value and policy share the first layer of the network (:mod:`agents.policy_network`).
"""

import time
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from agents.descent import PARTS, Descent, batches_of
from agents.distributed import ALONE, World
from agents.errors import UsageError
from agents.experience import Experience, make_envs, play_games
from agents.model_files import read_model, write_model
from agents.policy_gradient import advantages_of, chosen, clipped_loss, log_softmax, standardized
from agents.policy_network import PolicyNetwork
from agents.ppo_config import PPOConfig
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules

#: The network predicts hundreds of points, so that its outputs are of the order of 1.
POINTS_PER_UNIT: Final = 100.0
#: Positions that the agent scores at a time, and values that a histogram shows.
POSITIONS_AT_A_TIME: Final = 1024


@dataclass(frozen=True, slots=True)
class Rollout:
    """The games of a round, as the policy that played them saw them.

    Attributes:
        games: N games of T placements.
        log_probabilities: float32 (N * T,), of the cells chosen.
        values: float32 (N, T), hundreds of points predicted to come.
        seconds_in_env: time spent in the environment.
    """

    games: Experience
    log_probabilities: torch.Tensor
    values: torch.Tensor
    seconds_in_env: float


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is to be learned from a rollout of M placements.

    Attributes:
        rollout: the games.
        advantages: float32 (M,), standardized.
        returns: float32 (M,), hundreds of points to come, by the games and the values.
    """

    rollout: Rollout
    advantages: torch.Tensor
    returns: torch.Tensor


class PPOTrainer:
    """Trains a policy round by round.

    Args:
        config: how.
        rules: of the games.
        seed: of everything random.
        threads: to compute on; the result does not depend on them.
        world: the processes that train together, each on games of its own.

    Raises:
        UsageError: for rules of a table.
    """

    def __init__(
        self, config: PPOConfig, rules: Rules, seed: int, threads: int, world: World = ALONE
    ) -> None:
        torch.manual_seed(seed)
        self.config, self.rules, self.seed, self.world = config, rules, world.own_seed(seed), world
        self.envs = make_envs("ppo", rules, config.games)
        self.network = PolicyNetwork(rules, config.width, config.stack)
        self.world.share(self.network.state_dict().values())
        self.descent = Descent(self.network, threads, world)
        self.round = 0
        #: Games of training so far, by all processes.
        self.games_played = 0

    @property
    def rounds(self) -> int:
        """How many rounds there are in all."""
        return self.config.rounds

    def advance(self) -> Mapping[str, float | np.ndarray]:
        """Play and learn one round; returns its metrics."""
        rng = stream(self.seed, Purpose.TRAIN, self.round)
        begun = time.perf_counter()
        rollout = self.play(rng)
        played = time.perf_counter()
        losses = self.learn(rollout, rng)
        ended = time.perf_counter()
        self.round += 1
        self.games_played += self.world.size * self.config.games
        return self.world.average_metrics(losses) | {
            "charts/score": float(rollout.games.points.sum(axis=1).mean()),
            "charts/values": rollout.values.flatten()[:POSITIONS_AT_A_TIME].numpy() * POINTS_PER_UNIT,
            "time/steps_per_second": rollout.games.cells.size / (ended - begun),
            "time/env": rollout.seconds_in_env,
            "time/network": played - begun - rollout.seconds_in_env,
            "time/learning": ended - played,
        }

    @torch.no_grad()
    def play(self, rng: np.random.Generator) -> Rollout:
        """Play the games of a round, each cell drawn with its probability."""
        seen: list[tuple[torch.Tensor, torch.Tensor]] = []
        parts = np.array_split(np.arange(self.config.games), PARTS)

        def choose(positions: Positions) -> np.ndarray:
            scored = self.descent.workers.map(lambda part: self.network(positions[part]), parts)
            logits, values = (torch.cat(tensors).squeeze(-1) for tensors in zip(*scored, strict=True))
            # The largest of logits with Gumbel noise is a draw from their softmax.
            cells = (logits + torch.from_numpy(rng.gumbel(size=logits.shape))).argmax(dim=1)
            seen.append((chosen(log_softmax(logits), cells), values))
            return cells.numpy()

        games, seconds = play_games(self.envs, draw_orders(rng, self.config.games), choose)
        log_probabilities, values = (torch.stack(turns, dim=1) for turns in zip(*seen, strict=True))
        return Rollout(games, log_probabilities.flatten(), values, seconds)

    def learn(self, rollout: Rollout, rng: np.random.Generator) -> dict[str, float]:
        """Go down the clipped objective on the placements of a round; returns means over its steps."""
        config = self.config
        rewards = torch.from_numpy(rollout.games.points) / POINTS_PER_UNIT
        advantages = advantages_of(rewards, rollout.values, config.gae_lambda)
        returns = advantages + rollout.values
        explained = 1 - (returns - rollout.values).var() / returns.var().clamp(min=1e-8)
        lessons = Lessons(rollout, standardized(advantages).flatten(), returns.flatten())
        batches = batches_of(returns.numel(), config.batch, config.epochs, rng)
        learned = self.descent.go_through(
            batches,
            lambda falling: partial(self.loss, lessons, config.entropy * falling),
            config.learning_rate,
            self.round,
            config.rounds,
        )
        return learned | {"charts/explained_variance": explained.item()}

    def loss(
        self, lessons: "Lessons", entropy_weight: float, placements: np.ndarray
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The loss of some placements, and what is reported of it."""
        index, rollout = torch.from_numpy(placements), lessons.rollout
        logits, values = (scores.squeeze(-1) for scores in self.network(rollout.games.positions(placements)))
        loss, reported = clipped_loss(
            logits,
            values,
            torch.from_numpy(rollout.games.cells).flatten()[index],
            rollout.log_probabilities[index],
            lessons.advantages[index],
            lessons.returns[index],
            self.config.clip,
            entropy_weight,
        )
        return loss, reported | {"losses/value": reported["losses/value"] * POINTS_PER_UNIT**2}

    def agent(self) -> "PPOAgent":
        """The agent as it plays now."""
        return PPOAgent(self.rules, deepcopy(self.network))

    def save_model(self, directory: Path) -> None:
        """Write the network as it is now."""
        sizes = {"width": self.config.width, "stack": self.config.stack}
        write_model(directory, self.network, self.rules, "ppo", sizes)

    def state(self) -> dict[str, Any]:
        """All that the rest of the training depends on; each round has a random stream of its own."""
        return {
            "network": self.network.state_dict(),
            "descent": self.descent.state(),
            "round": self.round,
            "games_played": self.games_played,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        self.network.load_state_dict(state["network"])
        self.descent.restore(state["descent"])
        self.round, self.games_played = state["round"], state["games_played"]


@dataclass(frozen=True, slots=True)
class PPOAgent:
    """Answers by the logits of the policy: its move is the likeliest one."""

    rules: Rules
    network: PolicyNetwork

    @torch.no_grad()
    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): logits, minus infinity where the tile may not go."""
        parts = [
            self.network(positions[first : first + POSITIONS_AT_A_TIME])[0].squeeze(-1).numpy()
            for first in range(0, len(positions), POSITIONS_AT_A_TIME)
        ]
        return np.concatenate(parts)


def make_ppo(rules: Rules, seed: int, source: Path | None) -> PPOAgent:
    """The policy of a run directory; it makes no random choice.

    Raises:
        UsageError: without a directory, or when there is no such model for these rules.
    """
    if source is None:
        raise UsageError("no ppo model comes with the project: train one and name it, ppo:run_directory")
    make = partial(PolicyNetwork, rules)
    return PPOAgent(rules, read_model(source, rules, "ppo", ("width", "stack"), make))
