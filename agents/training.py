"""What all trainings share: the loop, with its metrics, checkpoints and signals."""

import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final, Generic, Self, TypeVar

import numpy as np

from agents.checkpoints import CHECKPOINT, Past, one_line_disk_errors, restore_checkpoint, save_checkpoint
from agents.curves import curve_of
from agents.distributed import ALONE, World
from agents.errors import DivergedError
from agents.examination import Examination, Found
from agents.metrics import About, Metrics
from agents.play import PlayError
from agents.progress import Progress
from agents.trainers import Trainer

Player = TypeVar("Player")

#: Where the model lies that did best when it was examined.
BEST: Final = "best"
#: Seconds between two checkpoints: what a killed run loses at most.
CHECKPOINT_INTERVAL: Final = 60.0
#: Examinations over a training.
EVALUATIONS: Final = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a training ended.

    Attributes:
        seconds: of training, all its parts together.
        signal: the number of the signal that stopped it, None when it is complete.
        curve: of each examination the games of training before it and its measure.
    """

    seconds: float
    signal: int | None
    curve: Sequence[tuple[int, float]]

    @property
    def best(self) -> tuple[int, float]:
        """The examination whose model is in ``best``: the last of the highest."""
        return max(reversed(self.curve), key=itemgetter(1))


def train(
    trainer: Trainer[Player],
    run: Path,
    examination: Examination[Player],
    about: About,
    world: World = ALONE,
) -> Outcome:
    """Run the rounds of a training that lie ahead, with progress, metrics and checkpoints in ``run``.

    A first checkpoint is written when none is there; Ctrl-C and SIGTERM finish the round and save. The model
    that did best in an examination so far is in ``best``, the last one is written at the end. The first of
    several processes examines and writes, and a signal to any of them stops all.

    Args:
        trainer: what learns.
        run: the run's directory.
        examination: how good it is meanwhile.
        about: what the run is, for its curves.
        world: the processes that train together.

    Raises:
        UsageError: when the directory cannot be written to, its checkpoint is damaged or a metric is no
            number any more; the last checkpoint is kept.
    """
    begun = world.from_first((run / CHECKPOINT).exists)
    past = restore_checkpoint(run, trainer, world) if begun else Past(time.time())
    started = saved = time.monotonic()

    def so_far() -> Past:
        return replace(past, seconds=past.seconds + time.monotonic() - started)

    with (
        one_line_disk_errors(run),
        StopSignals() as stop,
        Log(trainer, run, examination, about, past.began) if world.first else nullcontext() as log,
    ):
        if not begun:
            save_checkpoint(run, trainer, past, world)
        stopped_by = 0
        while trainer.round < trainer.rounds and not stopped_by:
            values = trainer.advance()
            refuse_no_numbers(values, trainer.round)
            if log:
                log.write(values, so_far().seconds)
            stopped_by = world.largest(stop.received or 0)
            if world.largest(time.monotonic() - saved >= CHECKPOINT_INTERVAL):
                save_checkpoint(run, trainer, so_far(), world)
                saved = time.monotonic()
        done = so_far()
        save_checkpoint(run, trainer, done, world)
        if world.first:
            trainer.save_model(run)
    curve = curve_of(run, examination.measure) if world.first else []
    return Outcome(done.seconds, stopped_by or None, curve)


class Log(Generic[Player]):
    """What is shown and written of the rounds of a training; a context manager.

    Args:
        trainer: what learns.
        run: the run's directory.
        examination: how good it is meanwhile.
        about: what the run is.
        began: when the training began, in seconds of Unix time.
    """

    def __init__(
        self,
        trainer: Trainer[Player],
        run: Path,
        examination: Examination[Player],
        about: About,
        began: float,
    ) -> None:
        self._trainer, self._run, self._about, self._began = trainer, run, about, began
        self._examination = examination
        self._message = ""

    def __enter__(self) -> Self:
        trainer = self._trainer
        with ExitStack() as stack:
            step = trainer.games_played + 1 if trainer.round else 0
            self._metrics = stack.enter_context(Metrics(self._run, step, self._began))
            progress = Progress(f"training {self._about.game}", total=trainer.rounds)
            self._progress = stack.enter_context(progress)
            if not trainer.round:
                self._metrics.write_about(self._about, self._examination)
            self._progress.update(trainer.round)
            self._opened = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._opened.__exit__(kind, error, traceback)

    def write(self, values: Mapping[str, float | np.ndarray], seconds: float) -> None:
        """Write the metrics of the round that was just learned; examine when it is due, and keep the best.

        Raises:
            UsageError: when the agent gives no moves any more.
        """
        trainer, metrics, step = self._trainer, self._metrics, self._trainer.games_played
        speed = {"time/seconds": seconds, "time/games_per_second": step / seconds}
        found = _examined(trainer, self._examination) if _examination_due(trainer) else None
        metrics.write(step, seconds, {**values, **speed})
        if found is not None:
            metrics.write_found(step, seconds, found)
            _keep_if_best(trainer, self._run, self._examination.measure)
            self._message = found.words
        self._progress.update(trainer.round, self._message)


def refuse_no_numbers(metrics: Mapping[str, float | np.ndarray], round_: int) -> None:
    """Raise :class:`DivergedError` for a metric that is no number, before anything of the round is kept."""
    for name, value in metrics.items():
        if not np.isfinite(value).all():
            raise DivergedError(
                f"{name} is no number any more in round {round_}: the last checkpoint is kept, "
                "lower agent.learning_rate"
            )


def _examination_due(trainer: Trainer[Player]) -> bool:
    """Whether a twentieth of the rounds has just been completed."""
    done = EVALUATIONS * trainer.round
    return done // trainer.rounds > (done - EVALUATIONS) // trainer.rounds


def _examined(trainer: Trainer[Player], examination: Examination[Player]) -> Found:
    try:
        return examination.examine(trainer.agent())
    except PlayError as error:
        raise DivergedError(f"the agent of round {trainer.round} gives no moves any more: {error}") from None


def _keep_if_best(trainer: Trainer[Player], run: Path, measure: str) -> None:
    """Write the model when no examination before was better than the last."""
    found = [value for _, value in curve_of(run, measure)]
    if found[-1] >= max(found):
        (run / BEST).mkdir(exist_ok=True)
        trainer.save_model(run / BEST)


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
