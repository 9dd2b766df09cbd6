"""How long hindsight takes, and what it says: 1,000 games of the standard rules, 100 of each variant.

    python benchmarks/hindsight_speed.py [--out benchmarks/results/hindsight_speed.json]

Times are CPU time of one core, so that what else the machine does hardly matters. The scores go to a file of
the same name that ends in ``.npz``, an int16 array for each rule set.
"""

import argparse
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

from benchmarks.machine import Measurement, report
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.hindsight import hindsight
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules

SEED = 1
GAMES = 1000
GAMES_OF_A_VARIANT = 100


def measured(rules: Rules, games: int) -> tuple[np.ndarray, np.ndarray]:
    """float64 (games,) milliseconds that each game took, and its int16 (games,) score, all of them proved."""
    hindsight(range(19), rules)  # compiles
    times = np.empty(games)
    scores = np.empty(games, dtype=np.int16)
    for game, draws in enumerate(draw_orders(stream(SEED, Purpose.EVALUATE), games)):
        start = time.process_time()
        best = hindsight(draws, rules)
        times[game] = 1000 * (time.process_time() - start)
        scores[game] = best.score
        assert best.proved
    return times, scores


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Measure how long hindsight takes.")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent / "results" / "hindsight_speed.json"
    )
    out = parser.parse_args().out
    measurements = []
    scores = {}
    for placement, scoring in product(PLACEMENTS, SCORINGS):
        rules = Rules(placement, scoring)
        name, standard = rules.name, rules == Rules()
        times, scores[name] = measured(rules, GAMES if standard else GAMES_OF_A_VARIANT)
        bars = ("under 500", "under 3,000") if standard else ("none", "none")
        score, error = scores[name].mean(), scores[name].std(ddof=1) / np.sqrt(len(times))
        measurements += [
            Measurement(f"{name}: mean of {len(times):,} games", times.mean(), "ms", bars[0]),
            Measurement(f"{name}: 99 % of them under", float(np.quantile(times, 0.99)), "ms", bars[1]),
            Measurement(f"{name}: the longest", times.max(), "ms", "none"),
            Measurement(f"{name}: mean score", score, "points", "248.7 +- 2.3" if standard else "none"),
            Measurement(f"{name}: its standard error", error, "points", "none"),
        ]
    report(measurements, ["numpy", "numba"], out)
    np.savez_compressed(out.with_suffix(".npz"), **scores)


if __name__ == "__main__":
    main()
