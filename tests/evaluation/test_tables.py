"""Agents at tables, against the slow second set of rules."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from evaluation.collect import collect
from evaluation.outcome import Outcome
from evaluation.playing import play_tournament
from evaluation.shards import claimed
from evaluation.tournament import Tournament
from takeiteasy_env.rules import Rules
from tests.reference.game import TILES
from tests.reference.table import ReferenceTable

GAMES = 40
#: With many suns rays are not rare, and equal ones are shared.
BEST_RAY = Rules("sun_moon", "best_ray", (*range(9), *range(18, 27)))


def played(
    out: Path, agents: list[str], players: int, rules: Rules = BEST_RAY, games: int = GAMES
) -> Outcome:
    with claimed(out, Tournament(tuple(agents), games, 0, rules, players, batch=16)) as shards:
        play_tournament(shards)
        return collect(shards)


def points_by_the_reference(agents: list[str], players: int) -> np.ndarray:
    """float64 (GAMES, players), the points of each seat of one table."""
    table = Tournament(tuple(agents), GAMES, 0, BEST_RAY, players)
    games = [table.play(table.make_agent(seat), seat, range(GAMES)) for seat in range(players)]
    suns = frozenset(TILES[tile] for tile, sun in enumerate(BEST_RAY.suns) if sun)
    points = []
    for game in range(GAMES):
        reference = ReferenceTable(players, BEST_RAY.placement, BEST_RAY.scoring, suns)
        for turn in range(19):
            reference.place(
                TILES[games[0].draws[game, turn]], [int(seat.cells[game, turn]) for seat in games]
            )
        points.append([float(own) for own in reference.points])
    return np.array(points)


def test_points_ranks_and_wins_are_those_of_the_reference(tmp_path: Path):
    agents = ["line_odds", "greedy", "random"]
    points = points_by_the_reference(agents, 3)
    tables = played(tmp_path, agents, 3).tables
    assert tables.tables == (tuple(agents),)
    ranks = stats.rankdata(-points, axis=1)
    best = points == points.max(axis=1, keepdims=True)
    for seat, row in enumerate(tables.seats):
        assert row.agent == agents[seat]
        assert row.points.value == pytest.approx(points[:, seat].mean())
        interval = stats.ttest_1samp(points[:, seat], 0).confidence_interval(0.95)
        assert row.points.ci95 == pytest.approx((interval.low, interval.high))
        assert row.rank.value == pytest.approx(ranks[:, seat].mean())
        assert row.wins.value == pytest.approx((best / best.sum(axis=1, keepdims=True))[:, seat].mean())
        others = np.delete(points, seat, axis=1).mean(axis=1)
        assert row.lead.value == pytest.approx((points[:, seat] - others).mean())
    assert sum(row.bonus for row in tables.seats) > 0
    assert sum(row.wins.value for row in tables.seats) == pytest.approx(1)


def test_the_first_seat_against_three_of_another_agent_is_compared_with_their_mean(tmp_path: Path):
    agents = ["line_odds", "random", "random", "random"]
    points = points_by_the_reference(agents, 4)
    first, other = played(tmp_path, agents, 4).tables.seats
    lead = points[:, 0] - points[:, 1:].mean(axis=1)
    interval = stats.ttest_1samp(lead, 0).confidence_interval(0.95)
    assert first.lead.value == pytest.approx(lead.mean(), abs=1e-4)
    assert first.lead.ci95 == pytest.approx((interval.low, interval.high), abs=1e-4)
    assert other.lead.value == pytest.approx(-first.lead.value)
    assert other.points.value == pytest.approx(points[:, 1:].mean(), abs=1e-4)


def test_copies_of_an_agent_without_choices_play_alike_and_share_what_they_win(tmp_path: Path):
    row, greedy = played(tmp_path, ["line_odds", "line_odds", "greedy"], 3).tables.seats
    alone = played(tmp_path / "two", ["line_odds", "greedy"], 2).tables.seats
    assert row.points.value - row.bonus == pytest.approx(alone[0].points.value - alone[0].bonus)
    assert row.bonus < alone[0].bonus
    assert 2 * row.wins.value + greedy.wins.value == pytest.approx(1)


def test_a_round_robin_seats_every_choice_of_agents(tmp_path: Path):
    agents = ["line_odds", "greedy", "random"]
    every = played(tmp_path / "all", agents, 2).tables
    assert every.tables == tuple(combinations(agents, 2))
    duels = [played(tmp_path / f"{one}_{other}", [one, other], 2).tables for one, other in every.tables]
    for row in every.seats:
        own = [seat for duel in duels for seat in duel.seats if seat.agent == row.agent]
        assert len(own) == 2
        for name in ("points", "rank", "wins", "lead"):
            assert getattr(row, name).value == pytest.approx(
                np.mean([getattr(seat, name).value for seat in own]), abs=1e-4
            )
        assert row.bonus == pytest.approx(np.mean([seat.bonus for seat in own]), abs=1e-4)
    assert every.pairs.keys() == {("line_odds", "greedy"), ("line_odds", "random"), ("greedy", "random")}
    for duel in duels:
        ((names, pair),) = duel.pairs.items()
        assert every.pairs[names].mean == pytest.approx(pair.mean, abs=1e-4)
        assert (every.pairs[names].wins, every.pairs[names].ties) == (pair.wins, pair.ties)


def test_without_bonuses_a_table_adds_ranks_alone(tmp_path: Path):
    outcome = played(tmp_path, ["line_odds", "greedy"], 2, Rules())
    for entry, row in zip(outcome.entries, outcome.tables.seats, strict=True):
        assert row.points.value == pytest.approx(entry.scores.mean())
        assert row.bonus == 0
    ((names, pair),) = outcome.tables.pairs.items()
    alone = outcome.pairs()[names]
    assert pair.mean == pytest.approx(alone.mean)
    assert pair.ci95 == pytest.approx(alone.ci95)
    assert (pair.wins, pair.ties, pair.losses) == (alone.wins, alone.ties, alone.losses)


def test_an_agent_at_a_table_with_itself_has_nobody_to_lead(tmp_path: Path):
    (row,) = played(tmp_path, ["line_odds", "line_odds"], 2).tables.seats
    assert row.lead is None
    assert row.rank.value == 1.5
    assert row.wins.value == 0.5
