"""What an evaluation keeps on disk while it is played."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.errors import UsageError
from evaluation.playing import play_tournament
from evaluation.results import RESULT_FILES
from evaluation.shards import Shards, claimed, unfinished
from evaluation.tournament import Tournament
from takeiteasy_env.rules import Rules

WHOLE = Tournament(
    ("greedy", "random"), 20, 3, Rules("adjacent", "sunrays", (0, 5)), batch=8, command="first"
)

ADJUSTED = replace(WHOLE, rules=Rules("adjacent"), adjust="value")


def begin(out: Path, tournament: Tournament = WHOLE) -> Shards:
    """Play it in a directory, and leave before the results are written."""
    with claimed(out, tournament) as shards:
        play_tournament(shards)
    return shards


def test_what_is_to_be_played_is_read_as_it_was_written(tmp_path: Path):
    for tournament in (WHOLE, ADJUSTED):
        begin(tmp_path / f"{tournament.adjust}", tournament)
        assert unfinished(tmp_path / f"{tournament.adjust}") == tournament


def test_a_batch_is_read_as_it_was_written(tmp_path: Path):
    shards = begin(tmp_path)
    played = WHOLE.play_batch(WHOLE.make_agent(1), 1, 2)
    shards.save(1, 2, played)
    again = shards.load(1, 2)
    assert (again.cells == played.cells).all()
    assert (again.scores == played.scores).all()
    assert (again.cells.dtype, again.scores.dtype) == (np.int8, np.int16)
    assert (again.seconds, again.seconds_alone) == (played.seconds, 0)


def test_it_knows_which_seats_have_played_a_batch_and_how_many_games_there_are(tmp_path: Path):
    shards = begin(tmp_path)
    assert shards.games_played() == 40
    shards.path(0, 2).unlink()
    shards.path(1, 0).unlink()
    assert [shards.seats_missing(batch) for batch in WHOLE.batches] == [[1], [], [0]]
    assert shards.games_played() == 40 - 8 - 4


def test_shards_go_when_the_results_are_there(tmp_path: Path):
    begin(tmp_path)
    with claimed(tmp_path, WHOLE):
        (tmp_path / "results.json").write_text("{}")
    assert {path.name for path in tmp_path.iterdir()} == {"results.json"}
    with pytest.raises(UsageError, match=r"no unfinished evaluation in .*: it is complete"):
        unfinished(tmp_path)


def test_the_same_again_goes_on_and_keeps_what_was_typed_first(tmp_path: Path):
    begin(tmp_path)
    with claimed(tmp_path, replace(WHOLE, command="second")) as shards:
        assert shards.tournament == WHOLE
        assert shards.games_played() == 40


@pytest.mark.parametrize(
    "other", [{"seed": 4}, {"games": 30}, {"agents": ("random",)}, {"rules": Rules()}, {"adjust": "value"}]
)
def test_another_evaluation_is_refused(tmp_path: Path, other):
    begin(tmp_path)
    with (
        pytest.raises(
            UsageError, match="evaluation of other settings that is not finished: go on with resume="
        ),
        claimed(tmp_path, replace(WHOLE, **other)),
    ):
        pytest.fail("no game may be played")
    assert unfinished(tmp_path) == WHOLE


def test_a_directory_is_made_with_those_above_it(tmp_path: Path):
    begin(tmp_path / "reports" / "mine")
    assert (tmp_path / "reports" / "mine" / "shards" / "0_000000.npz").exists()


@pytest.mark.parametrize("there", [True, False])
def test_what_fails_before_the_first_batch_leaves_nothing_behind(tmp_path: Path, there: bool):
    out = tmp_path / "mine"
    if there:
        out.mkdir()
        (out / "notes.txt").write_text("mine")

    def fail() -> None:
        with claimed(out, WHOLE):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [path.name for path in tmp_path.rglob("*")] == (["mine", "notes.txt"] if there else [])


@pytest.mark.parametrize("name", RESULT_FILES)
def test_results_are_never_overwritten(tmp_path: Path, name: str):
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=f"already holds {name}"), claimed(tmp_path, WHOLE):
        pytest.fail("no game may be played")
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_is_no_directory_and_has_none_below_it(tmp_path: Path):
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    for out, reason in ((file, "is a file"), (file / "below", "cannot be written to: Not a directory")):
        with pytest.raises(UsageError, match=reason), claimed(out, WHOLE):
            pytest.fail("no game may be played")
    assert file.read_text() == "mine"


def refuse(*_: object, **__: object) -> None:
    """Do as a disk without permission: the superuser may write wherever the mode forbids it."""
    raise PermissionError(13, "Permission denied")


def test_a_disk_that_refuses_gets_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shards = begin(tmp_path)
    monkeypatch.setattr("evaluation.shards.write_whole", refuse)
    monkeypatch.setattr("evaluation.claim.write_whole", refuse)
    with pytest.raises(UsageError, match="cannot be written to: Permission denied"):
        shards.save(0, 0, shards.load(0, 0))
    with (
        pytest.raises(UsageError, match="cannot be written to: Permission denied"),
        claimed(tmp_path / "other", WHOLE),
    ):
        pytest.fail("no game may be played")


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def of_other_games(path: Path) -> None:
    np.savez(
        path, cells=np.zeros((3, 19), np.int8), scores=np.zeros(3, np.int16), seconds=1.0, seconds_alone=0.0
    )


def without_scores(path: Path) -> None:
    np.savez(path, cells=np.zeros((8, 19), np.int8))


def without_luck(path: Path) -> None:
    with np.load(path) as arrays:
        others = {name: arrays[name] for name in arrays if name != "luck"}
    np.savez(path, **others)


def with_luck_of_other_games(path: Path) -> None:
    with np.load(path) as arrays:
        others = {name: arrays[name] for name in arrays}
    np.savez(path, **others | {"luck": np.zeros(3, np.float32)})


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [cut_off, empty, of_other_games, without_scores, remove])
def test_a_damaged_batch_gets_a_line_that_names_it(tmp_path: Path, damage):
    shards = begin(tmp_path)
    damage(shards.path(1, 1))
    with pytest.raises(
        UsageError, match=r"1_000001\.npz is damaged or missing: delete it and go on"
    ) as error:
        shards.load(1, 1)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("damage", [without_luck, with_luck_of_other_games])
def test_a_batch_whose_luck_is_not_that_of_its_games_is_damaged(tmp_path: Path, damage):
    shards = begin(tmp_path, ADJUSTED)
    whole = shards.load(0, 0).luck
    assert whole is not None
    assert (whole.dtype, whole.shape) == (np.float32, (8,))
    damage(shards.path(0, 0))
    with pytest.raises(UsageError, match=r"0_000000\.npz is damaged or missing: delete it and go on"):
        shards.load(0, 0)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"version": 1}, "has version 1, not 2"),
        ({"games": "many"}, "is damaged"),
        ({"games": 0}, "games=0: give 2 or more"),
        ({"rules": {"placement": "anywhere", "scoring": "standard", "suns": []}}, "is damaged"),
        ({"colour": "green"}, "is damaged"),
        ({"agents": None}, "is damaged"),
    ],
)
def test_a_damaged_tournament_gets_a_line_that_names_it(tmp_path: Path, change, named):
    begin(tmp_path)
    path = tmp_path / "shards" / "tournament.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UsageError, match=named) as error:
        unfinished(tmp_path)
    assert "\n" not in str(error.value)


def test_where_nothing_was_begun_nothing_can_be_gone_on_with(tmp_path: Path):
    with pytest.raises(UsageError, match=r"no unfinished evaluation in .*: No such file or directory"):
        unfinished(tmp_path)
    begin(tmp_path)
    (tmp_path / "shards" / "tournament.json").write_text("{")
    with pytest.raises(UsageError, match="is damaged"):
        unfinished(tmp_path)
