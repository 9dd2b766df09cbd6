"""``python evaluate.py`` as a person types it."""

import json
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluate import EvaluateConfig
from evaluation.analysis import analyse
from takeiteasy_env import GameRecord, Rules
from takeiteasy_env.tiles import TILE_CODES
from tests.evaluate.command import SCRIPT, begin_and_stop


def test_it_plays_prints_a_table_and_writes_the_results(tmp_path: Path):
    arguments = ["agents=[random,greedy,line_odds]", "games=30", "seed=5", "out=mine"]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=300
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
        games = [
            GameRecord.load(tmp_path / "mine" / "games" / f"{number}_{agent}_{kind}.json")
            for number, agent in enumerate(scores)
            for kind in ("worst", "best")
        ]
        assert [game.score for game in games] == [
            end for agent in scores.values() for end in (agent.min(), agent.max())
        ]
    page = (tmp_path / "mine" / "report.html").read_text()
    assert all(f">{agent}<" in page for agent in results["agents"])


@pytest.mark.usefixtures("without_a_page")
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
        (["workers=-1"], "error: workers=-1: give 1 or more, or 0"),
        (["batch=0"], "error: batch=0: give 1 or more\n"),
        (["part=3/2"], "error: part=3/2: give which of how many, such as 2/8\n"),
        (["agents=[random]", "players=2"], "error: players=2: name as many agents as sit at the table"),
        (["rules=best_ray"], "error: rules: scoring 'best_ray' is for 2 to 6 players"),
        (["rules=best_ray", "players=7"], "error: rules: scoring 'best_ray' is for 2 to 6 players"),
        (["resume=nowhere"], "error: there is no unfinished evaluation in nowhere"),
        (["agents=[no_such_module:Agent]"], "error: unknown agent 'no_such_module'"),
        (["agents=[random,gready]"], "error: unknown agent 'gready': choose one of random, greedy"),
        (["agents=[random:runs/mine]"], "error: "),
        (["agents=[random]", "rules.placement=anywhere"], "error: rules: unknown placement 'anywhere'"),
        (
            ["agents=[random]", "adjust=line_odds"],
            "error: adjust=line_odds: it is no value network of standard",
        ),
        (["agents=[random]", "adjust=valeu"], "error: adjust=valeu: unknown agent 'valeu': choose one of"),
        (["agents=[random]", "adjust=value:none"], "error: adjust=value:none: no value model in none"),
        (
            ["agents=[random,greedy]", "players=2", "adjust=value"],
            "error: adjust=value: what is luck at a table is not known",
        ),
        (["game=latice", "adjust=value"], "error: adjust is a setting of game=takeiteasy"),
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
    assert text.count("  python evaluate.py") >= 5


def test_interrupted_before_the_first_batch_it_says_so_in_a_line_and_leaves_nothing(tmp_path: Path):
    arguments = ("agents=[line_odds]", "games=500000", "batch=500000")
    status, error = begin_and_stop(tmp_path, signal.SIGINT, 0, *arguments)
    assert status == 130
    # LLVM's bindings, interrupted while they compile, may complain on the way out.
    assert "stopped before the end: nothing was written" in error
    assert not (tmp_path / "mine").exists()


def results_without_speed(out: Path) -> dict:
    results = json.loads((out / "results.json").read_text())
    for agent in results["agents"].values():
        del agent["moves_per_second"], agent["milliseconds_a_move_alone"]
    return results


@pytest.mark.usefixtures("without_a_page")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_and_gone_on_with_it_finds_what_it_would_have_found(
    number: signal.Signals,
    tmp_path: Path,
    evaluate_here: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
):
    arguments = ("agents=[greedy,random,line_odds]", "games=3000", "batch=100", "workers=1")
    status, error = begin_and_stop(tmp_path, number, 5, *arguments)
    assert status == 128 + number
    assert error[-2].startswith("stopped: ")
    assert error[-2].endswith(" of 9,000 games are saved, go on with")
    assert error[-1] == "  python evaluate.py resume=mine"
    assert "Traceback" not in "".join(error)
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {"shards"}

    evaluate_here("resume=mine")
    gone_on = capsys.readouterr().out
    evaluate_here(*arguments, "out=whole")
    whole = capsys.readouterr().out
    assert without_speed(gone_on) == without_speed(whole)
    mine, whole = (tmp_path / name for name in ("mine", "whole"))
    assert {path.name for path in mine.iterdir()} == {path.name for path in whole.iterdir()}
    assert (mine / "scores.npz").read_bytes() == (whole / "scores.npz").read_bytes()
    found, expected = (results_without_speed(out) for out in (mine, whole))
    assert shlex.split(found.pop("command")) == ["python", "evaluate.py", "out=mine", *arguments]
    del expected["command"]
    assert found == expected


