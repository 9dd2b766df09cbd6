"""The luck of a draw against its definition, and what a score is without it."""

from dataclasses import dataclass

import numpy as np
import pytest

from agents.agent import make_agent
from agents.errors import UsageError
from agents.luck import luck_of, value_network_of
from agents.play import Games, play
from agents.value import ValueAgent
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules
from takeiteasy_env.tiles import TILES
from tests.agents.test_successors import POINTS_OFF, each_of_the_rules, random_network
from tests.reference.game import TILES as TILE_NAMES
from tests.reference.game import ReferenceGame

GAMES = 4


def value_agent(rules: Rules) -> ValueAgent:
    """One with a network that knows nothing."""
    return ValueAgent(rules, random_network(rules).weights())


def games_of(agent: str, rules: Rules, games: int = GAMES) -> Games:
    draws = draw_orders(stream(0, Purpose.VALIDATE), games)
    return play(make_agent(agent, rules), draws, rules)


def luck_slowly(agent: ValueAgent, draws: np.ndarray, cells: np.ndarray) -> list[float]:
    """The luck of each draw of one game, from what the agent says of every tile that might have come."""
    board, previous, luck = np.full(CELLS, -1, dtype=np.int8), -1, []
    for tile, cell in zip(draws.tolist(), cells.tolist(), strict=True):
        left = np.setdiff1d(np.arange(TILES), board)
        positions = Positions(
            np.tile(board, (len(left), 1)), left.astype(np.int8), np.full(len(left), previous, dtype=np.int8)
        )
        best = agent.values(positions).max(axis=1)
        luck.append(float(best[left == tile][0]) - float(best.mean()))
        board[cell], previous = tile, tile
    return luck


@each_of_the_rules
def test_luck_is_the_best_the_tile_may_bring_less_the_mean_of_those_that_might_have_come(rules: Rules):
    agent, games = value_agent(rules), games_of("random", rules)
    luck = luck_of(games.draws, games.cells, rules, agent.weights)
    assert (luck.dtype, luck.shape) == (np.float32, (GAMES, CELLS))
    assert np.abs(luck).max() > 1
    for game in range(GAMES):
        slowly = luck_slowly(agent, games.draws[game], games.cells[game])
        assert luck[game] == pytest.approx(slowly, abs=POINTS_OFF)


@each_of_the_rules
def test_the_luck_of_the_last_draw_is_in_points_that_anybody_can_count(rules: Rules):
    games = games_of("greedy", rules)
    luck = luck_of(games.draws, games.cells, rules, value_agent(rules).weights)
    suns = frozenset(np.array(TILE_NAMES)[list(rules.suns)].tolist())
    for game in range(GAMES):
        names = [TILE_NAMES[tile] for tile in games.draws[game]]
        *cells, last = games.cells[game].tolist()
        scores = {}
        for tile in set(TILE_NAMES) - set(names[:-1]):
            played = ReferenceGame(rules.placement, rules.scoring, suns)
            for name, cell in zip((*names[:-1], tile), (*cells, last), strict=True):
                played.place(name, cell)
            scores[tile] = played.points
        assert scores[names[-1]] == games.scores[game]
        expected = scores[names[-1]] - sum(scores.values()) / len(scores)
        assert luck[game, -1] == pytest.approx(expected, abs=1e-4)


@each_of_the_rules
def test_over_all_tiles_that_may_come_luck_adds_up_to_nothing(rules: Rules):
    agent, games = value_agent(rules), games_of("line_odds", rules, 1)
    for turn in (0, 1, 9, 15, 16, 17, 18):
        left = np.setdiff1d(np.arange(TILES), games.draws[0, :turn])
        draws = np.tile(games.draws, (len(left), 1))
        for row, tile in enumerate(left):
            draws[row, draws[row] == tile] = draws[row, turn]
            draws[row, turn] = tile
        cells = np.tile(games.cells, (len(left), 1))
        luck = luck_of(draws, cells, rules, agent.weights)[:, turn]
        assert luck.mean() == pytest.approx(0, abs=POINTS_OFF), f"draw {turn + 1}"


@pytest.fixture(scope="module")
def network() -> ValueAgent:
    """The value agent that comes with the project."""
    agent = make_agent("value", Rules())
    assert isinstance(agent, ValueAgent)
    return agent


@pytest.mark.parametrize(("name", "times_narrower"), [("value", 3), ("line_odds", 3), ("random", 1)])
def test_a_score_without_luck_has_the_same_mean_and_hardly_any_chance(
    network: ValueAgent, name: str, times_narrower: float
):
    """The means differ by less than three standard errors: of one right program in 370 they would."""
    games = games_of(name, Rules(), 1_000)
    luck = luck_of(games.draws, games.cells, Rules(), network.weights).sum(axis=1)
    adjusted = games.scores - luck
    standard_error = luck.std(ddof=1) / np.sqrt(len(luck))
    assert standard_error < 1
    assert abs(adjusted.mean() - games.scores.mean()) < 3 * standard_error
    if times_narrower > 1:
        assert adjusted.std() < games.scores.std() / times_narrower


def test_it_is_unbiased_whatever_the_network_says():
    games = games_of("line_odds", Rules(), 1_000)
    luck = luck_of(games.draws, games.cells, Rules(), value_agent(Rules()).weights).sum(axis=1)
    assert abs(luck.mean()) < 3 * luck.std(ddof=1) / np.sqrt(len(luck))


def test_it_does_not_depend_on_which_games_are_side_by_side(network: ValueAgent):
    games = games_of("random", Rules(), 70)
    whole = luck_of(games.draws, games.cells, Rules(), network.weights)
    apart = [
        luck_of(games.draws[rows], games.cells[rows], Rules(), network.weights)
        for rows in np.split(np.arange(70), [1, 33])
    ]
    assert (np.concatenate(apart) == whole).all()


@dataclass
class OwnAgent:
    """Somebody's agent, whose weights are none of a value network."""

    rules: Rules
    weights: str = "a lot"

    def values(self, positions: Positions) -> np.ndarray:
        return np.where(positions.legal(self.rules), np.float32(0), -np.inf)


@pytest.mark.parametrize("spec", ["random", "line_odds", f"{__name__}:OwnAgent", "value@sunrays"])
def test_an_agent_without_a_value_network_of_the_rules_is_refused(spec: str):
    with pytest.raises(
        UsageError, match=r"no value network of standard rules: choose value, or value:[^\n]+$"
    ):
        value_network_of(spec, Rules())
