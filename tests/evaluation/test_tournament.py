"""What is to be played: the draws of each game, who sits where, and what is refused."""

import numpy as np
import pytest

from agents.errors import UsageError
from evaluation.tournament import Tournament
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import Rules, scores_of

STANDARD, BEST_RAY = Rules(), Rules(scoring="best_ray")


def tournament(
    agents: list[str], players: int = 1, games: int = 20, seed: int = 0, batch: int = 8
) -> Tournament:
    return Tournament(tuple(agents), games, seed, BEST_RAY if players > 1 else STANDARD, players, batch)


def test_any_games_have_the_draws_of_the_seed_at_their_numbers():
    draws = draw_orders(stream(5, Purpose.EVALUATE), 1000)
    played = tournament(["greedy"], games=1000, seed=5)
    for games in (range(0, 8), range(3, 4), range(992, 1000), range(17, 500)):
        assert (played.draws(games) == draws[games.start : games.stop]).all()


@pytest.mark.parametrize(("games", "batch"), [(20, 8), (16, 8), (3, 8), (8, 1)])
def test_batches_hold_each_game_once_in_order(games, batch):
    played = tournament(["greedy"], games=games, batch=batch)
    parts = [played.batch_games(number) for number in played.batches]
    assert [game for part in parts for game in part] == list(range(games))
    assert max(map(len, parts)) == min(games, batch)


def test_a_batch_holds_the_scores_of_its_boards_and_the_time_it_took():
    played = tournament(["greedy", "random"])
    batch = played.play_batch(played.make_agent(1), seat=1, batch=2)
    boards = np.full((4, 19), -1, dtype=np.int8)
    np.put_along_axis(boards, batch.cells.astype(int), played.draws(range(16, 20)), axis=1)
    assert (batch.scores == scores_of(boards, STANDARD)).all()
    assert (batch.cells.dtype, batch.scores.dtype) == (np.int8, np.int16)
    assert batch.seconds > 0
    assert batch.seconds_alone == 0
    assert played.play_batch(played.make_agent(1), seat=1, batch=0).seconds_alone > 0


def test_as_many_agents_as_players_are_one_table_and_more_sit_together_in_every_way():
    assert tournament(["value", "greedy", "greedy"], players=3).tables == ((0, 1, 2),)
    assert tournament(["value", "greedy", "random"], players=2).tables == ((0, 1), (0, 2), (1, 2))
    assert tournament(["value", "greedy"]).tables == ()


def test_the_same_agent_at_several_seats_plays_once_unless_it_chooses_at_random():
    table = tournament(["line_odds", "random", "line_odds", "random", "random"], players=5)
    agents = [table.make_agent(seat) for seat in range(5)]
    assert table.seats_alike(agents) == {0: [0, 2], 1: [1], 3: [3], 4: [4]}
    played = [table.play(agents[seat], seat, range(8)).cells.tolist() for seat in range(5)]
    assert played[0] == played[2]
    assert len({str(cells) for cells in played[1:2] + played[3:]}) == 3, "each has choices of its own"


def test_an_agent_chooses_the_same_whoever_else_plays():
    alone, other = tournament(["random"]), tournament(["greedy", "random"])
    cells = [t.play(t.make_agent(seat), seat, range(20)).cells for t, seat in ((alone, 0), (other, 1))]
    assert (cells[0] == cells[1]).all()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"agents": []}, "agents is empty"),
        ({"agents": ["greedy", "random", "greedy"]}, "'greedy' twice"),
        ({"agents": ["greedy", "greedy", "random"], "players": 2}, "'greedy' twice"),
        ({"agents": ["greedy", "random"], "players": 3}, "players=3: name as many agents as sit"),
        ({"agents": ["greedy"] * 7, "players": 7}, "players=7: scoring 'best_ray' is for 2 to 6 players"),
        ({"agents": ["greedy"], "games": 1}, "games=1: give 2 or more"),
        ({"agents": ["greedy"], "games": -1}, "games=-1: give 2 or more"),
        ({"agents": ["greedy"], "seed": -1}, "seed=-1: give 0 or more"),
        ({"agents": ["greedy"], "batch": 0}, "batch=0: give 1 or more"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(settings, named):
    with pytest.raises(UsageError, match=named) as error:
        tournament(**settings).check()
    assert "\n" not in str(error.value)
