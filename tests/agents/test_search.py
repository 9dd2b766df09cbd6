"""Expectimax of one ply and two, against one written slowly over the value agent's answers; its limits."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from agents import search as search_module
from agents.agent import make_agent
from agents.endings import ending_value, unseen_tiles
from agents.play import play
from agents.search import Search, SearchAgent, SearchOptions, search_positions
from agents.threads import use_threads
from agents.value import ValueAgent
from agents.value_network import ValueNetwork
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, PLACEMENTS, SCORINGS, Rules, bitboards_of, scores_of
from takeiteasy_env.tiles import TILES

GAMES = 3
ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
INFINITY = float("inf")
EVERYTHING = SearchOptions(plies=1, margin=INFINITY, width=CELLS, exact=2, nodes=0)
EVERYTHING_TWICE = replace(EVERYTHING, plies=2, close=INFINITY, replies=CELLS)
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


def searched_slowly(agent: ValueAgent, board: np.ndarray, tile: int, cell: int, plies: int = 1) -> float:
    """Points gained, and the mean over the next tiles of the best that is seen for each one ply later."""
    after = board.copy()
    after[cell] = tile
    gained = scores_of(np.stack([after, board]), agent.rules)
    tiles = np.flatnonzero(Positions(after[None], np.array([NONE]), np.array([NONE])).remaining()[0])
    next_positions = Positions(
        np.tile(after, (len(tiles), 1)), tiles.astype(np.int8), np.full(len(tiles), tile, dtype=np.int8)
    )
    values = agent.values(next_positions)
    if plies > 1:
        for row, reply in zip(*np.nonzero(np.isfinite(values)), strict=True):
            values[row, reply] = searched_slowly(agent, after, int(tiles[row]), reply, plies - 1)
    return float(gained[0] - gained[1] + values.max(axis=1).mean())


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
@pytest.mark.parametrize("turn", [13, 15])
def test_two_plies_of_every_cell_and_reply_are_a_slow_expectimax(rules: Rules, turn: int):
    agent, positions = value_agent(rules), positions_at(rules, turn)[:1]
    values = SearchAgent(agent, EVERYTHING_TWICE).values(positions)
    for cell in np.flatnonzero(positions.legal(rules)[0])[:2]:
        expected = searched_slowly(agent, positions.board[0], int(positions.tile[0]), cell, plies=2)
        assert values[0, cell] == pytest.approx(expected, abs=POINTS_OFF)


@each_of_the_rules
@pytest.mark.parametrize("empty", [3, 4])
def test_a_board_with_few_empty_cells_is_valued_exactly(rules: Rules, empty: int):
    agent, positions = value_agent(rules), positions_at(rules, CELLS - 1 - empty)
    values = SearchAgent(agent, replace(EVERYTHING, exact=4)).values(positions)
    for game, cell in zip(*np.nonzero(positions.legal(rules)), strict=True):
        after, tile = positions.board[game].copy(), int(positions.tile[game])
        after[cell] = tile
        gained = scores_of(np.stack([after, positions.board[game]]), rules)
        bitboard = bitboards_of(after[None], rules)[0]
        rest = ending_value(bitboard, unseen_tiles(after), tile, rules.code, agent.weights.prizes)
        assert values[game, cell] == pytest.approx(gained[0] - gained[1] + rest, abs=POINTS_OFF)


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


def test_cells_are_searched_until_all_others_lie_below_the_margin():
    agent, positions = value_agent(Rules()), positions_at(Rules(), 5)
    plain, full = agent.values(positions), SearchAgent(agent, EVERYTHING).values(positions)
    margin = float(np.ptp(plain[np.isfinite(plain)])) / 4
    options = replace(EVERYTHING, margin=margin)
    search = Search.begin(agent, options.scope, positions)
    search.go_on(10**9)
    looked_at = search.depths > 0
    np.testing.assert_array_equal(search.values, np.where(looked_at, full, plain))
    below = search.values < search.values.max(axis=1, keepdims=True) - margin
    alone = (~below).sum(axis=1, keepdims=True) == 1
    assert (looked_at | below | alone).all()
    assert 0 < looked_at.sum() < np.isfinite(plain).sum()


def test_nothing_is_searched_without_a_tile_or_a_cell():
    rules = Rules()
    agent = SearchAgent(value_agent(rules), SearchOptions())
    full = positions_at(rules, CELLS - 1)
    board = full.board.copy()
    board[board == NONE] = full.tile
    nothing = np.full(GAMES, NONE, dtype=np.int8)
    assert (agent.values(Positions(board, nothing, full.tile)) == -np.inf).all()
    assert (agent.values(Positions.empty(GAMES)) == -np.inf).all()


# ---------------------------------------------------------------------------------------------- limits


def searched(options: SearchOptions, *allowed: int, turn: int = 8) -> Search:
    """A search that may value more and more boards for each position."""
    search = Search.begin(value_agent(Rules()), options.scope, positions_at(Rules(), turn))
    for limit in allowed:
        search.go_on(limit)
    return search


def test_the_best_cells_come_first_and_two_at_least_are_looked_at_equally_far():
    plain = searched(EVERYTHING).values
    for allowed in (100, 300, 400, 1000):
        depths = searched(EVERYTHING, allowed).depths
        for game in range(GAMES):
            order = np.argsort(-plain[game], kind="stable")
            looked_at = depths[game, order] > 0
            assert looked_at.sum() != 1
            assert (np.diff(looked_at.astype(int)) <= 0).all()


def test_no_more_cells_are_looked_at_than_the_width():
    assert (searched(replace(EVERYTHING, width=3), 10**9).depths > 0).sum(axis=1).tolist() == [3] * GAMES


@pytest.mark.parametrize("allowed", [0, 500, 2_000, 10_000])
def test_no_more_boards_are_valued_than_allowed(allowed: int):
    options = replace(EVERYTHING_TWICE, replies=2)
    once, again = searched(options, allowed), searched(options, allowed)
    assert (once.nodes <= allowed).all()
    np.testing.assert_array_equal(once.values, again.values)
    answer = SearchAgent(once.agent, replace(options, nodes=allowed)).values(once.positions)
    assert allowed == 0 or (answer == once.values).all()


def test_a_search_that_goes_on_finds_what_one_without_a_pause_finds():
    options = replace(EVERYTHING_TWICE, margin=20, close=10, replies=2)
    np.testing.assert_array_equal(
        searched(options, 300, 900, 5_000, 10**9).values, searched(options, 10**9).values
    )


def test_a_position_is_searched_alike_alone_and_among_others_and_on_any_threads():
    agent, positions = SearchAgent(value_agent(Rules()), SearchOptions(margin=20)), positions_at(Rules(), 8)
    together = agent.values(positions)
    alone = [agent.values(positions[game : game + 1])[0] for game in range(GAMES)]
    np.testing.assert_array_equal(together, alone)
    try:
        use_threads(1)
        np.testing.assert_array_equal(together, agent.values(positions))
    finally:
        use_threads(0)


class Clock:
    """Time that passes only while boards are valued."""

    def __init__(self, nodes_a_second: float) -> None:
        self.nodes_a_second, self.seconds = nodes_a_second, 0.0

    def __call__(self) -> float:
        return self.seconds

    def search_positions(self, *arguments: np.ndarray) -> None:
        nodes = arguments[-2]
        before = nodes.sum()
        search_positions(*arguments)
        self.seconds += (nodes.sum() - before) / self.nodes_a_second


@pytest.fixture
def in_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float, float], tuple[np.ndarray, float]]:
    """Search with a number of milliseconds at a speed; what it finds, and the milliseconds it took."""

    def search(ms: float, nodes_a_second: float) -> tuple[np.ndarray, float]:
        clock = Clock(nodes_a_second)
        monkeypatch.setattr(search_module, "search_positions", clock.search_positions)
        options = replace(EVERYTHING_TWICE, replies=1, ms=ms)
        agent = SearchAgent(value_agent(Rules()), options, clock)
        return agent.values(positions_at(Rules(), 8)), 1000 * clock.seconds / GAMES

    return search


def test_with_time_enough_everything_is_searched(in_time):
    values, took = in_time(1e6, 1e6)
    np.testing.assert_array_equal(values, searched(replace(EVERYTHING_TWICE, replies=1), 10**9).values)
    assert took < 1e6


@pytest.mark.parametrize("speed", [1e6, 3e6])
def test_more_time_is_used_for_more_but_never_exceeded(in_time, speed):
    took = [in_time(ms, speed)[1] for ms in (0.01, 1, 5, 20)]
    assert took[0] == 0
    assert took == sorted(took)
    assert took[1] <= 1 < took[2] <= 5 < took[3] <= 20


def test_a_machine_that_is_slower_than_thought_is_noticed(in_time):
    assert in_time(20, 5e5)[1] <= 2 * 20


def test_without_time_the_network_answers(in_time):
    np.testing.assert_array_equal(in_time(1e-9, 1e6)[0], searched(EVERYTHING).values)
