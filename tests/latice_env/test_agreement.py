"""The compiled game and the reference agree on every action of many random games."""

from itertools import product

import numpy as np
import pytest

from latice_env import Rules
from latice_env.rewards import fill_returns
from latice_env.rules import DEALS, PLAYERS
from takeiteasy_env.draws import Purpose, stream
from tests.latice_env.tables import Table
from tests.reference.latice import BOX, Player, ReferenceTable

TABLES = list(product(PLAYERS, DEALS))


def play_both(rules: Rules, seed: int, rng: np.random.Generator) -> None:
    """Play the same random actions in both, and compare all there is after each of them."""
    table = Table(rules, seed)
    players = [Player(table.rack(seat), table.pool(seat)) for seat in range(rules.players)]
    reference = ReferenceTable(players, table.player, rules.no_progress_rounds)
    assert_fair_deal(players, rules)
    while not table.over:
        actions = assert_same(table, reference)
        words = list(actions)[rng.integers(len(actions))]
        seat = table.player
        table.do(*words)
        reference.do(words, table.rack(seat))
    assert_same(table, reference)
    returns = np.zeros(rules.players)
    fill_returns(table.game, returns)
    assert returns.tolist() == pytest.approx([float(value) for value in reference.returns()])


def assert_fair_deal(players: list[Player], rules: Rules) -> None:
    """Everybody has as many tiles, five of them on the rack, and in a tournament as many winds."""
    assert sum((player.rack + player.pool for player in players), start=BOX - BOX) == BOX
    for player in players:
        assert (player.rack.total(), player.tiles_left) == (5, 84 // rules.players)
        if rules.deal == "tournament":
            assert player.rack["wind"] + player.pool["wind"] == 12 // rules.players


def assert_same(table: Table, reference: ReferenceTable) -> dict[tuple, int]:
    """Both tables are in the same state, and allow the same, which is returned."""
    actions = table.actions()
    assert actions.keys() == reference.legal()
    assert table.board == reference.board
    assert table.outcome == (reference.ending or "playing")
    assert {int(seat) for seat in np.flatnonzero(table.game["winners"])} == reference.winners
    assert table.game["discarded"] == reference.discards
    if not table.over:
        assert (table.player, table.game["moves"]) == (reference.turn, reference.moves)
    for seat, player in enumerate(reference.players):
        assert (table.rack(seat), table.pool(seat)) == (player.rack, player.pool)
        assert table.stones(seat) == (player.sunstones, player.halfstones)
        assert table.game["exchanged"][seat] == player.tiles_exchanged
    return actions


@pytest.mark.parametrize(("players", "deal"), TABLES)
def test_both_agree_on_every_action(players, deal):
    rng = stream(0, Purpose.AGENT, players)
    for seed in range(4):
        play_both(Rules(players, deal), seed, rng)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "deal"), TABLES)
def test_both_agree_on_every_action_of_10_000_games_in_all(players, deal):
    rng = stream(1, Purpose.AGENT, players)
    for seed in range(10_000 // len(TABLES) + 1):
        play_both(Rules(players, deal), seed, rng)
