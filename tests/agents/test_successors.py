"""The compiled values against the network itself, asked about every successor board, one by one."""

from itertools import product

import numba
import numpy as np
import pytest
import torch

from agents.agent import make_agent
from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from agents.play import Games, play
from agents.self_play import self_play
from agents.successors import POINTS_PER_UNIT, TURNS, fill_values
from agents.value import ValueAgent
from agents.value_network import ValueNetwork
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules, bitboards_of, scores_of
from takeiteasy_env.tiles import TILES
from tests.reference.ending import points_of
from tests.reference.game import TILES as TILE_NAMES
from tests.reference.game import ReferenceGame

GAMES = 20
#: Sums of some fifty floats, taken in another order, times a hundred points.
POINTS_OFF = 2e-3
ALL_RULES = [
    *(Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)),
    Rules("sun_moon", "sunrays", suns=(0, 1, 2, 13, 26)),
]

each_of_the_rules = pytest.mark.parametrize(
    "rules", ALL_RULES, ids=lambda rules: f"{rules.name}-{sum(rules.suns)}"
)


def random_network(rules: Rules) -> ValueNetwork:
    """A network whose every unit and bias matters, as it would be saved: in half precision."""
    torch.manual_seed(0)
    network = ValueNetwork(rules, width=12, stack=5)
    for parameter in network.parameters():
        parameter.data += 0.1 * torch.randn(parameter.shape)
        parameter.data = parameter.data.half().float()
    return network


def without_ties(network: ValueNetwork) -> ValueNetwork:
    """The same network with other numbers: in half precision some scores of tiles are the same."""
    for parameter in network.parameters():
        parameter.data += 1e-3 * torch.randn(parameter.shape)
    return network


def random_games(rules: Rules, games: int = GAMES) -> Games:
    draws = draw_orders(stream(0, Purpose.VALIDATE), games)
    return play(make_agent("random", rules), draws, rules)


def boards_after(games: Games, placed: int) -> np.ndarray:
    """int8 (N, 19): the boards of games when so many tiles were placed."""
    boards = np.full_like(games.boards, -1)
    cells = games.cells[:, :placed].astype(np.int64)
    np.put_along_axis(boards, cells, games.draws[:, :placed], axis=1)
    return boards


def positions_at(games: Games, turn: int) -> Positions:
    tiles = np.ascontiguousarray(games.draws.T)
    previous = tiles[turn - 1] if turn else np.full_like(tiles[0], -1)
    return Positions(boards_after(games, turn), tiles[turn], previous)


def values_of(positions: Positions, rules: Rules, network: ValueNetwork) -> np.ndarray:
    """What the compiled function writes."""
    values = np.full((len(positions), CELLS), np.nan, dtype=np.float32)
    fill_values(
        positions.board,
        bitboards_of(positions.board, rules),
        positions.tile,
        positions.previous,
        rules.code,
        network.weights(),
        values,
    )
    return values


def slow_values(positions: Positions, rules: Rules, network: ValueNetwork) -> np.ndarray:
    """The points gained on each cell and the worth of the board after it, for boards of one turn.

    The network says it, or where two cells or fewer are empty afterwards the second set of rules.
    """
    turn, legal = int(positions.filled[0]), positions.legal(rules)
    if turn >= TURNS:
        values = np.full(legal.shape, -np.inf)
        for game, cell in zip(*np.nonzero(legal), strict=True):
            tile = TILE_NAMES[positions.tile[game]]
            values[game, cell] = points_of(reference_game(positions[game : game + 1], rules), tile, int(cell))
        return values
    cells = np.arange(CELLS)
    successors = np.repeat(positions.board[:, None], CELLS, axis=1)
    successors[:, cells, cells] = positions.tile[:, None]
    boards = successors.reshape(-1, CELLS)
    gained = scores_of(boards, rules) - np.repeat(scores_of(positions.board, rules), CELLS)
    rows = np.empty((len(boards), ROWS_PER_BOARD), dtype=np.int32)
    fill_rows(boards, np.repeat(positions.tile, CELLS), rules.code, row_count(rules), rows)
    with torch.no_grad():
        to_come = network(rows, [len(rows) if turn == filled else 0 for filled in range(TURNS)])
    values = gained + POINTS_PER_UNIT * to_come.numpy()
    return np.where(legal, values.reshape(-1, CELLS), -np.inf)


