"""What ``torchrun`` starts for ``test_trained_together.py``: two processes train, stop, go on, and compare.

torchrun --standalone --nproc-per-node=2 tests/agents/trained_together.py DIRECTORY
"""

import json
import shutil
import signal
import sys
from copy import deepcopy
from pathlib import Path

import torch

from agents import validation
from agents.distributed import World, joined_world
from agents.errors import UsageError
from agents.metrics import About
from agents.ppo import PPOTrainer
from agents.training import CHECKPOINT, train
from agents.validation import Validation
from agents.value_trainer import ValueTrainer
from takeiteasy_env.rules import Rules
from tests.agents.test_policy_trainers import PPO
from tests.agents.test_value_trainer import TINY

RULES = Rules(scoring="best_ray")
ABOUT = About("train.py", {}, "best_ray")


def trainer_in(world: World) -> ValueTrainer:
    return ValueTrainer(TINY, RULES, seed=0, threads=1, world=world)


def policy_trained_and_resumed(world: World) -> dict[str, object]:
    """A round of PPO, and the others once by the same trainer and once by another."""
    first = PPOTrainer(PPO, Rules(), seed=0, threads=1, world=world)
    metrics = first.advance()
    resumed = PPOTrainer(PPO, Rules(), seed=0, threads=1, world=world)
    resumed.restore(deepcopy(first.state()))
    for trainer in (first, resumed):
        while trainer.round < trainer.rounds:
            trainer.advance()
    return {
        "policy": weights_of(first),
        "policy resumed": weights_of(resumed),
        "policy games": first.games_played,
        "policy loss": metrics["losses/policy"],
        "policy score": metrics["charts/score"],
    }


def weights_of(trainer: ValueTrainer | PPOTrainer) -> list[float]:
    return [float(tensor.double().sum()) for tensor in trainer.network.state_dict().values()]


def refused(world: World) -> str:
    def fail() -> None:
        raise UsageError("the disk is full")

    try:
        world.from_first(fail)
    except UsageError as error:
        return str(error)
    return ""


def stopped_and_resumed(world: World, run: Path) -> dict[str, object]:
    """Rank 1 alone gets a signal in round 3; the checkpoint of then is kept beside the last one."""
    trainer = trainer_in(world)
    advance = trainer.advance

    def interrupted() -> dict[str, object]:
        if world.rank == 1 and trainer.round == 2:
            signal.raise_signal(signal.SIGTERM)
        return advance()

    trainer.advance = interrupted
    examination = Validation(trainer.rules, 0, players=4)
    stopped = train(trainer, run, examination, ABOUT, world)
    if world.first:
        shutil.copy(run / CHECKPOINT, run / "stopped.pt")
    resumed = trainer_in(world)
    complete = train(resumed, run, examination, ABOUT, world)
    return {
        "stopped": [stopped.signal, trainer.round],
        "complete": [complete.signal, resumed.round],
        "weights": weights_of(resumed),
        "own targets": float(resumed.replay.target.sum()),
    }


def main(directory: Path) -> None:
    """Write what each process found."""
    validation.EVALUATION_GAMES = 40
    with joined_world() as world:
        parameter = torch.nn.Parameter(torch.zeros(3))
        parameter.grad = torch.arange(3.0) * (1 + world.rank)
        world.average_gradients([parameter])
        straight = trainer_in(world)
        while straight.round < straight.rounds:
            metrics = straight.advance()
        found = {
            "size": world.size,
            "gradient": parameter.grad.tolist(),
            "largest": world.largest(10 + world.rank),
            "gathered": world.gather(f"of {world.rank}"),
            "refused": refused(world),
            "straight": weights_of(straight),
            "metrics": metrics,
            "games": straight.games_played,
            **stopped_and_resumed(world, directory),
            **policy_trained_and_resumed(world),
        }
        (directory / f"{world.rank}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
