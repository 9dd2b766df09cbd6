"""``python train.py`` as a person types it."""

import csv
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from runpy import run_path

import pytest
import torch
from safetensors.torch import load_file

from agents import training
from agents.agent import make_agent
from agents.training import CHECKPOINT, METRICS
from agents.value_trainer import ValueTrainer
from evaluation import tournament
from takeiteasy_env.record import GameRecord
from takeiteasy_env.rules import Rules
from train import TrainConfig

SCRIPT = Path(__file__).parents[1] / "train.py"
#: A training of seconds.
TINY = (
    "agent.width=8", "agent.stack=4", "agent.lesson_games=50", "agent.lesson_steps=3", "agent.rounds=5",
    "agent.games=20", "agent.replay_rounds=3", "agent.steps=2", "agent.batch=16", "evaluation_games=40",
)  # fmt: skip

Command = Callable[..., int]


@pytest.fixture
def train_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command in this process, which saves the seconds of a start, from an empty directory."""
    monkeypatch.setattr(training, "EVALUATION_GAMES", 40)
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
    """Send this process a signal in the middle of a round."""
    advance = ValueTrainer.advance

    def interrupt(number: int, round_: int) -> None:
        def interrupted(trainer: ValueTrainer) -> dict[str, float]:
            if trainer.round + 1 == round_:
                signal.raise_signal(number)
            return advance(trainer)

        monkeypatch.setattr(ValueTrainer, "advance", interrupted)

    return interrupt


def curves_of(run: Path) -> dict[str, list[tuple[int, float]]]:
    """The points of each curve in ``metrics.csv`` that does not measure time."""
    curves: dict[str, list[tuple[int, float]]] = {}
    with (run / METRICS).open(newline="") as file:
        for row in csv.DictReader(file):
            if not row["name"].startswith("time/"):
                curves.setdefault(row["name"], []).append((int(row["step"]), float(row["value"])))
    return curves


def same_models(run: Path, other: Path) -> bool:
    mine, others = (load_file(directory / "model.safetensors") for directory in (run, other))
    return mine.keys() == others.keys() and all(torch.equal(mine[name], others[name]) for name in mine)


def start(directory: Path, *arguments: str, stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """Begin the command in a process of its own."""
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, stderr=stderr, text=True)


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for something that a process does, as long as it lives."""
    while not happened():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def rounds_of(run: Path) -> int:
    """How many rounds of a training are written."""
    return (run / METRICS).read_text().count("losses/value") if (run / METRICS).exists() else 0


def watch(terminal: int, shown: list[str]) -> None:
    """Note what a process shows on a terminal, until both are gone."""
    with suppress(OSError):
        while True:
            shown.append(os.read(terminal, 1 << 12).decode())


def test_it_trains_plays_against_the_baselines_and_says_what_comes_next(train_here, tmp_path, capsys):
    assert train_here(*TINY, "run_dir=runs/mine") == 0
    out, progress = capsys.readouterr()
    assert [path.name for path in tmp_path.iterdir()] == ["runs"], "nothing but the run"
    run = tmp_path / "runs" / "mine"
    names = {path.name for path in run.iterdir() if not path.name.startswith("events.out.")}
    assert names == {CHECKPOINT, "config.json", "evaluation", METRICS, "model.safetensors", "run.yaml"}
    results = json.loads((run / "evaluation" / "results.json").read_text())
    assert list(results["agents"]) == ["random", "greedy", "line_odds", "value:runs/mine"]
    assert results["games"] == 40
    assert "value:runs/mine" in (run / "evaluation" / "report.html").read_text()
    game = GameRecord.load(run / "evaluation" / "games" / "3_value_runs_mine_best.json")
    assert (game.agent, game.score) == ("value:runs/mine", results["agents"]["value:runs/mine"]["max"])

    lines = out.splitlines()
    assert re.fullmatch(r"trained for \d+\.\d minutes on \d+ threads", lines[1])
    assert [line.split()[0] for line in lines[2:7]] == ["agent", *results["agents"]]
    assert lines[-3:] == [
        "everything is in runs/mine. What to type next:",
        "  tensorboard --logdir runs/mine",
        "  python evaluate.py agents=[random,greedy,line_odds,value:runs/mine] rules=standard",
    ]
    assert re.search(r"^training standard 100 %  elapsed \S+ .*mean \d+\.\d$", progress, re.MULTILINE)
    assert "\x1b" not in progress, "plain lines where there is no terminal"


