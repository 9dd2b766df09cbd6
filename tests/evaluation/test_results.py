import json
from pathlib import Path

import numpy as np
import pytest

from agents.errors import UsageError
from evaluation.pictures import distributions
from evaluation.report import HEADINGS, print_table
from evaluation.results import new_directory, write_results
from evaluation.statistics import summarise
from evaluation.tournament import Entry
from takeiteasy_env.rules import Rules

NAMES = ("random", "value:runs/mine", "value:../other/run.npy")
FILES = {"results.json", "scores.npz", "distributions.png"}


@pytest.fixture
def entries() -> list[Entry]:
    rng = np.random.default_rng(0)
    return [Entry(name, rng.integers(0, 308, 50).astype(np.int16), seconds=0.5) for name in NAMES]


def test_the_files_hold_the_same_scores(entries: list[Entry], tmp_path: Path):
    rules = Rules("adjacent", "sunrays")
    write_results(tmp_path, entries, rules, seed=7, command="python evaluate.py")
    assert {path.name for path in tmp_path.iterdir()} == FILES
    results = json.loads((tmp_path / "results.json").read_text())
    assert (results["games"], results["seed"]) == (50, 7)
    assert Rules(**results["rules"]) == rules
    with np.load(tmp_path / "scores.npz", allow_pickle=False) as scores:
        assert tuple(scores) == tuple(results["agents"]) == NAMES
        for entry in entries:
            assert scores[entry.agent].dtype == np.int16
            assert scores[entry.agent].tolist() == entry.scores.tolist()
            summary = summarise(scores[entry.agent])
            assert results["agents"][entry.agent] == {
                "mean": summary.mean,
                "ci95": list(summary.ci95),
                "sd": summary.sd,
                "median": summary.median,
                "q05": summary.q05,
                "q95": summary.q95,
                "min": summary.min,
                "max": summary.max,
                "illegal": 0,
                "games_per_second": 100,
            }
    assert (tmp_path / "distributions.png").read_bytes().startswith(b"\x89PNG")


def test_the_picture_has_a_histogram_of_all_games_of_each_agent(entries: list[Entry]):
    (axes,) = distributions({entry.agent: entry.scores for entry in entries}, "50 games").axes
    outlines = [patch for patch in axes.patches if patch.get_label() in axes.get_legend_handles_labels()[1]]
    assert len(outlines) == len(entries)
    for entry, outline in zip(entries, outlines, strict=True):
        assert outline.get_label() == f"{entry.agent}, {entry.scores.mean():.1f}"
        assert outline.get_data().values.sum() == pytest.approx(100)


@pytest.mark.parametrize("scores", [[0, 0], [0, 3], [0, 1], [307, 307]])
def test_few_or_equal_scores_still_make_a_picture(scores: list[int], tmp_path: Path):
    sample = np.array(scores, dtype=np.int16)
    distributions({"random": sample}, "2 games").savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_the_table_has_a_line_for_each_agent_in_aligned_columns(
    entries: list[Entry], capsys: pytest.CaptureFixture[str]
):
    print_table(entries)
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split("  ")[0] == "agent"
    assert all(title in heading for title in HEADINGS)
    assert len({len(line) for line in (heading, *rows)}) == 1
    for entry, row in zip(entries, rows, strict=True):
        assert row.startswith(f"{entry.agent} ")
        assert f"{entry.scores.mean():.2f}" in row.split()
        assert row.endswith("100")


def test_a_directory_is_made_with_those_above_it(tmp_path: Path):
    out = tmp_path / "reports" / "mine"
    with new_directory(out):
        assert out.is_dir()
    assert out.is_dir()


def test_a_failed_evaluation_leaves_no_directory_behind(tmp_path: Path):
    def fail(out: Path) -> None:
        with new_directory(out):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail(tmp_path / "mine")
    assert not (tmp_path / "mine").exists()
    with pytest.raises(KeyboardInterrupt):
        fail(tmp_path)
    assert tmp_path.exists(), "it was there before"


@pytest.mark.parametrize("name", sorted(FILES))
def test_results_are_never_overwritten(tmp_path: Path, name: str):
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=f"already holds {name}"), new_directory(tmp_path):
        pytest.fail("no game may be played")
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_is_no_directory_and_has_none_below_it(tmp_path: Path):
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    for out, reason in ((file, "is a file"), (file / "below", "cannot be written to: Not a directory")):
        with pytest.raises(UsageError, match=reason), new_directory(out):
            pytest.fail("no game may be played")
    assert file.read_text() == "mine"


def test_a_directory_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(
        "tempfile.TemporaryFile", refuse
    )  # the superuser may write wherever the mode forbids it
    with pytest.raises(UsageError, match="cannot be written to: Permission denied"), new_directory(tmp_path):
        pytest.fail("no game may be played")
