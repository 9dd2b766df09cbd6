"""An observation says what a player may know, as the rules page lists it, and nothing else."""

from collections import Counter

import numpy as np
import pytest

from latice_env import Rules
from latice_env.observation import RETURNED, SEATS, SLOTS, TURN, UNSEEN, fill_observation, observation_size
from latice_env.state import hide, views
from tests.latice_env.tables import KIND_OF, Table

COLOURS = ["yellow", "navy", "purple", "red", "green", "teal"]
SHAPES = ["feather", "bird", "turtle", "flower", "gecko", "dolphin"]


def observe(table: Table, seat: int) -> np.ndarray:
    observation = np.empty(observation_size(table.rules.players), dtype=np.int8)
    fill_observation(table.game, seat, observation)
    return observation


def in_mid_game(players: int, seed: int, actions: int) -> Table:
    rng = np.random.default_rng(seed)
    table = Table(Rules(players), seed)
    for _ in range(actions):
        if not table.over:
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
    return table


def shuffle_hidden(table: Table, seat: int, rng: np.random.Generator) -> None:
    """Deal anew what a player does not see, other racks and every pool, but for what is known to be there."""
    game, players = table.game, table.rules.players
    known = np.repeat(np.arange(37), game["returned"][seat])
    own = Counter(game["pools"][seat][: game["pool_sizes"][seat]].tolist()) - Counter(known.tolist())
    hidden = list(own.elements())
    for other in range(players):
        if other != seat:
            hidden += game["racks"][other][: game["rack_sizes"][other]].tolist()
            hidden += game["pools"][other][: game["pool_sizes"][other]].tolist()
    tiles = rng.permutation(hidden).tolist()
    for other in range(players):
        kept = known.tolist() if other == seat else []
        pool = kept + [tiles.pop() for _ in range(game["pool_sizes"][other] - len(kept))]
        game["pools"][other, : len(pool)] = rng.permutation(pool)
        if other != seat:
            rack = [tiles.pop() for _ in range(game["rack_sizes"][other])]
            game["racks"][other, : len(rack)] = sorted(rack)
    game["random"][:] = rng.integers(1, 1 << 62, size=4)
    assert not tiles


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("actions", [0, 30, 90])
def test_it_does_not_change_when_hidden_tiles_are_permuted(players, actions):
    rng = np.random.default_rng(actions)
    for seed in range(5):
        table = in_mid_game(players, seed, actions)
        for seat in range(players):
            other = table.copy()
            shuffle_hidden(other, seat, rng)
            other.look()
            assert not np.array_equal(other.game["pools"], table.game["pools"])
            assert np.array_equal(observe(other, seat), observe(table, seat))
            if table.player == seat:
                assert np.array_equal(other.mask, table.mask)
                assert np.array_equal(views(other.games), views(table.games))


def test_a_view_is_enough_to_observe():
    for players in (2, 4):
        table = in_mid_game(players, 1, 60)
        for seat in range(players):
            view = table.copy()
            hide(view.game, seat)
            assert np.array_equal(observe(view, seat), observe(table, seat))


def test_it_says_what_lies_on_the_board_and_on_the_own_rack():
    table = in_mid_game(3, 2, 80)
    for seat in range(3):
        observation = observe(table, seat)
        planes = observation[:SLOTS].reshape(12, 9, 9)
        board = {
            (row, column): f"{COLOURS[planes[:6, row, column].argmax()]} "
            f"{SHAPES[planes[6:, row, column].argmax()]}"
            for row, column in np.argwhere(planes[:6].any(axis=0)).tolist()
        }
        assert board == table.board
        assert planes.sum() == 2 * len(board)
        slots = observation[SLOTS:RETURNED].reshape(5, 13)
        rack = Counter(
            "wind" if flags[12] else f"{COLOURS[flags[:6].argmax()]} {SHAPES[flags[6:12].argmax()]}"
            for flags in slots
            if flags.any()
        )
        assert rack == table.rack(seat)


def test_it_counts_the_tiles_that_are_nowhere_to_be_seen():
    table = in_mid_game(2, 3, 70)
    observation = observe(table, 1)
    hidden = table.rack(0) + table.pool(0) + table.pool(1)
    unseen = observation[UNSEEN:TURN]
    assert {kind: count for kind, count in enumerate(unseen.tolist()) if count} == {
        KIND_OF[tile]: count for tile, count in hidden.items()
    }


def test_it_says_what_everybody_has_the_observer_first():
    table = in_mid_game(4, 4, 70)
    game = table.game
    for seat in range(4):
        observation = observe(table, seat)
        for index in range(4):
            other = (seat + index) % 4
            counts = observation[SEATS + 6 * index : SEATS + 6 * (index + 1)].tolist()
            assert counts == [
                table.rack(other).total(),
                table.pool(other).total(),
                *table.stones(other),
                min(int(game["exchanged"][other]), 127),
                other == table.player,
            ]
        turn = observation[TURN:SEATS].tolist()
        fields = ("opened", "discarded", "moves", "moved", "passes", "quiet_turns")
        assert turn == [int(game[field]) for field in fields]


def test_a_player_knows_what_they_put_back_until_it_may_have_been_drawn():
    pool = ["teal gecko", "red bird", "navy bird", "navy gecko"]
    table = Table().arrange(
        {(4, 4): "teal bird"},
        racks=[["red bird", "red flower"], ["wind"]],
        pools=[pool, ["wind"]],
        halfstones=2,
    )
    table.do("exchange", ("red bird", "red flower"))
    known = observe(table, 0)[RETURNED:UNSEEN]
    assert known[[KIND_OF["red bird"], KIND_OF["red flower"]]].tolist() == [1, 1]
    assert known.sum() == 2
    assert observe(table, 1)[RETURNED:UNSEEN].sum() == 0
    table.do("stop")
    held = table.rack(0) - Counter(["navy bird", "navy gecko"])
    known = observe(table, 0)[RETURNED:UNSEEN]
    for tile in ("red bird", "red flower"):
        assert known[KIND_OF[tile]] == (held[tile] == 0)


def test_what_is_known_of_the_own_pool_is_true():
    for seed in range(10):
        table = in_mid_game(2, seed, 100)
        for seat in range(2):
            known = observe(table, seat)[RETURNED:UNSEEN]
            pool = np.bincount(table.game["pools"][seat][: table.game["pool_sizes"][seat]], minlength=37)
            assert (known <= pool).all()