def reference_game(position: Positions, rules: Rules) -> ReferenceGame:
    """The game of one position; the order of its tiles matters only for the last one."""
    board = {cell: TILE_NAMES[tile] for cell, tile in enumerate(position.board[0]) if tile >= 0}
    last = TILE_NAMES[position.previous[0]]
    drawn = [*(tile for tile in board.values() if tile != last), last]
    suns = frozenset(name for name, sun in zip(TILE_NAMES, rules.suns, strict=True) if sun)
    game = ReferenceGame(rules.placement, rules.scoring, suns, board, drawn)
    game.points = game.score()
    return game


def slow_target(board: np.ndarray, last: int, rules: Rules, network: ValueNetwork) -> float:
    """The mean over all remaining tiles of the best that each can do."""
    tiles = np.setdiff1d(np.arange(TILES, dtype=np.int8), board)
    boards = np.repeat(board[None], len(tiles), axis=0)
    positions = Positions(boards, tiles, np.full(len(tiles), last, dtype=np.int8))
    return float(slow_values(positions, rules, network).max(axis=1).mean())


def played(
    draws: np.ndarray,
    rules: Rules,
    network: ValueNetwork,
    explored: np.ndarray | None = None,
    *,
    kept: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The boards before each turn, if kept their targets, and the scores of games by the network."""
    games = len(draws)
    explored = np.full((games, CELLS), -1, dtype=np.int64) if explored is None else explored
    all_kept = np.full((games, CELLS), kept)
    boards = np.full((games, CELLS, CELLS), 99, dtype=np.int8)
    targets, scores = np.full((games, CELLS), np.nan, dtype=np.float32), np.full(games, -1, dtype=np.int32)
    self_play(draws, explored, all_kept, rules.code, network.weights(), boards, targets, scores)
    return boards, targets, scores


@each_of_the_rules
def test_every_successor_is_worth_its_points_and_what_the_network_says_of_it(rules):
    network, games = random_network(rules), random_games(rules)
    for turn in range(CELLS):
        positions = positions_at(games, turn)
        np.testing.assert_allclose(
            values_of(positions, rules, network), slow_values(positions, rules, network), atol=POINTS_OFF
        )


@each_of_the_rules
def test_on_the_last_cell_only_the_points_count(rules):
    positions = positions_at(random_games(rules), 18)
    values = values_of(positions, rules, random_network(rules))
    full = np.where(positions.board == -1, positions.tile[:, None], positions.board)
    assert (values.max(axis=1) == scores_of(full, rules) - scores_of(positions.board, rules)).all()
    assert (np.isfinite(values) == (positions.board == -1)).all()


def test_where_nothing_may_go_every_cell_is_minus_infinity():
    games = random_games(Rules())
    full = Positions(games.boards, games.draws[:, 0].copy(), games.draws[:, 18].copy())
    no_tile = Positions(boards_after(games, 7), np.full(GAMES, -1, dtype=np.int8), games.draws[:, 6].copy())
    network = random_network(Rules())
    assert (values_of(full, Rules(), network) == -np.inf).all()
    assert (values_of(no_tile, Rules(), network) == -np.inf).all()


def test_full_boards_and_boards_without_a_tile_leave_their_neighbours_alone():
    network, games = random_network(Rules()), random_games(Rules())
    seen = positions_at(games, 9)
    board, tile = seen.board.copy(), seen.tile.copy()
    board[::3] = games.boards[::3]
    tile[1::3] = -1
    values = values_of(Positions(board, tile, seen.previous), Rules(), network)
    assert (values[2::3] == values_of(seen, Rules(), network)[2::3]).all()
    assert (values[::3] == -np.inf).all()
    assert (values[1::3] == -np.inf).all()


def test_a_value_does_not_depend_on_the_boards_beside_it_nor_on_the_threads():
    rules = Rules("adjacent", "sunrays")
    network, games = random_network(rules), random_games(rules)
    threads = numba.get_num_threads()
    for turn in (0, 5, 17):
        positions = positions_at(games, turn)
        together = values_of(positions, rules, network)
        singly = [values_of(positions[game : game + 1], rules, network) for game in range(GAMES)]
        assert (np.concatenate(singly) == together).all()
        numba.set_num_threads(1)
        assert (values_of(positions, rules, network) == together).all()
        numba.set_num_threads(threads)


@each_of_the_rules
def test_targets_are_the_exact_expectation_over_the_next_tile(rules):
    network = random_network(rules)
    draws = draw_orders(stream(1, Purpose.VALIDATE), 2)
    boards, targets, _ = played(draws, rules, network)
    for game, turn in product(range(2), range(CELLS)):
        last = draws[game, turn - 1] if turn else -1
        expected = slow_target(boards[game, turn], last, rules, network)
        assert targets[game, turn] == pytest.approx(expected, abs=POINTS_OFF)


@each_of_the_rules
def test_the_games_are_those_that_the_agent_plays(rules):
    network = random_network(rules)
    draws = draw_orders(stream(2, Purpose.VALIDATE), 100)
    boards, _, scores = played(draws, rules, network)
    games = play(ValueAgent(rules, network.weights()), draws, rules)
    for turn in range(CELLS):
        assert (boards[:, turn] == boards_after(games, turn)).all()
    assert (scores == games.scores).all()


def test_only_boards_to_keep_get_a_target_and_the_game_is_the_same():
    rules, network = Rules(), random_network(Rules())
    draws = draw_orders(stream(3, Purpose.VALIDATE), 40)
    all_boards, all_targets, all_scores = played(draws, rules, network)
    kept = np.random.default_rng(0).random((40, CELLS)) < 0.3
    boards, targets = np.empty_like(all_boards), np.full_like(all_targets, np.nan)
    scores = np.empty_like(all_scores)
    nowhere = np.full((40, CELLS), -1, dtype=np.int64)
    self_play(draws, nowhere, kept, rules.code, network.weights(), boards, targets, scores)
    assert (targets[kept] == all_targets[kept]).all()
    assert np.isnan(targets[~kept]).all()
    assert (boards == all_boards).all()
    assert (scores == all_scores).all()


def test_self_play_does_not_depend_on_the_games_beside_nor_on_the_threads():
    rules = Rules("sun_moon", "sunrays")
    network = random_network(rules)
    draws = draw_orders(stream(4, Purpose.VALIDATE), 70)
    explored = np.random.default_rng(0).integers(-1, 5, size=draws.shape)
    together = played(draws, rules, network, explored)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    alone = played(draws, rules, network, explored)
    numba.set_num_threads(threads)
    parts = [played(draws[part], rules, network, explored[part]) for part in (slice(0, 3), slice(3, 70))]
    for whole, first, second, of_one_thread in zip(together, *parts, alone, strict=True):
        assert (whole == of_one_thread).all()
        assert (whole == np.concatenate([first, second])).all()


@each_of_the_rules
def test_exploration_chooses_among_all_legal_cells_and_no_others(rules):
    """Games that are explored at every turn: their last cell is the only one that is left."""
    draws = draw_orders(stream(5, Purpose.VALIDATE), 2_000)
    explored = np.random.default_rng(0).integers(1 << 62, size=draws.shape)
    boards, _, scores = played(draws, rules, random_network(rules), explored, kept=False)
    after = np.concatenate(
        [boards[:, 1:], np.where(boards[:, 18:] == -1, draws[:, 18:, None], boards[:, 18:])], axis=1
    )
    for turn in range(CELLS):
        previous = draws[:, turn - 1] if turn else np.full(len(draws), -1, dtype=np.int8)
        legal = Positions(boards[:, turn], draws[:, turn], previous).legal(rules)
        moved = after[:, turn] != boards[:, turn]
        assert (moved.sum(axis=1) == 1).all()
        assert legal[moved].all()
        expected = (legal / legal.sum(axis=1, keepdims=True)).sum(axis=0)
        chosen = moved.sum(axis=0)
        assert ((chosen - expected) ** 2 / expected).sum() < 60, "chi-square with 18 degrees of freedom"
    assert (scores == scores_of(after[:, -1], rules)).all()
