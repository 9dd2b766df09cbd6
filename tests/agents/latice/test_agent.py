"""The players of Latice: legal, blind to what is hidden, repeatable, and each better than the one before."""

from typing import Any

import numpy as np
import pytest

from agents.errors import UsageError
from agents.latice.agent import LATICE_AGENTS, make_latice_agent
from agents.latice.chance import chances
from agents.latice.heuristics import masks_of
from agents.latice.planner import choices
from agents.latice.play import Games, play
from latice_env import Rules
from latice_env.actions import ACTIONS, EXCHANGE, WIND_SHIFT
from latice_env.deal import random_words
from latice_env.state import views
from latice_env.tiles import WIND
from tests.latice_env.tables import Table

each_agent = pytest.mark.parametrize("name", LATICE_AGENTS)


def games_of(names: list[str], count: int, rules: Rules = Rules(), seed: int = 0) -> Games:  # noqa: B008 (frozen)
    """The games of some agents, each at its seat."""
    words = random_words(np.random.default_rng(seed), count)
    return play([make_latice_agent(name, seat) for seat, name in enumerate(names)], rules, words)


def situations(count: int, rules: Rules) -> np.ndarray:
    """Games in random play, of every length."""
    rng = np.random.default_rng(1)
    found = []
    for seed in range(count):
        table = Table(rules, seed)
        for _ in range(4 * seed):
            if not table.over:
                table.play(int(rng.choice(np.flatnonzero(table.mask))))
        if not table.over:
            found.append(table.games.copy())
    return np.concatenate(found)


@each_agent
@pytest.mark.parametrize("players", [2, 4])
def test_an_agent_values_what_is_legal_and_wants_it(name, players):
    games = situations(30, Rules(players))
    values = make_latice_agent(name).values(views(games))
    masks = masks_of(views(games))
    assert (values.shape, values.dtype) == (masks.shape, np.float32)
    assert np.array_equal(np.isfinite(values), masks > 0)


@each_agent
def test_an_agent_sees_nothing_hidden_and_decides_by_itself(name):
    """What it wants does not depend on hidden tiles, nor on the games that it is asked about besides."""
    games = situations(12, Rules(3))
    agent = make_latice_agent(name, seed=3)
    values = agent.values(views(games))
    games["pools"] = np.random.default_rng(0).permuted(games["pools"], axis=2)
    games["random"] += np.uint64(1)
    assert np.array_equal(agent.values(views(games)), values)
    assert np.array_equal(
        np.concatenate([agent.values(views(games[[i]])) for i in range(len(games))]), values
    )


@each_agent
def test_the_same_seed_plays_the_same_games(name):
    names = [name, "random"]
    for one, other in zip(games_of(names, 5), games_of(names, 5), strict=True):
        assert np.array_equal(one, other)
    first = games_of(names, 3)
    assert all(np.array_equal(a[:3], b) for a, b in zip(games_of(names, 5), first, strict=True))


@pytest.mark.parametrize("rules", [Rules(3, "tournament"), Rules(4)], ids=["three", "four"])
def test_all_agents_sit_at_tables_of_three_and_four(rules):
    names = ["random", "greedy", "planner", "planner"][: rules.players]
    games = games_of(names, 10, rules)
    assert games.winners.shape == (10, rules.players)
    assert (games.outcomes > 0).all()
    assert games.winners.any(axis=1).all()
    fewest = games.left == games.left.min(axis=1, keepdims=True)
    assert np.array_equal(games.winners, fewest)
    assert (games.turns <= games.actions).all()


@pytest.mark.parametrize(
    ("better", "worse", "least"), [("greedy", "random", 0.99), ("planner", "greedy", 0.85)]
)
def test_a_better_agent_wins(better, worse, least):
    """100 games, from both seats; the published ones are many more."""
    there, back = games_of([better, worse], 50), games_of([worse, better], 50)
    winners = np.concatenate([there.winners, back.winners[:, ::-1]])
    won, lost = winners[:, 0] & ~winners[:, 1], winners[:, 1] & ~winners[:, 0]
    assert won.sum() >= least * (won.sum() + lost.sum())


def best(name: str, table: Table) -> tuple:
    """What an agent does first, in words."""
    action = int(make_latice_agent(name).values(views(table.games))[0].argmax())
    return next(words for words, number in table.actions().items() if number == action)


