"""How fast the value agent is: successors valued, decisions made and boards learned from, on all cores.

    python benchmarks/value_speed.py [--out benchmarks/results/value_speed.json]

The networks are those of ``preset=quick`` and ``preset=strong``, with random weights: their speed does not
depend on what they have learned.
"""

import argparse
import sys
from pathlib import Path
from typing import cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

import numpy as np
from omegaconf import DictConfig, OmegaConf

from agents.play import play
from agents.replay import boards_of
from agents.self_play import self_play
from agents.successors import TURNS
from agents.threads import use_threads
from agents.value_config import ValueConfig
from agents.value_trainer import ValueTrainer
from benchmarks.machine import Measurement, best_rate, report
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import NONE, Rules
from takeiteasy_env.tiles import TILES

GAMES = 1024
STEPS = 5
CONFIGS = Path(__file__).resolve().parents[1] / "configs"
PRESETS = ("quick", "strong")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Measure how fast the value agent is.")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/value_speed.json"))
    out = parser.parse_args().out
    threads = use_threads(0)
    measurements = [row for preset in PRESETS for row in measure(config_of(preset), threads)]
    report(measurements, ["numpy", "numba", "torch"], out)


def config_of(preset: str) -> ValueConfig:
    """The settings of a preset."""
    agent = cast(DictConfig, OmegaConf.load(CONFIGS / "agent" / "value.yaml"))
    agent.pop("defaults")
    changes = cast(DictConfig, OmegaConf.load(CONFIGS / "preset" / "value" / f"{preset}.yaml"))
    merged = OmegaConf.merge(ValueConfig, agent, changes.get("agent", {}))
    return cast(ValueConfig, OmegaConf.to_object(merged))


def measure(config: ValueConfig, threads: int) -> list[Measurement]:
    """The three speeds of a network."""
    rules = Rules()
    trainer = ValueTrainer(config, rules, seed=0, threads=threads)
    agent = trainer.agent()
    draws = draw_orders(stream(0, Purpose.TRAIN), GAMES)
    boards = boards_of(play(agent, draws, rules), rules, agent.weights.prizes)

    explored = np.full((GAMES, CELLS), NONE, dtype=np.int64)
    kept = np.ones((GAMES, CELLS), dtype=np.bool_)
    before = np.empty((GAMES, CELLS, CELLS), dtype=np.int8)
    targets = np.empty((GAMES, CELLS), dtype=np.float32)
    scores = np.empty(GAMES, dtype=np.int32)

    def value_successors() -> int:
        self_play(draws, explored, kept, rules.code, agent.weights, before, targets, scores)
        return GAMES * sum((TILES - turn) * (CELLS - turn) for turn in range(CELLS - 1))

    def decide() -> int:
        play(agent, draws, rules)
        return GAMES * CELLS

    def learn() -> int:
        trainer.learn(boards, np.full(TURNS, len(boards)), STEPS, lambda _: config.learning_rate)
        return STEPS * int(trainer.batch_sizes.sum())

    network = f"{config.width}-{config.stack}-{config.stack}"
    valued = best_rate(value_successors, repeats=10)
    return [
        Measurement(f"successors valued by {network}", valued, "boards/s", "at least 3 million"),
        Measurement(f"moves decided by {network}", best_rate(decide), "moves/s", "at least 150 thousand"),
        Measurement(f"boards {network} learned from, one core", best_rate(learn), "boards/s", "none"),
    ]


if __name__ == "__main__":
    main()
