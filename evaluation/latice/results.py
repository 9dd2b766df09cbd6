"""The files that a tournament of Latice leaves: counts of every game, a summary, a picture, a report."""

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from agents.errors import UsageError
from agents.files import write_whole
from evaluation.claim import RESULTS
from evaluation.latice.outcome import LaticeOutcome
from evaluation.latice.page import report_page
from evaluation.latice.pictures import strength
from evaluation.latice.shards import GAMES, REPORT, STRENGTH


def write_results(out: Path, outcome: LaticeOutcome) -> None:
    """Write the games, the picture, the report and, last, the summary into a directory.

    ``games.npz`` holds, by the names of :class:`agents.latice.play.Games`, int16 (T, D, P, P) counts by
    table, deal, rotation of the seats and member of the table, ``outcomes`` int16 (T, D, P), and besides
    ``seats``, int8 (D, P, P), the seat of each member by deal and rotation.

    Raises:
        UsageError: when the disk refuses.
    """
    tournament = outcome.tournament
    games: dict[str, Any] = outcome.counts | {"seats": tournament.seats(range(tournament.deals))}
    text = json.dumps(results_of(outcome), indent=2, allow_nan=False) + "\n"
    figure = strength(outcome, title(outcome))
    page = report_page(outcome, date.today())
    try:
        write_whole(out / GAMES, lambda file: np.savez_compressed(file, **games))
        write_whole(out / STRENGTH, lambda file: figure.savefig(file, dpi=160))
        write_whole(out / REPORT, lambda file: file.write(page.encode()))
        write_whole(out / RESULTS, lambda file: file.write(text.encode()))
    except OSError as error:
        raise UsageError(f"out={out} cannot be written to: {error.strerror}") from None


def title(outcome: LaticeOutcome) -> str:
    """What was played, in a line."""
    tournament = outcome.tournament
    return f"Latice for {tournament.players} players, {tournament.deals:,} deals from every seat"


def results_of(outcome: LaticeOutcome) -> dict[str, Any]:
    """All that a tournament found but the counts of every game, as plain values."""
    tournament = outcome.tournament
    settings = ("players", "deal", "games", "seed", "command")
    return {
        "game": "latice",
        **{name: getattr(tournament, name) for name in settings},
        "deals": tournament.deals,
        "agents": [asdict(entry) for entry in outcome.entries],
        "pairs": [asdict(pair) for pair in outcome.pairs],
        "tables": [asdict(table) for table in outcome.tables],
    }
