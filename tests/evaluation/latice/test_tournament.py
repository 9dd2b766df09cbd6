"""Who sits where on which deal, and that what is played follows from the tournament alone."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from agents.errors import UsageError
from evaluation.latice.tournament import LaticeTournament, seatings

PAIRS = LaticeTournament(("random", "greedy", "planner"), 8, 3)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_in_every_order_round_the_table_everybody_sits_in_each_seat_once(players):
    seats = seatings(players)
    assert all((np.arange(players) == np.sort(order, axis=0).T).all() for order in seats)
    every = {tuple(seating) for order in seats for seating in order.tolist()}
    assert every == set(permutations(range(players)))


def test_rotations_keep_who_plays_after_whom_and_orders_change_it():
    def round_the_table(seats):
        sitting = seats.argsort()
        return tuple(np.roll(sitting, -int(np.flatnonzero(sitting == 0)[0])).tolist())

    rounds = [{round_the_table(seats) for seats in order} for order in seatings(4)]
    assert [len(of_order) for of_order in rounds] == [1] * 6
    assert len(set.union(*rounds)) == 6


def test_every_two_of_many_agents_are_a_table_and_as_many_as_players_are_one():
    assert PAIRS.tables == ((0, 1), (0, 2), (1, 2))
    assert LaticeTournament(("random", "greedy", "greedy"), 9, 3, players=3).tables == ((0, 1, 2),)


@pytest.mark.slow
def test_the_games_do_not_depend_on_the_batch_nor_on_the_other_tables():
    agents = [PAIRS.make_agent(number) for number in range(3)]
    whole = PAIRS.play(agents, 1, range(4))
    parts = [PAIRS.play(agents, 1, range(start, start + 2)) for start in (0, 2)]
    alone = replace(PAIRS, agents=("random", "planner"))
    again = alone.play([alone.make_agent(0), alone.make_agent(1)], 0, range(4))
    for name, values in whole.items():
        assert np.array_equal(values, np.concatenate([part[name] for part in parts]))
        assert np.array_equal(values, again[name])


@pytest.mark.parametrize("players", [2, 3])
def test_a_member_is_counted_in_whatever_seat_it_sits(players):
    """An agent that always passes keeps all of its tiles, and the others do not."""
    tournament = LaticeTournament(("random",) + ("greedy",) * (players - 1), 4 * players, 3, players=players)

    class Passes:
        def values(self, views):
            return np.tile(np.arange(764, dtype=np.float32), (len(views), 1))

    agents = [tournament.make_agent(players - 1)] * (players - 1) + [Passes()]
    counts = tournament.play(agents, 0, range(4))
    assert (counts["left"][..., -1] == 84 // players).all()
    assert (counts["left"][..., :-1] < 84 // players).all()
    assert (counts["actions"][..., -1] == counts["turns"][..., -1]).all()
    assert (counts["winners"][..., -1] == 0).all()


def test_the_same_agent_from_both_seats_of_a_deal_wins_once():
    """Greedy without chance of its own against itself: mirrored games of a deal are one game seen twice."""
    tournament = LaticeTournament(("greedy", "random"), 20, 5)
    greedy = tournament.make_agent(0)
    winners = tournament.play([greedy, greedy], 0, range(10))["winners"]
    assert np.array_equal(winners[:, 0], winners[:, 1, ::-1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"players": 5}, "players is 2 to 4, not 5"),
        ({"players": 1}, "players is 2 to 4, not 1"),
        ({"deal": "fair"}, "unknown deal 'fair': choose one of standard, tournament"),
        ({"agents": ("greedy",)}, "players=2: name as many agents as sit at the table or more"),
        ({"agents": ("greedy", "greedy")}, "agents names 'greedy' twice: it would play against itself"),
        ({"agents": ("greedy",) * 3, "players": 3, "games": 9}, "agents names 'greedy' twice"),
        ({"games": 7}, "games=7: give a multiple of 2, 4 or more"),
        ({"games": 2}, "games=2: give a multiple of 2, 4 or more"),
        ({"games": 10, "players": 3}, "games=10: give a multiple of 3, 6 or more"),
        ({"seed": -1}, "seed=-1: give 0 or more"),
        ({"batch": 0}, "batch=0: give 1 or more"),
    ],
)
def test_what_cannot_be_played_is_refused_by_name(changes, message):
    with pytest.raises(UsageError) as refused:
        replace(PAIRS, **changes).check()
    assert str(refused.value).startswith(message)
