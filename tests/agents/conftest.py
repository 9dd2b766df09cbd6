"""What the tests of trainings share."""

import time
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from agents import validation


@pytest.fixture
def short_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "EVALUATION_GAMES", 10)
    monkeypatch.setattr(validation, "to_pixels", lambda _: np.zeros((2, 3, 3), dtype=np.uint8))


@pytest.fixture
def event_files_of_different_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorBoard reads event files by name, which begins with the second: no two begin in the same one."""
    seconds = count(int(time.time()))
    clock = SimpleNamespace(time=lambda: float(next(seconds)))
    monkeypatch.setattr("tensorboard.summary.writer.event_file_writer.time", clock)
