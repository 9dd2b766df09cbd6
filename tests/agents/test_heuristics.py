"""The baselines random and greedy: what they take, and how they choose among equals."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from agents.agent import Agent, make_agent
from agents.play import play
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules
from takeiteasy_env.tiles import tile_index

BASELINES = ["random", "greedy", "line_odds"]
ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]


def position(board: dict[int, int], tile: int, copies: int = 1) -> Positions:
    """A board of tiles as they are written, with one in hand, as often as wanted."""
    cells = np.full((copies, 19), -1, dtype=np.int8)
    for cell, code in board.items():
        cells[:, cell] = tile_index(str(code))
    in_hand = np.full(copies, tile_index(str(tile)), dtype=np.int8)
    previous = cells.max(axis=1)
    return Positions(cells, in_hand, previous)


def positions_of_every_turn(rules: Rules) -> Positions:
    """The positions of some games of random moves, one turn after the other."""
    games = play(make_agent("random", rules), draw_orders(stream(3, Purpose.EVALUATE), 20), rules)
    boards = np.full((19, *games.boards.shape), -1, dtype=np.int8)
    for turn in range(18):
        boards[turn + 1] = boards[turn]
        boards[turn + 1, np.arange(len(games.draws)), games.cells[:, turn]] = games.draws[:, turn]
    tiles = games.draws.T
    previous = np.vstack([np.full_like(tiles[:1], -1), tiles[:-1]])
    return Positions(boards.reshape(-1, 19), tiles.reshape(-1), previous.reshape(-1))


def cells_chosen(agent: Agent, positions: Positions) -> np.ndarray:
    return agent.values(positions).argmax(axis=1)


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("name", BASELINES)
def test_values_are_finite_on_the_legal_cells_and_minus_infinity_elsewhere(name, rules):
    positions = positions_of_every_turn(rules)
    values = make_agent(name, rules).values(positions)
    legal = positions.legal(rules)
    assert values.dtype == np.float32
    assert np.isfinite(values[legal]).all()
    assert (values[~legal] == -np.inf).all()


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("name", BASELINES)
def test_a_full_board_and_an_empty_hand_leave_no_cell(name, rules):
    full = np.arange(19, dtype=np.int8)
    positions = Positions(
        board=np.stack([full, full, np.where(full < 7, full, np.int8(-1)), np.full_like(full, -1)]),
        tile=np.array([-1, 20, -1, -1], dtype=np.int8),
        previous=np.array([18, 18, 6, -1], dtype=np.int8),
    )
    values = make_agent(name, rules).values(positions)
    assert values.shape == (4, 19)
    assert (values == -np.inf).all()


@pytest.mark.parametrize("name", BASELINES)
def test_no_positions_have_no_values(name):
    assert make_agent(name, Rules()).values(Positions.empty(0)).shape == (0, 19)


@pytest.mark.parametrize("name", BASELINES)
def test_the_positions_stay_as_they_are(name):
    positions = positions_of_every_turn(Rules())
    before = positions.board.copy(), positions.tile.copy(), positions.previous.copy()
    make_agent(name, Rules()).values(positions)
    for array, copy in zip((positions.board, positions.tile, positions.previous), before, strict=True):
        assert (array == copy).all()


@pytest.mark.parametrize("rules", [Rules(), Rules("adjacent")], ids=lambda rules: rules.name)
def test_random_chooses_every_legal_cell_equally_often(rules):
    positions = position({9: 123, 14: 978}, tile=568, copies=20_000)
    chosen = np.bincount(cells_chosen(make_agent("random", rules, seed=1), positions), minlength=19)
    legal = positions.legal(rules)[0]
    assert chosen[~legal].sum() == 0
    assert chisquare(chosen[legal]).pvalue > 0.001


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_the_seed_decides_the_choice(name):
    positions = position({}, tile=568, copies=100)
    once, again, other = (
        cells_chosen(make_agent(name, Rules(), seed), positions).tolist() for seed in (0, 0, 1)
    )
    assert once == again
    assert once != other


def test_greedy_completes_the_line_of_most_points():
    """Column 0 lacks one tile with a 9 (27 points), column 1 one with a 9 (36): both wait for 978."""
    positions = position({0: 963, 1: 964, 3: 923, 4: 924, 5: 928}, tile=978, copies=50)
    assert set(cells_chosen(make_agent("greedy", Rules()), positions)) == {6}


def test_greedy_counts_the_rays_where_they_count():
    """Column 0 lacks one 1 for 3 points; in column 4 lie two suns, and a third makes 21 points."""
    board, tile = {0: 124, 1: 163, 16: 928, 17: 563}, 128
    chosen = {
        scoring: set(cells_chosen(make_agent("greedy", Rules(scoring=scoring)), position(board, tile, 50)))
        for scoring in SCORINGS
    }
    assert chosen == {"standard": {2}, "sunrays": {18}}


def test_greedy_values_are_points_and_a_part_of_a_point():
    values = make_agent("greedy", Rules()).values(position({0: 963, 1: 964}, tile=978, copies=200))
    points = np.floor(values)
    assert (points[:, 2] == 27).all()
    assert (points[:, 3:] == 0).all()


def test_greedy_chooses_equally_often_among_equals():
    positions = position({0: 123}, tile=978, copies=18_000)
    chosen = np.bincount(cells_chosen(make_agent("greedy", Rules(), seed=2), positions), minlength=19)
    assert chisquare(chosen[1:]).pvalue > 0.001
