import io

import pytest

from agents.progress import LINE_INTERVAL, Progress


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_without_a_terminal_lines_come_now_and_then_and_one_at_the_end(capsys: pytest.CaptureFixture[str]):
    clock = Clock()
    with Progress("training", total=200, clock=clock) as progress:
        for completed in range(1, 101):
            clock.now += 0.5
            progress.update(completed, f"mean {completed}.5")
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert len(lines) == 100 * 0.5 / LINE_INTERVAL + 1
    assert lines[0] == "training  10 %  elapsed 0:00:10  left 0:01:30  mean 20.5"
    assert lines[-1] == "training  50 %  elapsed 0:00:50  left 0:00:50  mean 100.5"


def test_a_job_that_goes_on_from_the_middle_estimates_from_its_own_speed(capsys: pytest.CaptureFixture[str]):
    clock = Clock()
    with Progress("training", total=100, clock=clock) as progress:
        progress.update(80)
        clock.now += 5
        progress.update(81)
    assert capsys.readouterr().err.splitlines()[-1] == "training  81 %  elapsed 0:00:05  left 0:01:35"


def test_a_job_that_fails_still_says_how_far_it_came(capsys: pytest.CaptureFixture[str]):
    def interrupted() -> None:
        with Progress("playing", total=4) as progress:
            progress.update(1, "greedy")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert capsys.readouterr().err.startswith("playing  25 %")


def test_on_a_terminal_a_bar_shows_the_numbers_as_they_are(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with Progress("training", total=4) as progress:
        progress.update(3, "loss [0.012]")
    shown = terminal.getvalue()
    assert "training" in shown
    assert "75%" in shown
    assert "loss [0.012]" in shown
