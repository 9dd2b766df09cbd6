"""Several processes that train one agent together, each on games of its own: what ``torchrun`` starts.

All of them hold the same weights: they begin alike, and each step they take with the mean of their gradients.
The first one, rank 0, is the one that writes and speaks. A process that was started alone is a world of one,
in which nothing is exchanged.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any, Final, TypeVar

import numpy as np
import torch
import torch.distributed as dist

from agents.errors import UsageError
from takeiteasy_env.draws import Purpose, stream

T = TypeVar("T")
Metric = float | np.ndarray


@dataclass(frozen=True, slots=True)
class World:
    """Which of how many processes this is, and what they do together.

    Every method that exchanges something must be called by all of them, in the same order. Each raises
    :class:`UsageError` when another process has ended.

    Attributes:
        rank: from 0.
        size: how many there are.
    """

    rank: int = 0
    size: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and speaks."""
        return self.rank == 0

    def own_seed(self, seed: int) -> int:
        """The seed of what this process does alone: the training's in the first, one of its own in others."""
        return seed if self.first else int(stream(seed, Purpose.RANK, self.rank).integers(1 << 63))

    def share(self, tensors: Iterable[torch.Tensor]) -> None:
        """Give every process the first one's tensors, in place."""
        if self.size > 1:
            with _others_alive():
                for tensor in tensors:
                    dist.broadcast(tensor, 0)

    def average_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Replace the gradients by their mean over all processes, in one exchange."""
        if self.size == 1:
            return
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        with _others_alive():
            dist.all_reduce(flat)
        flat /= self.size
        means = flat.split([gradient.numel() for gradient in gradients])
        for gradient, mean in zip(gradients, means, strict=True):
            gradient.copy_(mean.view_as(gradient))

    def average(self, tensor: torch.Tensor) -> torch.Tensor:
        """Mean of a tensor of floats over all processes."""
        if self.size == 1:
            return tensor
        total = tensor.clone()
        with _others_alive():
            dist.all_reduce(total)
        return total / self.size

    def average_metrics(self, metrics: Mapping[str, Metric]) -> dict[str, Metric]:
        """Mean of each number over all processes, which name the same ones; arrays stay as they are."""
        numbers = {name: value for name, value in metrics.items() if not isinstance(value, np.ndarray)}
        means = self.average(torch.tensor(list(numbers.values()), dtype=torch.float64))
        return dict(metrics) | dict(zip(numbers, means.tolist(), strict=True))

    def largest(self, number: int) -> int:
        """The largest of the numbers that the processes give."""
        if self.size == 1:
            return number
        largest = torch.tensor(number)
        with _others_alive():
            dist.all_reduce(largest, dist.ReduceOp.MAX)
        return int(largest)

    def gather(self, value: T) -> list[T]:
        """What every process gives, by rank; in the first one only, an empty list in the others."""
        if self.size == 1:
            return [value]
        values: list[Any] | None = [None] * self.size if self.first else None
        with _others_alive():
            dist.gather_object(value, values)
        return values or []

    def from_first(self, make: Callable[[], T]) -> T:
        """What the first process makes, given to all.

        Raises:
            UsageError: in all of them, when it raises one.
        """
        if self.size == 1:
            return make()
        made: list[Any] = [None, None]
        if self.first:
            try:
                made[0] = make()
            except UsageError as error:
                made[1] = str(error)
        with _others_alive():
            dist.broadcast_object_list(made)
        if made[1] is not None:
            raise UsageError(made[1])
        return made[0]


#: The world of a process that was started alone.
ALONE: Final = World()


def processes_started() -> int:
    """How many processes ``torchrun`` has started, on all machines; 1 without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


@contextmanager
def joined_world() -> Iterator[World]:
    """The world of this process while it is entered: those that ``torchrun`` started, or itself alone.

    They exchange what lies in memory by gloo, and what lies on CUDA by nccl. What others than the first print
    is not shown.

    Raises:
        UsageError: when the others cannot be reached.
    """
    size = processes_started()
    if size == 1:
        yield ALONE
        return
    nccl = torch.cuda.is_available() and dist.is_nccl_available()
    with _others_alive():
        dist.init_process_group("cpu:gloo,cuda:nccl" if nccl else "gloo")
    world = World(dist.get_rank(), size)
    try:
        with nullcontext() if world.first else redirect_stdout(StringIO()):
            yield world
    finally:
        dist.destroy_process_group()


@contextmanager
def _others_alive() -> Iterator[None]:
    """Turn what an exchange raises when another process is gone into one line."""
    try:
        yield
    except RuntimeError:
        raise UsageError(
            "another process of this training has ended or cannot be reached; the last checkpoint is kept"
        ) from None
