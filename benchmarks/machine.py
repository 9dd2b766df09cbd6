"""What every benchmark shares: the facts of the machine, the table on the screen and the JSON beside it."""

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured number.

    Attributes:
        what: what was measured, in a few words.
        value: the number.
        unit: its unit, such as ``steps/s``.
        bar: what the number should reach, in words.
    """

    what: str
    value: float
    unit: str
    bar: str


def best_rate(
    work: Callable[[], int], repeats: int = 20, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Things done a second, the best of many short repeats; ``work`` returns how many things it did.

    The best, because whatever else the machine does can only slow a repeat down. ``clock`` tells seconds,
    such as ``time.process_time`` those of the processor, which on a busy machine pass more slowly.
    """
    work()  # compiles, and fills the caches
    rates = []
    for _ in range(repeats):
        start = clock()
        done = work()
        rates.append(done / (clock() - start))
    return max(rates)


def machine_facts(packages: Sequence[str]) -> dict[str, str | int | None]:
    """The processor, its cores, and the versions of Python and of some packages."""
    facts: dict[str, str | int | None] = {
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    return facts | {package: version(package) for package in packages}


def report(measurements: Sequence[Measurement], packages: Sequence[str], out: Path) -> None:
    """Print the measurements as a table and write them, with the machine and the date, to a JSON file."""
    facts = machine_facts(packages)
    print(", ".join(f"{name} {fact}" for name, fact in facts.items()))
    width = max(len(measurement.what) for measurement in measurements)
    for measurement in measurements:
        value = f"{measurement.value:,.0f}" if measurement.value >= 100 else f"{measurement.value:.2f}"
        print(f"{measurement.what:<{width}}  {value:>14} {measurement.unit:<14}  bar: {measurement.bar}")
    results = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": facts,
        "measurements": [asdict(measurement) for measurement in measurements],
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(f"written to {out}")


def _cpu_name() -> str:
    """The processor as Linux names it, or what Python knows elsewhere."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
