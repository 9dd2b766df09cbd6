"""What an evaluation has played so far, on disk: it can be stopped at any time, gone on with, and merged.

``out/shards`` holds ``tournament.json``, which says what is to be played, and a file for each batch of each
seat, ``<seat>_<batch>.npz``, written whole or not at all. A batch follows from the tournament alone, so files
that were played by several processes or machines are merged by putting them together.
"""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.errors import UsageError
from agents.files import write_whole
from evaluation.calibration import Calibration
from evaluation.claim import claim, read_plan
from evaluation.results import RESULT_FILES
from evaluation.tournament import SHARDS_VERSION, Batch, Tournament
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import Rules

#: The arrays of a file that hold what was predicted, where points are.
PREDICTED: Final = ("errors", "squares", "below")


@dataclass(frozen=True, slots=True)
class Shards:
    """The batches of a tournament that lie in a directory.

    Attributes:
        directory: where they lie.
        tournament: what is to be played.
    """

    directory: Path
    tournament: Tournament

    def path(self, seat: int, batch: int) -> Path:
        """The file of one batch of one seat."""
        return self.directory / f"{seat}_{batch:06}.npz"

    def has(self, seat: int, batch: int) -> bool:
        """Whether the batch has been played."""
        return self.path(seat, batch).exists()

    def save(self, seat: int, batch: int, played: Batch) -> None:
        """Write a batch.

        Raises:
            UsageError: when the disk refuses.
        """
        arrays = {name: getattr(played, name) for name in ("cells", "scores", "seconds", "seconds_alone")}
        if played.calibration is not None:
            arrays |= {name: getattr(played.calibration, name) for name in PREDICTED}
        if played.luck is not None:
            arrays["luck"] = played.luck
        try:
            write_whole(self.path(seat, batch), lambda file: np.savez(file, **arrays))
        except OSError as error:
            raise UsageError(f"{self.directory} cannot be written to: {error.strerror}") from None

    def load(self, seat: int, batch: int) -> Batch:
        """Read a batch.

        Raises:
            UsageError: when it is damaged, or has not been played.
        """
        path = self.path(seat, batch)
        games = len(self.tournament.batch_games(batch))
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                played = Batch(
                    arrays["cells"],
                    arrays["scores"],
                    float(arrays["seconds"]),
                    float(arrays["seconds_alone"]),
                    Calibration(games, *(arrays[name] for name in PREDICTED))
                    if PREDICTED[0] in arrays
                    else None,
                    None if self.tournament.adjust is None else arrays["luck"],
                )
            if played.cells.shape != (games, CELLS) or played.scores.shape != (games,):
                raise ValueError
            if played.luck is not None and played.luck.shape != (games,):
                raise ValueError
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise UsageError(f"{path} is damaged or missing: delete it and go on") from None
        return played

    def seats_missing(self, batch: int) -> list[int]:
        """The seats that have not played a batch."""
        return [seat for seat in range(len(self.tournament.agents)) if not self.has(seat, batch)]

    def games_played(self) -> int:
        """Games played so far, those of all seats together."""
        return sum(
            len(self.tournament.batch_games(batch))
            * (len(self.tournament.agents) - len(self.seats_missing(batch)))
            for batch in self.tournament.batches
        )


@contextmanager
def claimed(out: Path, tournament: Tournament) -> Iterator[Shards]:
    """Make a directory for an evaluation, or go on with the same one that was begun there.

    Raises:
        UsageError: as :func:`evaluation.claim.claim`.
    """
    with claim(out, tournament, unfinished, RESULT_FILES) as (directory, begun):
        yield Shards(directory, begun)


def unfinished(out: Path) -> Tournament:
    """What an evaluation that was begun in a directory is to play.

    Raises:
        UsageError: when there is none, or it is damaged.
    """
    return read_plan(out, SHARDS_VERSION, _tournament_of)


def _tournament_of(settings: dict[str, Any]) -> Tournament:
    rules = settings.pop("rules")
    tournament = Tournament(
        agents=tuple(settings.pop("agents")),
        rules=Rules(rules["placement"], rules["scoring"], tuple(rules["suns"])),
        **settings,
    )
    tournament.check()
    return tournament
