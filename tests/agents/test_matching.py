"""How tiles match cells, against the definition written out cell by cell and tile by tile."""

import numpy as np
import pytest
import torch

from agents.best_scores import BestScores
from agents.device_matching import best_scores_on_device
from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from agents.matching import HEADS, MATCHES, match_rows
from agents.value_network import ValueNetwork
from takeiteasy_env.board import CELL_LINES, CELLS, DIRECTIONS, LINES
from takeiteasy_env.rules import Rules
from takeiteasy_env.tiles import RANKS, TILE_RANKS, TILES
from tests.agents.test_successors import boards_after, random_games, random_network, without_ties

RULES = [Rules(), Rules("sun_moon"), Rules("adjacent", "sunrays"), Rules(scoring="best_ray")]
each_of_the_rules = pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)

#: Turns whose boards are looked at.
TURNS = (1, 4, 9, 16)


def boards_of(rules: Rules, games: int = 3) -> np.ndarray:
    """int8 (N, 19): boards of random games, early and late."""
    played = random_games(rules, games)
    return np.concatenate([boards_after(played, turn) for turn in TURNS])


def rows_of(boards: np.ndarray, rules: Rules) -> np.ndarray:
    rows = np.empty((len(boards), ROWS_PER_BOARD), dtype=np.int32)
    fill_rows(boards, np.full(len(boards), -1, dtype=np.int8), rules.code, row_count(rules), rows)
    return rows


def parameters_of(network: ValueNetwork) -> list[np.ndarray]:
    layer = network.matches
    return [each.detach().double().numpy() for each in (layer.worth, layer.prices, layer.mix)]


def slow_scores(board: np.ndarray, rules: Rules, network: ValueNetwork) -> dict[tuple[int, int], np.ndarray]:
    """Each remaining tile on each empty cell: the worth of its three numbers there, and their prices."""
    worth, prices, _ = parameters_of(network)
    (rows,), (lines, _, _) = rows_of(board[None], rules), match_rows(rules)
    scores = {}
    for tile in set(range(TILES)) - set(board.tolist()):
        for cell in np.flatnonzero(board == -1):
            score = np.zeros(HEADS)
            for direction in range(DIRECTIONS):
                rank, sun = TILE_RANKS[tile, direction], rules.suns[tile]
                kind = rank + RANKS * sun if rules.code.rays else rank
                score += worth[rows[CELL_LINES[cell, direction]], kind]
                score += prices[rows[len(LINES) + RANKS * direction + rank] - lines]
            scores[tile, int(cell)] = score
    return scores


def slow_matches(board: np.ndarray, rules: Rules, network: ValueNetwork) -> np.ndarray:
    """The best cell of each tile in the mean; the best tile of each cell mixed, rectified and summed."""
    scores, (_, _, mix) = slow_scores(board, rules, network), parameters_of(network)
    tiles, cells = ({key[part] for key in scores} for part in range(2))
    of_tiles = [np.max([scores[tile, cell] for cell in cells], axis=0) for tile in tiles]
    of_cells = [np.max([scores[tile, cell] for tile in tiles], axis=0) for cell in cells]
    mixed = [np.maximum(best @ mix[:-1] + mix[-1], 0) for best in of_cells]
    return np.concatenate([np.mean(of_tiles, axis=0), np.sum(mixed, axis=0) / 3])


@each_of_the_rules
def test_the_numbers_are_those_of_the_definition(rules):
    network, boards = random_network(rules), boards_of(rules)
    with torch.no_grad():
        matches = network.matches(rows_of(boards, rules)).numpy()
    assert matches.shape == (len(boards), MATCHES)
    expected = [slow_matches(board, rules, network) for board in boards]
    np.testing.assert_allclose(matches, expected, atol=1e-4)


@each_of_the_rules
def test_the_device_finds_the_same_best_scores_and_gradients(rules):
    layer, rows = without_ties(random_network(rules)).matches, rows_of(boards_of(rules), rules)
    worth, prices, torch_rows = layer.worth, layer.prices, torch.from_numpy(rows).long()
    compiled = BestScores.apply(worth.view(-1, HEADS), prices, rows, rules.code)
    on_device = best_scores_on_device(worth, prices, torch_rows, rules.code)
    weights = [torch.randn(best.shape) for best in compiled]
    gradients = []
    for found in (compiled, on_device):
        total = sum((best * weight).sum() for best, weight in zip(found, weights, strict=True))
        gradients.append(torch.autograd.grad(total, [worth, prices]))
    for one, other in zip((*compiled, *gradients[0]), (*on_device, *gradients[1]), strict=True):
        assert one.abs().sum() > 0
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def test_tiles_that_are_gone_and_filled_cells_have_no_best_score():
    rules = Rules()
    layer, boards = random_network(rules).matches, boards_of(rules)
    of_tile, of_cell = BestScores.apply(
        layer.worth.view(-1, HEADS), layer.prices, rows_of(boards, rules), rules.code
    )
    for board, tiles, cells in zip(boards, of_tile, of_cell, strict=True):
        placed = board[board >= 0]
        assert (tiles[placed] == 0).all()
        assert (cells[torch.from_numpy(board >= 0)] == 0).all()
        assert (tiles.any(dim=1).sum(), cells.any(dim=1).sum()) == (TILES - len(placed), CELLS - len(placed))
