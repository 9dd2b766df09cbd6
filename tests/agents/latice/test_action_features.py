"""What a network reads of an action: what playing it does, the same under every name, and nothing hidden."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.latice.action_features import ACTION_SIZE, STATE_SIZE, Decisions, decisions_of
from agents.latice.outlook import OUTLOOK, fill_best, fill_outlook
from agents.latice.unseen import unseen_by, unseen_of_kinds
from latice_env import Rules
from latice_env.actions import BUY_WITH_SUNSTONE, END, EXCHANGE, WIND_SHIFT
from latice_env.moves import act, remaining
from latice_env.state import views
from latice_env.tiles import COPIES, WIND
from tests.agents.latice.test_agent import situations
from tests.latice_env.tables import Table
from tests.latice_env.test_symmetry import relabeled, relabelings

#: What an action's row says without the search: see the module's table.
PLAIN = np.r_[0:17]
#: A chain of tiles that match by colour, and suns left and right of the moon.
LINE = {(4, 4): "red bird", (4, 5): "red turtle", (4, 6): "red flower"}


def decided(table: Table) -> Decisions:
    return decisions_of(views(table.games))


def row(table: Table, *words: object) -> np.ndarray:
    """The features of the action that some words say."""
    decisions = decided(table)
    return decisions.features[decisions.actions.tolist().index(table.actions()[words])]


def outlook_of(table: Table) -> np.ndarray:
    outlook = np.zeros(OUTLOOK, dtype=np.float32)
    view = views(table.games)[0]
    fill_outlook(view, unseen_by(view), outlook)
    return outlook


# ------------------------------------------------------------------------------------------ which actions


@pytest.mark.parametrize("players", [2, 4])
def test_the_actions_are_legal_ones_in_order_and_ending_is_among_them(players):
    games = situations(30, Rules(players))
    decisions = decisions_of(views(games))
    assert decisions.states.shape == (len(games), STATE_SIZE)
    assert decisions.features.shape == (len(decisions.actions), ACTION_SIZE)
    for index, game in enumerate(games):
        table = Table(Rules(players))
        table.games[0] = game
        table.look()
        actions = decisions.actions[decisions.starts[index] : decisions.starts[index + 1]]
        assert (np.diff(actions) > 0).all()
        assert table.mask[actions].all()
        assert actions[-1] == END
        assert set(np.flatnonzero(table.mask[:WIND_SHIFT])) <= set(actions.tolist()), "all placements"


def test_of_the_exchanges_those_of_the_least_useful_tiles_are_left():
    """The purple gecko fits nowhere, the navy bird around the red one alone, the red feather around all."""
    rack = ["purple gecko", "navy bird", "red feather", "wind", "wind"]
    table = Table().arrange(LINE, [rack, ["teal gecko"]], [["teal bird"] * 5, []])
    actions = decided(table).actions
    exchanges = {int(action) for action in actions if EXCHANGE < action < BUY_WITH_SUNSTONE}
    wanted = [
        ("purple gecko",),
        ("navy bird", "purple gecko"),
        ("navy bird", "purple gecko", "red feather"),
        tuple(sorted(rack)),
    ]
    assert exchanges == {table.actions()["exchange", tiles] for tiles in wanted}


# ------------------------------------------------------------------------------------------ what they do


@pytest.mark.parametrize("players", [2, 3])
def test_what_an_action_does_is_what_playing_it_does(players):
    for game in situations(24, Rules(players)):
        decisions = decisions_of(views(game[None]))
        for action, features in zip(decisions.actions.tolist(), decisions.features, strict=True):
            if action < WIND_SHIFT or action > BUY_WITH_SUNSTONE:
                after = game.copy()
                player = after["player"]
                act(after, action)
                earned = after["sunstones"][player] - game["sunstones"][player]
                halves = after["halfstones"][player] - game["halfstones"][player]
                assert features[7] == pytest.approx(max(earned, 0) / 3)
                assert features[8] == max(halves, 0)
            if action == END:
                assert features[20] == 0
                assert features[13] == (not game["moved"])


def test_a_turn_that_wins_is_known_from_its_first_action():
    table = Table().arrange(LINE, [["red bird", "wind"], ["navy bird"]], [[], ["navy bird"]])
    features = row(table, "place", "red bird", (4, 7))
    assert features[19] == 0, "it leaves the wind, for which no move is left"
    features = decided(table).features
    winds = features[features[:, 1] == 1]
    wins = winds[:, 19] == 1
    assert wins.any(), "a wind gives its move back"
    np.testing.assert_allclose(winds[:, 20], np.where(wins, 2, 1) / 5)


def test_a_pass_says_whether_it_blocks_the_game_and_who_wins_then():
    def passing(mine: int, passes: int) -> list[float]:
        table = Table().arrange(
            LINE, [["navy gecko"], ["navy gecko"]], [["wind"] * mine, ["wind"] * 3], passes=passes
        )
        return row(table, "stop")[13:17].tolist()

    assert passing(3, 0) == [1, 0, 0, 0]
    assert passing(2, 1) == [1, 1, 0, 0]
    assert passing(3, 1) == [1, 0, 1, 0]
    assert passing(4, 1) == [1, 0, 0, 1]


# ------------------------------------------------------------------------------------------ the outlook


def test_the_outlook_by_hand():
    """A red tile of another shape fits around all three, and on the end at (4, 7) beside a red flower too."""
    table = Table().arrange(LINE, [["red gecko", "purple dolphin"], ["navy bird"] * 4], [[], []])
    best, squares = np.zeros(5, dtype=np.int64), np.zeros(5, dtype=np.int64)
    fill_best(views(table.games)[0], best, squares)
    assert best.tolist() == [-1, 0, -1, -1, -1], "the rack is sorted: purple before red"
    assert squares.tolist() == [0, 8, 0, 0, 0]
    outlook = outlook_of(table)
    np.testing.assert_allclose(outlook[:9], [0.2, 0, 0, 0, 0, 0, 0, 0, 8 / 40])
    unseen = 84 - 3 - 2
    # Red tiles, less those in sight, and tiles of other colours with one of the three shapes.
    red = 2 * 6 - 4
    shapes = 3 * 2 * 5
    some = 1 - (1 - (red + shapes) / unseen) ** 4
    np.testing.assert_allclose(outlook[9:15], [some, 0, 0, 0, 0, 0], rtol=1e-5)


@given(st.integers(0, 500))
@settings(max_examples=20)
def test_unseen_tiles_are_those_in_no_sight_of_the_player(seed):
    rng = np.random.default_rng(seed)
    table = Table(Rules(3), seed)
    for _ in range(rng.integers(0, 100)):
        if not table.over:
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
    unseen, game = unseen_by(views(table.games)[0]), table.game
    hidden = [game["pools"][seat][: game["pool_sizes"][seat]] for seat in range(3)]
    hidden += [game["racks"][seat][: game["rack_sizes"][seat]] for seat in range(3) if seat != table.player]
    counts = np.bincount(np.concatenate(hidden), minlength=len(COPIES))
    assert unseen.total == max(counts.sum(), 1)
    assert unseen.winds == counts[WIND]
    for kind in range(WIND):
        assert unseen_of_kinds(unseen, 1 << kind) == counts[kind]
    assert sum(remaining(game, seat) for seat in range(3)) == unseen.total + game["rack_sizes"][table.player]


# ------------------------------------------------------------------------------------------ symmetries


@settings(max_examples=25)
@given(relabelings(), st.integers(0, 1000), st.integers(2, 4))
def test_other_names_change_neither_a_position_nor_what_an_action_does(relabeling, seed, players):
    """All but what the search says of the end of the turn, which among equals is any."""
    squares, _, kinds = relabeling
    rng = np.random.default_rng(seed)
    table = Table(Rules(players), seed)
    for _ in range(rng.integers(0, 90)):
        if not table.over:
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
    if table.over:
        return
    other = relabeled(table, squares, kinds)
    assert np.array_equal(outlook_of(table), outlook_of(other))
    mine, others = decided(table), decided(other)
    promise = 25
    assert np.array_equal(np.delete(mine.states, promise), np.delete(others.states, promise))
    placed = [decisions.features[decisions.features[:, 0] == 1][:, PLAIN] for decisions in (mine, others)]
    assert sorted(map(tuple, placed[0].tolist())) == sorted(map(tuple, placed[1].tolist()))
    exchanged = [decisions.features[decisions.features[:, 2] == 1] for decisions in (mine, others)]
    without = [np.delete(rows, [17, 18], axis=1).tolist() for rows in exchanged]
    assert sorted(map(tuple, without[0])) == sorted(map(tuple, without[1]))