def test_other_rules_a_directory_named_by_the_time_and_no_final_games(train_here, tmp_path, capsys):
    assert train_here(*TINY, "rules=sun_moon_sunrays", "evaluation_games=0") == 0
    (run,) = (tmp_path / "runs").iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_value_sun_moon_sunrays", run.name)
    assert not (run / "evaluation").exists()
    assert make_agent(f"value:{run}", Rules("sun_moon", "sunrays"))
    assert capsys.readouterr().out.splitlines()[-3] == f"everything is in runs/{run.name}. What to type next:"


def test_for_best_ray_it_ends_at_a_table_where_the_others_play_line_odds(train_here, tmp_path, capsys):
    assert train_here(*TINY, "rules=adjacent_best_ray", "rules.suns=[123,978]", "run_dir=mine") == 0
    table = json.loads((tmp_path / "mine" / "evaluation" / "results.json").read_text())["tables"]
    assert table["tables"] == [["value:mine", "line_odds", "line_odds", "line_odds"]]
    assert capsys.readouterr().out.splitlines()[-1] == (
        "  python evaluate.py agents=[value:mine,line_odds,line_odds,line_odds] rules=adjacent_best_ray "
        "players=4 rules.suns=[123,978]"
    )


def test_the_same_seed_gives_the_same_agent_and_another_seed_another(train_here, tmp_path):
    for run, seed in (("a", 3), ("b", 3), ("c", 4)):
        assert train_here(*TINY, f"run_dir={run}", f"seed={seed}", "evaluation_games=0") == 0
    assert same_models(tmp_path / "a", tmp_path / "b")
    assert curves_of(tmp_path / "a") == curves_of(tmp_path / "b")
    assert not same_models(tmp_path / "a", tmp_path / "c")


def test_a_sweep_trains_each_of_its_jobs(train_here, tmp_path):
    assert train_here("--multirun", *TINY, "seed=3,4", "run_dir=${seed}", "evaluation_games=0") == 0
    assert train_here(*TINY, "seed=4", "run_dir=alone", "evaluation_games=0") == 0
    assert same_models(tmp_path / "4", tmp_path / "alone")


# ------------------------------------------------------------------------------------------ what it refuses


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("agent.rounds=0", "agent.rounds=0: give 1 or more"),
        ("agent.games=-1", "agent.games=-1: give 1 or more"),
        ("agent.kept=2", "agent.kept=2.0: give"),
        ("agent.name=ppo", "agent.name=ppo: give one of value"),
        ("evaluation_games=-1", "evaluation_games=-1: give 2 or more, or 0 for none"),
        ("evaluation_games=1", "evaluation_games=1: give 2 or more, or 0 for none"),
        ("seed=-1", "seed=-1: give 0 to"),
        ("seed=99999999999999999999", "seed=99999999999999999999: give 0 to"),
        ("threads=-1", "threads=-1: give"),
        ("rules.placement=anywhere", "rules: unknown placement 'anywhere'"),
    ],
)
def test_a_value_that_cannot_be_gets_one_line(refused: Callable[..., str], argument: str, message: str):
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


def test_help_explains_every_setting(train_here: Command, capsys: pytest.CaptureFixture[str]):
    assert train_here("--help") == 0
    text = capsys.readouterr().out
    for setting in TrainConfig.__dataclass_fields__:
        assert re.search(rf"^  {setting}[ .\n]", text, re.MULTILINE)
    assert "default: 20000" in text
    assert text.count("  python train.py") == 4


# ------------------------------------------------------------------------------------------ stop and go on


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_by_a_signal_it_saves_and_goes_on_as_if_nothing_had_been(
    train_here, interrupt, monkeypatch, tmp_path, capsys, number, status
):
    assert train_here(*TINY, "run_dir=whole", "evaluation_games=0") == 0
    capsys.readouterr()
    with monkeypatch.context():
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


@pytest.fixture
def stopped_run(train_here: Command, interrupt: Callable[..., None], tmp_path: Path) -> Path:
    interrupt(signal.SIGINT, round_=1)
    assert train_here(*TINY, "run_dir=mine") == 130
    return tmp_path / "mine"


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
