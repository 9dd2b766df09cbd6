"""The values on a device against the compiled ones, which are the reference; here the device is the CPU."""

import numpy as np
import pytest
import torch

from agents.device_successors import DeviceSuccessors, unseen_tiles
from agents.successors import TURNS
from agents.value_network import ValueNetwork
from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, TABLE_SCORINGS, Rules
from takeiteasy_env.tiles import TILES
from tests.agents.test_successors import POINTS_OFF, positions_at, random_games, random_network, values_of

ALL_RULES = [
    *(Rules(placement, scoring) for placement in PLACEMENTS for scoring in TABLE_SCORINGS),
    Rules("sun_moon", "best_ray", suns=(0, 1, 2, 13, 26)),
]

each_of_the_rules = pytest.mark.parametrize(
    "rules", ALL_RULES, ids=lambda rules: f"{rules.name}-{sum(rules.suns)}"
)


def network_for(rules: Rules) -> ValueNetwork:
    """A random network; where rays bring prizes, each ray another one."""
    network = random_network(rules)
    network.prizes.copy_((30 * torch.rand(network.prizes.shape)).half())
    network.prizes[:, :1] = 0
    return network


def on_device(
    successors: DeviceSuccessors, positions: Positions, tiles: torch.Tensor, turn: int
) -> np.ndarray:
    board, previous = torch.from_numpy(positions.board), torch.from_numpy(positions.previous)
    return successors.values(board, tiles, previous, turn).numpy()


@each_of_the_rules
def test_the_tile_in_hand_is_worth_what_the_compiled_function_says(rules: Rules):
    network, games = network_for(rules), random_games(rules)
    successors = DeviceSuccessors(network, rules)
    for turn in range(TURNS):
        positions = positions_at(games, turn)
        values = on_device(successors, positions, torch.from_numpy(positions.tile)[:, None], turn)
        np.testing.assert_allclose(values[:, 0], values_of(positions, rules, network), atol=POINTS_OFF)


@each_of_the_rules
def test_all_tiles_that_may_come_are_worth_what_the_compiled_function_says(rules: Rules):
    network, games = network_for(rules), random_games(rules, games=2)
    successors = DeviceSuccessors(network, rules)
    for turn in range(TURNS):
        positions = positions_at(games, turn)
        tiles = unseen_tiles(torch.from_numpy(positions.board), TILES - turn)
        each = np.repeat(np.arange(len(positions)), TILES - turn)
        asked = Positions(positions.board[each], tiles.numpy().ravel(), positions.previous[each])
        values = on_device(successors, positions, tiles, turn).reshape(-1, CELLS)
        np.testing.assert_allclose(values, values_of(asked, rules, network), atol=POINTS_OFF)


def test_unseen_tiles_are_those_that_are_not_on_the_board():
    positions = positions_at(random_games(Rules()), 7)
    unseen = unseen_tiles(torch.from_numpy(positions.board), TILES - 7).numpy()
    for board, tiles in zip(positions.board, unseen, strict=True):
        assert tiles.tolist() == np.setdiff1d(np.arange(TILES), board).tolist()


def test_values_do_not_depend_on_how_many_boards_go_at_a_time():
    rules = Rules("adjacent", "sunrays")
    network, positions = network_for(rules), positions_at(random_games(rules), 5)
    tiles = unseen_tiles(torch.from_numpy(positions.board), TILES - 5)
    together, singly = (
        on_device(DeviceSuccessors(network, rules, chunk_bytes), positions, tiles, 5)
        for chunk_bytes in (2**30, 1)
    )
    np.testing.assert_allclose(singly, together, atol=POINTS_OFF)


def test_boards_that_are_valued_exactly_are_not_for_the_network():
    positions = positions_at(random_games(Rules()), TURNS)
    successors = DeviceSuccessors(network_for(Rules()), Rules())
    with pytest.raises(ValueError, match=r"^turn=16: give 0 to 15"):
        on_device(successors, positions, torch.from_numpy(positions.tile)[:, None], TURNS)
