"""The agent that a trained policy makes, and its files."""

from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import torch

from agents.errors import DivergedError, UsageError
from agents.latice.action_features import decisions_of
from agents.latice.action_network import ActionNetwork
from agents.latice.heuristics import masks_of
from agents.model_files import damaged_config, read_config, read_network, write_network
from latice_env.rules import Rules

#: The model that comes with the project.
SHIPPED: Final = Path(__file__).parents[2] / "models" / "latice"
#: The name of the learner, which a model bears.
LEARNER: Final = "latice_ppo"
#: Goes up when a feature means something else, or the search behind the features finds other turns.
FEATURES_VERSION: Final = 1
#: The worth of a legal action that is not considered, below all logits.
NOT_CONSIDERED: Final = -1e4
#: Digits behind the point that a logit has.
DIGITS: Final = 4
#: Positions that the agent scores at a time.
POSITIONS_AT_A_TIME: Final = 1024


class PolicyAgent:
    """Answers by the logits of the policy: its action is the likeliest one.

    In float32 a logit would depend in its last digits on what is asked at the same time, and with it which of
    two equal actions is chosen. So they are computed in float64 and rounded.

    Args:
        network: the policy; a copy is taken.
    """

    def __init__(self, network: ActionNetwork) -> None:
        self._network = deepcopy(network).double()

    @torch.no_grad()
    def values(self, views: np.ndarray) -> np.ndarray:
        """float32 (N, 764): logits, minus infinity where an action is not legal.

        Raises:
            DivergedError: when the network's numbers are none any more.
        """
        values = np.where(masks_of(views) == 1, np.float32(NOT_CONSIDERED), np.float32(-np.inf))
        for first in range(0, len(views), POSITIONS_AT_A_TIME):
            decisions = decisions_of(views[first : first + POSITIONS_AT_A_TIME])
            counts = np.diff(decisions.starts)
            rows = np.repeat(np.arange(len(counts)), counts)
            columns = np.arange(len(rows)) - decisions.starts[rows]
            logits = self._network(decisions)[0].numpy()[rows, columns].round(DIGITS)
            if not np.isfinite(logits).all():
                raise DivergedError("the policy's logits are no numbers any more: lower agent.learning_rate")
            values[first + rows, decisions.actions] = logits
        return values


def write_policy(directory: Path, network: ActionNetwork, rules: Rules) -> None:
    """Write a network as a model, with the rules that it learned."""
    config = {
        "agent": LEARNER,
        "rules": {"players": rules.players, "deal": rules.deal},
        "features_version": FEATURES_VERSION,
        "width": network.width,
    }
    write_network(directory, network, config)


def make_policy(seed: int, source: Path | None) -> PolicyAgent:
    """The policy in a run or model directory, or the shipped one; it makes no random choice.

    Raises:
        UsageError: when there is none, when it is damaged or was made for other features.
    """
    directory = source or SHIPPED
    config = read_config(directory, LEARNER)
    try:
        version, width = int(config["features_version"]), int(config["width"])
    except (LookupError, TypeError, ValueError):
        raise damaged_config(directory, LEARNER) from None
    if version != FEATURES_VERSION:
        raise UsageError(f"the model in {directory} has features version {version}, not {FEATURES_VERSION}")
    return PolicyAgent(read_network(directory, LEARNER, partial(ActionNetwork, width)))
