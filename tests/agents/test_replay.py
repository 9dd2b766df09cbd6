"""Boards to learn from: what they are worth, and how they are sampled."""

from itertools import product

import numpy as np
import pytest

from agents.agent import make_agent
from agents.play import play
from agents.prizes import prizes_of
from agents.replay import Boards, boards_of
from takeiteasy_env.board import CELLS, HALF_TURN
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules
from tests.reference.game import TILES, ReferenceGame

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
NO_PRIZES = np.zeros((2, 0), dtype=np.float32)

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)


@each_of_the_rules
def test_boards_of_games_come_with_the_points_that_followed(rules):
    games = play(make_agent("line_odds", rules), draw_orders(stream(0, Purpose.TRAIN), 30), rules)
    found = boards_of(games, rules, NO_PRIZES)
    assert found.board.shape == (16, 30, CELLS)
    for game in range(30):
        reference = ReferenceGame(rules.placement, rules.scoring)
        for turn, (tile, cell) in enumerate(zip(games.draws[game, :16], games.cells[game], strict=False)):
            reference.place(TILES[tile], int(cell))
            board = found.board[turn, game]
            assert {cell: TILES[tile] for cell, tile in enumerate(board) if tile >= 0} == reference.board
            assert found.last[turn, game] == tile
            assert found.target[turn, game] == games.scores[game] - reference.points


def test_under_best_ray_the_prize_of_the_full_board_follows_too():
    rules = Rules(scoring="best_ray")
    games = play(make_agent("line_odds", rules), draw_orders(stream(0, Purpose.TRAIN), 200), rules)
    prizes = np.tile(np.arange(60, dtype=np.float32), (2, 1))
    plain, found = boards_of(games, rules, NO_PRIZES), boards_of(games, rules, prizes)
    more = prizes_of(games.boards, rules, prizes)
    assert more.any()
    for turn in range(16):
        still = more - prizes_of(found.board[turn], rules, prizes)
        np.testing.assert_allclose(found.target[turn] - plain.target[turn], still, atol=1e-4)


def test_tensors_bring_the_same_boards_back():
    games = play(make_agent("random", Rules()), draw_orders(stream(0, Purpose.TRAIN), 8), Rules())
    boards = boards_of(games, Rules(), NO_PRIZES)
    again = Boards.of(boards.tensors())
    assert (again.board == boards.board).all()
    assert (again.last == boards.last).all()
    assert (again.target == boards.target).all()


def test_a_sample_has_boards_of_its_turn_and_turns_half_of_them_by_180_degrees():
    games = play(make_agent("random", Rules()), draw_orders(stream(0, Purpose.TRAIN), 8), Rules())
    boards = boards_of(games, Rules(), NO_PRIZES)
    sample = boards.sample(np.random.default_rng(0), 2_000, among=5)
    for turn in range(16):
        kept = boards.board[turn, :5]
        as_it_was, turned = (
            (sample.board[turn][:, None] == those).all(axis=2) for those in (kept, kept[:, HALF_TURN])
        )
        chosen = (as_it_was | turned).argmax(axis=1)
        assert (as_it_was | turned).any(axis=1).all()
        assert set(chosen.tolist()) == {0, 1, 2, 3, 4}
        assert (sample.target[turn] == boards.target[turn, chosen]).all()
        assert (sample.last[turn] == boards.last[turn, chosen]).all()
        if turn:
            assert turned.any(axis=1).mean() == pytest.approx(0.5, abs=4 * 0.5 / 2_000**0.5)
