"""How long a big evaluation takes from start to end, and how much memory all its processes together.

    python benchmarks/evaluation_speed.py [--games 1000000] [--agent value] [--out benchmarks/results/...]

Memory is counted on Linux, pages that processes share once (the proportional set size).
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

from benchmarks.machine import Measurement, report

EVALUATE = Path(__file__).resolve().parents[1] / "evaluate.py"
MEBIBYTE = 1024  # in KiB, the unit of the system's files
SECONDS_BETWEEN_LOOKS = 0.5


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Measure a big evaluation.")
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--agent", default="value")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/evaluation_speed.json"))
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as directory:
        settings = [f"agents=[{arguments.agent}]", f"games={arguments.games}", "seed=1", "out=results"]
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, str(EVALUATE), *settings], cwd=directory)
        peak = 0
        while process.poll() is None:
            peak = max(peak, sum(map(memory_of, family_of(process.pid))))
            time.sleep(SECONDS_BETWEEN_LOOKS)
        seconds = time.perf_counter() - start
    if process.returncode:
        sys.exit(process.returncode)
    what = f"evaluate.py agents=[{arguments.agent}] games={arguments.games}"
    measurements = [
        Measurement(f"{what}, from start to end", seconds, "s", "1,000,000 games of value: at most 360"),
        Measurement(f"{what}, memory at most", peak / MEBIBYTE, "MiB", "at most 2,048"),
    ]
    report(measurements, ["numpy", "numba", "joblib"], arguments.out)


def family_of(process: int) -> set[int]:
    """A process and all that it and its children have started and that still run."""
    family = {process}
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            family |= {member for child in children.read_text().split() for member in family_of(int(child))}
        except OSError:
            continue  # it has ended meanwhile
    return family


def memory_of(process: int) -> int:
    """KiB that a process holds, 0 for one that has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    main()
