"""A trainer that learns nothing, and what its runs have left behind."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents import training
from agents.agent import Agent, make_agent
from agents.curves import METRICS
from agents.metrics import About
from agents.training import Outcome
from agents.validation import Validation
from takeiteasy_env.rules import Rules

ABOUT = About(
    "python train.py", {"seed": 0, "agent": {"name": "counter", "rate": 0.5, "best": None}}, "standard"
)
ROUNDS = 40
EVALUATIONS = 20


class Counter:
    """A trainer whose loss is a random number and whose games are counted.

    Args:
        stop: called with the trainer before each round: it may end the training in its own way.
    """

    rounds = ROUNDS

    def __init__(self, stop: Callable[["Counter"], object] = lambda _: None) -> None:
        self.round = 0
        self.rng = np.random.default_rng(0)
        self.ballast = torch.zeros(1_000)
        self.stop = stop

    @property
    def games_played(self) -> int:
        return 100 * self.round

    def advance(self) -> Mapping[str, float | np.ndarray]:
        self.stop(self)
        self.round += 1
        return {
            "losses/value": float(self.rng.random()),
            "charts/score": float(self.round),
            "values": self.rng.random(30),
        }

    def agent(self) -> Agent:
        return make_agent("greedy", Rules())

    def save_model(self, directory: Path) -> None:
        (directory / "model").write_text(str(self.round))

    def state(self) -> dict[str, Any]:
        return {"round": self.round, "rng": self.rng.bit_generator.state, "ballast": self.ballast}

    def restore(self, state: dict[str, Any]) -> None:
        self.round, self.ballast = state["round"], state["ballast"]
        self.rng.bit_generator.state = state["rng"]


def train(trainer: Counter, run: Path) -> Outcome:
    return training.train(trainer, run, Validation(Rules(), seed=0), ABOUT)


def metrics_of(run: Path) -> dict[str, list[tuple[int, float]]]:
    """The points of each curve in ``metrics.csv``."""
    curves: dict[str, list[tuple[int, float]]] = {}
    with (run / METRICS).open(newline="") as file:
        for row in csv.DictReader(file):
            curves.setdefault(row["name"], []).append((int(row["step"]), float(row["value"])))
    return curves


def events_of(run: Path) -> EventAccumulator:
    return EventAccumulator(str(run), size_guidance={"scalars": 0, "images": 0, "histograms": 0}).Reload()


def curves_of(events: EventAccumulator) -> dict[str, list[tuple[int, float]]]:
    return {
        name: [(scalar.step, scalar.value) for scalar in events.Scalars(name)]
        for name in events.Tags()["scalars"]
    }
