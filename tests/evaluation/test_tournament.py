from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from agents.errors import UsageError
from evaluation import tournament
from evaluation.tournament import play_tournament
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules, scores_of

RULES = Rules()
SHARD = 8


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament, "SHARD_GAMES", SHARD)


def scores(agents: list[str], games: int, seed: int = 0) -> dict[str, list[int]]:
    return {entry.agent: entry.scores.tolist() for entry in play_tournament(agents, games, seed, RULES)}


@dataclass(frozen=True)
class InOrder:
    """Fills the cells in their order, and answers one position with nonsense.

    In game ``game`` of seed 0, with three tiles on the board, ``spoil`` is done to its values.
    """

    game: int
    spoil: Callable[[np.ndarray, int], np.ndarray]

    def values(self, positions: Positions) -> np.ndarray:
        values = np.where(positions.legal(RULES), np.float32(0), -np.inf)
        first_four = draw_orders(stream(0, Purpose.EVALUATE), self.game + 1)[self.game, :4]
        seen = np.column_stack([positions.board[:, :3], positions.tile])
        rows = np.flatnonzero((seen == first_four).all(axis=1) & (positions.filled == 3))
        return self.spoil(values, rows[0]) if len(rows) else values


def put(value: float, cell: int) -> Callable[[np.ndarray, int], np.ndarray]:
    def spoil(values: np.ndarray, row: int) -> np.ndarray:
        values[row, cell] = value
        return values

    return spoil


SPOILT = {
    "not_a_number": InOrder(10, put(np.nan, 5)),
    "filled_cell": InOrder(10, put(1.0, 2)),
    "wrong_shape": InOrder(SHARD, lambda values, row: values[:, :5]),
    "in_order": InOrder(10, lambda values, row: values),
}


@pytest.fixture
def spoilt_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament, "make_agent", lambda name, rules, seed: SPOILT[name])


def test_the_scores_are_those_of_the_draws_of_the_seed(spoilt_agents: None):
    boards = draw_orders(stream(0, Purpose.EVALUATE), 20)  # the k-th tile on the k-th cell
    (entry,) = play_tournament(["in_order"], 20, 0, RULES)
    assert entry.scores.dtype == np.int16
    assert entry.scores.tolist() == scores_of(boards, RULES).tolist()
    assert entry.games_per_second == 20 / entry.seconds


@pytest.mark.parametrize("games", [2, SHARD, SHARD + 3, 2 * SHARD])
def test_a_short_evaluation_is_the_beginning_of_a_longer_one(games: int):
    agents = ["random", "greedy", "line_odds"]
    longer = scores(agents, 3 * SHARD)
    assert scores(agents, games) == {agent: longer[agent][:games] for agent in agents}


def test_what_an_agent_scores_does_not_depend_on_who_else_plays():
    together = scores(["greedy", "random"], 20)
    assert scores(["random"], 20)["random"] == together["random"]


def test_seeds_and_shards_have_draws_and_choices_of_their_own():
    agents = ["random", "greedy", "line_odds"]
    zero, one = scores(agents, 4 * SHARD, seed=0), scores(agents, 4 * SHARD, seed=1)
    for agent in agents:
        assert zero[agent] != one[agent]
        assert zero[agent][:SHARD] != zero[agent][SHARD : 2 * SHARD]


@pytest.mark.parametrize(
    ("agent", "game", "reason"),
    [("not_a_number", 10, "nan"), ("filled_cell", 10, "cell 2"), ("wrong_shape", SHARD, r"\(8, 5\)")],
)
def test_an_answer_that_is_no_move_ends_it_with_agent_game_and_move(
    spoilt_agents: None, agent: str, game: int, reason: str
):
    with pytest.raises(UsageError, match=f"'{agent}', game {game}, move 4 of {CELLS}: .*{reason}") as caught:
        play_tournament(["in_order", agent], 2 * SHARD, 0, RULES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("agents", "games", "seed", "named"),
    [
        ([], 10, 0, "agents is empty"),
        (["greedy", "random", "greedy"], 10, 0, "'greedy' twice"),
        (["greedy", "gready"], 10, 0, "'gready'"),
        (["random:runs/mine"], 10, 0, "random"),
        (["greedy"], 1, 0, "games=1"),
        (["greedy"], 0, 0, "games=0"),
        (["greedy"], -1, 0, "games=-1"),
        (["greedy"], 10, -1, "seed=-1"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(
    agents: list[str], games: int, seed: int, named: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(UsageError, match=named) as caught:
        play_tournament(agents, games, seed, RULES)
    assert "\n" not in str(caught.value)
    assert "evaluating" not in capsys.readouterr().err, "refused before the first game"
