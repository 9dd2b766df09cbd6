"""``python train.py -m``: each job equals its run alone, a sweep goes on, and ends with a table."""

import csv
import shutil
import signal

import pytest

from agents.checkpoints import CHECKPOINT
from agents.value_trainer import ValueTrainer
from tests.train.command import TINY, curves_of, same_models

SWEEP = (*TINY, "evaluation_games=0", "hydra.sweep.dir=runs/sweep")


def test_each_job_equals_its_run_alone_and_the_sweep_ends_with_a_table(train_here, tmp_path, capsys):
    assert train_here("-m", *SWEEP, "seed=3,4") == 0
    out = capsys.readouterr().out
    assert train_here(*TINY, "evaluation_games=0", "seed=4", "run_dir=alone") == 0
    sweep = tmp_path / "runs" / "sweep"
    assert same_models(sweep / "1", tmp_path / "alone")
    assert curves_of(sweep / "1") == curves_of(tmp_path / "alone")

    means = [curves_of(sweep / job)["eval/mean"][-1][1] for job in "01"]
    with (sweep / "sweep.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["configuration"], row["seeds"]) == ("all the same", "2")
    assert float(row["mean"]) == pytest.approx(sum(means) / 2)
    assert float(row["ci_low"]) < float(row["mean"]) < float(row["ci_high"])
    assert out.splitlines()[-1] == "the table is in runs/sweep/sweep.csv"


def test_a_sweep_without_a_directory_gets_one_by_its_time(train_here, tmp_path):
    assert train_here("-m", *TINY, "evaluation_games=0", "seed=0,1") == 0
    (sweep,) = (tmp_path / "runs").iterdir()
    assert sweep.name.endswith("_sweep")
    assert {path.name for path in sweep.iterdir() if path.is_dir()} == {"0", "1"}


def test_a_half_written_sweep_goes_on_where_it_was_stopped(train_here, interrupt, tmp_path, capsys):
    """Job 0 is complete, job 1 is stopped in its third round, job 2 is not begun."""
    assert train_here("-m", *SWEEP, "seed=0,1,2") == 0
    sweep, whole = tmp_path / "runs" / "sweep", tmp_path / "whole"
    shutil.copytree(sweep, whole)
    for job in "12":
        shutil.rmtree(sweep / job)
    capsys.readouterr()
    interrupt(signal.SIGTERM, round_=3)
    assert train_here("-m", *SWEEP, "seed=0,1,2") == 143
    assert capsys.readouterr().out.endswith(
        "\nstopped and saved: go on with\n  python train.py resume=runs/sweep/1\n"
        "or with the whole sweep, by its command and hydra.sweep.dir=runs/sweep\n"
    )
    assert not (sweep / "2").exists()

    written = (sweep / "0" / "metrics.csv").read_text()
    assert train_here("-m", *SWEEP, "seed=0,1,2") == 0
    assert (sweep / "0" / "metrics.csv").read_text() == written
    for job in "012":
        assert same_models(sweep / job, whole / job)
        assert curves_of(sweep / job) == curves_of(whole / job)
    assert (sweep / "sweep.csv").read_text() == (whole / "sweep.csv").read_text()


def test_a_job_of_other_settings_is_not_gone_on_with(train_here, tmp_path, capsys):
    assert train_here("-m", *SWEEP, "seed=0") == 0
    saved = (tmp_path / "runs" / "sweep" / "0" / CHECKPOINT).read_bytes()
    assert train_here("-m", *SWEEP, "seed=5") == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error == "error: runs/sweep/0 holds a run of other settings: name another hydra.sweep.dir"
    assert (tmp_path / "runs" / "sweep" / "0" / CHECKPOINT).read_bytes() == saved


def test_a_job_that_diverges_is_worth_nothing_and_the_others_go_on(train_here, monkeypatch, tmp_path, capsys):
    advance = ValueTrainer.advance

    def diverging(trainer: ValueTrainer) -> dict[str, object]:
        lost = trainer.seed == 0 and trainer.round == 2
        return dict(advance(trainer)) | ({"losses/value": float("nan")} if lost else {})

    monkeypatch.setattr(ValueTrainer, "advance", diverging)
    assert train_here("-m", *SWEEP, "seed=0,1") == 0
    assert "error: losses/value is no number any more in round 3: " in capsys.readouterr().err
    assert (tmp_path / "runs" / "sweep" / "1" / "model.safetensors").exists()
