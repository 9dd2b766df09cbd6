"""Several processes that train one agent: real ones, started by ``torchrun``."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.distributed import World
from agents.ppo import PPOTrainer
from agents.value_trainer import ValueTrainer
from takeiteasy_env.rules import Rules
from tests.agents.test_policy_trainers import PPO
from tests.agents.test_value_trainer import TINY

#: Each process compiles for itself.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BEST_RAY = Rules(scoring="best_ray")


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory in which two processes have left what they found; see ``trained_together.py``."""
    directory = tmp_path_factory.mktemp("together")
    script = ROOT / "tests" / "agents" / "trained_together.py"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [*command, str(script), str(directory)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture(scope="module")
def found(together: Path) -> list[dict[str, Any]]:
    return [json.loads((together / f"{rank}.json").read_text()) for rank in range(2)]


def test_processes_exchange_what_they_have(found):
    for of_one in found:
        assert of_one["size"] == 2
        assert of_one["gradient"] == [0.0, 1.5, 3.0]
        assert of_one["largest"] == 11
        assert of_one["refused"] == "the disk is full"
    assert found[0]["gathered"] == ["of 0", "of 1"]
    assert found[1]["gathered"] == []


def test_every_process_has_the_same_weights_and_other_games(found):
    assert found[0]["straight"] == found[1]["straight"]
    assert found[0]["metrics"] == found[1]["metrics"]
    assert found[0]["own targets"] != found[1]["own targets"]
    assert found[0]["games"] == 2 * (50 + 6 * 12)


def test_together_they_learn_something_else_than_one_alone(found):
    alone = ValueTrainer(TINY, BEST_RAY, seed=0, threads=1)
    while alone.round < alone.rounds:
        alone.advance()
    assert float(alone.network.table.detach().double().sum()) not in found[0]["straight"]


def test_a_policy_learns_from_the_games_of_all(found):
    """The same weights in both processes, other games, and the losses are means over them."""
    of_first, of_second = found
    assert of_first["policy"] == of_second["policy"] == of_first["policy resumed"]
    assert of_first["policy games"] == of_second["policy games"] == 2 * 3 * 12
    assert of_first["policy loss"] == of_second["policy loss"]
    assert of_first["policy score"] != of_second["policy score"]
    alone = PPOTrainer(PPO, Rules(), seed=0, threads=1)
    while alone.round < alone.rounds:
        alone.advance()
    assert float(alone.network.table.detach().double().sum()) not in of_first["policy"]


def test_a_signal_to_one_stops_all_after_the_round_and_they_go_on_exactly(found):
    for of_one in found:
        assert of_one["stopped"] == [15, 3]
        assert of_one["complete"] == [None, 7]
        assert of_one["weights"] == of_one["straight"]


def test_the_first_process_alone_writes(together, found):
    names = {path.name.partition(".tfevents")[0] for path in together.iterdir()}
    assert names == {
        "0.json", "1.json", "stopped.pt", "checkpoint.pt", "config.json", "model.safetensors", "metrics.csv",
        "events.out", "best",
    }  # fmt: skip
    steps = [int(row.partition(",")[0]) for row in (together / "metrics.csv").read_text().splitlines()[1:]]
    assert sorted(set(steps)) == [2 * (50 + 12 * round_) for round_ in range(7)]


def test_one_process_goes_on_where_two_were_stopped(together):
    """With the games of the first one; steps still only rise."""
    state = torch.load(together / "stopped.pt", weights_only=True)["trainer"]
    assert len(state["ranks"]) == 2
    alone = ValueTrainer(TINY, BEST_RAY, seed=0, threads=1)
    alone.restore(state)
    assert (alone.round, alone.games_played) == (3, 2 * (50 + 2 * 12))
    assert np.array_equal(alone.replay.target, state["ranks"][0]["replay"]["target"])
    alone.advance()
    assert alone.games_played == 2 * (50 + 2 * 12) + 12
    assert len(alone.state()["ranks"]) == 1


def test_a_process_that_was_not_there_begins_with_the_boards_of_another(together):
    """Its own random numbers are as fresh as they would have been from the start."""
    state = torch.load(together / "stopped.pt", weights_only=True)["trainer"]
    fourth = ValueTrainer(TINY, BEST_RAY, seed=World(3, 1).own_seed(0), threads=1)
    before = fourth.rng.bit_generator.state
    fourth.world = World(3, 4)
    fourth.restore(state)
    assert np.array_equal(fourth.replay.target, state["ranks"][1]["replay"]["target"])
    assert fourth.rng.bit_generator.state == before
    assert fourth._next is None
