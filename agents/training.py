"""What all trainings share: the run directory, checkpoints, metrics, signals and the loop itself."""

import csv
import io
import pickle
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

from agents.errors import UsageError
from agents.files import write_whole
from agents.play import Games, PlayError, play
from agents.progress import Progress
from agents.trainers import Trainer
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.picture import Picture
from takeiteasy_env.render import to_pixels
from takeiteasy_env.rules import Rules

CHECKPOINT: Final = "checkpoint.pt"
METRICS: Final = "metrics.csv"
COLUMNS: Final = ("step", "name", "value")
#: Seconds between two checkpoints: what a killed run loses at most.
CHECKPOINT_INTERVAL: Final = 60.0
#: Evaluations over a training, and games in each, always on the same draws.
EVALUATIONS: Final = 20
EVALUATION_GAMES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a training ended.

    Attributes:
        seconds: of training, all its parts together.
        signal: the number of the signal that stopped it, None when it is complete.
    """

    seconds: float
    signal: int | None


def train(trainer: Trainer, run: Path, seed: int) -> Outcome:
    """Run the rounds of a training that lie ahead, with progress, metrics and checkpoints in ``run``.

    A first checkpoint is written when none is there; Ctrl-C and SIGTERM finish the round and save.

    Raises:
        UsageError: when the directory cannot be written to, its checkpoint is damaged or the loss is no
            number any more; the last checkpoint is kept.
    """
    draws = draw_orders(stream(seed, Purpose.VALIDATE), EVALUATION_GAMES)
    seconds = restore_checkpoint(run, trainer) if (run / CHECKPOINT).exists() else 0.0
    begun = saved = time.monotonic()
    name = f"training {trainer.rules.name}"
    with (
        one_line_disk_errors(run),
        StopSignals() as stop,
        Metrics(run, trainer.games_played + 1 if trainer.round else 0) as metrics,
        Progress(name, total=trainer.rounds) as progress,
    ):
        if not (run / CHECKPOINT).exists():
            save_checkpoint(run, trainer, seconds)
        progress.update(trainer.round)
        message = ""
        while trainer.round < trainer.rounds and stop.received is None:
            values = dict(trainer.advance())
            refuse_no_numbers(values, trainer.round)
            elapsed = seconds + time.monotonic() - begun
            values["time/seconds"] = elapsed
            values["time/games_per_second"] = trainer.games_played / elapsed
            if _evaluation_due(trainer):
                games = _games_of(trainer, draws)
                values |= metrics.write_evaluation(trainer.games_played, games, trainer.rules)
                message = f"mean {values['eval/mean']:.1f}"
            metrics.write(trainer.games_played, values)
            progress.update(trainer.round, message)
            if time.monotonic() - saved >= CHECKPOINT_INTERVAL:
                save_checkpoint(run, trainer, elapsed)
                saved = time.monotonic()
        seconds += time.monotonic() - begun
        save_checkpoint(run, trainer, seconds)
        trainer.save_model(run)
    return Outcome(seconds, stop.received)


def refuse_no_numbers(metrics: Mapping[str, float | np.ndarray], round_: int) -> None:
    """Raise :class:`UsageError` when a metric is no number any more, before anything of the round is kept."""
    for name, value in metrics.items():
        if not np.isfinite(value).all():
            raise UsageError(
                f"{name} is no number any more in round {round_}: the last checkpoint is kept, "
                "lower agent.learning_rate"
            )


def _evaluation_due(trainer: Trainer) -> bool:
    """Whether a twentieth of the rounds has just been completed."""
    done = EVALUATIONS * trainer.round
    return done // trainer.rounds > (done - EVALUATIONS) // trainer.rounds


def _games_of(trainer: Trainer, draws: np.ndarray) -> Games:
    try:
        return play(trainer.agent(), draws, trainer.rules)
    except PlayError as error:
        raise UsageError(f"the agent of round {trainer.round} gives no moves any more: {error}") from None


# ------------------------------------------------------------------------------------------ checkpoints


@contextmanager
def one_line_disk_errors(run: Path) -> Iterator[None]:
    """Turn what the disk refuses into a UsageError that says what is left."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write to {run}: {error.strerror}; its last checkpoint is kept") from None


