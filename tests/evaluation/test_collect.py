"""What a tournament says when all its batches are there."""

from pathlib import Path

import numpy as np
import pytest

from agents.agent import make_agent
from agents.errors import UsageError
from agents.play import play
from evaluation.collect import collect
from evaluation.outcome import Outcome
from evaluation.playing import play_tournament
from evaluation.shards import Shards, claimed
from evaluation.statistics import compare
from evaluation.tally import Tally
from evaluation.tournament import Tournament
from takeiteasy_env.rules import Rules, scores_of

RULES = Rules("adjacent", "sunrays")
WHOLE = Tournament(("greedy", "line_odds"), 50, 2, RULES, batch=8, command="python evaluate.py")


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Shards:
    with claimed(tmp_path_factory.mktemp("played"), WHOLE) as shards:
        play_tournament(shards)
    return shards


@pytest.fixture(scope="module")
def outcome(shards: Shards) -> Outcome:
    return collect(shards)


def test_it_says_what_was_played(outcome: Outcome):
    assert (outcome.rules, outcome.games, outcome.seed) == (RULES, 50, 2)
    assert outcome.command == "python evaluate.py"
    assert [entry.agent for entry in outcome.entries] == ["greedy", "line_odds"]
    assert outcome.tables is None


def test_scores_and_counts_are_those_of_the_games_played_in_one_go(outcome: Outcome):
    games = play(make_agent("line_odds", RULES), WHOLE.draws(range(50)), RULES)
    entry = outcome.entries[1]
    assert entry.scores.dtype == np.int16
    assert (entry.scores == games.scores).all()
    expected = Tally.of(games.boards, RULES)
    assert (entry.tally.games, entry.tally.moves) == (50, 950)
    for name in ("placed", "completed", "rays"):
        assert (getattr(entry.tally, name) == getattr(expected, name)).all()


def test_the_time_is_that_of_all_batches(outcome: Outcome, shards: Shards):
    seconds = sum(shards.load(0, batch).seconds for batch in WHOLE.batches)
    assert outcome.entries[0].seconds == pytest.approx(seconds)
    assert outcome.entries[0].moves_per_second == pytest.approx(950 / seconds)
    assert outcome.entries[0].seconds_alone == shards.load(0, 0).seconds_alone


def test_the_games_worth_showing_are_the_first_best_median_and_worst_ones(outcome: Outcome):
    for entry in outcome.entries:
        points = {
            "best": entry.scores.max(),
            "median": np.sort(entry.scores)[24],
            "worst": entry.scores.min(),
        }
        assert list(entry.shown) == list(points)
        for name, game in entry.shown.items():
            assert game.score == points[name]
            assert game.number == entry.scores.tolist().index(game.score)
            assert (game.draws == WHOLE.draws(range(game.number, game.number + 1))[0]).all()
            board = np.full(19, -1, dtype=np.int8)
            board[game.cells] = game.draws
            assert scores_of(board[None], RULES)[0] == game.score


def test_pairs_put_the_better_one_first(outcome: Outcome):
    greedy, line_odds = (entry.scores for entry in outcome.entries)
    assert outcome.pairs() == {("line_odds", "greedy"): compare(line_odds, greedy)}


def test_a_missing_batch_is_named(tmp_path: Path):
    with claimed(tmp_path, WHOLE) as shards:
        play_tournament(shards)
    shards.path(1, 6).unlink()
    with pytest.raises(UsageError, match=r"1_000006\.npz is damaged or missing"):
        collect(shards)
