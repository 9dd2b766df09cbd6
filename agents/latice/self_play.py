"""Many games at once between a policy and itself or its past, and what it saw and did in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numba import njit

from agents.latice.action_features import Decisions, decisions_of
from agents.latice.action_network import ActionNetwork
from agents.policy_gradient import chosen, log_softmax
from latice_env.actions import ACTIONS
from latice_env.rules import Rules
from latice_env.state import GAME, Outcome, views
from latice_env.vector_env import advance, begin_all


class Choices(NamedTuple):
    """What was chosen in N positions.

    Attributes:
        columns: int64 (N,), which of a position's actions.
        log_probabilities: float32 (N,), of these.
        values: float32 (N,), the return that was expected.
    """

    columns: np.ndarray
    log_probabilities: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, slots=True)
class Experience:
    """The D decisions of a policy in G games of P players, and how these ended.

    Attributes:
        decisions: what could be done.
        choices: what was done.
        sequences: int64 (D,), ``P * game + seat``: whose decision it was.
        steps: int64 (D,), how many that player had made before in the game.
        returns: float32 (G, P), what the games were worth to all.
        by_past: bool (G, P), the seats on which an earlier policy sat, whose decisions are left out.
        outcomes: int8 (G,), how the games ended, as :class:`latice_env.state.Outcome`.
    """

    decisions: Decisions
    choices: Choices
    sequences: np.ndarray
    steps: np.ndarray
    returns: np.ndarray
    by_past: np.ndarray
    outcomes: np.ndarray

    @classmethod
    def together(cls, parts: Sequence["Experience"]) -> "Experience":
        """The experience of all parts, whose games are numbered one part after the other."""
        firsts = np.cumsum([0, *(part.returns.size for part in parts)])
        return cls(
            decisions=_joined_decisions([part.decisions for part in parts]),
            choices=_joined_choices([part.choices for part in parts]),
            sequences=np.concatenate(
                [first + part.sequences for first, part in zip(firsts, parts, strict=False)]
            ),
            steps=np.concatenate([part.steps for part in parts]),
            returns=np.concatenate([part.returns for part in parts]),
            by_past=np.concatenate([part.by_past for part in parts]),
            outcomes=np.concatenate([part.outcomes for part in parts]),
        )

    def in_rows(self, numbers: np.ndarray) -> np.ndarray:
        """float32 (G * P, T): numbers of the decisions with those of a player in a row, 0 behind the last."""
        rows = np.zeros((self.returns.size, int(self.steps.max()) + 1), dtype=np.float32)
        rows[self.sequences, self.steps] = numbers
        return rows

    def rewards(self) -> np.ndarray:
        """float32 (G * P, T): what each decision of a player brought, which is the return of the last one."""
        lengths = np.bincount(self.sequences, minlength=self.returns.size)
        rows = np.zeros((self.returns.size, int(self.steps.max()) + 1), dtype=np.float32)
        decided = np.flatnonzero(lengths)
        rows[decided, lengths[decided] - 1] = self.returns.ravel()[decided]
        return rows


@torch.no_grad()
def play_games(
    policy: ActionNetwork,
    past: ActionNetwork,
    by_past: np.ndarray,
    rules: Rules,
    words: np.ndarray,
    rng: np.random.Generator,
) -> Experience:
    """Play whole games; every action is drawn with its probability.

    Args:
        policy: whose decisions are kept.
        past: plays the other seats.
        by_past: bool (G, P), which these are.
        rules: the rules.
        words: uint64 (G, 5), see :func:`latice_env.deal.begin`.
        rng: draws.
    """
    count, players = by_past.shape
    records, masks = np.zeros(count, dtype=GAME), np.zeros((count, ACTIONS), dtype=np.int8)
    begin_all(records, np.arange(count), words, rules.code, masks)
    actions, outcomes = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int8)
    returns, rewards = np.zeros((2, count, players), dtype=np.float32)
    made = np.zeros(count * players, dtype=np.int64)
    kept: list[tuple[Decisions, Choices, np.ndarray, np.ndarray]] = []
    while len(games := np.flatnonzero(records["outcome"] == Outcome.PLAYING)):
        seats = records["player"][games]
        decisions = decisions_of(views(records[games]))
        others = by_past[games, seats]
        for network, which in ((policy, np.flatnonzero(~others)), (past, np.flatnonzero(others))):
            if len(which):
                part = selected(decisions, which)
                choices = _choose(network, part, rng)
                actions[games[which]] = part.actions[part.starts[:-1] + choices.columns]
                if network is policy:
                    sequences = players * games[which] + seats[which]
                    kept.append((part, choices, sequences, made[sequences]))
                    made[sequences] += 1
        advance(records, actions, 0.0, masks, rewards, outcomes)
        returns += rewards
    parts, choices, sequences, steps = zip(*kept, strict=True)
    return Experience(
        decisions=_joined_decisions(parts),
        choices=_joined_choices(choices),
        sequences=np.concatenate(sequences),
        steps=np.concatenate(steps),
        returns=returns,
        by_past=by_past,
        outcomes=outcomes,
    )


def _choose(network: ActionNetwork, decisions: Decisions, rng: np.random.Generator) -> Choices:
    logits, values = network(decisions)
    # The largest of logits with Gumbel noise is a draw from their softmax.
    columns = (logits + torch.from_numpy(rng.gumbel(size=logits.shape))).argmax(dim=1)
    return Choices(columns.numpy(), chosen(log_softmax(logits), columns).numpy(), values.numpy())


def _joined_choices(parts: Sequence[Choices]) -> Choices:
    return Choices(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _joined_decisions(parts: Sequence[Decisions]) -> Decisions:
    counts = np.concatenate([np.diff(part.starts) for part in parts])
    return Decisions(
        states=np.concatenate([part.states for part in parts]),
        features=np.concatenate([part.features for part in parts]),
        actions=np.concatenate([part.actions for part in parts]),
        starts=np.concatenate([[0], np.cumsum(counts)]),
    )


@njit(cache=True, nogil=True)
def selected(decisions: Decisions, which: np.ndarray) -> Decisions:
    """The decisions in some of the positions, int64 (n,)."""
    starts = np.zeros(len(which) + 1, dtype=np.int64)
    for index in range(len(which)):
        first, last = decisions.starts[which[index]], decisions.starts[which[index] + 1]
        starts[index + 1] = starts[index] + last - first
    states = np.empty((len(which), decisions.states.shape[1]), dtype=np.float32)
    features = np.empty((starts[-1], decisions.features.shape[1]), dtype=np.float32)
    actions = np.empty(starts[-1], dtype=np.int16)
    for index in range(len(which)):
        first, last = decisions.starts[which[index]], decisions.starts[which[index] + 1]
        states[index] = decisions.states[which[index]]
        features[starts[index] : starts[index + 1]] = decisions.features[first:last]
        actions[starts[index] : starts[index + 1]] = decisions.actions[first:last]
    return Decisions(states, features, actions, starts)
