"""What a tournament of Latice keeps on disk while it is played."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.errors import UsageError
from evaluation import shards as of_the_first_game
from evaluation.latice.playing import play_tournament
from evaluation.latice.shards import LaticeShards, claimed, unfinished
from evaluation.latice.tournament import LaticeTournament
from evaluation.playing import Part
from evaluation.tournament import Tournament
from takeiteasy_env.rules import Rules

WHOLE = LaticeTournament(("random", "greedy"), 20, 3, deal="tournament", batch=8, command="first")


def begin(out: Path, part: Part = Part()) -> LaticeShards:  # noqa: B008 (frozen)
    """Play it in a directory, and leave before the results are written."""
    with claimed(out, WHOLE) as shards:
        play_tournament(shards, part=part)
    return shards


def test_what_is_to_be_played_and_a_batch_are_read_as_they_were_written(tmp_path: Path):
    shards = begin(tmp_path)
    assert unfinished(tmp_path) == WHOLE
    assert shards.games_played() == WHOLE.games_in_all == 20
    played = WHOLE.play_batch([WHOLE.make_agent(0), WHOLE.make_agent(1)], 0, 2)
    again = shards.load(0, 2)
    assert played.counts["left"].shape == (2, 2, 2)
    for name, values in played.counts.items():
        assert np.array_equal(again.counts[name], values)
        assert again.counts[name].dtype == np.int16


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_parts_and_workers_play_the_same(tmp_path: Path, workers: int):
    whole, half = begin(tmp_path / "whole"), begin(tmp_path / "parts", Part(1, 2))
    assert half.games_played() == 12
    with claimed(tmp_path / "parts", replace(WHOLE, command="again")) as shards:
        play_tournament(shards, workers, threads=2)
    for batch in WHOLE.batches:
        for name, values in whole.load(0, batch).counts.items():
            assert np.array_equal(shards.load(0, batch).counts[name], values)


def test_an_agent_that_plays_otherwise_than_before_is_refused(tmp_path: Path):
    shards = begin(tmp_path)
    counts = shards.load(0, 0)
    counts.counts["left"][0] += 1
    shards.save(0, 0, counts)
    shards.path(0, 2).unlink()
    with pytest.raises(UsageError, match="the table of random, greedy plays otherwise than when"):
        play_tournament(shards)


def test_a_damaged_batch_is_named(tmp_path: Path):
    shards = begin(tmp_path)
    path = shards.path(0, 1)
    for content in (b"", path.read_bytes()[:-50], shards.path(0, 2).read_bytes()):
        path.write_bytes(content)
        with pytest.raises(UsageError, match=rf"{path.name} is damaged or missing: delete it and go on"):
            shards.load(0, 1)


def test_an_evaluation_of_other_settings_or_of_the_other_game_is_left_alone(tmp_path: Path):
    begin(tmp_path)
    other = Tournament(("random",), 20, 3, Rules())
    for claim, tournament in (
        (claimed, replace(WHOLE, games=24)),
        (of_the_first_game.claimed, other),
    ):
        with (
            pytest.raises(UsageError, match="holds an evaluation of other settings"),
            claim(tmp_path, tournament),
        ):
            pytest.fail("no game may be played")
    with of_the_first_game.claimed(tmp_path / "first", other) as shards:
        (shards.directory / "0_000000.npz").write_bytes(b"")
        with pytest.raises(UsageError, match="other settings"), claimed(tmp_path / "first", WHOLE):
            pytest.fail("no game may be played")


@pytest.mark.parametrize(
    "change",
    [{"players": 9}, {"agents": None}, {"games": 3}, {"more": 1}, {"version": 0}],
)
def test_damaged_settings_get_a_line(tmp_path: Path, change):
    begin(tmp_path)
    path = tmp_path / "shards" / "tournament.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UsageError):
        unfinished(tmp_path)
