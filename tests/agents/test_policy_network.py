"""The network that scores cells: legal ones alone, each by the rows of its position and its placement."""

from itertools import product

import numpy as np
import pytest
import torch

from agents.placement_features import placement_rows, position_rows
from agents.policy_network import PlacementSums, PolicyNetwork
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules
from tests.agents.test_placement_features import random_positions

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)


def network_of(rules: Rules, outputs: int = 2) -> PolicyNetwork:
    """A network whose every parameter is another number."""
    torch.manual_seed(0)
    network = PolicyNetwork(rules, width=12, stack=6, outputs=outputs)
    for parameter in network.parameters():
        parameter.data += 0.1 * torch.randn(parameter.shape)
    return network


@each_of_the_rules
def test_legal_cells_have_scores_and_the_others_minus_infinity(rules):
    positions = random_positions(200)
    scores, of_position = network_of(rules)(positions)
    assert scores.shape == (200, CELLS, 2)
    assert of_position.shape == (200, 2)
    finite = scores.isfinite()
    assert (finite.numpy() == positions.legal(rules)[:, :, None]).all()
    assert (scores[~finite] == -torch.inf).all()
    assert of_position.isfinite().all()


@each_of_the_rules
def test_a_score_is_what_the_stack_makes_of_the_rows(rules):
    """One cell at a time, with sums taken by PyTorch."""
    network, positions = network_of(rules), random_positions(40)
    with torch.no_grad():
        scores, of_position = network(positions)
        table = network.table.clone()
        table[-1] = 0
        for game, rows in enumerate(position_rows(positions, rules)):
            position = table[rows].sum(dim=0) + network.bias
            expected = network.position(torch.relu(position))
            torch.testing.assert_close(of_position[game], expected, rtol=1e-4, atol=1e-4)
            for cell in np.flatnonzero(positions.legal(rules)[game]):
                placement = placement_rows(positions, np.array([game]), np.array([cell]), rules)[0]
                hidden = torch.relu(position + table[placement].sum(dim=0))
                torch.testing.assert_close(scores[game, cell], network.cells(hidden), rtol=1e-4, atol=1e-4)


def test_the_order_of_the_positions_does_not_matter():
    network, positions = network_of(Rules()), random_positions(60)
    order = np.random.default_rng(0).permutation(60)
    with torch.no_grad():
        scores, shuffled = network(positions)[0], network(positions[order])[0]
    torch.testing.assert_close(shuffled, scores[order])
    assert network(positions[:0])[0].shape == (0, CELLS, 2)


def test_the_gradients_of_the_sums_are_those_of_pytorch():
    torch.manual_seed(0)
    position, table = torch.randn(7, 5, requires_grad=True), torch.randn(31, 5, requires_grad=True)
    rng = np.random.default_rng(0)
    games, rows = np.sort(rng.integers(7, size=40)), rng.integers(31, size=(40, 9), dtype=np.int32)
    weights = torch.randn(40, 5)
    nothing = torch.ones(31, 1)
    nothing[30] = 0
    expected = torch.relu(position[games] + (table * nothing)[rows].sum(dim=1))
    hidden = PlacementSums.apply(position, table, games, rows)
    torch.testing.assert_close(hidden, expected)
    mine = torch.autograd.grad((hidden * weights).sum(), (position, table))
    theirs = torch.autograd.grad((expected * weights).sum(), (position, table))
    for gradient, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(gradient, other)


def test_a_position_without_a_tile_in_hand_has_no_scores():
    """The mask at the end of a game is all zero."""
    seen = random_positions(3)
    over = Positions(seen.board, np.full(3, -1, dtype=np.int8), seen.previous)
    assert (network_of(Rules())(over)[0] == -torch.inf).all()
