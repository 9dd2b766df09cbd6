"""Distributions as quantiles: mixtures and predictions, against the same worked out slowly."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from agents.distributions import fill_mixtures, project
from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from agents.play import play
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules, bitboards_of, scores_of
from tests.agents.tiny_quantiles import QUANTILES, agent_of, network_of, positions_at

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
POINTS_OFF = 5e-3

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)


@given(
    st.lists(st.integers(-50, 300), min_size=1, max_size=40).map(sorted),
    st.integers(min_value=1, max_value=20),
)
def test_each_quantile_is_the_mean_of_its_slice(atoms: list[int], slices: int):
    quantiles = np.empty(slices)
    project(np.array(atoms, dtype=np.float32), quantiles)
    expected = np.repeat(atoms, slices).reshape(slices, len(atoms)).mean(axis=1)
    np.testing.assert_allclose(quantiles, expected, atol=1e-4)


@each_of_the_rules
@pytest.mark.parametrize("turn", [0, 1, 8, 15])
def test_a_prediction_is_what_the_network_says_of_the_board_after_it(rules: Rules, turn: int):
    network, positions = network_of(rules), positions_at(rules, turn)
    agent = agent_of(network, rules)
    cells = agent.values(positions).argmax(axis=1)
    after = positions.board.copy()
    after[np.arange(len(cells)), cells] = positions.tile
    rows = np.empty((len(after), ROWS_PER_BOARD), dtype=np.int32)
    fill_rows(after, positions.tile, rules.code, row_count(rules), rows)
    with torch.no_grad():
        hidden = network.hidden(rows)
        expected = 100 * (network.values(turn, hidden) + network(turn, hidden)).sort(dim=1).values.numpy()
    expected += (scores_of(after, rules) - scores_of(positions.board, rules))[:, None]
    np.testing.assert_allclose(agent.quantiles(positions, cells), expected, atol=POINTS_OFF)


@each_of_the_rules
@pytest.mark.parametrize("turn", [0, 1, 8, 15, 16])
def test_a_mixture_is_that_of_the_best_reply_to_each_tile(rules: Rules, turn: int):
    network, positions = network_of(rules), positions_at(rules, turn)
    agent = agent_of(network, rules)
    found = np.empty((len(positions), QUANTILES), dtype=np.float32)
    fill_mixtures(
        *(positions.board, bitboards_of(positions.board, rules), positions.previous, rules.code),
        *(agent.player.weights, agent.stacks, found),
    )
    for board, last, quantiles in zip(positions.board, positions.previous, found, strict=True):
        tiles = np.setdiff1d(np.arange(27, dtype=np.int8), board)
        replies = Positions(np.tile(board, (len(tiles), 1)), tiles, np.full(len(tiles), last))
        atoms = agent.quantiles(replies, agent.values(replies).argmax(axis=1))
        if turn == CELLS - 3:
            # Two cells are left after the reply, whose outcomes are counted one by one: only the mean agrees.
            assert quantiles.mean() == pytest.approx(atoms.mean(), abs=POINTS_OFF)
        else:
            expected = np.sort(atoms.ravel()).reshape(QUANTILES, -1).mean(axis=1)
            np.testing.assert_allclose(quantiles, expected, atol=POINTS_OFF)


@each_of_the_rules
@pytest.mark.parametrize("turn", [16, 17, 18])
def test_with_two_cells_left_or_fewer_the_mean_of_the_quantiles_is_the_value(rules: Rules, turn: int):
    agent, positions = agent_of(network_of(rules), rules), positions_at(rules, turn)
    values = agent.values(positions)
    cells = values.argmax(axis=1)
    quantiles = agent.quantiles(positions, cells)
    np.testing.assert_allclose(quantiles.mean(axis=1), values.max(axis=1), atol=POINTS_OFF)


@each_of_the_rules
def test_quantiles_ascend_at_every_move(rules: Rules):
    agent = agent_of(network_of(rules), rules)
    for turn in range(CELLS):
        positions = positions_at(rules, turn)
        assert (np.diff(agent.quantiles(positions, agent.values(positions).argmax(axis=1))) >= 0).all()
    assert (np.diff(agent.final_score()) >= 0).all()


def test_the_moves_are_those_of_the_value_agent():
    rules, draws = Rules(), draw_orders(stream(0, Purpose.VALIDATE), 20)
    agent = agent_of(network_of(rules), rules)
    np.testing.assert_array_equal(play(agent, draws, rules).values, play(agent.player, draws, rules).values)
    np.testing.assert_array_equal(play(agent, draws, rules).cells, play(agent.player, draws, rules).cells)
