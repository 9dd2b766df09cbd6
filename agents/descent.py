"""Steps of gradient descent whose batches are learned in halves, side by side."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol

import numpy as np
import torch
from torch import nn

from agents.distributed import ALONE, World

#: What a batch is split into. It does not depend on the threads, so neither do the weights that come of it.
PARTS: Final = 2
#: Adam's decay rates.
MOMENTA: Final = (0.9, 0.99)
#: Learning rate of the stacks, as a part of that of the table: most rows are in few placements of a batch.
STACK_RATE: Final = 0.2
#: The gradient of a step is no longer than this.
MAX_NORM: Final = 1.0
#: Part of the steps, at the start, over which a rate rises from 0.
WARM_UP: Final = 0.01

#: The loss of some placements, their mean, and other means to be reported, by name.
Loss = Callable[[np.ndarray], tuple[torch.Tensor, Mapping[str, torch.Tensor]]]


class Network(Protocol):
    """A network whose parameters do not all learn at the same rate."""

    def groups(self) -> Iterable[tuple[Iterable[nn.Parameter], float]]:
        """The parameters in groups, each with its part of the learning rate."""
        ...


class Descent:
    """Adam on a network.

    Args:
        network: what learns.
        threads: to compute on; more than the parts of a batch are of no use.
        world: the processes that take each step together, by the mean of their gradients.
    """

    def __init__(self, network: Network, threads: int, world: World = ALONE) -> None:
        self.world = world
        groups = [{"params": list(parameters), "scale": scale} for parameters, scale in network.groups()]
        self.parameters = [parameter for group in groups for parameter in group["params"]]
        self.optimizer = torch.optim.Adam(groups, betas=MOMENTA, fused=True)
        # The moments of rows long unseen become denormal floats, which are slow: they are taken for 0.
        self.workers = ThreadPoolExecutor(
            min(threads, PARTS), initializer=torch.set_flush_denormal, initargs=(True,)
        )

    def go_through(
        self,
        batches: Sequence[np.ndarray],
        loss: Callable[[float], Loss],
        rate: float,
        round_: int,
        rounds: int,
    ) -> dict[str, float]:
        """Take a step on each batch of a round, at a rate that falls over all rounds; returns the metrics.

        Args:
            batches: those of the round.
            loss: the loss of a step, from the part of its highest that the rate then has.
            rate: learning rate at its highest.
            round_: how many rounds came before.
            rounds: how many there are in all.
        """
        reported, falling = [], 0.0
        for step, batch in enumerate(batches, start=1):
            falling = cosine((round_ + step / len(batches)) / rounds)
            reported.append(self.step(batch, loss(falling), rate * falling))
        return means_of(reported) | {"charts/learning_rate": rate * falling}

    def step(self, batch: np.ndarray, loss: Loss, rate: float) -> dict[str, float]:
        """Take a step down the mean loss of a batch; returns the reported means.

        Args:
            batch: int64 (B,), the placements.
            loss: computes it for a part of them; called on several threads.
            rate: learning rate, of which each group has its part.
        """

        def descend(part: np.ndarray) -> tuple[tuple[torch.Tensor, ...], dict[str, float]]:
            value, reported = loss(part)
            share = len(part) / len(batch)
            gradients = torch.autograd.grad(value * share, self.parameters)
            return gradients, {name: mean.item() * share for name, mean in reported.items()}

        parts = list(self.workers.map(descend, np.array_split(batch, min(PARTS, len(batch)))))
        for parameter, *gradients in zip(self.parameters, *(part[0] for part in parts), strict=True):
            parameter.grad = sum(gradients[1:], gradients[0])
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["scale"]
        norm = self.workers.submit(self._update).result()
        means = {name: sum(part[1][name] for part in parts) for name in parts[0][1]}
        return means | {"losses/gradient_norm": norm}

    def _update(self) -> float:
        self.world.average_gradients(self.parameters)
        norm = nn.utils.clip_grad_norm_(self.parameters, MAX_NORM)
        self.optimizer.step()
        return norm.item()

    def state(self) -> dict[str, Any]:
        """What the next steps depend on besides the network."""
        return self.optimizer.state_dict()

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        self.optimizer.load_state_dict(state)


def cosine(done: float) -> float:
    """A rate as a part of its highest when ``done`` of a training is: it rises for a moment, then falls."""
    return min(1.0, done / WARM_UP) * (1 + math.cos(math.pi * done)) / 2


def batches_of(placements: int, batch: int, epochs: int, rng: np.random.Generator) -> list[np.ndarray]:
    """All placements in random order, in even parts of at most ``batch``, and that ``epochs`` times."""
    parts = math.ceil(placements / batch)
    return [part for _ in range(epochs) for part in np.array_split(rng.permutation(placements), parts)]


def means_of(reported: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Means over steps of what each one reported."""
    return {name: sum(step[name] for step in reported) / len(reported) for name in reported[0]}
