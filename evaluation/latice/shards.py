"""What a tournament of Latice has played so far, on disk: a file for each batch of each table.

``out/shards/<table>_<batch>.npz`` is written whole or not at all, and follows from the tournament alone:
files that were played by several processes or machines are merged by putting them together.
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
from agents.latice.play import Games
from evaluation.claim import RESULTS, claim, read_plan
from evaluation.latice.tournament import SHARDS_VERSION, LaticeBatch, LaticeTournament

GAMES: Final = "games.npz"
STRENGTH: Final = "strength.png"
REPORT: Final = "report.html"
RESULT_FILES: Final = (RESULTS, GAMES, STRENGTH, REPORT)
SECONDS: Final = "seconds"


@dataclass(frozen=True, slots=True)
class LaticeShards:
    """The batches of a tournament that lie in a directory.

    Attributes:
        directory: where they lie.
        tournament: what is to be played.
    """

    directory: Path
    tournament: LaticeTournament

    def path(self, table: int, batch: int) -> Path:
        """The file of one batch of one table."""
        return self.directory / f"{table}_{batch:06}.npz"

    def has(self, table: int, batch: int) -> bool:
        """Whether the batch has been played."""
        return self.path(table, batch).exists()

    def save(self, table: int, batch: int, played: LaticeBatch) -> None:
        """Write a batch.

        Raises:
            UsageError: when the disk refuses.
        """
        arrays: dict[str, Any] = {SECONDS: played.seconds} | played.counts
        try:
            write_whole(self.path(table, batch), lambda file: np.savez(file, **arrays))
        except OSError as error:
            raise UsageError(f"{self.directory} cannot be written to: {error.strerror}") from None

    def load(self, table: int, batch: int) -> LaticeBatch:
        """Read a batch.

        Raises:
            UsageError: when it is damaged, or has not been played.
        """
        path = self.path(table, batch)
        games = (len(self.tournament.batch_deals(batch)), self.tournament.players)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                played = LaticeBatch({name: arrays[name] for name in Games._fields}, float(arrays[SECONDS]))
            if any(array.shape[:2] != games for array in played.counts.values()):
                raise ValueError
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise UsageError(f"{path} is damaged or missing: delete it and go on") from None
        return played

    def games_played(self) -> int:
        """Games played so far, those of all tables together."""
        tournament = self.tournament
        return sum(
            len(tournament.batch_deals(batch)) * tournament.players
            for batch in tournament.batches
            for table in range(len(tournament.tables))
            if self.has(table, batch)
        )


@contextmanager
def claimed(out: Path, tournament: LaticeTournament) -> Iterator[LaticeShards]:
    """Make a directory for an evaluation, or go on with the same one that was begun there.

    Raises:
        UsageError: as :func:`evaluation.claim.claim`.
    """
    with claim(out, tournament, unfinished, RESULT_FILES) as (directory, begun):
        yield LaticeShards(directory, begun)


def unfinished(out: Path) -> LaticeTournament:
    """What an evaluation that was begun in a directory is to play.

    Raises:
        UsageError: when there is none, or it is damaged.
    """
    return read_plan(out, SHARDS_VERSION, _tournament_of)


def _tournament_of(settings: dict[str, Any]) -> LaticeTournament:
    del settings["game"]
    tournament = LaticeTournament(agents=tuple(settings.pop("agents")), **settings)
    tournament.check()
    return tournament
