"""``python train.py`` with tiny networks, and what its runs have left behind."""

import csv
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import torch
from safetensors.torch import load_file

from agents.curves import METRICS

SCRIPT = Path(__file__).parents[2] / "train.py"
#: A training of seconds.
TINY = (
    "agent.width=8", "agent.stack=4", "agent.lesson_games=50", "agent.lesson_steps=3", "agent.rounds=5",
    "agent.games=20", "agent.replay_rounds=3", "agent.steps=2", "agent.batch=16", "evaluation_games=40",
)  # fmt: skip

Command = Callable[..., int]


def curves_of(run: Path) -> dict[str, list[tuple[int, float]]]:
    """The points of each curve in ``metrics.csv`` that does not measure time."""
    curves: dict[str, list[tuple[int, float]]] = {}
    with (run / METRICS).open(newline="") as file:
        for row in csv.DictReader(file):
            if not row["name"].startswith("time/"):
                curves.setdefault(row["name"], []).append((int(row["step"]), float(row["value"])))
    return curves


def same_models(run: Path, other: Path) -> bool:
    mine, others = (load_file(directory / "model.safetensors") for directory in (run, other))
    return mine.keys() == others.keys() and all(torch.equal(mine[name], others[name]) for name in mine)


def start(directory: Path, *arguments: str, stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """Begin the command in a process of its own."""
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, stderr=stderr, text=True)


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for something that a process does, as long as it lives."""
    while not happened():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def rounds_of(run: Path) -> int:
    """How many rounds of a training are written."""
    return (run / METRICS).read_text().count("losses/value") if (run / METRICS).exists() else 0


def watch(terminal: int, shown: list[str]) -> None:
    """Note what a process shows on a terminal, until both are gone."""
    with suppress(OSError):
        while True:
            shown.append(os.read(terminal, 1 << 12).decode())
