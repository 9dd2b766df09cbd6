"""How fast the game is: the rules alone, the vector environment, the single one, and the first step.

    python benchmarks/env_speed.py [--out benchmarks/results/env_speed.json]

One core: nothing here starts a thread. The first step is measured in processes of their own, after one that
fills Numba's cache.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
from numba import njit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

from benchmarks.machine import Measurement, best_rate, report
from takeiteasy_env import TakeItEasyEnv
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import draw_orders
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import BITBOARD, FILLED, RuleCode, Rules, legal_cells, place, points_through
from takeiteasy_env.vector_env import GAMES_AHEAD

GAMES = 4096
FIRST_STEP = "import takeiteasy_env as t; env = t.TakeItEasyEnv(); env.reset(seed=0); env.step(0)"


@njit(cache=True)
def play_randomly(draws: np.ndarray, cells: np.ndarray, code: RuleCode, bitboard: np.ndarray) -> int:
    """Play a game for each row of draws, asking at each turn what is legal; the points of all of them."""
    points = 0
    for game in range(len(draws)):
        bitboard[:] = 0
        for turn in range(CELLS):
            tile, cell = draws[game, turn], cells[game, turn]
            if legal_cells(bitboard[FILLED], tile, draws[game, turn - 1], code) >> cell & 1:
                place(bitboard, tile, cell, code)
                points += points_through(bitboard, tile, cell, code)
    return points


def random_cells(rng: np.random.Generator, games: int) -> np.ndarray:
    """int64 (games, 19): the cells in random order, each beside an earlier one: legal in every placement."""
    adjacent = Rules("adjacent")
    positions = Positions.empty(games)
    positions.tile[:] = 0
    cells = np.empty((games, CELLS), dtype=np.int64)
    for turn in range(CELLS):
        legal = positions.legal(adjacent)
        cells[:, turn] = (rng.random(legal.shape) * legal).argmax(axis=1)
        np.put_along_axis(positions.board, cells[:, turn, None], turn, axis=1)
    return cells


def rules_rate() -> float:
    """Placements a second of the rules alone: what is legal, the placement and its points."""
    rng = np.random.default_rng(0)
    draws, cells = draw_orders(rng, 100_000), random_cells(rng, 100_000)
    bitboard = np.zeros(BITBOARD, dtype=np.int32)
    code = Rules().code

    def play() -> int:
        play_randomly(draws, cells, code, bitboard)
        return draws.size

    return best_rate(play)


def vector_rates(variants: Sequence[Rules]) -> list[float]:
    """Steps a second of the vector environment through its public ``step``, resets and draws included.

    The variants take turns, so that what else the machine does slows all of them alike.
    """
    columns = np.ascontiguousarray(random_cells(np.random.default_rng(0), GAMES).T)

    def play(env: gymnasium.vector.VectorEnv) -> int:
        for _ in range(GAMES_AHEAD):
            for cells in columns:
                env.step(cells)
        return GAMES_AHEAD * columns.size

    envs = [
        gymnasium.make_vec("TakeItEasy-v0", GAMES, placement=rules.placement, scoring=rules.scoring)
        for rules in variants
    ]
    for env in envs:
        env.reset(seed=0)
    rates = [[best_rate(partial(play, env), repeats=4) for env in envs] for _ in range(5)]
    return [max(rates_of_one) for rates_of_one in zip(*rates, strict=True)]


def single_rate(env: gymnasium.Env) -> float:
    """Steps a second of a single environment, resets included."""
    games = random_cells(np.random.default_rng(0), 200).tolist()
    env.reset(seed=0)

    def play() -> int:
        for cells in games:
            env.reset()
            for cell in cells:
                env.step(cell)
        return CELLS * len(games)

    return best_rate(play)


def seconds_to_first_step() -> float:
    """Seconds that a new process takes from its start to the end of its first step, the best of three."""
    seconds = []
    for _ in range(4):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", FIRST_STEP], check=True)
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how fast the game is.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "env_speed.json")
    out = parser.parse_args().out
    made = gymnasium.make("TakeItEasy-v0")
    standard, symbols = vector_rates([Rules(), Rules("sun_moon", "sunrays")])
    measurements = [
        Measurement("rules alone", rules_rate(), "placements/s", "at least 20 million"),
        Measurement(f"vector env, {GAMES:,} games", standard, "steps/s", "at least 5 million"),
        Measurement("vector env, sun_moon and sunrays", symbols, "steps/s", "at least 0.7 of the above"),
        Measurement("its part of the standard game's", symbols / standard, "", "at least 0.7"),
        Measurement("single env, unwrapped", single_rate(TakeItEasyEnv()), "steps/s", "at least 60 thousand"),
        Measurement("single env, as gym.make gives it", single_rate(made), "steps/s", "none"),
        Measurement("import, reset and first step", seconds_to_first_step(), "s", "under 2"),
    ]
    report(measurements, ["numpy", "numba", "gymnasium"], out)


if __name__ == "__main__":
    main()
