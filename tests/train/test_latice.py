"""``python train.py game=latice``: the second game through the same command."""

import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from agents.checkpoints import CHECKPOINT
from agents.curves import METRICS
from agents.latice import examination
from agents.latice.agent import make_latice_agent
from agents.latice.ppo import LaticePPOTrainer
from tests.train.command import Command, curves_of, same_models

#: A training of seconds.
TINY = (
    "game=latice", "agent.width=8", "agent.rounds=4", "agent.games=4", "agent.batch=256",
    "evaluation_games=0",
)  # fmt: skip


@pytest.fixture(autouse=True)
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "DEALS", 2)


def test_it_trains_and_says_what_comes_next(train_here: Command, tmp_path: Path, capsys):
    assert train_here(*TINY, "run_dir=runs/mine") == 0
    out, progress = capsys.readouterr()
    run = tmp_path / "runs" / "mine"
    names = {path.name for path in run.iterdir() if not path.name.startswith("events.out.")}
    assert names == {CHECKPOINT, "best", "config.json", METRICS, "model.safetensors", "run.yaml"}
    assert make_latice_agent("ppo:runs/mine/best")
    assert out.splitlines()[-1] == "  python evaluate.py game=latice agents=[greedy,planner,ppo:runs/mine]"
    assert "% against greedy, " in progress
    assert "eval/won_against_planner" in curves_of(run)


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(
    train_here: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    advance = LaticePPOTrainer.advance

    def interrupted(trainer: LaticePPOTrainer) -> Mapping[str, object]:
        if trainer.round == 1:
            signal.raise_signal(signal.SIGTERM)
        return advance(trainer)

    monkeypatch.setattr(LaticePPOTrainer, "advance", interrupted)
    assert train_here(*TINY, "run_dir=mine") == 143
    monkeypatch.setattr(LaticePPOTrainer, "advance", advance)
    assert train_here("resume=mine") == 0
    assert train_here(*TINY, "run_dir=whole") == 0
    assert same_models(tmp_path / "mine", tmp_path / "whole")
    assert curves_of(tmp_path / "mine") == curves_of(tmp_path / "whole")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["game=latice", "agent=value"],
            "agent=value does not play game=latice: give one of latice_ppo, or game=takeiteasy",
        ),
        (
            ["agent=latice_ppo"],
            "agent=latice_ppo does not play game=takeiteasy: give one of value, quantile, ppo, dqn, "
            "or game=latice",
        ),
        (
            ["game=latice", "rules=adjacent"],
            "rules are those of Take It Easy: with game=latice leave them out, agent.players and agent.deal "
            "say what is played",
        ),
        (["game=latice", "agent.players=5"], "agent: players is 2 to 4, not 5"),
        (
            ["game=latice", "agent.deal=poker"],
            "agent: unknown deal 'poker': choose one of standard, tournament",
        ),
        (["game=latice", "agent.games=1"], "agent.games=1: give 2 or more"),
        (["game=latice", "device=cuda"], "device=cuda: give"),
    ],
)
def test_what_is_not_of_the_game_gets_one_line(
    refused: Callable[..., str], arguments: list[str], message: str
):
    error = refused(*arguments)
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1


def test_a_game_that_there_is_not_is_named(refused: Callable[..., str]):
    assert refused("game=chess") == "error: game=chess: give takeiteasy or latice\n"
