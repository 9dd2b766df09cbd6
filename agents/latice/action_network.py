"""The network that scores the micro-actions of a position, and the position itself.

Its first layer is linear in the features of the action and of the position
(:mod:`agents.latice.action_features`), the same for all actions; a small stack behind it gives each action's
logit, another one the position's value.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import torch
from torch import nn

from agents.latice.action_features import ACTION_SIZE, STATE_SIZE, Decisions

#: The last layers begin so much smaller, so that a new policy is nearly uniform and a new value nearly 0.
LAST_SCALE: Final = 0.1


class ActionNetwork(nn.Module):
    """Logits of the actions, and the return that the player to move may expect.

    Args:
        width: units of each of the two hidden layers.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.action = nn.Linear(ACTION_SIZE, width)
        self.position = nn.Linear(STATE_SIZE, width, bias=False)
        self.logit = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        self.value = nn.Sequential(
            nn.Linear(STATE_SIZE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)
        )
        with torch.no_grad():
            for parameter in (*self.logit[-1].parameters(), *self.value[-1].parameters()):
                parameter *= LAST_SCALE

    def forward(self, decisions: Decisions) -> tuple[torch.Tensor, torch.Tensor]:
        """Score what may be done in N positions.

        Returns:
            (N, K) logits of their actions in order, minus infinity behind the last, and (N,) values, in the
            number format of the parameters.
        """
        counts = np.diff(decisions.starts)
        owners = np.repeat(np.arange(len(counts)), counts)
        columns = np.arange(len(owners)) - decisions.starts[owners]
        number = self.action.weight.dtype
        states, rows = torch.from_numpy(decisions.states).to(number), torch.from_numpy(owners)
        hidden = self.action(torch.from_numpy(decisions.features).to(number)) + self.position(states)[rows]
        logits = torch.full((len(counts), int(counts.max())), -torch.inf, dtype=number)
        scored = self.logit(hidden).squeeze(-1)
        logits = logits.index_put((rows, torch.from_numpy(columns)), scored)
        return logits, self.value(states).squeeze(-1)

    def groups(self) -> Iterable[tuple[Iterable[nn.Parameter], float]]:
        """All parameters, which learn at the same rate."""
        return [(self.parameters(), 1.0)]
