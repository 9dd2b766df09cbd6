"""``python evaluate.py`` as a person types it."""

import json
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

from agents.progress import Progress
from evaluate import EvaluateConfig

SCRIPT = Path(__file__).parents[1] / "evaluate.py"


@pytest.fixture
def evaluate_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run the command in this process, which saves the seconds of a start, from an empty directory."""

    def evaluate_here(*arguments: str) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", [str(SCRIPT), *arguments])
        run_path(str(SCRIPT), run_name="__main__")

    return evaluate_here


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


def test_it_plays_prints_a_table_and_writes_the_results(tmp_path: Path):
    arguments = ["agents=[random,greedy,line_odds]", "games=30", "seed=5", "out=mine"]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["agent", "random", "greedy", "line_odds"]
    assert lines[-1].endswith("are in mine")
    assert {path.name for path in tmp_path.iterdir()} == {"mine"}, "nothing but the results"
    results = json.loads((tmp_path / "mine" / "results.json").read_text())
    assert (results["games"], results["seed"], results["rules"]["placement"]) == (30, 5, "free")
    assert results["command"] == f"python evaluate.py {shlex.join(arguments)}"
    with np.load(tmp_path / "mine" / "scores.npz") as scores:
        assert {name: scores[name].mean() for name in scores} == {
            name: pytest.approx(agent["mean"]) for name, agent in results["agents"].items()
        }
        assert scores["line_odds"].shape == (30,)


def test_other_rules_and_a_directory_named_by_the_time(evaluate_here: Callable[..., None], tmp_path: Path):
    evaluate_here("agents=[random]", "games=10", "rules=sun_moon_sunrays")
    (out,) = (tmp_path / "reports").iterdir()
    rules = json.loads((out / "results.json").read_text())["rules"]
    assert (rules["placement"], rules["scoring"], sum(rules["suns"])) == ("sun_moon", "sunrays", 14)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["games=-1"], "error: games=-1: give 2 or more\n"),
        (["threads=-1"], "error: threads=-1: give"),
        (["agents=[random,gready]"], "error: unknown agent 'gready': choose one of random, greedy"),
        (["agents=[random:runs/mine]"], "error: "),
        (["agents=[random]", "rules.placement=anywhere"], "error: rules: unknown placement 'anywhere'"),
        (["agents=[random]", "rules.suns=[123,123]"], "error: rules: suns: tile 123 comes twice"),
    ],
)
def test_a_value_that_cannot_be_gets_one_line(
    refused: Callable[..., str], arguments: list[str], message: str
):
    error = refused(*arguments)
    assert error.startswith(message)
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("argument", "named"),
    [
        ("gmaes=10", "gmaes"),
        ("games=abc", "'abc'"),
        ("rules=chess", "rules/chess"),
        ("agents=random", "agents"),
    ],
)
def test_what_the_schema_does_not_allow_gets_a_message_without_traceback(
    refused: Callable[..., str], argument: str, named: str
):
    error = refused(argument)
    assert named in error
    assert "Traceback" not in error


def test_results_and_files_of_others_are_left_alone(refused: Callable[..., str], tmp_path: Path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "results.json").write_text("old")
    assert "out=old already holds results.json" in refused("agents=[random]", "out=old")
    assert "out=old/results.json is a file" in refused("agents=[random]", "out=old/results.json")


def test_help_explains_every_setting(evaluate_here: Callable[..., None], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stopped:
        evaluate_here("--help")
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    for setting in EvaluateConfig.__dataclass_fields__:
        assert f"\n  {setting} " in text
    assert "default: 10000" in text
    assert text.count("  python evaluate.py") == 3


def test_interrupted_it_says_so_in_a_line_and_leaves_nothing(tmp_path: Path):
    command = [sys.executable, str(SCRIPT), "agents=[line_odds]", "games=500000", "out=mine"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "mine").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error.splitlines()[-1] == "stopped before the end: nothing was written"
    assert "Traceback" not in error
    assert not (tmp_path / "mine").exists()
