"""The value agent as others ask for it: by its name and a directory."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch

from agents import value
from agents.agent import make_agent
from agents.errors import UsageError
from agents.play import play
from agents.value_network import ValueNetwork, save_model
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules, scores_of

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]


@pytest.fixture
def model(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The text that names a value agent for the rules of the test."""
    rules = request.node.callspec.params["rules"] if hasattr(request.node, "callspec") else Rules()
    torch.manual_seed(0)
    save_model(tmp_path, ValueNetwork(rules, width=8, stack=4), rules)
    return f"value:{tmp_path}"


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_it_plays_whole_games_by_the_rules_it_was_made_for(model, rules):
    draws = draw_orders(stream(0, Purpose.EVALUATE), 200)
    games = play(make_agent(model, rules), draws, rules)
    assert (games.scores == scores_of(games.boards, rules)).all()
    assert (np.sort(games.cells, axis=1) == np.arange(CELLS)).all()


def test_it_makes_no_random_choice(model):
    draws = draw_orders(stream(0, Purpose.EVALUATE), 50)
    games = [play(make_agent(model, Rules(), seed), draws, Rules()) for seed in (0, 1)]
    assert (games[0].cells == games[1].cells).all()


def test_it_answers_in_float32_and_leaves_the_positions_alone(model):
    seen = Positions.empty(3)
    seen = Positions(seen.board, np.array([0, 13, 26], dtype=np.int8), seen.previous)
    values = make_agent(model, Rules()).values(seen)
    assert values.dtype == np.float32
    assert values.shape == (3, CELLS)
    assert np.isfinite(values).all()
    assert (seen.board == -1).all()
    assert make_agent(model, Rules()).values(seen[:0]).shape == (0, CELLS)


def test_a_directory_without_a_model_is_named_in_one_line(tmp_path):
    with pytest.raises(UsageError, match=f"^no value model in {tmp_path}/nowhere: [^\n]+$"):
        make_agent(f"value:{tmp_path}/nowhere", Rules())


def test_without_a_directory_it_is_the_shipped_model_of_the_rules(monkeypatch, tmp_path):
    rules = Rules("adjacent")
    (tmp_path / "adjacent").mkdir()
    save_model(tmp_path / "adjacent", ValueNetwork(rules, width=8, stack=4), rules)
    monkeypatch.setattr(value, "SHIPPED_MODELS", tmp_path)
    assert make_agent("value", rules)
    with pytest.raises(UsageError, match=r"^no model for standard rules comes .* only for adjacent: [^\n]+$"):
        make_agent("value", Rules())
