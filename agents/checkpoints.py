"""The state of a training on disk: written whole or not at all, and read as data that can run no code."""

import io
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from agents.distributed import ALONE, World
from agents.errors import UsageError
from agents.files import write_whole
from agents.trainers import Trainer

CHECKPOINT: Final = "checkpoint.pt"


@dataclass(frozen=True, slots=True)
class Past:
    """What lies behind a training.

    Attributes:
        began: when its first second began, in seconds of Unix time.
        seconds: that it has taken, all its parts together and the pauses between them left out.
    """

    began: float
    seconds: float = 0.0


@contextmanager
def one_line_disk_errors(run: Path) -> Iterator[None]:
    """Turn what the disk refuses into a UsageError that says what is left."""
    try:
        yield
    except OSError as error:
        left = "its last checkpoint is kept" if (run / CHECKPOINT).exists() else "nothing is kept"
        raise UsageError(f"cannot write to {run}: {error.strerror}; {left}") from None


def save_checkpoint(run: Path, trainer: Trainer[Any], past: Past, world: World = ALONE) -> None:
    """Write the state of a training, in place of the one before.

    Of several processes each gives its part of the state, and the first one writes.

    Raises:
        OSError: when the disk refuses; the one before stays.
    """
    state = trainer.state()
    if world.first:
        content = io.BytesIO()
        torch.save({"trainer": state, "began": past.began, "seconds": past.seconds}, content)
        write_whole(run / CHECKPOINT, lambda file: file.write(content.getbuffer()))


def restore_checkpoint(run: Path, trainer: Trainer[Any], world: World = ALONE) -> Past:
    """Restore a training from its last checkpoint and return what lies behind it.

    The first of several processes reads it for all. On which device it was written does not matter.

    Raises:
        UsageError: when it is damaged.
    """
    path = run / CHECKPOINT
    try:
        state = world.from_first(lambda: torch.load(path, weights_only=True, map_location="cpu"))
        trainer.restore(state["trainer"])
        return Past(float(state["began"]), float(state["seconds"]))
    except (OSError, RuntimeError, EOFError, LookupError, TypeError, ValueError, pickle.UnpicklingError):
        raise UsageError(f"{path} is damaged or of another training: it cannot be resumed") from None