def save_checkpoint(run: Path, trainer: Trainer, seconds: float) -> None:
    """Write the state of a training, in place of the one before."""
    content = io.BytesIO()
    torch.save({"trainer": trainer.state(), "seconds": seconds}, content)
    write_whole(run / CHECKPOINT, lambda file: file.write(content.getbuffer()))


def restore_checkpoint(run: Path, trainer: Trainer) -> float:
    """Restore a training from its last checkpoint and return the seconds it had taken.

    Raises:
        UsageError: when it is damaged.
    """
    path = run / CHECKPOINT
    try:
        state = torch.load(path, weights_only=True)
        trainer.restore(state["trainer"])
        return float(state["seconds"])
    except (OSError, RuntimeError, EOFError, LookupError, TypeError, ValueError, pickle.UnpicklingError):
        raise UsageError(f"{path} is damaged or of another training: it cannot be resumed") from None


# ------------------------------------------------------------------------------------------ metrics


class Metrics:
    """Writes metrics to TensorBoard and, as rows of ``step,name,value``, to ``metrics.csv``.

    Args:
        run: the run's directory.
        step: the first step to come; what an interrupted run wrote from there on is dropped.
    """

    def __init__(self, run: Path, step: int) -> None:
        path = run / METRICS
        if path.exists():
            kept = _rows_before(step, path.read_text()).encode()
            write_whole(path, lambda file: file.write(kept))
        self._file = path.open("a", newline="")
        self._rows = csv.writer(self._file, lineterminator="\n")
        if not self._file.tell():
            self._rows.writerow(COLUMNS)
        self._board = SummaryWriter(str(run), purge_step=step)
        self._board.add_custom_scalars_marginchart(
            ["eval/mean", "eval/ci_low", "eval/ci_high"], "eval", "mean score with its 95 % interval"
        )

    def __enter__(self) -> "Metrics":
        return self

    def __exit__(self, *_: object) -> None:
        self._board.close()
        self._file.close()

    def write(self, step: int, values: Mapping[str, float | np.ndarray]) -> None:
        """Write values of one step, in games of training: numbers as points, arrays as histograms."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                self._board.add_histogram(name, value, step)
            else:
                self._board.add_scalar(name, value, step)
                self._rows.writerow((step, name, f"{value:.7g}"))
        self._file.flush()

    def write_evaluation(self, step: int, games: Games, rules: Rules) -> dict[str, float]:
        """Write the histogram of scores and the picture of a median board; returns mean and interval."""
        scores = games.scores
        median = int(np.argsort(scores)[len(scores) // 2])
        self._board.add_histogram("eval/scores", scores, step)
        picture = Picture(games.boards[median], rules=rules)
        self._board.add_image("eval/median_board", to_pixels(picture), step, dataformats="HWC")
        margin = 1.96 * scores.std(ddof=1) / np.sqrt(len(scores))
        mean = float(scores.mean())
        return {"eval/mean": mean, "eval/ci_low": mean - margin, "eval/ci_high": mean + margin}


def _rows_before(step: int, text: str) -> str:
    """The header and the rows of earlier steps; a last row that was cut off is none."""
    header, *rows = text.splitlines(keepends=True) or [""]
    whole = (row for row in rows if row.endswith("\n"))
    return header + "".join(row for row in whole if int(row.partition(",")[0]) < step)


# ------------------------------------------------------------------------------------------ signals


class StopSignals:
    """While it is entered, Ctrl-C and SIGTERM are noted instead of ending the program."""

    received: int | None = None

    def __enter__(self) -> "StopSignals":
        self._before = {
            number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        self.received = number
