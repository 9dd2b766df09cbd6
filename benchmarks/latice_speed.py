"""How fast Latice is in random play: the rules alone, the vector environment, and PettingZoo's.

    python benchmarks/latice_speed.py [--out benchmarks/results/latice_speed.json]

One core: nothing here starts a thread. Times are CPU time, so that what else the machine does hardly matters;
the time to choose a random legal action is part of them.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from numba import njit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

from benchmarks.machine import Measurement, best_rate, report
from latice_env import env
from latice_env.actions import ACTIONS
from latice_env.deal import begin, random_words
from latice_env.legal import fill_mask
from latice_env.moves import play
from latice_env.rules import RuleCode, Rules
from latice_env.state import GAME
from latice_env.vector_env import LaticeVectorEnv

GAMES = 2048
STEPS = 20


@njit(cache=True)
def random_action(mask: np.ndarray, random: float) -> int:
    """A legal action, chosen by a random number below 1."""
    legal = 0
    for action in range(ACTIONS):
        legal += mask[action]
    left = int(random * legal)
    for action in range(ACTIONS):
        left -= mask[action]
        if left < 0:
            return action
    return ACTIONS


@njit(cache=True)
def random_actions(masks: np.ndarray, randoms: np.ndarray, actions: np.ndarray) -> None:
    """Choose a legal action in each of N games."""
    for game in range(len(masks)):
        actions[game] = random_action(masks[game], randoms[game])


@njit(cache=True)
def play_games(words: np.ndarray, randoms: np.ndarray, code: RuleCode, games: np.ndarray) -> int:
    """Play a game for each row of words, one after another; how many micro-actions they took."""
    mask = np.empty(ACTIONS, dtype=np.int8)
    done = 0
    for row in range(len(words)):
        game = games[0]
        begin(game, words[row], code)
        fill_mask(game, mask)
        while game["outcome"] == 0:
            play(game, random_action(mask, randoms[done % len(randoms)]), mask)
            done += 1
    return done


def rules_rate(rules: Rules) -> float:
    """Micro-actions a second of the rules alone, masks included."""
    rng = np.random.default_rng(0)
    words, randoms, games = random_words(rng, 200), rng.random(100_003), np.zeros(1, dtype=GAME)
    return best_rate(lambda: play_games(words, randoms, rules.code, games), clock=time.process_time)


def vector_rate(players: int) -> float:
    """Micro-actions a second of the vector environment through its public ``step``, resets included."""
    rng = np.random.default_rng(0)
    vector = LaticeVectorEnv(GAMES, players)
    masks = [vector.reset(seed=0).masks]
    actions = np.empty(GAMES, dtype=np.int64)

    def work() -> int:
        for _ in range(STEPS):
            random_actions(masks[0], rng.random(GAMES), actions)
            masks[0] = vector.step(actions).masks
        return STEPS * GAMES

    return best_rate(work, clock=time.process_time)


def single_rate() -> float:
    """Micro-actions a second of the PettingZoo environment, observations and resets included."""
    rng = np.random.default_rng(0)
    single = env()

    def work() -> int:
        done = 0
        for seed in range(3):
            single.reset(seed=seed)
            while not any(single.terminations.values()):
                *_, info = single.last()
                single.step(random_action(info["action_mask"], rng.random()))
                done += 1
        return done

    return best_rate(work, clock=time.process_time)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Measure how fast Latice is.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "latice_speed.json")
    out = parser.parse_args().out
    what, unit = f"vector env, {GAMES:,} games, mask and observation", "micro-actions/s"
    measurements = [
        Measurement("rules alone, with the mask", rules_rate(Rules()), unit, "none"),
        Measurement(f"{what}, 2 players", vector_rate(2), unit, "at least 300 thousand"),
        Measurement(f"{what}, 4 players", vector_rate(4), unit, "at least 300 thousand"),
        Measurement("PettingZoo env, mask and observation", single_rate(), unit, "none"),
    ]
    report(measurements, ["numpy", "numba", "pettingzoo"], out)


if __name__ == "__main__":
    main()
