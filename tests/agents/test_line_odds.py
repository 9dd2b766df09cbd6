"""line_odds: the odds it counts, the moves nobody would dispute, and how well it plays."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.agent import make_agent
from agents.line_odds import completion_chances, odds_to_draw
from agents.play import play
from takeiteasy_env.board import HALF_TURN
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules
from takeiteasy_env.tiles import tile_index

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]


def best_cell(board: dict[int, int], tile: int, rules: Rules | None = None) -> int:
    """The cell that line_odds chooses on a board of tiles as they are written."""
    rules = rules or Rules()
    cells = np.full((1, 19), -1, dtype=np.int8)
    for cell, code in board.items():
        cells[0, cell] = tile_index(str(code))
    in_hand = np.array([tile_index(str(tile))], dtype=np.int8)
    previous = cells.max(axis=1)
    return int(make_agent("line_odds", rules).values(Positions(cells, in_hand, previous)).argmax())


@st.composite
def positions(draw: st.DrawFn) -> Positions:
    """One position of any turn, whatever the moves were."""
    tiles = np.array(draw(st.permutations(range(27))), dtype=np.int8)
    cells = np.array(draw(st.permutations(range(19))))
    filled = draw(st.integers(0, 18))
    board = np.full((1, 19), -1, dtype=np.int8)
    board[0, cells[:filled]] = tiles[:filled]
    previous = tiles[filled - 1 : filled] if filled else np.array([-1], dtype=np.int8)
    return Positions(board, tiles[filled : filled + 1], previous)


@pytest.mark.parametrize("draws", [0, 1, 3, 8])
def test_the_odds_to_draw_are_those_of_all_equally_likely_hands(draws):
    for wanted in range(9):
        hands = [sum(tile < wanted for tile in hand) for hand in combinations(range(8), draws)]
        for missing in range(6):
            share = np.mean([held >= missing for held in hands])
            assert odds_to_draw(missing, wanted, 8, draws) == pytest.approx(share)


def test_a_run_that_needs_every_draw_has_the_odds_of_just_these_draws():
    """Two draws from ten tiles; whatever the rivals, there is none to share."""
    assert completion_chances()[2, 2, 5] == pytest.approx(5 / 10 * 4 / 9)


def test_a_run_that_misses_nothing_is_complete_and_one_that_misses_too_much_never_will_be():
    chances = completion_chances()
    assert (chances[:, 0, 3] == 1).all()
    assert (chances[2, 3:] == 0).all()
    assert (chances[12, 3, :3] == 0).all()


def test_the_chance_grows_with_the_tiles_that_would_do_and_falls_with_the_rivals():
    chances = completion_chances()[12, 2]
    assert (np.diff(chances[2:10], axis=0) > 0).all()
    assert (np.diff(chances[2:10, :10], axis=1) < 0).all()


def test_it_completes_the_long_line_of_nines():
    assert best_cell({7: 923, 8: 964, 9: 978, 11: 928}, tile=963) == 10


def test_it_keeps_a_line_alive_that_the_tile_would_break():
    """Cell 10 is the last of a column of 9s: a tile with a 1 goes anywhere else."""
    assert best_cell({7: 923, 8: 964, 9: 978, 11: 928}, tile=174) != 10


def test_the_last_nine_goes_to_the_longer_of_two_columns_that_wait_for_it():
    """Column 0 lacks one cell and so does column 1; all other 9s lie on the board."""
    nines = {0: 923, 1: 924, 3: 928, 4: 963, 5: 964, 12: 968, 13: 973, 16: 974}
    assert best_cell(nines, tile=978) == 6


def test_a_sun_completes_the_sunray_where_rays_count():
    """Cells 2 and 18 are empty and no number on their lines can score; in column 4 lie two suns."""
    tiles = [123, 564, 528, 163, 578, 963, 178, 523, 928, 164, 524, 124, 924, 573, 968, 574, 973]
    board = dict(zip([cell for cell in range(18) if cell != 2], tiles, strict=True))
    assert best_cell(board, 563, Rules(scoring="sunrays")) == 18
    assert best_cell(board, 563, Rules(scoring="standard")) == 2


@given(positions(), st.sampled_from(ALL_RULES))
def test_turning_the_board_by_180_degrees_turns_the_values(seen, rules):
    agent = make_agent("line_odds", rules)
    turned = Positions(seen.board[:, HALF_TURN], seen.tile, seen.previous)
    assert (agent.values(turned) == agent.values(seen)[:, HALF_TURN]).all()


@given(positions(), positions())
def test_the_values_of_a_position_depend_on_nothing_else(one, other):
    both = Positions(
        np.vstack([one.board, other.board]),
        np.hstack([one.tile, other.tile]),
        np.hstack([one.previous, other.previous]),
    )
    alone = [make_agent("line_odds", Rules(), seed).values(seen) for seed, seen in enumerate((one, other))]
    assert (make_agent("line_odds", Rules(), seed=7).values(both) == np.vstack(alone)).all()


@given(positions())
def test_standard_values_do_not_depend_on_the_suns(seen):
    values = [make_agent("line_odds", Rules(suns=suns)).values(seen) for suns in ((0, 5, 9), range(14))]
    assert (values[0] == values[1]).all()


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_it_plays_better_than_greedy_and_greedy_better_than_random(rules):
    """On 2,000 shared draws, by far more than chance: the standard error of a difference is below 1."""
    draws = draw_orders(stream(0, Purpose.EVALUATE), 2_000)
    mean = {
        name: play(make_agent(name, rules), draws, rules).scores.mean()
        for name in ("random", "greedy", "line_odds")
    }
    assert mean["greedy"] > mean["random"] + 10
    assert mean["line_odds"] > mean["greedy"] + 100


def test_it_plays_as_well_as_it_is_said_to():
    """163.8 points over 50,000 games; a mean of 5,000 has a standard error of 0.4."""
    draws = draw_orders(stream(1, Purpose.EVALUATE), 5_000)
    assert play(make_agent("line_odds", Rules()), draws, Rules()).scores.mean() > 162
