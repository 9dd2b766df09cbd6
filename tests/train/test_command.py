"""``python train.py`` as a person types it."""

import json
import re
from datetime import datetime, tzinfo
from typing import Self

import pytest

from agents.agent import make_agent
from agents.checkpoints import CHECKPOINT
from agents.curves import METRICS
from takeiteasy_env.record import GameRecord
from takeiteasy_env.rules import Rules
from tests.train.command import TINY, Command, curves_of, same_models
from train import TrainConfig


class NoTime(datetime):
    """Time stands still."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls(2026, 1, 2, 3, 4, 5, tzinfo=tz)


def test_it_trains_plays_against_the_baselines_and_says_what_comes_next(train_here, tmp_path, capsys):
    assert train_here(*TINY, "run_dir=runs/mine") == 0
    out, progress = capsys.readouterr()
    assert [path.name for path in tmp_path.iterdir()] == ["runs"], "nothing but the run"
    run = tmp_path / "runs" / "mine"
    names = {path.name for path in run.iterdir() if not path.name.startswith("events.out.")}
    assert names == {
        CHECKPOINT,
        "best",
        "config.json",
        "evaluation",
        METRICS,
        "model.safetensors",
        "run.yaml",
    }
    assert make_agent("value:runs/mine/best", Rules())
    results = json.loads((run / "evaluation" / "results.json").read_text())
    assert list(results["agents"]) == ["random", "greedy", "line_odds", "value:runs/mine"]
    assert results["games"] == 40
    assert "value:runs/mine" in (run / "evaluation" / "report.html").read_text()
    game = GameRecord.load(run / "evaluation" / "games" / "3_value_runs_mine_best.json")
    assert (game.agent, game.score) == ("value:runs/mine", results["agents"]["value:runs/mine"]["max"])

    lines = [line for line in out.splitlines() if not line.startswith("it did best")]
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


def test_runs_that_begin_in_the_same_second_get_a_directory_each(train_here, tmp_path, monkeypatch):
    monkeypatch.setattr("datetime.datetime", NoTime)
    for _ in range(3):
        assert train_here(*TINY, "evaluation_games=0") == 0
    name = "2026-01-02_03-04-05_value_standard"
    assert {run.name for run in (tmp_path / "runs").iterdir()} == {name, f"{name}_2", f"{name}_3"}


def test_help_explains_every_setting(train_here: Command, capsys: pytest.CaptureFixture[str]):
    assert train_here("--help") == 0
    text = capsys.readouterr().out
    for setting in TrainConfig.__dataclass_fields__:
        assert re.search(rf"^  {setting}[ .\n]", text, re.MULTILINE)
    assert "default: 20000" in text
    assert text.count("  python train.py") == 7
