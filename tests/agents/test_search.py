"""One ply of expectimax, against one written slowly over the value agent's own answers."""

from itertools import product

import numpy as np
import pytest
import torch

from agents.agent import make_agent
from agents.play import play
from agents.search import SearchAgent, SearchOptions
from agents.value import ValueAgent
from agents.value_network import ValueNetwork
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, PLACEMENTS, SCORINGS, Rules, scores_of
from takeiteasy_env.tiles import TILES

GAMES = 3
ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
EVERYTHING = SearchOptions(margin=float("inf"))
POINTS_OFF = 5e-3

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)


def value_agent(rules: Rules) -> ValueAgent:
    torch.manual_seed(0)
    return ValueAgent(rules, ValueNetwork(rules, width=12, stack=5).weights())


def positions_at(rules: Rules, turn: int) -> Positions:
    """Positions of random games at a turn, 0 to 18."""
    games = play(make_agent("random", rules), draw_orders(stream(0, Purpose.VALIDATE), GAMES), rules)
    board = games.boards.copy()
    np.put_along_axis(board, games.cells[:, turn:].astype(np.int64), NONE, axis=1)
    previous = games.draws[:, turn - 1] if turn else np.full(GAMES, NONE, dtype=np.int8)
    return Positions(board, games.draws[:, turn], previous)


def searched_slowly(agent: ValueAgent, board: np.ndarray, tile: int, cell: int) -> float:
    """Points gained, and the mean over the next tiles of the best that the value agent sees for each."""
    after = board.copy()
    after[cell] = tile
    gained = scores_of(np.stack([after, board]), agent.rules)
    tiles = np.flatnonzero(Positions(after[None], np.array([NONE]), np.array([NONE])).remaining()[0])
    next_positions = Positions(
        np.tile(after, (len(tiles), 1)), tiles.astype(np.int8), np.full(len(tiles), tile, dtype=np.int8)
    )
    return float(gained[0] - gained[1] + agent.values(next_positions).max(axis=1).mean())


@each_of_the_rules
@pytest.mark.parametrize("turn", [0, 1, 9, 16, 17])
def test_a_search_of_every_cell_is_a_slow_expectimax(rules: Rules, turn: int):
    agent, positions = value_agent(rules), positions_at(rules, turn)
    values = SearchAgent(agent, EVERYTHING).values(positions)
    legal = positions.legal(rules)
    np.testing.assert_array_equal(np.isfinite(values), legal)
    for game, cell in zip(*np.nonzero(legal), strict=True):
        expected = searched_slowly(agent, positions.board[game], int(positions.tile[game]), cell)
        assert values[game, cell] == pytest.approx(expected, abs=POINTS_OFF)


@each_of_the_rules
def test_the_last_two_placements_are_exact(rules: Rules):
    positions = positions_at(rules, CELLS - 2)
    values = SearchAgent(value_agent(rules), EVERYTHING).values(positions)
    for game, cell in zip(*np.nonzero(positions.legal(rules)), strict=True):
        board = positions.board[game].copy()
        now = scores_of(board[None], rules)[0]
        board[cell] = positions.tile[game]
        left = np.setdiff1d(np.arange(TILES), board)
        endings = np.tile(board, (len(left), 1))
        endings[:, np.flatnonzero(board == NONE)[0]] = left
        assert values[game, cell] == pytest.approx(scores_of(endings, rules).mean() - now, abs=POINTS_OFF)


def test_only_cells_close_to_the_best_are_searched():
    rules = Rules()
    agent, positions = value_agent(rules), positions_at(rules, 5)
    plain, full = agent.values(positions), SearchAgent(agent, EVERYTHING).values(positions)
    margin = float(np.ptp(plain[np.isfinite(plain)])) / 4
    values = SearchAgent(agent, SearchOptions(margin)).values(positions)
    close = plain >= plain.max(axis=1, keepdims=True) - margin
    several = close.sum(axis=1, keepdims=True) > 1
    assert several.any()
    np.testing.assert_array_equal(values, np.where(close & several, full, plain))


def test_nothing_is_searched_without_a_tile_or_a_cell():
    rules = Rules()
    agent = SearchAgent(value_agent(rules), SearchOptions())
    full = positions_at(rules, CELLS - 1)
    board = full.board.copy()
    board[board == NONE] = full.tile
    nothing = np.full(GAMES, NONE, dtype=np.int8)
    assert (agent.values(Positions(board, nothing, full.tile)) == -np.inf).all()
    assert (agent.values(Positions.empty(GAMES)) == -np.inf).all()
