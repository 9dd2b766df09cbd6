"""The files that an evaluation leaves behind: scores, a summary, a picture, a report and some games."""

import json
import re
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.errors import UsageError
from agents.files import write_whole
from evaluation.claim import RESULTS
from evaluation.outcome import Entry, Outcome, Tables
from evaluation.page import report_page
from evaluation.pictures import distributions
from evaluation.replays import record_of
from evaluation.statistics import Comparison

SCORES: Final = "scores.npz"
LUCK: Final = "luck.npz"
DISTRIBUTIONS: Final = "distributions.png"
REPORT: Final = "report.html"
GAMES: Final = "games"
RESULT_FILES: Final = (RESULTS, SCORES, LUCK, DISTRIBUTIONS, REPORT, GAMES)


def write_results(out: Path, outcome: Outcome) -> None:
    """Write the raw scores, the picture of the distributions and, last, the summary into a directory.

    ``scores.npz`` holds one int16 (N,) array of points for each agent, under the text that names it, and
    ``luck.npz``, where luck was told from play, as many float32 points that were luck.

    Raises:
        UsageError: when the disk refuses.
    """
    scores: dict[str, Any] = {entry.agent: entry.scores for entry in outcome.entries}
    luck: dict[str, Any] = {entry.agent: entry.luck for entry in outcome.entries if entry.luck is not None}
    text = json.dumps(results_of(outcome), indent=2, allow_nan=False) + "\n"
    title = f"{outcome.games:,} games on the same draws, {outcome.rules.name} rules"
    try:
        write_whole(out / SCORES, lambda file: np.savez_compressed(file, **scores))
        if luck:
            write_whole(out / LUCK, lambda file: np.savez_compressed(file, **luck))
        write_whole(out / DISTRIBUTIONS, lambda file: distributions(scores, title).savefig(file, dpi=160))
        write_whole(out / RESULTS, lambda file: file.write(text.encode()))
    except OSError as error:
        raise UsageError(f"out={out} cannot be written to: {error.strerror}") from None


def write_report(out: Path, outcome: Outcome) -> None:
    """Write the report, and the games that it shows as game files, into a directory.

    Raises:
        UsageError: when an agent cannot say again what it thinks of its games, or the disk refuses.
    """
    page = report_page(outcome, date.today())
    try:
        write_whole(out / REPORT, lambda file: file.write(page.encode()))
        (out / GAMES).mkdir(exist_ok=True)
        for number, entry in enumerate(outcome.entries):
            name = re.sub(r"\W+", "_", entry.agent)
            for kind, shown in entry.shown.items():
                record_of(outcome.rules, entry, shown).save(out / GAMES / f"{number}_{name}_{kind}.json")
    except OSError as error:
        raise UsageError(f"out={out} cannot be written to: {error.strerror}") from None


def results_of(outcome: Outcome) -> dict[str, Any]:
    """All that an evaluation found but the scores, as plain values."""
    results = {
        "rules": asdict(outcome.rules),
        "games": outcome.games,
        "seed": outcome.seed,
        "command": outcome.command,
        "adjust": outcome.adjust,
        "agents": {entry.agent: _agent_results(entry) for entry in outcome.entries},
        "pairs": _pair_results(outcome.pairs()),
    }
    if outcome.tables is not None:
        results["tables"] = _table_results(outcome.tables)
    return results


def _agent_results(entry: Entry) -> dict[str, Any]:
    """The summary, illegal placements (the first would have ended it), completed lines and the speed."""
    moonbeams, sunrays = entry.tally.ray_points()
    return asdict(entry.summary()) | {
        "illegal": 0,
        "completed": entry.tally.completion(),
        "moonbeam_points": moonbeams,
        "sunray_points": sunrays,
        "moves_per_second": entry.moves_per_second,
        "milliseconds_a_move_alone": 1000 * entry.seconds_alone,
        "calibration": None
        if entry.calibration is None
        else entry.calibration.results(float(entry.scores.mean())),
    }


def _pair_results(pairs: dict[tuple[str, str], Comparison]) -> list[dict[str, Any]]:
    return [{"better": better, "than": other} | asdict(pair) for (better, other), pair in pairs.items()]


def _table_results(tables: Tables) -> dict[str, Any]:
    return {
        "tables": tables.tables,
        "seats": [asdict(seat) for seat in tables.seats],
        "pairs": _pair_results(tables.pairs),
    }
