"""The curves of a training: event files for TensorBoard, and ``metrics.csv`` for everybody else."""

import csv
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import yaml
from torch.utils.tensorboard import FileWriter, SummaryWriter
from torch.utils.tensorboard.summary import hparams

from agents.curves import COLUMNS, METRICS
from agents.examination import Examination, Found
from agents.files import write_whole


@dataclass(frozen=True, slots=True)
class About:
    """What a run is, for those who look at its curves.

    Attributes:
        command: what was typed.
        settings: all of them, plain values or mappings of such.
        game: what is played, in a word or two.
    """

    command: str
    settings: Mapping[str, Any]
    game: str


class Metrics:
    """Writes metrics to TensorBoard and, as rows of ``step,name,value``, to ``metrics.csv``.

    Events bear the time at which they would have come in a training without pauses, so that TensorBoard's
    *relative* axis is the time that the training took.

    Args:
        run: the run's directory.
        step: the first step to come; what an interrupted run wrote from there on is dropped.
        began: when the training began, in seconds of Unix time.
    """

    def __init__(self, run: Path, step: int, began: float) -> None:
        path = run / METRICS
        if path.exists():
            kept = _rows_before(step, path.read_text()).encode()
            write_whole(path, lambda file: file.write(kept))
        self._began = began
        self._file = path.open("a", newline="")
        self._rows = csv.writer(self._file, lineterminator="\n")
        if not self._file.tell():
            self._rows.writerow(COLUMNS)
        self._board = SummaryWriter(str(run), purge_step=step)

    def __enter__(self) -> "Metrics":
        self._hook = threading.excepthook
        threading.excepthook = self._note
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._board.close()
        finally:
            self._file.close()
            threading.excepthook = self._hook

    def _note(self, args: threading.ExceptHookArgs) -> None:
        """Print what ends a thread, unless it is the disk: TensorBoard raises that again in our next call."""
        if not isinstance(args.exc_value, OSError):
            self._hook(args)

    def write_about(self, about: About, examination: Examination[Any]) -> None:
        """Write what the run is: command, settings and how the charts are arranged."""
        self._board.add_custom_scalars(dict(examination.charts))
        self._board.add_text("command", _literal(about.command), 0, walltime=self._began)
        text = yaml.safe_dump(dict(about.settings), sort_keys=False)
        self._board.add_text("settings", _literal(text), 0, walltime=self._began)
        # SummaryWriter.add_hparams would begin a second run for them.
        writer = cast(FileWriter, self._board.file_writer)
        for summary in hparams(dict(_flat(about.settings)), {examination.measure: 0.0}):
            writer.add_summary(summary)

    def write(self, step: int, seconds: float, values: Mapping[str, float | np.ndarray]) -> None:
        """Write values of one step, in games of training: numbers as points, arrays as histograms.

        Args:
            step: games of training so far.
            seconds: that the training has taken so far.
            values: by their TensorBoard names.
        """
        time = self._began + seconds
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                self._board.add_histogram(name, value, step, walltime=time)
            else:
                self._board.add_scalar(name, value, step, walltime=time)
                self._rows.writerow((step, name, f"{value:.7g}"))
        self._file.flush()

    def write_found(self, step: int, seconds: float, found: Found) -> None:
        """Write what an examination found, as :meth:`write` writes values."""
        self.write(step, seconds, found.curves)
        for name, picture in found.pictures.items():
            time = self._began + seconds
            self._board.add_image(name, picture, step, walltime=time, dataformats="HWC")


def _rows_before(step: int, text: str) -> str:
    """The header and the rows of earlier steps; a last row that was cut off is none."""
    header, *rows = text.splitlines(keepends=True) or [""]
    whole = (row for row in rows if row.endswith("\n"))
    return header + "".join(row for row in whole if int(row.partition(",")[0]) < step)


def _literal(text: str) -> str:
    """A text as Markdown that leaves it as it is."""
    return "".join(f"    {line}\n" for line in text.splitlines())


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, bool | int | float | str]]:
    """The settings under their full names, as TensorBoard takes them."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value if isinstance(value, bool | int | float) else str(value)
