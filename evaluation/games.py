"""The games that can be evaluated: how a tournament of each is played, kept on disk and reported."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from agents.errors import UsageError
from evaluation import collect, playing, report, results, shards
from evaluation.claim import settings_begun
from evaluation.latice import outcome as latice_outcome
from evaluation.latice import playing as latice_playing
from evaluation.latice import report as latice_report
from evaluation.latice import results as latice_results
from evaluation.latice import shards as latice_shards

TAKE_IT_EASY: Final = "takeiteasy"
LATICE: Final = "latice"


class Played(Protocol):
    """What has been played of a tournament."""

    @property
    def tournament(self) -> Any:
        """What is to be played: ``games_in_all`` of them."""
        ...

    def games_played(self) -> int:
        """How many games have been played."""
        ...


@dataclass(frozen=True, slots=True)
class Game:
    """What an evaluation does of one game.

    Attributes:
        unfinished: reads the tournament that was begun in a directory.
        claimed: makes a directory for a tournament, or goes on with what was begun there.
        play: plays what is missing, as :func:`evaluation.playing.play_tournament`.
        report: prints the tables of a tournament that has been played, and writes its files into a directory.
        files: which these are, in words.
    """

    unfinished: Callable[[Path], Any]
    claimed: Callable[[Path, Any], AbstractContextManager[Any]]
    play: Callable[..., None]
    report: Callable[[Path, Any], None]
    files: str


def report_take_it_easy(out: Path, played: shards.Shards) -> None:
    """Print and write what a tournament of Take It Easy says."""
    outcome = collect.collect(played)
    report.print_outcome(outcome)
    results.write_report(out, outcome)
    results.write_results(out, outcome)


def report_latice(out: Path, played: latice_shards.LaticeShards) -> None:
    """Print and write what a tournament of Latice says."""
    outcome = latice_outcome.collect(played)
    latice_report.print_outcome(outcome)
    latice_results.write_results(out, outcome)


GAMES: Final = {
    TAKE_IT_EASY: Game(
        unfinished=shards.unfinished,
        claimed=shards.claimed,
        play=playing.play_tournament,
        report=report_take_it_easy,
        files="report.html, results.json, scores.npz, distributions.png and games",
    ),
    LATICE: Game(
        unfinished=latice_shards.unfinished,
        claimed=latice_shards.claimed,
        play=latice_playing.play_tournament,
        report=report_latice,
        files="report.html, results.json, games.npz and strength.png",
    ),
}


def game_begun(out: Path) -> str:
    """The game of the evaluation that was begun in a directory and is not finished.

    Raises:
        UsageError: when there is none, or it is damaged.
    """
    game = settings_begun(out).get("game", TAKE_IT_EASY)
    if game not in GAMES:
        raise UsageError(f"the evaluation in {out} is of {game!r}: choose one of {', '.join(GAMES)}")
    return game
