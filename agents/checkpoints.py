"""The state of a training on disk: written whole or not at all, and read as data that can run no code."""

import io
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch

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


def save_checkpoint(run: Path, trainer: Trainer, past: Past) -> None:
    """Write the state of a training, in place of the one before.

    Raises:
        OSError: when the disk refuses; the one before stays.
    """
    content = io.BytesIO()
    torch.save({"trainer": trainer.state(), "began": past.began, "seconds": past.seconds}, content)
    write_whole(run / CHECKPOINT, lambda file: file.write(content.getbuffer()))


def restore_checkpoint(run: Path, trainer: Trainer) -> Past:
    """Restore a training from its last checkpoint and return what lies behind it.

    Raises:
        UsageError: when it is damaged.
    """
    path = run / CHECKPOINT
    try:
        state = torch.load(path, weights_only=True)
        trainer.restore(state["trainer"])
        return Past(float(state["began"]), float(state["seconds"]))
    except (OSError, RuntimeError, EOFError, LookupError, TypeError, ValueError, pickle.UnpicklingError):
        raise UsageError(f"{path} is damaged or of another training: it cannot be resumed") from None
