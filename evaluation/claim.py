"""The directory of an evaluation while it is played: claimed for one, and cleared when the results are there.

``out/shards/tournament.json`` says what is to be played; what has been played lies beside it.
"""

import json
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Protocol, Self, TypeVar

from agents.errors import UsageError
from agents.files import write_whole

SHARDS: Final = "shards"
TOURNAMENT: Final = "tournament.json"
#: The file that is written last: with it an evaluation is complete.
RESULTS: Final = "results.json"


class Plan(Protocol):
    """What an evaluation is to play."""

    def same_games_as(self, other: Self) -> bool:
        """Whether both play the same, however that was typed."""
        ...

    def settings(self) -> dict[str, Any]:
        """Plain values, from which it can be read again, the version of its files among them."""
        ...


P = TypeVar("P", bound=Plan)


@contextmanager
def claim(out: Path, plan: P, read: Callable[[Path], P], files: Collection[str]) -> Iterator[tuple[Path, P]]:
    """Make a directory for an evaluation, or go on with the same one that was begun there.

    The shards are taken away when the results are there. Without either, so is the directory if it was made.

    Args:
        out: the directory.
        plan: what is to be played.
        read: reads what is to be played in a directory.
        files: names of results, none of which may be there.

    Yields:
        The directory for what is played, and the plan as it was begun.

    Raises:
        UsageError: when it is a file, holds results or another evaluation, or cannot be written to.
    """
    directory = out / SHARDS
    made, begun_here = not out.exists(), False
    try:
        if out.exists() and not out.is_dir():
            raise UsageError(f"out={out} is a file: name a directory")
        if (directory / TOURNAMENT).exists():
            same_game = settings_begun(out).get("game") == plan.settings().get("game")
            begun = read(out) if same_game else None
            if begun is None or not begun.same_games_as(plan):
                raise UsageError(
                    f"out={out} holds an evaluation of other settings that is not finished: "
                    f"go on with resume={out}, or name another directory"
                )
            plan = begun
        else:
            for name in files:
                if (out / name).exists():
                    raise UsageError(f"out={out} already holds {name}: name another directory")
            directory.mkdir(parents=True, exist_ok=True)
            begun_here = True
            text = json.dumps(plan.settings(), indent=2) + "\n"
            write_whole(directory / TOURNAMENT, lambda file: file.write(text.encode()))
    except OSError as error:
        raise UsageError(f"out={out} cannot be written to: {error.strerror}") from None
    try:
        yield directory, plan
    finally:
        if (out / RESULTS).exists() or (begun_here and not any(directory.glob("*.npz"))):
            shutil.rmtree(directory, ignore_errors=True)
            if made:
                with suppress(OSError):
                    out.rmdir()


def settings_begun(out: Path) -> dict[str, Any]:
    """The settings of the evaluation that was begun in a directory, whichever it is.

    Raises:
        UsageError: when there is none, or they are damaged.
    """
    path = out / SHARDS / TOURNAMENT
    try:
        settings = json.loads(path.read_text())
    except OSError as error:
        reason = "it is complete" if (out / RESULTS).exists() else error.strerror
        raise UsageError(f"there is no unfinished evaluation in {out}: {reason}") from None
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise UsageError(f"{path} is damaged")
    return settings


def read_plan(out: Path, version: int, plan: Callable[[dict[str, Any]], P]) -> P:
    """What is to be played in a directory, of settings without their version.

    Raises:
        UsageError: when there is none, when it is of another version, or damaged.
    """
    path = out / SHARDS / TOURNAMENT
    settings = settings_begun(out)
    try:
        found = settings.pop("version")
        if found != version:
            raise UsageError(f"{path} has version {found}, not {version}")
        return plan(settings)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{path} is damaged") from None
