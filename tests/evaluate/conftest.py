"""Ways to run ``python evaluate.py`` in a test."""

from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import pytest

from agents.progress import Progress
from tests.evaluate.command import SCRIPT


@pytest.fixture
def evaluate_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run the command in this process, which saves the seconds of a start, from an empty directory."""

    def evaluate_here(*arguments: str) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", [str(SCRIPT), *arguments])
        run_path(str(SCRIPT), run_name="__main__")

    return evaluate_here


@pytest.fixture
def without_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the page of an evaluation, which takes longer than a few games."""
    monkeypatch.setattr("evaluation.results.write_report", lambda *_: None)


@pytest.fixture
def refused(
    evaluate_here: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., str]:
    """Run a command that must be refused before any game and change no file; give what it says."""

    def files() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}

    def refused(*arguments: str) -> str:
        monkeypatch.setattr(Progress, "__enter__", lambda _: pytest.fail("games were played"))
        before = files()
        with pytest.raises(SystemExit) as stopped:
            evaluate_here(*arguments)
        assert stopped.value.code == 1
        assert files() == before
        return capsys.readouterr().err

    return refused
