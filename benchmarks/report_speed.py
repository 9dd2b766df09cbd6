"""How long the report of an evaluation takes to make once its games are played, and how large it is.

    python benchmarks/report_speed.py [--games 10000] [--out benchmarks/results/report_speed.json]

The agents are those of `python evaluate.py`. The first report of a process also loads compiled code.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

from agents.threads import use_threads
from benchmarks.machine import Measurement, report
from evaluation.collect import collect
from evaluation.playing import play_tournament
from evaluation.results import REPORT, write_report
from evaluation.shards import claimed
from evaluation.tournament import Tournament
from takeiteasy_env.rules import Rules

AGENTS = ("random", "greedy", "line_odds", "value")
MEBIBYTE = 1 << 20


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Measure the report of an evaluation.")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/report_speed.json"))
    arguments = parser.parse_args()

    use_threads(0)
    seconds = []
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory)
        with claimed(out, Tournament(AGENTS, arguments.games, seed=0, rules=Rules())) as shards:
            play_tournament(shards)
            for _ in range(2):
                start = time.perf_counter()
                write_report(out, collect(shards))
                seconds.append(time.perf_counter() - start)
        size = (out / REPORT).stat().st_size / MEBIBYTE
    what = f"report of {len(AGENTS)} agents and {arguments.games:,} games"
    measurements = [
        Measurement(f"{what}, the first of a process", seconds[0], "s", "at most 15"),
        Measurement(f"{what}, the next", seconds[1], "s", "at most 15"),
        Measurement(f"{what}, size", size, "MiB", "at most 3"),
    ]
    report(measurements, ["numpy", "numba", "jinja2"], arguments.out)


if __name__ == "__main__":
    main()
