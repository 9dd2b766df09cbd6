"""Agents by name."""

import pytest

from agents.agent import AGENTS, make_agent
from agents.errors import UsageError
from agents.heuristics import GreedyAgent, RandomAgent
from agents.line_odds import LineOddsAgent
from takeiteasy_env.rules import Rules


@pytest.mark.parametrize(
    ("name", "kind"), [("random", RandomAgent), ("greedy", GreedyAgent), ("line_odds", LineOddsAgent)]
)
def test_a_baseline_is_made_by_its_name_for_the_rules_it_will_play(name, kind):
    rules = Rules("sun_moon", "sunrays")
    agent = make_agent(name, rules)
    assert type(agent) is kind
    assert agent.rules == rules


@pytest.mark.parametrize("spec", ["clever", "", "Random", "clever:runs/mine"])
def test_an_unknown_name_is_refused_with_those_that_are_known(spec):
    with pytest.raises(UsageError) as error:
        make_agent(spec, Rules())
    text = str(error.value)
    assert text.startswith(f"unknown agent {spec.partition(':')[0]!r}: choose one of ")
    assert all(name in text for name in AGENTS)
    assert "\n" not in text


@pytest.mark.parametrize("name", ["random", "greedy", "line_odds"])
def test_a_baseline_has_nothing_to_load(name):
    with pytest.raises(UsageError, match=f"^{name} has nothing to load: write {name}, not {name}:runs/mine$"):
        make_agent(f"{name}:runs/mine", Rules())
