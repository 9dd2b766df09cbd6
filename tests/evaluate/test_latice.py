"""``python evaluate.py game=latice`` as a person types it."""

import json
import shlex
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.evaluate.command import begin_and_stop


def without_speed(out: Path) -> dict[str, Any]:
    results = json.loads((out / "results.json").read_text())
    for table in results["tables"]:
        del table["games_per_second"]
    return results


def test_it_plays_prints_tables_and_writes_the_results(
    evaluate_here: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    arguments = ["game=latice", "agents=[random,greedy]", "games=20", "seed=5", "deal=tournament", "out=mine"]
    evaluate_here(*arguments)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["agent", "greedy", "random"]
    assert lines[-1] == "report.html, results.json, games.npz and strength.png are in mine"
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {
        "report.html",
        "results.json",
        "games.npz",
        "strength.png",
    }
    results = json.loads((tmp_path / "mine" / "results.json").read_text())
    assert results["command"] == f"python evaluate.py {shlex.join(arguments)}"
    assert (results["game"], results["deal"], results["players"], results["seed"]) == (
        "latice",
        "tournament",
        2,
        5,
    )
    with np.load(tmp_path / "mine" / "games.npz", allow_pickle=False) as games:
        assert games["left"].shape == (1, 10, 2, 2)
        assert (games["winds"].sum(axis=3) <= 12).all()
        won = int((games["left"][..., 1] < games["left"][..., 0]).sum())
    assert results["pairs"][0]["won"]["value"] == won / 20


@pytest.mark.parametrize("players", [3, 4])
def test_a_table_of_more(evaluate_here: Callable[..., None], tmp_path: Path, players: int):
    agents = ["greedy", "random", "random", "random"][:players]
    evaluate_here(
        "game=latice",
        f"agents=[{','.join(agents)}]",
        f"players={players}",
        f"games={4 * players}",
        "out=mine",
    )
    results = json.loads((tmp_path / "mine" / "results.json").read_text())
    assert results["tables"][0]["members"] == agents
    assert [agent["agent"] for agent in results["agents"]] == ["greedy", "random"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["game=chess"], "error: game=chess: choose takeiteasy or latice\n"),
        (["game=latice", "games=7"], "error: games=7: give a multiple of 2, 4 or more"),
        (["game=latice", "players=5"], "error: players is 2 to 4, not 5\n"),
        (["game=latice", "deal=fair"], "error: unknown deal 'fair': choose one of standard, tournament\n"),
        (["game=latice", "agents=[]"], "error: players=2: name as many agents as sit at the table"),
        (["game=latice", "agents=[random,gready]"], "error: unknown agent of Latice 'gready': choose one of"),
        (["game=latice", "agents=[random,value]"], "error: unknown agent of Latice 'value': choose one of"),
        (["game=latice", "threads=-1"], "error: threads=-1: give"),
        (["game=latice", "rules=sunrays"], "error: rules is a setting of game=takeiteasy: leave it out for"),
        (["game=latice", "rules.suns=[123]"], "error: rules.suns is a setting of game=takeiteasy: leave it"),
        (
            ["game=latice", "analyse=game.json"],
            "error: analyse is a setting of game=takeiteasy: leave it",
        ),
        (["game=latice", "judge=value"], "error: judge is a setting of game=takeiteasy: leave it out for"),
        (
            ["agents=[random]", "deal=standard"],
            "error: deal is a setting of game=latice: leave it out",
        ),
        (["agents=[random,planner]"], "error: unknown agent 'planner': choose one of random, greedy"),
    ],
)
def test_a_value_that_cannot_be_gets_one_line(
    refused: Callable[..., str], arguments: list[str], message: str
):
    error = refused(*arguments)
    assert error.startswith(message)
    assert error.count("\n") == 1


def test_stopped_and_gone_on_with_it_finds_what_it_would_have_found(
    tmp_path: Path, evaluate_here: Callable[..., None], capsys: pytest.CaptureFixture[str]
):
    arguments = ("game=latice", "agents=[greedy,random]", "games=800", "batch=80", "workers=1")
    status, error = begin_and_stop(tmp_path, signal.SIGINT, 2, *arguments)
    assert status == 130
    assert error[-2].startswith("stopped: ")
    assert error[-2].endswith(" of 800 games are saved, go on with")
    assert error[-1] == "  python evaluate.py resume=mine"
    assert "Traceback" not in "".join(error)

    evaluate_here("resume=mine")
    evaluate_here(*arguments, "out=whole")
    mine, whole = (tmp_path / name for name in ("mine", "whole"))
    assert {path.name for path in mine.iterdir()} == {path.name for path in whole.iterdir()}
    assert (mine / "games.npz").read_bytes() == (whole / "games.npz").read_bytes()
    found, expected = (without_speed(out) for out in (mine, whole))
    assert shlex.split(found.pop("command")) == ["python", "evaluate.py", "out=mine", *arguments]
    del expected["command"]
    assert found == expected


def test_parts_are_put_together_and_other_settings_are_refused(
    evaluate_here: Callable[..., None], refused: Callable[..., str], tmp_path: Path
):
    arguments = ("game=latice", "agents=[random,greedy]", "games=20", "batch=6")
    evaluate_here(*arguments, "part=1/2", "out=mine")
    assert {path.name for path in (tmp_path / "mine" / "shards").iterdir()} == {
        "tournament.json",
        "0_000000.npz",
        "0_000002.npz",
    }
    assert "out=mine holds an evaluation of other settings" in refused(
        "game=latice", "agents=[random,greedy]", "games=24", "out=mine"
    )
    assert "out=mine holds an evaluation of other settings" in refused("agents=[random]", "out=mine")
    assert "leave out game" in refused("resume=mine", "game=latice")
