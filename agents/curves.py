"""``metrics.csv``: the curves of a training as rows of step, name and value.

Imports no PyTorch: commands read it before they choose threads.
"""

import csv
from pathlib import Path
from typing import Final

METRICS: Final = "metrics.csv"
COLUMNS: Final = ("step", "name", "value")
#: Mean points on the validation draws, and the ends of its 95 % interval.
MEAN: Final = "eval/mean"
INTERVAL: Final = ("eval/ci_low", "eval/ci_high")


def curve_of(run: Path, name: str) -> list[tuple[int, float]]:
    """The points of a curve of a run: steps, in games of training, and values.

    Raises:
        OSError: when there is no ``metrics.csv``.
    """
    with (run / METRICS).open(newline="") as file:
        return [
            (int(row["step"]), float(row["value"])) for row in csv.DictReader(file) if row["name"] == name
        ]
