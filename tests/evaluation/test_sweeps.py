"""The table of a sweep: which runs are one configuration, and what is said of it."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy import stats

from agents.curves import COLUMNS, METRICS
from evaluation.sweeps import TABLE, Configuration, configurations_of, jobs_of, print_table, write_table


def write_run(run: Path, mean: float, margin: float = 1.96, games: int = 0, **agent: Any) -> None:
    """A run that has learned, as its files say it."""
    run.mkdir(parents=True)
    settings = {
        "agent": {"name": "value", "width": 8} | agent,
        "seed": int(run.name),
        "run_dir": str(run),
        "threads": int(run.name),
        "evaluation_games": games,
    }
    (run / "run.yaml").write_text(yaml.safe_dump(settings))
    rows = [
        (100, "eval/mean", 1.0),
        (200, "eval/mean", mean),
        (200, "eval/ci_low", mean - margin),
        (200, "eval/ci_high", mean + margin),
    ]
    text = "\n".join(",".join(str(cell) for cell in row) for row in (COLUMNS, *rows))
    (run / METRICS).write_text(text + "\n")


def write_finals(run: Path, text: str) -> None:
    (run / "evaluation").mkdir()
    (run / "evaluation" / "results.json").write_text(text)


def test_runs_that_differ_in_their_seed_alone_are_one_configuration_with_an_interval_by_student(tmp_path):
    means = [10.0, 12.0, 17.0]
    for seed, mean in enumerate(means):
        write_run(tmp_path / str(seed), mean)
    (found,) = configurations_of(jobs_of(tmp_path))
    margin = stats.t.ppf(0.975, df=2) * np.std(means, ddof=1) / 3**0.5
    assert found == Configuration(
        configuration="all the same",
        seeds=3,
        mean=pytest.approx(13.0),
        ci95=pytest.approx((13.0 - margin, 13.0 + margin)),
        sd=pytest.approx(np.std(means, ddof=1)),
        noise=pytest.approx(1.0),
    )


def test_configurations_are_named_by_what_differs_and_the_best_comes_first(tmp_path):
    for seed, (width, mean) in enumerate([(8, 10.0), (16, 20.0), (8, 12.0), (16, 22.0)]):
        write_run(tmp_path / str(seed), mean, width=width, rate=0.1)
    found = configurations_of(jobs_of(tmp_path))
    assert [(row.configuration, row.seeds, row.mean) for row in found] == [
        ("agent.width=16", 2, 21.0),
        ("agent.width=8", 2, 11.0),
    ]


def test_agents_of_different_kinds_are_named_by_their_names(tmp_path):
    for seed, agent in enumerate(
        [{"name": "value"}, {"name": "ppo", "clip": 0.1}, {"name": "ppo", "clip": 0.2}]
    ):
        write_run(tmp_path / str(seed), 10.0 - seed, **agent)
    found = configurations_of(jobs_of(tmp_path))
    assert [row.configuration for row in found] == [
        "agent=value", "agent=ppo agent.clip=0.1", "agent=ppo agent.clip=0.2",
    ]  # fmt: skip


def test_a_single_run_has_no_interval(tmp_path, capsys):
    write_run(tmp_path / "0", 10.0)
    found = configurations_of(jobs_of(tmp_path))
    assert (found[0].ci95, found[0].sd) == (None, None)
    write_table(tmp_path, found)
    with (tmp_path / TABLE).open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["mean"], row["ci_low"], row["sd"]) == ("10.0", "", "")
    print_table(found)
    assert capsys.readouterr().out.splitlines()[-1].split() == ["all", "the", "same", "1", "10.00", "1.00"]


def test_final_games_come_before_the_validation_and_a_run_without_them_is_not_at_its_end(tmp_path):
    for seed in (0, 1):
        write_run(tmp_path / str(seed), 10.0, games=50)
    agents = '"random": {"mean": 1, "ci95": [0, 2]}, "value:0": {"mean": 30.0, "ci95": [28.04, 31.96]}'
    write_finals(tmp_path / "0", f'{{"agents": {{{agents}}}}}')
    (job,) = jobs_of(tmp_path)
    assert (job.mean, job.noise) == (30.0, pytest.approx(1.0))


def test_at_a_table_the_points_with_the_bonuses_count(tmp_path):
    write_run(tmp_path / "0", 10.0, games=50)
    seat = '{"agent": "value:0", "points": {"value": 90.0, "ci95": [86.08, 93.92]}}'
    write_finals(tmp_path / "0", f'{{"agents": {{}}, "tables": {{"seats": [{seat}]}}}}')
    (job,) = jobs_of(tmp_path)
    assert (job.mean, job.noise) == (90.0, pytest.approx(2.0))


def test_a_run_that_has_not_been_evaluated_is_left_out(tmp_path):
    write_run(tmp_path / "0", 10.0)
    (tmp_path / "0" / METRICS).write_text("step,name,value\n")
    write_run(tmp_path / "1", 10.0)
    (tmp_path / "1" / METRICS).unlink()
    assert jobs_of(tmp_path) == []
