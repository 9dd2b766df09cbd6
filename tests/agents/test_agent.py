"""Agents by name, and those of others by module and class."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from agents.agent import AGENTS, make_agent
from agents.errors import UsageError
from agents.heuristics import GreedyAgent, RandomAgent
from agents.line_odds import LineOddsAgent
from agents.play import play
from agents.value import ValueAgent
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import Rules

OWN_AGENT = """
import numpy as np

class InOrder:
    def __init__(self, rules, seed):
        self.rules, self.seed = rules, seed

    def values(self, positions):
        return np.where(positions.legal(self.rules), np.float32(0), -np.inf)

class Plain:
    def values(self, positions):
        return np.where(positions.board == -1, np.float32(0), -np.inf)

def made_by_a_function(rules):
    return InOrder(rules, 5)

class NoAgent:
    pass

class Broken:
    def __init__(self):
        raise OSError("no weights\\nhere")
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Write a module into the current directory, and give its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write(text: str) -> str:
        name = f"{tmp_path.name}_{len(list(tmp_path.iterdir()))}"
        (tmp_path / f"{name}.py").write_text(text)
        return name

    return write


@pytest.mark.parametrize(
    ("name", "kind"), [("random", RandomAgent), ("greedy", GreedyAgent), ("line_odds", LineOddsAgent)]
)
def test_a_baseline_is_made_by_its_name_for_the_rules_it_will_play(name, kind):
    rules = Rules("sun_moon", "sunrays")
    agent = make_agent(name, rules)
    assert type(agent) is kind
    assert agent.rules == rules


@pytest.mark.parametrize("spec", ["clever", "", "Random", "clever:runs/mine", "nowhere:Clever", "a.b:Clever"])
def test_an_unknown_name_is_refused_with_those_that_are_known(spec):
    with pytest.raises(UsageError) as error:
        make_agent(spec, Rules())
    text = str(error.value)
    assert text.startswith(f"unknown agent {spec.partition(':')[0]!r}: choose one of ")
    assert all(name in text for name in (*AGENTS, "module:Class"))
    assert "\n" not in text


@pytest.mark.parametrize("name", ["random", "greedy", "line_odds"])
def test_a_baseline_has_nothing_to_load(name):
    with pytest.raises(UsageError, match=f"^{name} has nothing to load: write {name}, not {name}:runs/mine$"):
        make_agent(f"{name}:runs/mine", Rules())


@pytest.mark.parametrize(
    ("spec", "margin"),
    [
        ("search", 2.5),
        ("search+margin:8", 8),
        ("search+margin:0.5", 0.5),
        ("search+margin:inf@standard", np.inf),
    ],
)
def test_options_are_read_from_the_text(spec, margin):
    assert make_agent(spec, Rules()).options.margin == margin


def test_options_come_before_the_directory(tmp_path):
    for source in (f"{tmp_path}/a+b:c", f"{tmp_path}/mine@home"):
        with pytest.raises(UsageError, match=f"^no value model in {re.escape(source)}"):
            make_agent(f"search+margin:8:{source}", Rules())


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("search+depth:2", "search has no option 'depth': choose of plies, margin, close"),
        ("search+margin:wide", "search: option margin:wide: give a number"),
        ("search+margin:nan", "search: option margin:nan: give a number"),
        ("search+margin:-1", "search: option margin:-1: give 0 or more"),
        ("search+plies:3", "search: option plies:3: give 1 to 2"),
        ("search+plies:1.5", "search: option plies:1.5: give a whole number"),
        ("search+margin:1+margin:2", "search: option margin is given twice"),
        ("greedy+margin:2", "greedy has no options: write greedy, not greedy+margin:2"),
        *(
            (spec, f"agent '{spec}': write an option as +name:value, such as search+margin:8")
            for spec in ("search+margin", "search+margin:", "search+", "search+:2", "search+margin+margin:2")
        ),
    ],
)
def test_an_option_that_is_not_allowed_is_refused_with_what_is(spec, said):
    with pytest.raises(UsageError) as error:
        make_agent(spec, Rules())
    assert str(error.value).startswith(said)


def test_an_agent_of_ones_own_has_no_options(module):
    name = module(OWN_AGENT)
    with pytest.raises(UsageError, match=f"^{name} has no options"):
        make_agent(f"{name}+margin:2:Plain", Rules())


def test_an_agent_of_ones_own_is_made_with_those_of_rules_and_seed_that_it_takes(module):
    name = module(OWN_AGENT)
    rules = Rules("adjacent")
    agent = make_agent(f"{name}:InOrder", rules, 3)
    assert (agent.rules, agent.seed) == (rules, 3)
    assert make_agent(f"{name}:made_by_a_function", rules).rules == rules
    draws = draw_orders(stream(0, Purpose.EVALUATE), 3)
    games = play(make_agent(f"{name}:Plain", Rules()), draws, Rules())
    assert (games.cells == np.arange(19)).all()


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        (OWN_AGENT, "Missing", "there is no class Missing in"),
        (OWN_AGENT, "NoAgent", "has no method values"),
        (OWN_AGENT, "Broken", r"could not be made: OSError: no weights here \(.*\.py:23\)"),
        ("import weights_of_nobody", "Agent", "No module named 'weights_of_nobody'"),
        ("1 / 0", "Agent", r"ZeroDivisionError: division by zero \(.*\.py:1\)"),
        ("class Agent:", "Agent", "IndentationError"),
    ],
)
def test_what_is_no_agent_is_refused_in_one_line_that_names_it(module, text, name, named):
    spec = f"{module(text)}:{name}"
    with pytest.raises(UsageError, match=f"^agent '{spec}'.*{named}") as error:
        make_agent(spec, Rules())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("placement", ["free", "adjacent"])
def test_an_agent_can_play_for_another_scoring_than_the_tables(placement):
    agent = make_agent("greedy@sunrays", Rules(placement, "best_ray"))
    assert agent.rules == Rules(placement, "sunrays")
    assert make_agent("greedy@best_ray", Rules(placement, "best_ray")).rules.scoring == "best_ray"


def test_the_model_for_standard_plays_at_a_table_of_best_rays():
    agent = make_agent("value@standard", Rules(scoring="best_ray"))
    assert type(agent) is ValueAgent
    assert agent.rules == Rules()


def test_an_agent_without_a_model_for_best_rays_says_how_to_play_there_all_the_same(tmp_path):
    with pytest.raises(UsageError, match=f"value:{tmp_path}@standard plays here as for standard$"):
        make_agent(f"value:{tmp_path}", Rules(scoring="best_ray"))


def test_a_directory_may_have_an_at_in_its_name(tmp_path):
    with pytest.raises(UsageError, match=r"no value model in .*mine@home"):
        make_agent(f"value:{tmp_path}/mine@home", Rules())
