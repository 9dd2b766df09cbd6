"""Masked PPO for Latice, in self-play and against a league of its own past.

Each round plays whole games, in most of which the policy sits on all seats; in the others one seat is played
by a policy of the past. All decisions that the policy made are learned from, each player's own in a row: the
advantage is estimated along these, with nothing but the result at the end as a reward
(:mod:`agents.policy_gradient`).
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
from agents.latice.action_network import ActionNetwork
from agents.latice.policy import PolicyAgent, write_policy
from agents.latice.ppo_config import LaticePPOConfig
from agents.latice.self_play import Experience, play_games, selected
from agents.policy_gradient import advantages_of, clipped_loss, standardized
from latice_env.deal import random_words
from latice_env.rules import Rules
from latice_env.state import Outcome
from takeiteasy_env.draws import Purpose, stream

#: Policies of the past that a training keeps at most: one from each so many parts of it.
LEAGUE: Final = 20


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is to be learned from D decisions.

    Attributes:
        experience: the decisions.
        log_probabilities: float32 (D,), of what was chosen.
        advantages: float32 (D,), standardized.
        returns: float32 (D,), what is to come, by the games and the values.
    """

    experience: Experience
    log_probabilities: torch.Tensor
    advantages: torch.Tensor
    returns: torch.Tensor


class LaticePPOTrainer:
    """Trains a policy round by round.

    Args:
        config: how.
        rules: of the games.
        seed: of everything random.
        threads: to compute on; the result does not depend on them.
    """

    def __init__(self, config: LaticePPOConfig, rules: Rules, seed: int, threads: int) -> None:
        torch.manual_seed(seed)
        self.config, self.rules, self.seed = config, rules, seed
        self.network = ActionNetwork(config.width)
        #: The weights of the past, oldest first.
        self.league = [deepcopy(self.network.state_dict())]
        self.descent = Descent(self.network, threads)
        self.round = 0

    @property
    def rounds(self) -> int:
        """How many rounds there are in all."""
        return self.config.rounds

    @property
    def games_played(self) -> int:
        """Games of training so far."""
        return self.round * self.config.games

    def advance(self) -> Mapping[str, float | np.ndarray]:
        """Play and learn one round; returns its metrics."""
        rng = stream(self.seed, Purpose.TRAIN, self.round)
        begun = time.perf_counter()
        experience = self.play(rng)
        played = time.perf_counter()
        losses = self.learn(experience, rng)
        ended = time.perf_counter()
        self.round += 1
        if LEAGUE * self.round // self.rounds > LEAGUE * (self.round - 1) // self.rounds:
            self.league.append(deepcopy(self.network.state_dict()))
        return losses | {
            **_charts_of(experience),
            "time/steps_per_second": len(experience.steps) / (ended - begun),
            "time/playing": played - begun,
            "time/learning": ended - played,
        }

    def play(self, rng: np.random.Generator) -> Experience:
        """Play the games of a round, in parts side by side, each with its own policy of the past."""
        games, players = self.config.games, self.rules.players
        words = random_words(rng, games)
        by_past = np.zeros((games, players), dtype=np.bool_)
        against = rng.permutation(games)[: round(self.config.league * games)]
        by_past[against, rng.integers(players, size=len(against))] = True
        chosen = rng.integers(len(self.league), size=PARTS)
        streams = rng.spawn(PARTS)

        def play(part: int) -> Experience:
            past = ActionNetwork(self.config.width)
            past.load_state_dict(self.league[chosen[part]])
            mine = slice(part, None, PARTS)
            return play_games(self.network, past, by_past[mine], self.rules, words[mine], streams[part])

        return Experience.together(list(self.descent.workers.map(play, range(PARTS))))

    def learn(self, experience: Experience, rng: np.random.Generator) -> dict[str, float]:
        """Go down the clipped objective on the decisions of a round; returns means over its steps."""
        config = self.config
        values = torch.from_numpy(experience.in_rows(experience.choices.values))
        rewards = torch.from_numpy(experience.rewards())
        rows, steps = torch.from_numpy(experience.sequences), torch.from_numpy(experience.steps)
        advantages = advantages_of(rewards, values, config.gae_lambda)[rows, steps]
        predicted = torch.from_numpy(experience.choices.values)
        returns = advantages + predicted
        explained = 1 - advantages.var() / returns.var().clamp(min=1e-8)
        lessons = Lessons(
            experience,
            torch.from_numpy(experience.choices.log_probabilities),
            standardized(advantages),
            returns,
        )
        batches = batches_of(len(rows), config.batch, config.epochs, rng)
        learned = self.descent.go_through(
            batches,
            lambda falling: partial(self.loss, lessons, config.entropy * falling),
            config.learning_rate,
            self.round,
            config.rounds,
        )
        return learned | {"charts/explained_variance": explained.item()}

    def loss(
        self, lessons: Lessons, entropy_weight: float, which: np.ndarray
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """The loss of some decisions, and what is reported of it."""
        index = torch.from_numpy(which)
        logits, values = self.network(selected(lessons.experience.decisions, which))
        return clipped_loss(
            logits,
            values,
            torch.from_numpy(lessons.experience.choices.columns)[index],
            lessons.log_probabilities[index],
            lessons.advantages[index],
            lessons.returns[index],
            self.config.clip,
            entropy_weight,
        )

    def agent(self) -> PolicyAgent:
        """The agent as it plays now."""
        return PolicyAgent(self.network)

    def save_model(self, directory: Path) -> None:
        """Write the network as it is now."""
        write_policy(directory, self.network, self.rules)

    def state(self) -> dict[str, Any]:
        """All that the rest of the training depends on; each round has a random stream of its own."""
        return {
            "network": self.network.state_dict(),
            "league": self.league,
            "descent": self.descent.state(),
            "round": self.round,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        self.network.load_state_dict(state["network"])
        self.league = state["league"]
        self.descent.restore(state["descent"])
        self.round = state["round"]


def _charts_of(experience: Experience) -> dict[str, float]:
    """What the games of a round were like."""
    past = experience.by_past.any(axis=1)
    against = experience.returns[past][~experience.by_past[past]]
    return {
        "charts/decisions": len(experience.steps) / len(experience.returns),
        "charts/result_against_past": float(against.mean()) if len(against) else 0.0,
        "charts/emptied": float((experience.outcomes == Outcome.EMPTIED).mean()),
    }