def arranged(**changes: Any) -> Table:
    """A square that touches three red tiles, and another that touches one."""
    board = {(3, 4): "red bird", (4, 3): "red turtle", (4, 5): "navy flower"}
    rack = ["red flower", "wind", "teal dolphin"]
    return Table().arrange(board, racks=[rack, ["wind"]], pools=[["teal gecko"] * 3] * 2, **changes)


def test_greedy_takes_the_most_stones_and_buys_moves_while_a_tile_fits():
    assert best("greedy", arranged()) == ("place", "red flower", (4, 4))
    assert best("greedy", arranged(moves=0, halfstones=2, sunstones=1)) == ("buy", "move", "halfstones")
    nothing = arranged()
    nothing.game["racks"][0, :3] = [35, 36, -1]
    nothing.game["rack_sizes"][0] = 2
    nothing.look()
    assert best("greedy", nothing)[0] == "shift"


def test_the_planner_shifts_a_tile_to_make_a_latice_and_plays_its_last_tiles():
    board = {(3, 4): "red bird", (4, 3): "red turtle", (4, 5): "navy flower", (6, 4): "red gecko"}
    table = Table().arrange(
        board, racks=[["red flower", "wind", "teal bird"], ["wind"] * 5], pools=[["teal gecko"] * 9] * 2
    )
    assert best("planner", table) == ("shift", (6, 4), "up")
    table.do("shift", (6, 4), "up")
    assert best("planner", table) == ("place", "red flower", (4, 4))
    last = Table().arrange(
        {(4, 4): "red bird"}, racks=[["red gecko", "wind"], ["wind"]], pools=[[], ["teal gecko"]]
    )
    while not last.over:
        last.play(int(make_latice_agent("planner").values(views(last.games))[0].argmax()))
    assert (last.outcome, last.game["winners"].tolist()) == ("emptied", [1, 0, 0, 0])


@pytest.mark.parametrize(("others", "passes"), [(3, False), (5, False), (6, True)])
def test_the_planner_passes_to_block_the_game_when_it_is_ahead_and_not_when_it_is_behind(others, passes):
    racks, pools = [["teal gecko"] * 2, ["wind"]], [["teal turtle"] * 3, ["wind"] * (others - 1)]
    table = Table().arrange({(4, 4): "red bird"}, racks=racks, pools=pools)
    table.game["passes"] = 1
    assert (best("planner", table) == ("stop",)) == passes


def test_the_planner_considers_what_is_legal_and_nothing_twice():
    """Also where no shift makes a place for any tile of the rack."""
    games = situations(30, Rules())
    games = np.concatenate([games, games])
    for game in games[len(games) // 2 :]:
        game["racks"][game["player"], : game["rack_sizes"][game["player"]]] = WIND
    mask, actions = np.zeros(ACTIONS, dtype=np.int8), np.zeros(ACTIONS, dtype=np.int64)
    for game, legal in zip(games, masks_of(games), strict=True):
        actions[:] = -1
        considered = actions[: choices(game, 4, mask, actions)]
        assert (considered >= 0).all()
        assert legal[considered].all()
        assert len(np.unique(considered)) == len(considered)
        shifts = legal[WIND_SHIFT : EXCHANGE + 1].sum()
        assert ((considered >= WIND_SHIFT) & (considered <= EXCHANGE)).sum() == min(shifts, 4)


def test_random_actions_are_uniform_over_the_legal_ones():
    games = np.repeat(situations(1, Rules()), 4000)
    games["quiet_limit"] += np.arange(4000, dtype=np.int32)  # all else is the same
    numbers = chances(0, games)
    assert abs(numbers.mean() - 0.5) < 0.001
    wanted = make_latice_agent("random").values(games).argmax(axis=1)
    counts = np.unique(wanted, return_counts=True)[1]
    expected = 4000 / masks_of(games[:1]).sum()
    assert len(counts) == masks_of(games[:1]).sum()
    assert ((counts - expected) ** 2 / expected).sum() < 2 * len(counts)


def test_an_unknown_agent_is_refused_by_name():
    with pytest.raises(UsageError, match="'best': choose one of random, greedy, planner"):
        make_latice_agent("best")
