"""What a sweep found: each configuration with its mean over training seeds, beside the noise of the games."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml
from hydra.experimental.callback import Callback
from omegaconf import DictConfig
from rich.console import Console

from agents.curves import INTERVAL, MEAN, METRICS, curve_of
from agents.latice.examination import MEASURE, MEASURE_INTERVAL
from agents.validation import NORMAL
from evaluation.report import interval_text, table_of
from evaluation.results import RESULTS
from evaluation.statistics import Interval, t_interval

TABLE: Final = "sweep.csv"
#: Where the final games of a run lie, and its settings.
FINALS: Final = "evaluation"
SETTINGS: Final = "run.yaml"
#: What may differ between two runs of one configuration.
NOT_CONFIGURATION: Final = ("seed", "run_dir", "resume", "threads")
HEADINGS: Final = ("seeds", "mean", "95 % over seeds", "sd over seeds", "of which games")


@dataclass(frozen=True, slots=True)
class Job:
    """A run of a sweep that has come to its end.

    Attributes:
        settings: all of them, under their full names.
        mean: points in its final games, or where it was to play none on the validation draws, less luck
            (:mod:`agents.validation`); of Latice the part of the decided validation games that it won against
            the planner.
        noise: the standard error of that mean: what other games would change, with the same weights.
    """

    settings: dict[str, Any]
    mean: float
    noise: float


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the runs of one configuration say.

    Attributes:
        configuration: the settings in which it differs from the others.
        seeds: how many runs there are.
        mean: the mean of their means.
        ci95: its 95 % interval, by Student's t over the runs, None for a single one: what other training
            seeds would change.
        sd: the standard deviation of their means, None for a single one.
        noise: the part of it that other games alone would make.
    """

    configuration: str
    seeds: int
    mean: float
    ci95: Interval | None
    sd: float | None
    noise: float


class SweepTable(Callback):
    """Prints the table at the end of a sweep and writes it into its directory."""

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        """Called by Hydra when all jobs have ended."""
        sweep = Path(config.hydra.sweep.dir)
        found = configurations_of(jobs_of(sweep))
        if found:
            write_table(sweep, found)
            print_table(found)
            print(f"\nthe table is in {sweep / TABLE}")


def jobs_of(sweep: Path) -> list[Job]:
    """The runs in a sweep's directory that have come to their end."""
    found = []
    for path in sorted(sweep.glob(f"*/{SETTINGS}")):
        settings = yaml.safe_load(path.read_text())
        points = _points(path.parent, settings)
        if points is not None:
            found.append(Job(dict(_flat(settings)), *points))
    return found


def configurations_of(jobs: list[Job]) -> list[Configuration]:
    """Each configuration of some runs, the best one first."""
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        alike = [other for other in jobs if other.settings["agent.name"] == job.settings["agent.name"]]
        named = {} if len(alike) == len(jobs) else {"agent": job.settings["agent.name"]}
        named |= {name: job.settings[name] for name in job.settings if _varies(name, alike)}
        text = " ".join(f"{name}={_text(value)}" for name, value in named.items())
        groups.setdefault(text or "all the same", []).append(job)
    found = [_summary(text, group) for text, group in groups.items()]
    return sorted(found, key=lambda row: -row.mean)


def write_table(sweep: Path, found: list[Configuration]) -> None:
    """Write ``sweep.csv``: a row for each configuration; what a single run cannot say is empty."""
    with (sweep / TABLE).open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("configuration", "seeds", "mean", "ci_low", "ci_high", "sd", "noise"))
        for row in found:
            rows.writerow(
                (row.configuration, row.seeds, row.mean, *(row.ci95 or ("", "")), row.sd or "", row.noise)
            )


def print_table(found: list[Configuration]) -> None:
    """Print the table on stdout: ruled on a terminal, plain aligned text elsewhere."""
    rows = [
        (
            row.configuration,
            f"{row.seeds}",
            f"{row.mean:.2f}",
            "" if row.ci95 is None else interval_text(row.ci95),
            "" if row.sd is None else f"{row.sd:.2f}",
            f"{row.noise:.2f}",
        )
        for row in found
    ]
    console = Console()
    console.print()
    console.print(table_of("configuration", HEADINGS, rows, console.is_terminal))


def _summary(text: str, jobs: list[Job]) -> Configuration:
    means = np.array([job.mean for job in jobs])
    several = len(means) > 1
    return Configuration(
        configuration=text,
        seeds=len(means),
        mean=float(means.mean()),
        ci95=t_interval(means) if several else None,
        sd=float(means.std(ddof=1)) if several else None,
        noise=float(np.sqrt(np.mean([job.noise**2 for job in jobs]))),
    )


def _points(run: Path, settings: Mapping[str, Any]) -> tuple[float, float] | None:
    """Mean and standard error of what a run is judged by, None when it has not come so far."""
    if settings.get("game") == "latice":
        return _validated(run, MEASURE, MEASURE_INTERVAL)
    return _final_points(run) if settings["evaluation_games"] else _validated(run, MEAN, INTERVAL)


def _final_points(run: Path) -> tuple[float, float] | None:
    """Mean and standard error of the final games of a run's agent, with the bonuses at a table."""
    if not (run / FINALS / RESULTS).exists():
        return None
    results = json.loads((run / FINALS / RESULTS).read_text())
    # At a table the agent has the first seat, alone it comes after the baselines.
    if "tables" in results:
        points = results["tables"]["seats"][0]["points"]
        return points["value"], _standard_error(points["ci95"])
    agent = list(results["agents"].values())[-1]
    return agent["mean"], _standard_error(agent["ci95"])


def _validated(run: Path, measure: str, interval: tuple[str, str]) -> tuple[float, float] | None:
    """A measure of a run's last examination, and its standard error."""
    if not (run / METRICS).exists():
        return None
    mean, low, high = (curve_of(run, name) for name in (measure, *interval))
    if not high:
        return None
    return mean[-1][1], _standard_error((low[-1][1], high[-1][1]))


def _standard_error(ends: Interval) -> float:
    """The standard error of a mean of many games, from its 95 % interval."""
    return (ends[1] - ends[0]) / (2 * NORMAL)


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The settings under their full names."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _varies(name: str, jobs: list[Job]) -> bool:
    """Whether a setting belongs to the configuration and is not the same in all of some runs."""
    return name not in NOT_CONFIGURATION and any(
        job.settings.get(name) != jobs[0].settings.get(name) for job in jobs
    )


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
