"""How a long job shows where it is: a live bar on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Final, Self

import rich.progress as rich_progress
from rich.console import Console

#: Seconds between two lines where there is no terminal.
LINE_INTERVAL: Final = 10.0
#: Seconds over which the speed is averaged that the remaining time follows from.
SPEED_PERIOD: Final = 300.0


class Progress:
    """Shows on stderr how far a job is, how long it has taken, how long it will take and how it goes.

    A context manager::

        with Progress("training", total=1000) as progress:
            progress.update(40, "mean 151.2  loss 0.012")

    Args:
        name: what is being done, one or two words.
        total: the amount of work, in any unit: games, rounds, seconds.
        clock: seconds, only ever going up.
    """

    def __init__(self, name: str, total: float, clock: Callable[[], float] = time.monotonic) -> None:
        console = Console(stderr=True)
        self._live = console.is_interactive
        self._bar = rich_progress.Progress(
            rich_progress.TextColumn("{task.description}"),
            rich_progress.BarColumn(bar_width=30),
            rich_progress.TaskProgressColumn(),
            rich_progress.TimeElapsedColumn(),
            rich_progress.TextColumn("left"),
            rich_progress.TimeRemainingColumn(),
            rich_progress.TextColumn("{task.fields[message]}", markup=False),
            console=console,
            speed_estimate_period=SPEED_PERIOD,
            get_time=clock,
            disable=not self._live,
        )
        self._clock = clock
        self._name = name
        self._total = total
        self._message = ""
        self._line_due = LINE_INTERVAL

    def __enter__(self) -> Self:
        self._task = self._bar.add_task(self._name, total=self._total, message="")
        self._line_due += self._clock()
        self._bar.start()
        return self

    def update(self, completed: float, message: str = "") -> None:
        """Show that ``completed`` of the total is done, and a few current numbers."""
        self._bar.update(self._task, completed=completed, message=message)
        if not self._live and self._clock() >= self._line_due:
            self._write_line()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.stop()
        if not self._live:
            self._write_line()

    def _write_line(self) -> None:
        task = self._bar.tasks[0]
        left = "" if task.time_remaining is None else f"left {_duration(task.time_remaining)}"
        parts = (
            f"{self._name} {task.percentage:3.0f} %",
            f"elapsed {_duration(task.elapsed or 0.0)}",
            left,
            task.fields["message"],
        )
        print("  ".join(part for part in parts if part), file=sys.stderr, flush=True)
        self._line_due = self._clock() + LINE_INTERVAL


def _duration(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
