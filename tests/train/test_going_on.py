"""``python train.py`` stopped by Ctrl-C, SIGTERM, a kill or a loss that is no number, and gone on with."""

import os
import pty
import re
import signal
import threading
from pathlib import Path

import pytest

from agents.agent import make_agent
from agents.checkpoints import CHECKPOINT
from evaluation import tournament
from takeiteasy_env.rules import Rules
from tests.train.command import (
    TINY,
    curves_of,
    rounds_of,
    same_models,
    start,
    wait_until,
    watch,
)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_by_a_signal_it_saves_and_goes_on_as_if_nothing_had_been(
    train_here, interrupt, tmp_path, capsys, number, status
):
    assert train_here(*TINY, "run_dir=whole", "evaluation_games=0") == 0
    capsys.readouterr()
    interrupt(number, round_=3)
    assert train_here(*TINY, "run_dir=mine", "evaluation_games=0") == status
    assert capsys.readouterr().out == "\nstopped and saved: go on with\n  python train.py resume=mine\n"
    assert make_agent(f"value:{tmp_path / 'mine'}", Rules())
    assert train_here("resume=mine", "threads=1") == 0
    assert same_models(tmp_path / "mine", tmp_path / "whole")
    assert curves_of(tmp_path / "mine") == curves_of(tmp_path / "whole")


def test_killed_in_its_first_minute_it_goes_on_with_a_live_bar_on_a_terminal_until_ctrl_c(tmp_path: Path):
    run = tmp_path / "mine"
    process = start(tmp_path, *TINY, "agent.rounds=100000", "run_dir=mine")
    wait_until(lambda: rounds_of(run) > 5, process)
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL

    terminal, its_end = pty.openpty()
    process = start(tmp_path, "resume=mine", stderr=its_end)
    os.close(its_end)
    shown: list[str] = []
    watcher = threading.Thread(target=watch, args=(terminal, shown))
    watcher.start()
    wait_until(lambda: "training standard" in "".join(shown), process)
    wait_until(lambda: rounds_of(run) > 2, process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    watcher.join(timeout=60)
    os.close(terminal)
    assert process.returncode == 130
    assert out == "\nstopped and saved: go on with\n  python train.py resume=mine\n"
    assert re.search("\x1b.*training standard", "".join(shown)), "a bar that is drawn again and again"
    steps = [step for step, _ in curves_of(run)["losses/value"]]
    assert steps == list(range(50, 50 + 20 * len(steps), 20))


def test_interrupted_in_the_final_games_it_plays_them_when_resumed(train_here, monkeypatch, tmp_path, capsys):
    with monkeypatch.context() as patched:
        patched.setattr(tournament, "play", lambda *_: signal.raise_signal(signal.SIGINT))
        assert train_here(*TINY, "run_dir=mine") == 130
    assert "python train.py resume=mine" in capsys.readouterr().out
    assert not (tmp_path / "mine" / "evaluation").exists()
    assert train_here("resume=mine") == 0
    assert (tmp_path / "mine" / "evaluation" / "results.json").exists()


def test_a_loss_that_is_no_number_stops_it_and_keeps_the_last_checkpoint(train_here, tmp_path, capsys):
    assert train_here(*TINY, "run_dir=mine", "agent.learning_rate=1e30") == 1
    error = capsys.readouterr().err
    assert error.splitlines()[-1].startswith("error: losses/value is no number any more in round 1: ")
    assert "Traceback" not in error
    assert (tmp_path / "mine" / CHECKPOINT).exists()
    assert not (tmp_path / "mine" / "model.safetensors").exists()
