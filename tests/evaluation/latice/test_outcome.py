"""What a tournament says follows from the counts of its games, and the counts from the rules."""

import numpy as np
import pytest

from evaluation.latice.outcome import outcome_of
from evaluation.latice.tournament import LaticeTournament
from evaluation.statistics import estimate_mean


@pytest.mark.parametrize("found", ["outcome", "table"])
def test_stones_are_spent_kept_or_lost_and_no_more_winds_are_played_than_there_are(found, request):
    counts = request.getfixturevalue(found).counts
    players = counts["left"].shape[-1]
    spent = counts["sunstone_moves"] + (2 if players == 4 else 3) * counts["winds_bought"]
    lost = counts["sunstones"] - spent - counts["sunstones_kept"]
    assert (lost >= 0).all()
    assert np.array_equal(counts["halfstones"], 2 * counts["halfstone_moves"] + counts["halfstones_kept"])
    assert (counts["winds"].sum(axis=3) <= 12 + counts["winds_bought"].sum(axis=3)).all()
    fewest = counts["left"] == counts["left"].min(axis=3, keepdims=True)
    assert np.array_equal(counts["winners"], fewest)
    emptied = counts["outcomes"] == 1
    assert np.array_equal(emptied, (counts["left"] == 0).any(axis=3))


def test_agents_and_pairs_are_in_the_order_of_their_elo(outcome):
    assert [entry.agent for entry in outcome.entries] == ["planner", "greedy", "random"]
    assert [(pair.first, pair.second) for pair in outcome.pairs] == [
        ("planner", "greedy"),
        ("planner", "random"),
        ("greedy", "random"),
    ]
    assert outcome.entries[-1].elo is None
    assert all(pair.elo.value > 0 for pair in outcome.pairs)
    assert outcome.pairs[1].elo == outcome.entries[0].elo


def test_pairs_and_endings_are_shares_of_all_games(outcome, table):
    for pair in (*outcome.pairs, *table.pairs):
        assert pair.won.value + pair.tied.value + pair.lost.value == pytest.approx(1)
    for played in (*outcome.tables, *table.tables):
        assert sum(share.value for share in played.endings.values()) == pytest.approx(1)
    assert [pair.games for pair in outcome.pairs] == [20] * 3
    assert {(pair.first, pair.second): pair.games for pair in table.pairs} == {
        ("planner", "greedy"): 48,  # greedy has two seats of the four
        ("planner", "random"): 24,
        ("greedy", "random"): 48,
    }


def test_a_win_that_is_shared_counts_in_equal_parts(outcome, table):
    assert sum(entry.wins.value for entry in outcome.entries) == pytest.approx(3 / 2)
    wins = {entry.agent: entry.wins.value for entry in table.entries}
    assert wins["planner"] + wins["random"] + 2 * wins["greedy"] == pytest.approx(1)


def small(left: list, **others: list):
    """What three agents say of whom each deal is played once from every seat, with these tiles left."""
    tournament = LaticeTournament(("random", "greedy"), 4, 0)
    tiles = np.array([left], dtype=np.int16)
    counts = {
        name: np.zeros_like(tiles)
        for name in (
            "actions",
            "turns",
            "winds",
            "sunstones",
            "halfstones",
            "sunstone_moves",
            "halfstone_moves",
            "winds_bought",
            "exchanged",
            "sunstones_kept",
            "halfstones_kept",
        )
    }
    counts |= {name: np.array([values], dtype=np.int16) for name, values in others.items()}
    winners = (tiles == tiles.min(axis=3, keepdims=True)).astype(np.int16)
    outcomes = np.where((tiles == 0).any(axis=3), 1, 2).astype(np.int16)
    return outcome_of(tournament, {"winners": winners, "outcomes": outcomes, "left": tiles} | counts, [2.0])


def test_by_hand():
    found = small(
        left=[[[3, 0], [5, 5]], [[0, 1], [7, 9]]],
        turns=[[[10, 10], [4, 5]], [[1, 2], [3, 4]]],
        sunstones=[[[9, 0], [0, 0]], [[0, 0], [0, 3]]],
        sunstone_moves=[[[2, 0], [0, 0]], [[0, 0], [0, 0]]],
        winds_bought=[[[1, 0], [0, 0]], [[0, 0], [0, 1]]],
        sunstones_kept=[[[1, 0], [0, 0]], [[0, 0], [0, 0]]],
    )
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.games) == ("random", "greedy", 4)
    assert (pair.won.value, pair.tied.value, pair.lost.value) == (0.5, 0.25, 0.25)
    assert pair.of_decided is not None
    assert pair.of_decided.value == 2 / 3
    (played,) = found.tables
    assert {name: share.value for name, share in played.endings.items()} == {
        "emptied": 0.5,
        "blocked": 0.5,
        "no_progress": 0.0,
    }
    assert played.turns == estimate_mean(np.array([14.5, 5.0]))
    assert played.games_per_second == 2
    random, greedy = (entry.habits for entry in found.entries)
    assert (random["sunstones"], random["sunstones_spent"], random["sunstones_kept"]) == (9 / 4, 5 / 4, 1 / 4)
    assert (random["sunstones_lost"], greedy["sunstones_lost"]) == (3 / 4, 0)


def test_the_first_deals_say_the_same_whatever_is_played_beside(outcome, evaluated):
    alone = evaluated(LaticeTournament(("greedy", "planner"), 8, 3))
    for name, values in alone.counts.items():
        assert np.array_equal(values[0], outcome.counts[name][2, :4])
