"""Those who learn, and the names by which the commands find them.

Imports no PyTorch: commands read it before they choose threads.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import numpy as np

from agents.config import AgentConfig
from agents.dqn_config import DQNConfig
from agents.errors import UsageError
from agents.latice.ppo_config import LaticePPOConfig
from agents.ppo_config import PPOConfig
from agents.quantile_config import QuantileConfig
from agents.value_config import ValueConfig

if TYPE_CHECKING:
    import torch

    from agents.distributed import World


Player = TypeVar("Player", covariant=True)


class Trainer(Protocol[Player]):
    """Anything that learns round by round."""

    round: int

    @property
    def rounds(self) -> int:
        """How many rounds there are in all."""
        ...

    @property
    def games_played(self) -> int:
        """Games of training so far."""
        ...

    def advance(self) -> Mapping[str, float | np.ndarray]:
        """Play and learn one round; returns its metrics by their TensorBoard names.

        A number is a point of a curve, an array a histogram. A number that is none any more (NaN, infinite)
        ends the training.
        """
        ...

    def agent(self) -> Player:
        """The agent as it plays now."""
        ...

    def save_model(self, directory: Path) -> None:
        """Write what ``name:directory`` loads."""
        ...

    def state(self) -> dict[str, Any]:
        """All that the rest of the training depends on: tensors and plain values."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        ...


class TrainerFactory(Protocol):
    """How a trainer is made."""

    def __call__(self, config: Any, rules: Any, seed: int, threads: int, **places: Any) -> Trainer[Any]:
        """Make the trainer of an agent.

        Args:
            config: of the class that is registered with it.
            rules: of the games: those of Take It Easy or of Latice.
            seed: of everything random.
            threads: threads to compute on.
            places: ``world`` (:class:`agents.distributed.World`) for a learner that may be one of several
                processes; ``device`` and ``dtype`` of PyTorch for one that may learn on several devices.

        Raises:
            UsageError: when it cannot learn these rules.
        """
        ...


@dataclass(frozen=True, slots=True)
class Learner:
    """How an agent is configured and trained.

    Attributes:
        config: the schema of ``configs/agent/<name>.yaml``.
        trainer: "module:factory", imported when asked for, since it brings PyTorch.
        several: whether several processes may train it together.
        devices: where it can learn; ``device=auto`` is the first of these that is there.
        game: what it plays, takeiteasy or latice.
    """

    config: type[AgentConfig]
    trainer: str
    several: bool = False
    devices: tuple[str, ...] = ("cpu",)
    game: str = "takeiteasy"


#: ``agent=<name>`` -> who learns. What was learned is loaded by the agent of that name in
#: :data:`agents.agent.AGENTS`.
LEARNERS: Final[dict[str, Learner]] = {
    # Nobody has measured yet whether MPS is faster than the processor beside it: only by its name.
    "value": Learner(
        ValueConfig, "agents.value_trainer:make_value_trainer", several=True, devices=("cuda", "cpu", "mps")
    ),
    "quantile": Learner(QuantileConfig, "agents.quantile_trainer:QuantileTrainer"),
    "ppo": Learner(PPOConfig, "agents.ppo:PPOTrainer", several=True),
    "dqn": Learner(DQNConfig, "agents.dqn:DQNTrainer"),
    "latice_ppo": Learner(LaticePPOConfig, "agents.latice.ppo:LaticePPOTrainer", game="latice"),
}


def learner_named(name: str) -> Learner:
    """Who learns by that name.

    Raises:
        UsageError: when nobody does.
    """
    if name not in LEARNERS:
        raise UsageError(f"agent.name={name}: give one of {', '.join(LEARNERS)}")
    return LEARNERS[name]


def make_trainer(
    config: AgentConfig,
    rules: Any,
    seed: int,
    threads: int,
    world: "World",
    device: "torch.device",
    dtype: "torch.dtype",
) -> Trainer[Any]:
    """The trainer of the agent that a configuration names; PyTorch is imported here.

    Args:
        config: of one of :data:`LEARNERS`.
        rules: of the games, those of the learner's game.
        seed: of everything random.
        threads: threads to compute on.
        world: the processes that train together; alone unless the learner may be one of ``several``.
        device: one of the learner's.
        dtype: number format of the matrix products on it.

    Raises:
        UsageError: when it cannot learn these rules.
    """
    learner = LEARNERS[config.name]
    places: dict[str, Any] = {"device": device, "dtype": dtype} if len(learner.devices) > 1 else {}
    if learner.several:
        places["world"] = world
    module, _, factory = learner.trainer.partition(":")
    make: TrainerFactory = getattr(import_module(module), factory)
    return make(config, rules, seed, threads, **places)
