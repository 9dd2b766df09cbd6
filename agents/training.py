"""What all trainings share: the loop, with its metrics, checkpoints and signals."""

import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from types import FrameType
from typing import Final

import numpy as np

from agents.checkpoints import CHECKPOINT, Past, one_line_disk_errors, restore_checkpoint, save_checkpoint
from agents.errors import UsageError
from agents.metrics import MEAN, About, Metrics, curve_of
from agents.play import PlayError
from agents.progress import Progress
from agents.trainers import Trainer
from agents.validation import Validated, Validation

#: Where the model lies that did best on the validation draws.
BEST: Final = "best"
#: Seconds between two checkpoints: what a killed run loses at most.
CHECKPOINT_INTERVAL: Final = 60.0
#: Evaluations over a training, and games in each.
EVALUATIONS: Final = 20
EVALUATION_GAMES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a training ended.

    Attributes:
        seconds: of training, all its parts together.
        signal: the number of the signal that stopped it, None when it is complete.
        curve: of each evaluation the games of training before it and the mean points on the validation draws.
    """

    seconds: float
    signal: int | None
    curve: Sequence[tuple[int, float]]

    @property
    def best(self) -> tuple[int, float]:
        """The evaluation whose model is in ``best``: the last of the highest."""
        return max(reversed(self.curve), key=itemgetter(1))


def train(trainer: Trainer, run: Path, seed: int, about: About, players: int = 1) -> Outcome:
    """Run the rounds of a training that lie ahead, with progress, metrics and checkpoints in ``run``.

    A first checkpoint is written when none is there; Ctrl-C and SIGTERM finish the round and save. The model
    that did best on the validation draws so far is in ``best``, the last one is written at the end.

    Args:
        trainer: what learns.
        run: the run's directory.
        seed: of the validation draws.
        about: what the run is, for its curves.
        players: at a table, 1 for a player alone.

    Raises:
        UsageError: when the directory cannot be written to, its checkpoint is damaged or a metric is no
            number any more; the last checkpoint is kept.
    """
    validation = Validation(trainer.rules, seed, EVALUATION_GAMES, players)
    begun = (run / CHECKPOINT).exists()
    past = restore_checkpoint(run, trainer) if begun else Past(time.time())
    started = saved = time.monotonic()

    def so_far() -> Past:
        return replace(past, seconds=past.seconds + time.monotonic() - started)

    with (
        one_line_disk_errors(run),
        StopSignals() as stop,
        Metrics(run, trainer.games_played + 1 if trainer.round else 0, past.began) as metrics,
        Progress(f"training {trainer.rules.name}", total=trainer.rounds) as progress,
    ):
        if not trainer.round:
            metrics.write_about(about)
        if not begun:
            save_checkpoint(run, trainer, past)
        progress.update(trainer.round)
        message = ""
        while trainer.round < trainer.rounds and stop.received is None:
            values = dict(trainer.advance())
            refuse_no_numbers(values, trainer.round)
            step, seconds = trainer.games_played, so_far().seconds
            values |= {"time/seconds": seconds, "time/games_per_second": step / seconds}
            found = _validated(trainer, validation) if _evaluation_due(trainer) else None
            metrics.write(step, seconds, values)
            if found is not None:
                metrics.write_evaluation(step, seconds, found, validation.baselines, trainer.rules)
                _keep_if_best(trainer, run)
                message = f"mean {found.mean:.1f}"
            progress.update(trainer.round, message)
            if time.monotonic() - saved >= CHECKPOINT_INTERVAL:
                save_checkpoint(run, trainer, so_far())
                saved = time.monotonic()
        done = so_far()
        save_checkpoint(run, trainer, done)
        trainer.save_model(run)
    return Outcome(done.seconds, stop.received, curve_of(run, MEAN))


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


def _validated(trainer: Trainer, validation: Validation) -> Validated:
    try:
        return validation.of(trainer.agent())
    except PlayError as error:
        raise UsageError(f"the agent of round {trainer.round} gives no moves any more: {error}") from None


def _keep_if_best(trainer: Trainer, run: Path) -> None:
    """Write the model when no evaluation before was better than the last."""
    means = [mean for _, mean in curve_of(run, MEAN)]
    if means[-1] >= max(means):
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
