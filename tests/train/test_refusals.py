"""What ``python train.py`` refuses: one line that says what was wrong, and nothing is lost."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from agents.checkpoints import CHECKPOINT


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("agent.rounds=0", "agent.rounds=0: give 1 or more"),
        ("agent.games=-1", "agent.games=-1: give 1 or more"),
        ("agent.kept=2", "agent.kept=2.0: give"),
        ("agent.name=ppo", "agent.name=ppo: choose another agent as agent=ppo"),
        ("evaluation_games=-1", "evaluation_games=-1: give 2 or more, or 0 for none"),
        ("evaluation_games=1", "evaluation_games=1: give 2 or more, or 0 for none"),
        ("seed=-1", "seed=-1: give 0 to"),
        ("seed=99999999999999999999", "seed=99999999999999999999: give 0 to"),
        ("threads=-1", "threads=-1: give"),
        ("device=tpu", "device=tpu: give auto or one of cuda, cpu, mps"),
        ("device=mps", "device=mps: PyTorch finds none on this machine, give auto or cpu"),
        ("precision=bfloat16", "precision=bfloat16: only on cuda, give float32 on cpu"),
        ("rules.placement=anywhere", "rules: unknown placement 'anywhere'"),
    ],
)
def test_a_value_that_cannot_be_gets_one_line(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, argument: str, message: str
):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    error = refused(argument)
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("argument", "named"),
    [
        ("sede=3", "sede"),
        ("agent.widht=3", "widht"),
        ("seed=abc", "'abc'"),
        ("preset=huge", "preset/huge"),
        ("agent=alphazero", "agent/alphazero"),
    ],
)
def test_what_the_schema_does_not_allow_gets_a_message_without_traceback(
    refused: Callable[..., str], argument: str, named: str
):
    error = refused(argument)
    assert named in error
    assert "Traceback" not in error


def test_a_run_that_exists_is_left_alone(refused: Callable[..., str], tmp_path: Path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / CHECKPOINT).write_text("old")
    (tmp_path / "file").write_text("old")
    for name in ("old", "file"):
        error = refused(f"run_dir={name}")
        assert error == f"error: {name} exists already: name another run_dir, or type resume={name}\n"


@pytest.mark.parametrize("directory", ["file/run", "/proc/run"])
def test_a_run_that_cannot_be_made_gets_one_line(refused: Callable[..., str], tmp_path: Path, directory: str):
    (tmp_path / "file").write_text("old")
    error = refused(f"run_dir={directory}")
    assert error.startswith(f"error: cannot make run_dir={directory}: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize("others", [["preset=strong"], ["agent.width=3", "seed=1"], ["run_dir=other"]])
def test_resume_goes_on_with_the_settings_of_the_run_and_no_others(refused, stopped_run, others):
    error = refused("resume=mine", *others)
    names = ", ".join(other.split("=")[0] for other in others)
    assert error.splitlines()[-1] == f"error: resume goes on with the run's own settings: leave out {names}"


def test_a_run_that_is_complete_has_nothing_to_resume(refused, stopped_run):
    (stopped_run / "evaluation").mkdir()
    (stopped_run / "evaluation" / "results.json").write_text("{}")
    error = refused("resume=mine").splitlines()[-1]
    assert error == "error: mine is complete: its final games are in mine/evaluation"


@pytest.mark.parametrize("settings", ["", "{", "[]", "\xff\x00", "seed: abc", "agent: 3", "sede: 3"])
def test_settings_that_are_damaged_get_one_line(refused, tmp_path, settings):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "run.yaml").write_text(settings, encoding="latin-1")
    assert refused("resume=mine") == "error: cannot resume mine: its run.yaml is damaged\n"


@pytest.mark.parametrize("kept", [0.1, 0.4, 0.7, 0.95])
def test_settings_that_were_cut_off_get_one_line(refused, stopped_run, kept):
    settings = (stopped_run / "run.yaml").read_text()
    (stopped_run / "run.yaml").write_text(settings[: int(kept * len(settings))])
    assert refused("resume=mine").splitlines()[-1] == "error: cannot resume mine: its run.yaml is damaged"


def test_settings_out_of_range_get_one_line(refused, stopped_run):
    settings = (stopped_run / "run.yaml").read_text()
    (stopped_run / "run.yaml").write_text(settings.replace("rounds: 5", "rounds: -5"))
    assert refused("resume=mine").splitlines()[-1] == "error: agent.rounds=-5: give 1 or more"


def test_a_directory_that_is_no_run_gets_one_line(refused, tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("empty", "nowhere"):
        assert (
            refused(f"resume={name}") == f"error: cannot resume {name}: run.yaml: No such file or directory\n"
        )


def test_a_checkpoint_that_was_cut_in_half_gets_one_line_and_stays(refused, stopped_run):
    path = stopped_run / CHECKPOINT
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    error = refused("resume=mine")
    assert error.splitlines()[-1].startswith(f"error: mine/{CHECKPOINT} is damaged")
    assert "Traceback" not in error
