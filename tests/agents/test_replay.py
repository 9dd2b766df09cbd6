"""Boards to learn from: what they are worth, and how they are sampled."""

from itertools import product

import numpy as np
import pytest

from agents.agent import make_agent
from agents.play import play
from agents.prizes import prizes_of
from agents.replay import Boards, boards_of, boards_per_turn, choose
from takeiteasy_env.board import CELLS
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


def test_fuller_boards_are_learned_from_more_often_for_their_targets_cost_less():
    """A target takes a successor for each of the remaining tiles on each of the empty cells."""
    boards = boards_per_turn(1_000)
    assert boards[15] == 1_000
    for tiles, count in enumerate(boards, start=1):
        cost = ((27 - tiles) * (19 - tiles)) / ((27 - 16) * (19 - 16))
        assert count == pytest.approx(1_000 / cost**0.5, abs=0.5)
    assert boards_per_turn(1).tolist() == [1] * 16, "no turn is left out"


def test_each_round_has_a_slot_of_its_own_in_which_the_next_one_to_come_replaces_it():
    rules, counts = Rules(), np.arange(1, 17)
    games = play(make_agent("random", rules), draw_orders(stream(0, Purpose.TRAIN), 64), rules)
    found, replay = boards_of(games, rules, NO_PRIZES), Boards.empty(2 * 16)
    rounds = [Boards(*(of[:, first : first + 16] for of in (found.board, found.last, found.target)))
              for first in (0, 16, 32)]  # fmt: skip
    for slot, boards in ((0, rounds[0]), (1, rounds[1]), (0, rounds[2])):
        replay.write(slot, boards, counts)
    for turn, count in enumerate(counts):
        for slot, boards in ((0, rounds[2]), (1, rounds[1])):
            places = slice(slot * count, (slot + 1) * count)
            assert (replay.board[turn, places] == boards.board[turn, :count]).all()
            assert (replay.last[turn, places] == boards.last[turn, :count]).all()
            assert (replay.target[turn, places] == boards.target[turn, :count]).all()
        assert (replay.board[turn, 2 * count :] == -1).all()


def test_a_choice_takes_its_share_of_each_turn_and_turns_half_of_them():
    sizes, among = np.arange(100, 1_700, 100), np.arange(16) + 1
    chosen = choose(np.random.default_rng(0), sizes, among)
    assert (np.diff(chosen.turn) >= 0).all()
    for turn in range(16):
        places = chosen.place[chosen.turn == turn]
        assert len(places) == sizes[turn]
        assert set(places.tolist()) == set(range(among[turn]))
    assert chosen.turned.mean() == pytest.approx(0.5, abs=4 * 0.5 / sizes.sum() ** 0.5)
