"""The files that an evaluation leaves behind."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.errors import UsageError
from evaluation.collect import collect
from evaluation.outcome import Outcome
from evaluation.pictures import distributions
from evaluation.playing import play_tournament
from evaluation.results import write_results
from evaluation.shards import claimed
from evaluation.statistics import compare, summarise
from evaluation.tournament import Tournament
from takeiteasy_env.rules import Rules

RULES = Rules("adjacent", "best_ray")
AGENTS = ("random", "line_odds", "greedy@sunrays")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    whole = Tournament(AGENTS, 50, 7, RULES, players=2, command="python evaluate.py")
    with claimed(tmp_path_factory.mktemp("played"), whole) as shards:
        play_tournament(shards)
        return collect(shards)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, outcome: Outcome) -> Path:
    out = tmp_path_factory.mktemp("results")
    write_results(out, outcome)
    return out


def test_the_files_hold_the_same_scores(outcome: Outcome, out: Path):
    assert {path.name for path in out.iterdir()} == {"results.json", "scores.npz", "distributions.png"}
    results = json.loads((out / "results.json").read_text())
    assert (results["games"], results["seed"], results["command"]) == (50, 7, "python evaluate.py")
    assert Rules(**results["rules"]) == RULES
    with np.load(out / "scores.npz", allow_pickle=False) as scores:
        assert tuple(scores) == tuple(results["agents"]) == AGENTS
        for entry in outcome.entries:
            assert scores[entry.agent].dtype == np.int16
            assert (scores[entry.agent] == entry.scores).all()
            summary = summarise(scores[entry.agent])
            found = results["agents"][entry.agent]
            for name in ("mean", "sd", "median", "q05", "q95", "min", "max"):
                assert found[name] == getattr(summary, name)
            assert found["ci95"] == list(summary.ci95)
            assert found["quantiles"]["0.25"]["value"] == summary.quantiles[0.25].value
            assert found["good"]["ci95"] == list(summary.good.ci95)
    assert (out / "distributions.png").read_bytes().startswith(b"\x89PNG")


def test_the_summary_says_what_lines_brought_and_how_fast_the_agents_were(outcome: Outcome, out: Path):
    agents = json.loads((out / "results.json").read_text())["agents"]
    for entry in outcome.entries:
        found = agents[entry.agent]
        assert found["completed"]["9"]["3"] == entry.tally.completion()[9][3]
        assert (found["moonbeam_points"], found["sunray_points"]) == entry.tally.ray_points()
        assert found["moves_per_second"] == pytest.approx(19 * 50 / entry.seconds)
        assert found["milliseconds_a_move_alone"] == pytest.approx(1000 * entry.seconds_alone)


def test_the_summary_compares_every_two_agents_alone_and_at_tables(outcome: Outcome, out: Path):
    results = json.loads((out / "results.json").read_text())
    scores = {entry.agent: entry.scores for entry in outcome.entries}
    assert len(results["pairs"]) == 3
    for pair in results["pairs"]:
        expected = compare(scores[pair["better"]], scores[pair["than"]])
        assert (pair["mean"], pair["wins"], pair["games_needed"]) == (
            expected.mean,
            expected.wins,
            expected.games_needed,
        )
        assert pair["mean"] > 0
    tables = results["tables"]
    assert tables["tables"] == [list(names) for names in outcome.tables.tables]
    assert [seat["agent"] for seat in tables["seats"]] == list(AGENTS)
    assert tables["seats"][1]["lead"]["value"] == outcome.tables.seats[1].lead.value
    assert len(tables["pairs"]) == 3
    assert "tables" not in write_and_read(out, replace(outcome, tables=None))


def write_and_read(out: Path, outcome: Outcome) -> dict:
    write_results(out, outcome)
    return json.loads((out / "results.json").read_text())


def test_a_disk_that_refuses_gets_a_line(outcome: Outcome, tmp_path: Path):
    with pytest.raises(UsageError, match="cannot be written to: No such file or directory"):
        write_results(tmp_path / "gone", outcome)


def test_the_picture_has_a_histogram_of_all_games_of_each_agent(outcome: Outcome):
    (axes,) = distributions({entry.agent: entry.scores for entry in outcome.entries}, "50 games").axes
    outlines = [patch for patch in axes.patches if patch.get_label() in axes.get_legend_handles_labels()[1]]
    assert len(outlines) == len(outcome.entries)
    for entry, outline in zip(outcome.entries, outlines, strict=True):
        assert outline.get_label() == f"{entry.agent}, {entry.scores.mean():.1f}"
        assert outline.get_data().values.sum() == pytest.approx(100)


@pytest.mark.parametrize("scores", [[0, 0], [0, 3], [0, 1], [307, 307]])
def test_few_or_equal_scores_still_make_a_picture(scores: list[int], tmp_path: Path):
    sample = np.array(scores, dtype=np.int16)
    distributions({"random": sample}, "2 games").savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000
