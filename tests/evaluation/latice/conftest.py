"""Tournaments that several tests look at."""

from collections.abc import Callable

import pytest

from evaluation.latice.outcome import LaticeOutcome, collect
from evaluation.latice.playing import play_tournament
from evaluation.latice.shards import claimed
from evaluation.latice.tournament import LaticeTournament


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Callable[[LaticeTournament], LaticeOutcome]:
    """Play a tournament and collect what it says."""

    def evaluated(tournament: LaticeTournament) -> LaticeOutcome:
        with claimed(tmp_path_factory.mktemp("played"), tournament) as shards:
            play_tournament(shards)
            return collect(shards)

    return evaluated


@pytest.fixture(scope="session")
def outcome(evaluated: Callable[[LaticeTournament], LaticeOutcome]) -> LaticeOutcome:
    """Everybody against everybody."""
    command = "python evaluate.py game=latice games=20"
    return evaluated(LaticeTournament(("random", "greedy", "planner"), 20, 3, batch=8, command=command))


@pytest.fixture(scope="session")
def table(evaluated: Callable[[LaticeTournament], LaticeOutcome]) -> LaticeOutcome:
    """Four at a table, greedy twice."""
    agents = ("random", "greedy", "planner", "greedy")
    return evaluated(LaticeTournament(agents, 24, 3, players=4, deal="tournament"))
