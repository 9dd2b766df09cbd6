"""Every way in which the last tiles may come, against the second set of rules."""

from copy import deepcopy
from itertools import product

import numpy as np
import pytest

from agents.agent import make_agent
from agents.ending_distribution import ending_worth, fill_outcomes
from agents.endings import unseen_tiles
from agents.play import play
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import BITBOARD, PLACEMENTS, SCORINGS, Rules, bitboards_of, scores_of
from tests.reference.ending import points_of
from tests.reference.game import TILES, ReferenceGame

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
EACH_SCORE = np.random.default_rng(0).uniform(0, 1, 1000)

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
endings = pytest.mark.parametrize(("cells", "games"), [(0, 1), (1, 3), (2, 1)])


def late_boards(rules: Rules, cells: int, games: int) -> list[tuple[ReferenceGame, np.ndarray, int]]:
    """Boards of ``line_odds`` with so many empty cells, in both sets of rules, and the tile placed last."""
    played = play(make_agent("line_odds", rules), draw_orders(stream(1, Purpose.VALIDATE), games), rules)
    found = []
    for draws, placed in zip(played.draws, played.cells, strict=True):
        reference, board = ReferenceGame(rules.placement, rules.scoring), np.full(CELLS, -1, dtype=np.int8)
        for tile, cell in zip(draws[: CELLS - cells], placed, strict=False):
            reference.place(TILES[tile], int(cell))
            board[cell] = tile
        found.append((reference, board, int(draws[CELLS - cells - 1])))
    return found


def bitboards_for(board: np.ndarray, rules: Rules) -> np.ndarray:
    empty = int((board == -1).sum())
    bitboards = np.full((3, BITBOARD), -1, dtype=np.int32)
    bitboards[empty] = bitboards_of(board[None], rules)[0]
    return bitboards


def left_in(game: ReferenceGame) -> list[str]:
    return [tile for tile in TILES if tile not in game.drawn]


def final_scores(game: ReferenceGame) -> list[int]:
    """The final score of every order of tiles, each placed for the best mean, the lowest of such cells."""
    if len(game.board) == CELLS:
        return [game.points]
    found = []
    for tile in left_in(game):
        cell = max(
            sorted(game.legal_cells(tile)), key=lambda cell, tile=tile: round(points_of(game, tile, cell), 4)
        )
        after = deepcopy(game)
        after.place(tile, cell)
        found += final_scores(after)
    return found


def best_worth(game: ReferenceGame) -> float:
    if len(game.board) == CELLS:
        return EACH_SCORE[game.points]
    worths = []
    for tile in left_in(game):
        afters = [deepcopy(game) for _ in game.legal_cells(tile)]
        for after, cell in zip(afters, game.legal_cells(tile), strict=True):
            after.place(tile, cell)
        worths.append(max(map(best_worth, afters)))
    return sum(worths) / len(worths)


@each_of_the_rules
@endings
def test_the_outcomes_are_those_of_every_order_of_tiles(rules, cells, games):
    for reference, board, last in late_boards(rules, cells, games):
        outcomes = np.empty(90, dtype=np.float32)
        bitboards, left = bitboards_for(board, rules), unseen_tiles(board)
        score = int(scores_of(board[None], rules)[0])
        count = fill_outcomes(bitboards, cells, left, last, score, rules.code, outcomes)
        assert sorted(outcomes[:count]) == sorted(final_scores(reference))


@each_of_the_rules
@endings
def test_the_worth_is_that_of_the_best_cells_for_it(rules, cells, games):
    for reference, board, last in late_boards(rules, cells, games):
        bitboards, left = bitboards_for(board, rules), unseen_tiles(board)
        score = int(scores_of(board[None], rules)[0])
        worth = ending_worth(bitboards, cells, left, last, score, rules.code, EACH_SCORE)
        assert worth == pytest.approx(best_worth(reference), abs=1e-9)
