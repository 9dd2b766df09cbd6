"""How fast the value agent is in PyTorch on a device: successors, games, steps and whole rounds of training.

    python benchmarks/device_speed.py --device cuda --games 16384 --batch 1024
    python benchmarks/device_speed.py --device cuda --games 16384 --batch 1024 --precision bfloat16
    python benchmarks/device_speed.py --device cpu --games 16 --batch 16

The network is the default one of ``configs/agent/value.yaml`` with random weights; a round takes as many
steps as there. A device wants many games and large batches: a turn of all games is one chain of kernels. On
``cpu`` this measures PyTorch too, for comparison; ``train.py device=cpu`` runs the compiled functions, which
``value_speed.py`` measures.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

import numpy as np
import torch
from omegaconf import DictConfig, OmegaConf

from agents.agent import make_agent
from agents.device import PRECISIONS, choose_device
from agents.device_successors import DeviceSuccessors, unseen_tiles
from agents.play import play
from agents.replay import boards_of
from agents.successors import TURNS
from agents.threads import use_threads
from agents.value_config import ValueConfig
from agents.value_engine import DeviceEngine
from agents.value_trainer import NO_PRIZES, ValueTrainer
from benchmarks.machine import Measurement, best_rate, report
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import NONE, Rules
from takeiteasy_env.tiles import TILES

STEPS = 5
REPEATS = 5
CONFIG = Path(__file__).resolve().parents[1] / "configs" / "agent" / "value.yaml"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Measure how fast the value agent is on a device.")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or mps")
    parser.add_argument("--precision", default="float32", choices=PRECISIONS)
    parser.add_argument("--games", type=int, default=1024, help="games of a round")
    parser.add_argument("--batch", type=int, default=128, help="boards of each turn in one step")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/device_speed.json"))
    asked = parser.parse_args()

    rules, threads = Rules(), use_threads(0)
    settings = cast(DictConfig, OmegaConf.load(CONFIG))
    settings.pop("defaults")
    default = cast(ValueConfig, OmegaConf.to_object(OmegaConf.merge(ValueConfig, settings)))
    config = replace(default, games=asked.games, batch=asked.batch, lesson_games=0)
    device = choose_device(asked.device, ("cuda", "mps", "cpu"))
    engine = DeviceEngine(rules, device, PRECISIONS[asked.precision])
    trainer = ValueTrainer(config, rules, seed=0, threads=threads, engine=engine)
    trainer.advance()  # the lesson, which is none
    successors = DeviceSuccessors(trainer.network, rules)
    games = play(make_agent("random", rules), draw_orders(stream(0, Purpose.TRAIN), asked.games), rules)
    boards = boards_of(games, rules, NO_PRIZES)
    on_device = [torch.from_numpy(each).to(device) for each in (boards.board, boards.last)]
    nowhere = np.full((asked.games, CELLS), NONE, dtype=np.int64)
    kept = np.zeros((asked.games, CELLS), dtype=np.bool_)
    for turn, count in enumerate(trainer.boards_per_round, start=1):
        kept[:count, turn] = True

    def value_successors() -> int:
        best = torch.zeros((), device=device)
        with engine.precision():
            for turn in range(1, TURNS):
                board, last = (each[turn - 1] for each in on_device)
                best += successors.values(board, unseen_tiles(board, TILES - turn), last, turn).amax()
        best.item()  # waits for the device
        return asked.games * sum((TILES - turn) * (CELLS - turn) for turn in range(1, TURNS))

    def play_games() -> int:
        engine.player(trainer.network)(games.draws, nowhere, kept)
        return asked.games

    def learn() -> int:
        trainer.learn(boards, np.full(TURNS, len(boards)), STEPS, lambda _: config.learning_rate)
        return STEPS * int(trainer.batch_sizes.sum())

    def advance() -> int:
        trainer.advance()
        return 1

    network = f"{config.width}-{config.stack}-{config.stack}"
    sizes = f"{config.games} games, {config.steps} steps of {config.batch} boards of 16 tiles"
    measurements = [
        Measurement(f"successors valued by {network}", best_rate(value_successors, REPEATS), "boards/s", ""),
        Measurement(
            "games played, at most half the boards kept", best_rate(play_games, REPEATS), "games/s", ""
        ),
        Measurement("boards learned from", best_rate(learn, REPEATS), "boards/s", ""),
        Measurement(f"rounds: {sizes}", best_rate(advance, REPEATS), "rounds/s", ""),
    ]
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
    print(f"PyTorch on {name}, {asked.precision}, {threads} threads beside it")
    report(measurements, ["numpy", "numba", "torch"], asked.out)


if __name__ == "__main__":
    main()
