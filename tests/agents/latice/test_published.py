"""What the README says of Latice's agents is what the published games say, and they still play so."""

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.latice.outcome import LaticeOutcome, outcome_of
from evaluation.latice.tournament import LaticeTournament

ROOT = Path(__file__).parents[3]
PUBLISHED = ROOT / "results" / "latice"
README = (ROOT / "README.md").read_text()
LATICE = README[README.index("## Latice") : README.index("## Speed")]


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return json.loads((PUBLISHED / "results.json").read_text())


@pytest.fixture(scope="module")
def tournament(results: dict[str, Any]) -> LaticeTournament:
    named = re.search(r"agents=\[([\w,]+)\]", results["command"])
    assert named
    settings = {name: results[name] for name in ("games", "seed", "players", "deal")}
    return LaticeTournament(tuple(named[1].split(",")), **settings)


@pytest.fixture(scope="module")
def counts(tournament: LaticeTournament) -> dict[str, np.ndarray]:
    with np.load(PUBLISHED / "games.npz", allow_pickle=False) as games:
        assert np.array_equal(games["seats"], tournament.seats(range(tournament.deals)))
        return {name: games[name] for name in games if name != "seats"}


@pytest.fixture(scope="module")
def outcome(tournament: LaticeTournament, counts: dict[str, np.ndarray]) -> LaticeOutcome:
    return outcome_of(tournament, counts, [1.0] * len(tournament.tables))


def same(found: Any, stated: Any) -> bool:
    """Whether both say the same to as many digits as two machines agree on."""
    if isinstance(found, dict):
        return found.keys() == stated.keys() and all(same(found[key], stated[key]) for key in found)
    if isinstance(found, (list, tuple)):
        return len(found) == len(stated) and all(map(same, found, stated))
    return found == (pytest.approx(stated) if isinstance(stated, float) else stated)


def test_the_summary_is_the_one_of_the_published_games(outcome: LaticeOutcome, results: dict[str, Any]):
    assert results["games"] >= 2000
    assert same([asdict(entry) for entry in outcome.entries], results["agents"])
    assert same([asdict(pair) for pair in outcome.pairs], results["pairs"])


def test_the_tables_are_those_of_the_published_games(outcome: LaticeOutcome, results: dict[str, Any]):
    assert results["command"].replace("'", "") in LATICE.splitlines()
    for entry in outcome.entries:
        low, high = entry.elo.ci95 if entry.elo else (0.0, 0.0)
        elo = f"{entry.elo.value:.0f} | {low:.0f} to {high:.0f}" if entry.elo else "0 | "
        least, most = (100 * end for end in entry.wins.ci95)
        row = f"| `{entry.agent}` | {elo} | {100 * entry.wins.value:.1f} % | {least:.1f} to {most:.1f} |"
        assert row in LATICE
    for pair in outcome.pairs:
        won, tied, lost = (round(pair.games * part.value) for part in (pair.won, pair.tied, pair.lost))
        shares = [
            f"{100 * share.value:.1f} % ({100 * share.ci95[0]:.1f} to {100 * share.ci95[1]:.1f})"
            for share in (pair.of_decided, pair.won)
            if share
        ]
        row = f"| `{pair.first}`, `{pair.second}` | {won:,} | {tied:,} | {lost:,} | {' | '.join(shares)} |"
        assert row in LATICE


def test_the_agents_still_play_the_games_that_are_published(
    tournament: LaticeTournament, counts: dict[str, np.ndarray]
):
    agents = [tournament.make_agent(number) for number in range(len(tournament.agents))]
    for table in range(len(tournament.tables)):
        played = tournament.play(agents, table, range(10))
        for name, values in played.items():
            assert np.array_equal(values, counts[name][table, :10]), name
