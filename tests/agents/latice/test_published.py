"""What the README says of Latice's agents is what the published games say, and they still play so."""

import json
from pathlib import Path

import numpy as np
import pytest

from agents.latice.agent import make_latice_agent
from agents.latice.play import play
from evaluation.statistics import share
from latice_env import Rules
from latice_env.deal import random_words
from takeiteasy_env.draws import Purpose, stream

ROOT = Path(__file__).parents[3]
PAIRS = ["greedy random", "planner random", "planner greedy"]


def published(pair: str) -> tuple[dict[str, np.ndarray], dict]:
    directory = ROOT / "results" / f"latice_{pair.replace(' ', '_')}"
    with np.load(directory / "games.npz", allow_pickle=False) as games:
        return dict(games), json.loads((directory / "results.json").read_text())


def percent(won: int, of: int) -> str:
    estimate = share(won, of)
    low, high = estimate.ci95
    return f"{100 * estimate.value:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


@pytest.mark.parametrize("pair", PAIRS)
def test_the_table_is_the_one_of_the_published_games(pair):
    games, results = published(pair)
    won = int((games["winners"][:, 0] > games["winners"][:, 1]).sum())
    lost = int((games["winners"][:, 0] < games["winners"][:, 1]).sum())
    count = len(games["winners"])
    assert (results["won"], results["lost"], results["games"]) == (won, lost, count) == (won, lost, 2000)
    named = ", ".join(f"`{agent}`" for agent in pair.split())
    tied = count - won - lost
    row = f"| {named} | {won:,} | {lost} | {tied} | {percent(won, won + lost)} | {percent(won, count)} |"
    assert row in (ROOT / "README.md").read_text()
    assert f"python benchmarks/latice_strength.py {pair}\n" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("pair", PAIRS)
def test_the_agents_still_play_the_games_that_are_published(pair):
    games, results = published(pair)
    agents = [make_latice_agent(name, results["seed"]) for name in pair.split()]
    words = random_words(stream(results["seed"], Purpose.EVALUATE), 20)
    played = play(agents, Rules(deal=results["deal"]), words)
    assert np.array_equal(played.left, games["left"][:20])
    assert np.array_equal(played.actions, games["actions"][:20])
