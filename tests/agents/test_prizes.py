"""What a ray is expected to bring: the bonus by the rules, against each opponent that was there."""

import numpy as np
import pytest

from agents.agent import make_agent
from agents.play import play
from agents.prizes import expected_prizes, gain_through, prizes_of, rays_of
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import BITBOARD, Rules, best_rays, bitboards_of, bonuses_of, place

RULES = Rules(scoring="best_ray")


def test_the_best_ray_of_the_group_takes_all_and_equals_share():
    rays = np.array([[[35, 0], [44, 0], [44, 59]]])
    prizes = expected_prizes(rays)
    assert prizes.shape == (2, 60)
    assert prizes.dtype == np.float32
    # Against 44 and 44, against 35 and 44 twice.
    assert prizes[0, 44] == pytest.approx((20 + 30 + 30) / 3)
    assert prizes[0, 45] == pytest.approx(60)
    assert prizes[0, 43] == 0
    # Two of the three have nobody's Moonbeam above 0 against them but that of 59.
    assert prizes[1, 31] == pytest.approx(60 / 3)
    assert prizes[1, 59] == pytest.approx((30 + 30 + 60) / 3)


def test_no_ray_brings_nothing_and_a_better_one_never_less():
    rays = np.random.default_rng(0).choice([0, 31, 35, 42, 59], size=(200, 4, 2))
    prizes = expected_prizes(rays)
    assert (prizes[:, 0] == 0).all()
    assert (np.diff(prizes, axis=1) >= 0).all()
    assert prizes.max() <= 60


def test_what_the_rays_of_a_table_bring_is_the_bonus_of_the_rules():
    """Two players have one opponent each, so that the prize is exact: the bonus itself."""
    draws = draw_orders(stream(0, Purpose.VALIDATE), 200).repeat(2, axis=0)
    tables = play(make_agent("greedy", RULES, seed=1), draws, RULES).boards.reshape(200, 2, CELLS)
    brought = 0.0
    for table in tables:
        for own, other in (table, table[::-1]):
            pair = np.stack([own, other])
            against = expected_prizes(rays_of(np.stack([other, other]), RULES)[None])
            bonus = prizes_of(pair[:1], RULES, against)[0]
            assert bonus == bonuses_of(pair[None], RULES)[0, 0]
            brought += bonus
    assert brought > 0


def test_rays_and_prizes_of_boards_are_those_of_each_board():
    boards = play(make_agent("line_odds", RULES), draw_orders(stream(0, Purpose.VALIDATE), 300), RULES).boards
    rays = rays_of(boards, RULES)
    assert rays.any(axis=0).all()
    assert [tuple(ray) for ray in rays] == [best_rays(bitboard) for bitboard in bitboards_of(boards, RULES)]
    prizes = np.arange(120, dtype=np.float32).reshape(2, 60)
    assert (prizes_of(boards, RULES, prizes) == prizes[0, rays[:, 0]] + prizes[1, rays[:, 1]]).all()
    assert (prizes_of(boards, RULES, prizes[:, :0]) == 0).all()


def test_the_gains_of_a_game_add_up_to_its_points_and_its_prize():
    games = play(make_agent("line_odds", RULES), draw_orders(stream(0, Purpose.VALIDATE), 50), RULES)
    prizes = np.random.default_rng(0).uniform(0, 60, size=(2, 60)).astype(np.float32)
    prizes[:, 0] = 0
    for game in range(50):
        bitboard, total = np.zeros(BITBOARD, dtype=np.int32), 0.0
        for tile, cell in zip(games.draws[game], games.cells[game], strict=True):
            before = float(prizes[0, best_rays(bitboard)[0]] + prizes[1, best_rays(bitboard)[1]])
            place(bitboard, int(tile), int(cell), RULES.code)
            total += gain_through(bitboard, int(tile), int(cell), before, RULES.code, prizes)
        worth = games.scores[game] + prizes_of(games.boards[game : game + 1], RULES, prizes)[0]
        assert total == pytest.approx(float(worth), abs=1e-3)
