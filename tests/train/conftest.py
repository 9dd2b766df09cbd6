"""Ways to run ``python train.py`` in a test."""

import signal
from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import pytest

from agents import training, validation
from agents.value_trainer import ValueTrainer
from tests.train.command import SCRIPT, TINY, Command


@pytest.fixture
def train_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command in this process, which saves the seconds of a start, from an empty directory."""
    monkeypatch.setattr(validation, "EVALUATION_GAMES", 10)
    monkeypatch.setattr(training, "EVALUATIONS", 2)

    def train_here(*arguments: str) -> int:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", [str(SCRIPT), *arguments])
        status = 0
        try:
            run_path(str(SCRIPT), run_name="__main__")
        except SystemExit as stopped:
            status = stopped.code
        return status

    return train_here


@pytest.fixture
def refused(
    train_here: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Run a command that must be refused before any training and change no file; give what it says."""

    def files() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    def refused(*arguments: str) -> str:
        monkeypatch.setattr(ValueTrainer, "advance", lambda _: pytest.fail("it trained"))
        before = files()
        assert train_here(*arguments) == 1
        assert files() == before
        return capsys.readouterr().err

    return refused


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Send this process a signal in the middle of a round, once."""
    advance = ValueTrainer.advance

    def interrupt(number: int, round_: int) -> None:
        def interrupted(trainer: ValueTrainer) -> dict[str, float]:
            if trainer.round + 1 == round_:
                monkeypatch.setattr(ValueTrainer, "advance", advance)
                signal.raise_signal(number)
            return advance(trainer)

        monkeypatch.setattr(ValueTrainer, "advance", interrupted)

    return interrupt


@pytest.fixture
def stopped_run(train_here: Command, interrupt: Callable[..., None], tmp_path: Path) -> Path:
    interrupt(signal.SIGINT, round_=1)
    assert train_here(*TINY, "run_dir=mine") == 130
    return tmp_path / "mine"