def without_speed(tables: str) -> list[list[str]]:
    """The rows of the agents without their last two columns, and those of the pairs."""
    agents, pairs, *_ = tables.split("\n\n")
    return [row.split()[:-2] for row in agents.splitlines()] + [row.split() for row in pairs.splitlines()]


@pytest.mark.usefixtures("without_a_page")
def test_what_goes_on_keeps_its_settings(
    evaluate_here: Callable[..., None], refused: Callable[..., str], tmp_path: Path
):
    evaluate_here("agents=[random]", "games=10", "batch=4", "part=1/2", "out=mine")
    assert (
        "out=mine holds an evaluation of other settings that is not finished: go on with resume=mine"
        in refused("agents=[random]", "games=11", "out=mine")
    )
    assert "leave out games" in refused("resume=mine", "games=20")


@pytest.mark.usefixtures("without_a_page")
def test_parts_are_put_together_by_going_on(
    evaluate_here: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    arguments = ("agents=[random,greedy]", "games=50", "batch=4", "seed=3")
    for number in (1, 2, 3):
        evaluate_here(*arguments, f"part={number}/3", f"out=part_{number}")
        assert f"part {number}/3 is played" in capsys.readouterr().out
    for number in (2, 3):
        for file in (tmp_path / f"part_{number}" / "shards").glob("*.npz"):
            file.rename(tmp_path / "part_1" / "shards" / file.name)
    evaluate_here("resume=part_1")
    evaluate_here(*arguments, "out=whole")
    assert "evaluating" in capsys.readouterr().err
    scores = [(tmp_path / out / "scores.npz").read_bytes() for out in ("part_1", "whole")]
    assert scores[0] == scores[1]


def test_luck_is_taken_out_of_the_scores_by_a_network_that_the_results_name(
    evaluate_here: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    arguments = ("agents=[greedy,line_odds]", "games=40", "rules=adjacent", "adjust=value")
    evaluate_here(*arguments, "batch=12", "part=1/2", "out=mine")
    evaluate_here("resume=mine")
    assert "without luck, by value " in capsys.readouterr().out
    assert "by the network of value" in (tmp_path / "mine" / "report.html").read_text()
    evaluate_here(*arguments, "out=whole")
    mine, whole = (results_without_speed(tmp_path / name) for name in ("mine", "whole"))
    assert (mine.pop("command"), whole.pop("command")) != ("", "")
    assert mine == whole
    assert mine["adjust"] == "value"
    found = {}
    for name in ("scores", "luck"):
        with np.load(tmp_path / "mine" / f"{name}.npz") as arrays:
            found[name] = {agent: arrays[agent].astype(np.float64) for agent in arrays}
    greedy, line_odds = (found["scores"][agent] - found["luck"][agent] for agent in ("greedy", "line_odds"))
    assert mine["agents"]["greedy"]["adjusted"]["mean"] == pytest.approx(greedy.mean())
    assert mine["agents"]["line_odds"]["adjusted"]["sd"] == pytest.approx(line_odds.std(ddof=1))
    (pair,) = mine["pairs"]
    assert (pair["better"], pair["adjusted"]["mean"]) == (
        "line_odds",
        pytest.approx((line_odds - greedy).mean()),
    )


@pytest.mark.usefixtures("without_a_page")
def test_an_agent_of_ones_own_plays_at_a_table_with_others(
    evaluate_here: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    module = f"own_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(
        "import numpy as np\n"
        "class InOrder:\n"
        "    def values(self, positions):\n"
        "        return np.where(positions.board == -1, np.float32(0), -np.inf)\n"
    )
    agents = ["line_odds", f"{module}:InOrder", "value@standard", "value@standard"]
    evaluate_here("rules=best_ray", "players=4", f"agents=[{','.join(agents)}]", "games=20", "out=mine")
    captured = capsys.readouterr()
    alone, at_tables, pairs, _ = captured.out.split("\n\n")
    for table in (alone, at_tables):
        assert [row.split()[0] for row in table.splitlines()[1:]] == agents[:3]
    assert len(pairs.splitlines()) == 4
    results = json.loads((tmp_path / "mine" / "results.json").read_text())
    assert results["tables"]["tables"] == [agents]
    assert results["rules"]["scoring"] == "best_ray"


@pytest.mark.usefixtures("without_a_page")
def test_an_agent_that_fails_is_named_in_a_line_and_the_rest_is_kept(
    evaluate_here: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    module = f"wrong_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(
        "import numpy as np\n"
        "class Wrong:\n"
        "    def values(self, positions):\n"
        "        return np.full((len(positions), 18 if len(positions) > 5 else 19), np.float32(0))\n"
    )
    with pytest.raises(SystemExit) as stopped:
        evaluate_here(f"agents=[greedy,{module}:Wrong]", "games=20", "batch=10", "out=mine")
    assert stopped.value.code == 1
    error = capsys.readouterr().err.splitlines()
    assert error[-1].startswith(f"error: agent '{module}:Wrong', game 0, move 2 of 19: cell 0")
    assert "Traceback" not in "".join(error)


GAME = GameRecord(Rules(), range(19), [9, 4, 0, *(cell for cell in range(19) if cell not in (0, 4, 9))], "me")


def test_a_game_file_is_judged_move_by_move(
    evaluate_here: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    GAME.save(tmp_path / "game.json")
    evaluate_here("analyse=game.json", "judge=line_odds", "out=mine")
    lines = capsys.readouterr().out.splitlines()
    analysis = analyse(GAME, "line_odds")
    losses, hindsight = analysis.judgements[0].losses, analysis.hindsight_losses
    for move, line in enumerate(lines[1:20]):
        _, tile, cell, _, _, lost, lost_in_hindsight, _ = line.split()
        assert (tile, cell) == (str(TILE_CODES[move]), str(GAME.placements[move]))
        assert (lost, lost_in_hindsight) == (f"{losses[move]:.2f}", str(hindsight[move]))
    assert lines[-1] == "game.html is in mine"
    assert "What was the best move?" in (tmp_path / "mine" / "game.html").read_text()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": 2}, "of version 2, and this program reads version 1: a newer program is needed"),
        ({"draws": [123] * 19}, "tile 123 comes twice: each tile exists once"),
        ({"score": 99}, '"points" and "score" say otherwise'),
        ({"format": "chess"}, '"format" must be "takeiteasy-game"'),
    ],
)
def test_a_wrong_game_file_gets_one_line(
    refused: Callable[..., str], tmp_path: Path, changes: dict[str, Any], said: str
):
    (tmp_path / "game.json").write_text(json.dumps(json.loads(GAME.to_json()) | changes))
    error = refused("analyse=game.json")
    assert error.startswith("error: analyse: game.json is no game that can be read: ")
    assert said in error
    assert error.count("\n") == 1


def test_what_cannot_be_analysed_gets_one_line(refused: Callable[..., str], tmp_path: Path):
    assert refused("analyse=none.json") == (
        "error: analyse=none.json cannot be read: No such file or directory\n"
    )
    GAME.save(tmp_path / "game.json")
    (tmp_path / "half.json").write_text(GAME.to_json()[:50])
    assert "half.json is no game that can be read: it is not JSON" in refused("analyse=half.json")
    assert "unknown agent 'gready'" in refused("analyse=game.json", "judge=gready")
    assert "leave out games" in refused("analyse=game.json", "games=20")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "game.html").write_text("old")
    assert "out=old already holds game.html" in refused("analyse=game.json", "out=old")
