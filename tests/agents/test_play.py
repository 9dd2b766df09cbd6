"""Playing many games of an agent: by the rules, on the draws given, and with wrong answers named."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from agents.agent import make_agent
from agents.play import PlayError, play
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules, scores_of
from tests.reference.game import TILES, ReferenceGame

GAMES = 100
ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]


@dataclass
class Spy:
    """Fills the cells from 0 to 18, and remembers what it was shown."""

    def __post_init__(self) -> None:
        self.seen: list[Positions] = []

    def values(self, positions: Positions) -> np.ndarray:
        self.seen.append(Positions(positions.board.copy(), positions.tile.copy(), positions.previous.copy()))
        return np.where(positions.board == -1, np.float32(0), np.float32(-np.inf))


@dataclass
class Answers:
    """Gives the same answer at every turn, one row a game."""

    answer: np.ndarray

    def values(self, positions: Positions) -> np.ndarray:
        return self.answer


@pytest.fixture
def draws() -> np.ndarray:
    return draw_orders(stream(0, Purpose.EVALUATE), GAMES)


@pytest.mark.parametrize("name", ["random", "line_odds"])
@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_the_games_are_those_of_the_reference(rules, name, draws):
    games = play(make_agent(name, rules), draws, rules)
    assert (games.draws == draws).all()
    assert (games.scores == scores_of(games.boards, rules)).all()
    for tiles, cells, score in zip(games.draws[:20], games.cells[:20], games.scores[:20], strict=True):
        reference = ReferenceGame(rules.placement, rules.scoring)
        for tile, cell in zip(tiles, cells, strict=True):
            reference.place(TILES[tile], int(cell))
        assert reference.points == score


def test_every_tile_drawn_lies_where_it_was_put(draws):
    games = play(make_agent("random", Rules()), draws, Rules())
    assert (np.sort(games.cells, axis=1) == np.arange(CELLS)).all()
    assert (np.take_along_axis(games.boards, games.cells.astype(int), axis=1) == draws).all()


def test_the_agent_sees_the_tile_in_hand_the_one_before_and_the_board_so_far(draws):
    spy = Spy()
    games = play(spy, draws, Rules())
    assert len(spy.seen) == CELLS
    assert (games.boards == draws).all()
    for turn, positions in enumerate(spy.seen):
        assert (positions.tile == draws[:, turn]).all()
        assert (positions.previous == (draws[:, turn - 1] if turn else -1)).all()
        assert (positions.board[:, :turn] == draws[:, :turn]).all()
        assert (positions.board[:, turn:] == -1).all()


def test_the_lowest_cell_is_taken_on_ties(draws):
    assert (play(Spy(), draws, Rules()).cells == np.arange(CELLS)).all()


def test_the_draws_are_left_alone(draws):
    before = draws.copy()
    games = play(make_agent("greedy", Rules()), draws, Rules())
    assert (draws == before).all()
    assert not np.shares_memory(games.boards, draws)


def test_no_games_can_be_played(draws):
    games = play(make_agent("line_odds", Rules()), draws[:0], Rules())
    assert games.boards.shape == (0, CELLS)
    assert games.scores.shape == (0,)


@pytest.mark.parametrize("shape", [(GAMES, 18), (GAMES - 1, 19), (GAMES * 19,)])
def test_values_of_another_shape_are_refused(shape, draws):
    with pytest.raises(PlayError) as error:
        play(Answers(np.zeros(shape, dtype=np.float32)), draws, Rules())
    assert str(error.value) == f"game 0, turn 0: values of shape {shape} instead of ({GAMES}, 19)"


def test_a_nan_is_no_value_of_a_move(draws):
    answer = np.zeros((GAMES, CELLS), dtype=np.float32)
    answer[4, 11] = np.nan
    with pytest.raises(PlayError, match=r"^game 4, turn 0: cell 11 of value nan is not a legal move$"):
        play(Answers(answer), draws, Rules())


def test_a_move_to_a_filled_cell_is_refused(draws):
    answer = np.zeros((GAMES, CELLS), dtype=np.float32)
    with pytest.raises(PlayError, match=r"^game 0, turn 1: cell 0 of value 0\.0 is not a legal move$"):
        play(Answers(answer), draws, Rules())


def test_a_move_that_the_placement_forbids_is_refused(draws):
    """The second tile of ``adjacent`` must touch the first, on cell 0: cell 18 is far away."""
    answer = np.tile(np.r_[2, np.zeros(17), 1].astype(np.float32), (GAMES, 1))

    @dataclass
    class FarAway(Answers):
        def values(self, positions: Positions) -> np.ndarray:
            return np.where(positions.board == -1, self.answer, -np.inf)

    with pytest.raises(PlayError, match=r"^game 0, turn 1: cell 18 of value 1\.0 is not a legal move$"):
        play(FarAway(answer), draws, Rules("adjacent"))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ([[0.0] * CELLS] * GAMES, "list"),
        (None, "NoneType"),
        (np.zeros((GAMES, CELLS), dtype=object), "an array of object"),
        (np.zeros((GAMES, CELLS), dtype=np.complex64), "an array of complex64"),
    ],
)
def test_an_answer_that_is_no_array_of_numbers_is_refused(answer, kind, draws):
    with pytest.raises(PlayError, match=f"^game 0, turn 0: values are {kind}, not a NumPy array of float32$"):
        play(Answers(answer), draws, Rules())


@dataclass
class Raises(Spy):
    """Fills the cells in their order until it is shown a wanted number of tiles, and fails on some games."""

    turn: int
    game: int | None

    def values(self, positions: Positions) -> np.ndarray:
        wrong = positions.filled == self.turn
        if self.game is not None:
            wrong &= (positions.board[:, :3] == self.first_tiles).all(axis=1)
        if wrong.any() and (self.game is not None or len(positions) > 1):
            raise ValueError("too\nmany suns")
        return super().values(positions)


def test_an_agent_that_raises_is_named_with_game_and_move(draws):
    agent = Raises(turn=5, game=40)
    agent.first_tiles = draws[40, :3]
    with pytest.raises(
        PlayError, match=r"^game 40, turn 5: it raised ValueError: too many suns \(test_play.py:\d+\)$"
    ):
        play(agent, draws, Rules())


def test_an_agent_that_raises_at_many_games_together_is_named_with_the_first(draws):
    with pytest.raises(PlayError, match=r"^game 0, turn 2: it raised ValueError: too many suns"):
        play(Raises(turn=2, game=None), draws, Rules())


@pytest.mark.parametrize("name", ["random", "greedy", "line_odds"])
def test_a_game_is_the_same_whatever_games_are_played_beside_it(name, draws):
    agent = make_agent(name, Rules(), seed=4)
    together = play(agent, draws, Rules(), first=1000)
    for first, stop in ((0, 30), (30, 31), (31, GAMES)):
        apart = play(agent, draws[first:stop], Rules(), first=1000 + first)
        assert (apart.cells == together.cells[first:stop]).all()
    if name != "line_odds":
        assert (play(agent, draws, Rules(), first=1001).cells != together.cells).any()
