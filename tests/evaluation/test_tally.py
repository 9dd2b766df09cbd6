"""Counts over final boards, against the slow second set of rules."""

import numpy as np
import pytest

from agents.agent import make_agent
from agents.play import play
from evaluation.tally import Tally
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import Rules
from tests.reference.board import LINES
from tests.reference.game import DEFAULT_SUNS, POSITION_IN_CODE, TILES

RULES = Rules(scoring="sunrays")
GAMES = 60


@pytest.fixture(scope="module")
def boards() -> np.ndarray:
    return play(make_agent("line_odds", RULES), draw_orders(stream(2, Purpose.EVALUATE), GAMES), RULES).boards


@pytest.fixture(scope="module")
def tally(boards: np.ndarray) -> Tally:
    return Tally.of(boards, RULES)


def numbers_on(board: np.ndarray, direction: str, cells: list[int]) -> set[int]:
    return {int(TILES[board[cell]][POSITION_IN_CODE[direction]]) for cell in cells}


def test_completion_is_the_share_of_lines_of_a_length_that_bear_one_number(tally, boards):
    for number, lengths in tally.completion().items():
        for length, share in lengths.items():
            completed = [
                numbers_on(board, direction, cells) == {number}
                for board in boards
                for direction, cells in LINES
                if len(cells) == length
                and number in {int(tile[POSITION_IN_CODE[direction]]) for tile in TILES}
            ]
            assert share == pytest.approx(np.mean(completed))
    assert sum(sum(lengths.values()) for lengths in tally.completion().values()) > 0


def test_places_are_the_shares_of_games_in_which_a_number_lies_on_a_cell(tally, boards):
    places = tally.places()
    assert list(places) == [1, 5, 9, 2, 6, 7, 3, 4, 8]
    for number, shares in places.items():
        lies = [[str(number) in TILES[tile] for tile in board] for board in boards]
        assert shares == pytest.approx(np.mean(lies, axis=0))


def test_ray_points_are_those_of_lines_of_one_symbol(tally, boards):
    suns = moons = 0
    for board in boards:
        for _, cells in LINES:
            symbols = {TILES[board[cell]] in DEFAULT_SUNS for cell in cells}
            suns += 7 * len(cells) * (symbols == {True})
            moons += 6 * len(cells) * (symbols == {False})
    assert tally.ray_points() == pytest.approx((moons / GAMES, suns / GAMES))


def test_the_points_of_lines_and_rays_are_the_score(tally, boards):
    lines = {3: 2, 4: 2, 5: 1}
    of_lines = sum(
        share * lines[length] * length * number
        for number, lengths in tally.completion().items()
        for length, share in lengths.items()
    )
    scores = play(
        make_agent("line_odds", RULES), draw_orders(stream(2, Purpose.EVALUATE), GAMES), RULES
    ).scores
    assert of_lines + sum(tally.ray_points()) == pytest.approx(scores.mean())


def test_counts_of_parts_add_up_to_those_of_all(tally, boards):
    total = Tally.empty()
    for first in range(0, GAMES, 25):
        total += Tally.of(boards[first : first + 25], RULES)
    assert (total.games, total.moves) == (GAMES, 19 * GAMES)
    for name in ("placed", "completed", "rays"):
        assert (getattr(total, name) == getattr(tally, name)).all()
