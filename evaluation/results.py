"""The files that an evaluation leaves behind: claimed before the games, written whole or not at all."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.errors import UsageError
from agents.files import write_whole
from evaluation.pictures import distributions
from evaluation.statistics import summarise
from evaluation.tournament import Entry
from takeiteasy_env.rules import Rules

RESULTS: Final = "results.json"
SCORES: Final = "scores.npz"
DISTRIBUTIONS: Final = "distributions.png"


@contextmanager
def new_directory(out: Path) -> Iterator[None]:
    """Make the directory for the results, and take it away again if the evaluation fails.

    Raises:
        UsageError: when it is a file, already holds results or cannot be written to.
    """
    made = False
    try:
        if out.exists() and not out.is_dir():
            raise UsageError(f"out={out} is a file: name a directory")
        for name in (RESULTS, SCORES, DISTRIBUTIONS):
            if (out / name).exists():
                raise UsageError(f"out={out} already holds {name}: name another directory")
        made = not out.exists()
        out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=out).close()
    except OSError as error:
        raise UsageError(f"out={out} cannot be written to: {error.strerror}") from None
    try:
        yield
    except BaseException:
        if made:
            with suppress(OSError):
                out.rmdir()
        raise


def write_results(out: Path, entries: Sequence[Entry], rules: Rules, seed: int, command: str) -> None:
    """Write the raw scores, the summary and the picture of the distributions into a directory.

    ``scores.npz`` holds one int16 (N,) array of points for each agent, under the text that names it.

    Raises:
        UsageError: when the disk refuses.
    """
    games = len(entries[0].scores)
    scores: dict[str, Any] = {entry.agent: entry.scores for entry in entries}
    results = {
        "rules": asdict(rules),
        "games": games,
        "seed": seed,
        "command": command,
        "agents": {entry.agent: _agent_results(entry) for entry in entries},
    }
    text = json.dumps(results, indent=2, allow_nan=False) + "\n"
    title = f"{games:,} games on the same draws, {rules.name} rules"
    try:
        write_whole(out / SCORES, lambda file: np.savez_compressed(file, **scores))
        write_whole(out / RESULTS, lambda file: file.write(text.encode()))
        write_whole(out / DISTRIBUTIONS, lambda file: distributions(scores, title).savefig(file, dpi=160))
    except OSError as error:
        raise UsageError(f"out={out} cannot be written to: {error.strerror}") from None


def _agent_results(entry: Entry) -> dict[str, Any]:
    """The summary, the illegal placements (the first would have ended the tournament) and the speed."""
    return asdict(summarise(entry.scores)) | {"illegal": 0, "games_per_second": entry.games_per_second}
