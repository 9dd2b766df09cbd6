"""What only a proof can say, by OR-Tools CP-SAT: of all boards, and of the best game of given draws."""

import numpy as np
import pytest
from ortools.sat.python import cp_model

from takeiteasy_env.board import HALF_TURN
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.hindsight import hindsight
from takeiteasy_env.integer_program import BoardModel
from takeiteasy_env.rules import PLACEMENTS, Rules
from takeiteasy_env.tiles import TILES, tile_indices
from tests.takeiteasy_env.test_facts import BOARDS

pytestmark = pytest.mark.slow

OTHER_SUNS = tuple(tile // 3 % 3 == 0 for tile in range(TILES))


class Boards(cp_model.CpSolverSolutionCallback):
    """Collects the board of every solution."""

    def __init__(self, model: BoardModel) -> None:
        super().__init__()
        self.model = model
        self.found: list[tuple[int, ...]] = []

    def on_solution_callback(self) -> None:
        self.found.append(tuple(self.model.board(self).tolist()))


def solver() -> cp_model.CpSolver:
    single = cp_model.CpSolver()
    single.parameters.num_workers = 1
    return single


def assert_nothing_scores_more(draws: np.ndarray, rules: Rules) -> None:
    """The score of the best game in hindsight can't be beaten."""
    model = BoardModel(draws.tolist(), rules)
    model.add(model.score > hindsight(draws, rules).score)
    assert solver().solve(model) == cp_model.INFEASIBLE


def test_no_board_of_any_19_tiles_scores_more_than_307():
    model = BoardModel(range(TILES), Rules())
    model.maximize(model.score)
    best = solver()
    assert best.solve(model) == cp_model.OPTIMAL
    assert best.objective_value == best.best_objective_bound == 307


def test_exactly_the_16_boards_of_the_rules_page_score_307():
    model = BoardModel(range(TILES), Rules())
    model.add(model.score >= 307)
    boards = Boards(model)
    every = solver()
    every.parameters.enumerate_all_solutions = True
    assert every.solve(model, boards) == cp_model.OPTIMAL
    pages = [tile_indices(columns.replace("|", " ").split()) for points, columns in BOARDS if points == 307]
    pairs = {tuple(board[cell] for cell in cells) for board in pages for cells in (range(19), HALF_TURN)}
    assert len(boards.found) == len(pairs) == 16
    assert set(boards.found) == pairs


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_no_game_on_the_same_draws_scores_more_than_hindsight(placement):
    for draws in draw_orders(stream(1, Purpose.EVALUATE), 5):
        assert_nothing_scores_more(draws, Rules(placement))


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_no_game_on_the_same_draws_scores_more_than_hindsight_with_rays(placement):
    (draws,) = draw_orders(stream(2, Purpose.EVALUATE), 1)
    assert_nothing_scores_more(draws, Rules(placement, "sunrays", OTHER_SUNS))
