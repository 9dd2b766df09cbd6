"""Flat Monte Carlo: its means against exact values, and games that depend on nothing but their own draws."""

from itertools import product

import numpy as np
import pytest

from agents.agent import RandomizedAgent, make_agent
from agents.endings import ending_value, unseen_tiles
from agents.errors import UsageError
from agents.play import play
from agents.rollout import RolloutAgent, RolloutOptions, shuffle
from agents.threads import use_threads
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, PLACEMENTS, SCORINGS, Rules, bitboards_of, scores_of

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
NO_PRIZES = np.zeros((2, 0), dtype=np.float32)
#: No ending of two tiles brings more: six lines of at most five cells with at most nine points, and rays.
MOST_POINTS = 6 * 5 * (9 + 7)

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)


def positions_at(rules: Rules, turn: int, games: int) -> Positions:
    """Positions of games of line_odds at a turn, 0 to 18."""
    played = play(make_agent("line_odds", rules), draw_orders(stream(0, Purpose.VALIDATE), games), rules)
    board = played.boards.copy()
    np.put_along_axis(board, played.cells[:, turn:].astype(np.int64), NONE, axis=1)
    return Positions(board, played.draws[:, turn], played.draws[:, turn - 1])


@each_of_the_rules
def test_with_one_cell_to_come_the_mean_is_unbiased(rules: Rules):
    """The last placement is nobody's choice, so the exact value is what the mean must come to."""
    rollouts, positions = 2_000, positions_at(rules, CELLS - 2, games=6)
    values = RolloutAgent(rules, 0, RolloutOptions(rollouts)).values(positions)
    legal = positions.legal(rules)
    np.testing.assert_array_equal(np.isfinite(values), legal)
    off = []
    for game, cell in zip(*np.nonzero(legal), strict=True):
        after, tile = positions.board[game].copy(), int(positions.tile[game])
        after[cell] = tile
        gained = scores_of(np.stack([after, positions.board[game]]), rules)
        bitboard = bitboards_of(after[None], rules)[0]
        rest = ending_value(bitboard, unseen_tiles(after), tile, rules.code, NO_PRIZES)
        off.append(values[game, cell] - (gained[0] - gained[1] + rest))
    # Hoeffding: a mean of so many points of 0 to MOST_POINTS / 2 is off by more in one of 10,000 cases.
    assert np.abs(off).max() < MOST_POINTS / 2 * np.sqrt(np.log(20_000) / (2 * rollouts))


@each_of_the_rules
def test_it_never_expects_more_than_the_best_play_brings(rules: Rules):
    """With two cells to come line_odds may err, so the mean is at most the exact value, but for luck."""
    rollouts, positions = 1_000, positions_at(rules, CELLS - 3, games=8)
    values = RolloutAgent(rules, 0, RolloutOptions(rollouts)).values(positions)
    exact = np.full_like(values, -np.inf)
    for game, cell in zip(*np.nonzero(positions.legal(rules)), strict=True):
        after, tile = positions.board[game].copy(), int(positions.tile[game])
        after[cell] = tile
        gained = scores_of(np.stack([after, positions.board[game]]), rules)
        bitboard = bitboards_of(after[None], rules)[0]
        rest = ending_value(bitboard, unseen_tiles(after), tile, rules.code, NO_PRIZES)
        exact[game, cell] = gained[0] - gained[1] + rest
    legal = np.isfinite(exact)
    assert (values[legal] - exact[legal]).mean() < 0.5
    chosen = exact[np.arange(len(exact)), values.argmax(axis=1)]
    assert (exact.max(axis=1) - chosen).mean() < 1


def test_its_choices_follow_from_seed_game_and_turn_alone():
    rules = Rules()
    draws = draw_orders(stream(1, Purpose.VALIDATE), 3)
    games = [
        play(RolloutAgent(rules, seed, RolloutOptions(2)), draws[first:], rules, first).cells
        for seed, first in ((7, 0), (7, 1), (8, 0))
    ]
    np.testing.assert_array_equal(games[0][1:], games[1])
    assert (games[0] != games[2]).any()


def test_no_number_depends_on_the_threads():
    agent, positions = RolloutAgent(Rules(), 3, RolloutOptions(5)), positions_at(Rules(), 9, games=4)
    values = agent.values(positions)
    try:
        use_threads(1)
        np.testing.assert_array_equal(agent.values(positions), values)
    finally:
        use_threads(0)


def test_every_order_of_tiles_is_as_likely_as_any_other():
    words = np.random.default_rng(0).integers(1 << 64, dtype=np.uint64, size=(60_000, 3))
    orders = np.empty((60_000, 3), dtype=np.int64)
    for number in range(len(words)):
        shuffle(np.array([4, 7, 9]), words[number], orders[number])
    counts = np.unique(orders @ [100, 10, 1], return_counts=True)[1]
    assert len(counts) == 6
    assert np.abs(counts - 10_000).max() < 5 * np.sqrt(10_000)


def test_even_a_few_games_for_each_cell_beat_greedy():
    rules = Rules()
    draws = draw_orders(stream(2, Purpose.VALIDATE), 10)
    rolled, greedy = (
        play(make_agent(name, rules), draws, rules) for name in ("rollout+rollouts:4", "greedy")
    )
    assert rolled.scores.mean() > greedy.scores.mean() + 50


def test_it_is_made_by_its_name():
    agent = make_agent("rollout+rollouts:3", Rules(scoring="best_ray"), seed=5)
    assert isinstance(agent, RandomizedAgent)
    assert np.isfinite(agent.values(positions_at(Rules(scoring="best_ray"), 17, games=1))).sum() == 2
    with pytest.raises(UsageError, match=r"^rollout: option rollouts:0: give 1 or more$"):
        make_agent("rollout+rollouts:0", Rules())
