"""What the rules page says, line by line, on boards made for it."""

from collections import Counter

import numpy as np
import pytest

from latice_env import Rules
from latice_env.rewards import fill_returns
from tests.latice_env.tables import Table

MANY = ["teal dolphin", "teal gecko", "teal turtle"] * 3
CROSS = {(3, 4): "red bird", (5, 4): "red gecko", (4, 3): "red turtle", (4, 5): "navy flower"}


def racks(*first: str, players: int = 2) -> dict[str, list[list[str]]]:
    """The first player's rack; everybody has a pool that lasts, the others five winds."""
    return {"racks": [list(first), *[["wind"] * 5] * (players - 1)], "pools": [MANY] * players}


def placements(table: Table, tile: str) -> set[tuple[int, int]]:
    """Where a tile may be placed."""
    return {words[2] for words in table.actions() if words[:2] == ("place", tile)}


# ---------------------------------------------------------------------------------------- the opening


def test_the_first_tile_goes_on_the_moon_and_ends_the_turn_without_stones():
    table = Table().arrange({}, **racks("red bird", "wind", "teal gecko"), sunstones=3)
    assert placements(table, "red bird") == {(4, 4)}
    assert not any(words[0] == "shift" for words in table.actions())
    table.do("place", "red bird", (4, 4))
    assert (table.player, table.stones(0)) == (1, (3, 0))
    assert table.rack(0).total() == 5


def test_with_winds_alone_one_exchanges_or_passes_and_the_opening_falls_to_the_next():
    table = Table().arrange({}, racks=[["wind"] * 5, ["red bird"] * 5], pools=[MANY, MANY])
    assert {words[0] for words in table.actions()} == {"exchange", "stop"}
    exchanged = Table().arrange({}, racks=[["wind"] * 5, ["red bird"] * 5], pools=[MANY, MANY])
    exchanged.do("exchange", ("wind",) * 2)
    for opening in (table.do("stop"), exchanged):
        assert opening.player == 1
        opening.do("place", "red bird", (4, 4))
        assert (opening.player, opening.board) == (0, {(4, 4): "red bird"})
        assert any(words[0] == "shift" for words in opening.actions())


# ------------------------------------------------------------------------------------------ placing


def test_a_tile_goes_beside_others_orthogonally_and_matches_by_colour_or_by_shape():
    table = Table().arrange(
        {(4, 4): "red bird"}, **racks("red gecko", "teal bird", "red bird", "teal gecko", "wind")
    )
    beside = {(3, 4), (5, 4), (4, 3), (4, 5)}
    assert placements(table, "red gecko") == placements(table, "teal bird") == beside
    assert placements(table, "red bird") == beside, "identical tiles match"
    assert placements(table, "teal gecko") == set()


def test_a_tile_that_matches_one_neighbour_and_clashes_with_another_is_refused():
    table = Table().arrange({(4, 3): "red bird", (4, 5): "teal gecko"}, **racks("red turtle", "red gecko"))
    assert (4, 4) not in placements(table, "red turtle")
    assert (4, 4) in placements(table, "red gecko"), "each neighbour is judged alone"


@pytest.mark.parametrize(("touched", "stones"), [(1, (0, 0)), (2, (0, 1)), (3, (1, 0)), (4, (2, 0))])
def test_stones_by_the_tiles_touched(touched, stones):
    board = dict(list(CROSS.items())[:touched])
    table = Table().arrange(board, **racks("red flower", "wind"))
    table.do("place", "red flower", (4, 4))
    assert table.stones(0) == stones


@pytest.mark.parametrize(("touched", "stones"), [(1, (1, 0)), (2, (1, 1)), (3, (2, 0)), (4, (3, 0))])
def test_a_sun_pays_besides_so_that_with_a_latice_it_is_three(touched, stones):
    board = {(row + 2, column - 2): tile for (row, column), tile in list(CROSS.items())[:touched]}
    table = Table().arrange(board, **racks("red flower", "wind"))
    table.do("place", "red flower", (6, 2))
    assert table.stones(0) == stones


def test_a_sun_that_a_wind_has_cleared_pays_again():
    table = Table().arrange(
        {(1, 1): "red bird", (2, 1): "red gecko"}, **racks("wind", "red turtle"), sunstones=0
    )
    table.do("shift", (1, 1), "up").do("place", "red turtle", (1, 1))
    assert table.stones(0) == (1, 1), "a double on a sun"


# ------------------------------------------------------------------------------------------ winds


@pytest.mark.parametrize(("square", "way"), [((1, 2), "left"), ((0, 2), "right")])
def test_a_wind_earns_no_stone_not_even_on_a_sun_and_the_tile_may_clash_or_stand_alone(square, way):
    board = {square: "red bird", (2, 1): "teal gecko"}
    table = Table().arrange(board, **racks("wind", "red turtle", "red gecko"))
    table.do("shift", square, way)
    assert table.stones(0) == (0, 0)
    assert len(table.board) == 2
    assert table.game["discarded"] == 1


def test_a_wind_needs_a_move_and_gives_one_back():
    table = Table().arrange({(4, 4): "red bird"}, **racks("wind", "wind", "red turtle", "red gecko"))
    table.do("shift", (4, 4), "up").do("shift", (3, 4), "up").do("place", "red turtle", (2, 3))
    assert table.player == 1
    table = Table().arrange({(4, 4): "red bird"}, **racks("wind", "red turtle", "red gecko"), halfstones=2)
    table.do("place", "red turtle", (3, 4))
    assert set(table.actions()) == {("buy", "move", "halfstones"), ("stop",)}
    assert any(words[0] == "shift" for words in table.do("buy", "move", "halfstones").actions())


def test_a_wind_shifts_onto_open_squares_of_the_board_only():
    table = Table().arrange({(0, 0): "red bird", (0, 1): "red gecko"}, **racks("wind"))
    shifts = {words[1:] for words in table.actions() if words[0] == "shift"}
    assert shifts == {((0, 0), "down"), ((0, 1), "down"), ((0, 1), "right")}


# ----------------------------------------------------------------------------------------- exchanging


def test_an_exchange_is_a_move_that_keeps_the_turn_and_never_draws_what_it_set_aside():
    table = Table().arrange(
        {(4, 4): "red bird"},
        racks=[["red gecko"] * 2 + ["wind"], ["wind"] * 5],
        pools=[MANY, MANY],
        sunstones=1,
    )
    table.do("exchange", ("red gecko", "red gecko"))
    assert (table.player, table.game["moves"]) == (0, 0)
    assert table.rack(0) == Counter(["teal turtle", "teal gecko", "wind"])
    assert table.pool(0) == Counter(MANY[:-2] + ["red gecko"] * 2)
    assert ("buy", "move", "sunstone") in table.actions()


def test_an_exchange_larger_than_the_pool_is_refused():
    held = ["red bird", "red gecko", "red turtle"]
    for size in range(4):
        table = Table().arrange({(4, 4): "red bird"}, racks=[held, held], pools=[MANY[:size], MANY])
        sizes = {len(words[1]) for words in table.actions() if words[0] == "exchange"}
        assert sizes == set(range(1, size + 1))


def test_set_aside_tiles_are_shuffled_into_the_pool_evenly():
    """After an exchange each place of the pool is as likely as another for the tile that was put back."""
    places = Counter()
    for seed in range(600):
        table = Table(seed=seed).arrange(
            {(4, 4): "red bird"}, racks=[["red gecko"], ["wind"]], pools=[MANY[:6], MANY], halfstones=2
        )
        table.do("exchange", ("red gecko",))
        places[table.game["pools"][0].tolist().index(3 * 6 + 4)] += 1
    assert sorted(places) == list(range(6))
    assert sum((count - 100) ** 2 / 100 for count in places.values()) < 15  # chi-squared, 99 %


# ----------------------------------------------------------------------------------------- purchases


def test_moves_cost_a_sunstone_or_two_halfstones_and_stones_of_the_turn_count():
    table = Table().arrange(CROSS, **racks("red flower", "red dolphin", "wind"), halfstones=0)
    table.do("place", "red flower", (4, 4))
    assert table.stones(0) == (2, 0)
    table.do("buy", "move", "sunstone").do("buy", "move", "sunstone")
    assert (table.stones(0), table.game["moves"]) == ((0, 0), 2)
    table = Table().arrange(CROSS, **racks("red flower", "wind"), halfstones=5)
    table.do("buy", "move", "halfstones").do("buy", "move", "halfstones")
    assert (table.stones(0), table.game["moves"]) == ((0, 1), 3)
    assert ("buy", "move", "halfstones") not in table.actions()


@pytest.mark.parametrize(("players", "price"), [(2, 3), (3, 3), (4, 2)])
def test_a_wind_is_bought_back_for_sunstones_only(players, price):
    rules = Rules(players)
    table = Table(rules).arrange(
        CROSS, **racks("red flower", players=players), discarded=2, halfstones=20, sunstones=price - 1
    )
    assert ("buy", "wind") not in table.actions(), "halfstones never buy a wind"
    table.arrange(CROSS, **racks("red flower", players=players), discarded=2, sunstones=2 * price)
    table.do("buy", "wind").do("buy", "wind")
    assert (table.rack(0)["wind"], table.game["discarded"], table.stones(0)[0]) == (2, 0, 0)
    assert table.game["moves"] == 1, "it is not a move"
    assert any(words[0] == "shift" for words in table.actions())


def test_no_wind_is_bought_for_a_full_rack_or_from_an_empty_discard_pile():
    full = Table().arrange(CROSS, **racks(*["red flower"] * 5), discarded=1, sunstones=9)
    empty = Table().arrange(CROSS, **racks("red flower"), discarded=0, sunstones=9)
    for table in (full, empty):
        assert ("buy", "wind") not in table.actions()


# ------------------------------------------------------------------------------------- the turn's end


def test_at_the_end_of_a_turn_three_sunstones_and_all_halfstones_are_kept_and_the_rack_is_full_again():
    table = Table().arrange(CROSS, **racks("red flower", "wind"), sunstones=9, halfstones=9)
    table.do("place", "red flower", (4, 4))
    assert table.stones(0) == (11, 9)
    assert table.rack(0).total() == 1, "nothing is drawn before"
    table.do("stop")
    assert (table.player, table.stones(0)) == (1, (3, 9))
    assert table.rack(0).total() == 5


def test_playing_all_five_does_not_refill_for_further_moves_but_ends_the_turn():
    row = ["red bird", "red gecko", "red turtle", "red flower", "red dolphin"]
    table = Table().arrange({(4, 4): "red bird"}, **racks(*row), sunstones=9, discarded=1)
    for column, tile in enumerate(row[:4]):
        table.do("place", tile, (4, 5 + column)).do("buy", "move", "sunstone")
    assert table.player == 0
    table.do("place", "red dolphin", (3, 4))
    assert (table.player, table.rack(0).total()) == (1, 5)


def test_a_turn_ends_by_itself_when_only_ending_it_is_left():
    table = Table().arrange({(4, 4): "red bird"}, **racks("red gecko", "wind"))
    assert table.do("place", "red gecko", (4, 5)).player == 1


def test_whoever_cannot_move_must_pass():
    table = Table().arrange({(4, 4): "red bird"}, racks=[["teal gecko"], ["wind"]], pools=[[], MANY])
    assert set(table.actions()) == {("stop",)}
    assert table.do("stop").player == 1


def test_passing_is_always_allowed():
    table = Table()
    while not table.over:
        assert ("stop",) in table.actions()
        table.play(int(np.flatnonzero(table.mask)[0]))


# ------------------------------------------------------------------------------------ the game's end


@pytest.mark.parametrize("last", ["red gecko", "wind"])
def test_a_player_without_a_tile_wins_at_once_in_mid_turn(last):
    table = Table(Rules(3)).arrange(
        {(4, 4): "red bird"}, racks=[[last], ["wind"], ["wind"]], pools=[[], [], []], sunstones=3
    )
    table.do(*(("place", last, (4, 5)) if last != "wind" else ("shift", (4, 4), "up")))
    assert (table.outcome, table.game["winners"].tolist()) == ("emptied", [1, 0, 0, 0])
    assert not table.mask.any()
    returns = np.zeros(3)
    fill_returns(table.game, returns)
    assert returns.tolist() == [1, -0.5, -0.5]


@pytest.mark.parametrize(
    ("left", "winners", "returns"),
    [
        ((4, 3, 5), [0, 1, 0], [-0.5, 1, -0.5]),
        ((3, 4, 3), [1, 0, 1], [0.5, -1, 0.5]),
        ((2, 2, 2), [1] * 3, [0] * 3),
    ],
)
def test_as_many_passes_in_a_row_as_players_block_the_game_and_the_fewest_tiles_win(left, winners, returns):
    table = Table(Rules(3)).arrange(
        {(4, 4): "red bird"}, racks=[["wind"]] * 3, pools=[MANY[: count - 1] for count in left]
    )
    table.do("stop").do("stop")
    assert not table.over
    table.do("stop")
    assert (table.outcome, table.game["winners"][:3].tolist()) == ("blocked", winners)
    got = np.zeros(3)
    fill_returns(table.game, got)
    assert got.tolist() == returns


def test_a_turn_with_an_exchange_is_no_pass():
    table = Table().arrange({(4, 4): "red bird"}, racks=[["wind"]] * 2, pools=[MANY, MANY], sunstones=1)
    table.do("stop").do("exchange", ("wind",)).do("stop").do("stop")
    assert not table.over
    assert table.do("stop").outcome == "blocked"


@pytest.mark.parametrize(("players", "rounds"), [(2, 1), (3, 2), (4, 10)])
def test_endless_exchanging_ends_the_game(players, rounds):
    table = Table(Rules(players, no_progress_rounds=rounds))
    table.play(int(np.flatnonzero(table.mask)[0]))  # a placement
    turns = 0
    while not table.over:
        exchanges = [words for words in table.actions() if words[0] == "exchange"]
        table.do(*exchanges[0])
        turns += 1
    assert (turns, table.outcome) == (rounds * players, "no_progress")


# ---------------------------------------------------------------------------------- in every game


@pytest.mark.parametrize("deal", ["standard", "tournament"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_tiles_are_conserved_and_limits_kept_in_random_games(players, deal):
    rng = np.random.default_rng(players)
    for seed in range(3):
        table = Table(Rules(players, deal), seed)
        while not table.over:
            before = table.player
            table.play(int(rng.choice(np.flatnonzero(table.mask))))
            held = [tiles for seat in range(players) for tiles in (table.rack(seat), table.pool(seat))]
            tiles = sum(held, start=Counter(table.board.values()))
            tiles["wind"] += int(table.game["discarded"])
            assert (tiles.total(), tiles["wind"]) == (84, 12)
            assert max(count for tile, count in tiles.items() if tile != "wind") <= 2
            assert all(table.rack(seat).total() <= 5 for seat in range(players))
            if table.player != before:
                assert table.stones(before)[0] <= 3
            assert table.mask.any() != table.over


def test_seeded_games_repeat_and_all_end():
    for rules in (Rules(), Rules(3, "tournament"), Rules(4)):
        ends = []
        for _ in range(2):
            table = Table(rules, seed=5)
            table.play_randomly(np.random.default_rng(1))
            ends.append(table.game.tobytes())
        assert ends[0] == ends[1]
        other = Table(rules, seed=6)
        other.play_randomly(np.random.default_rng(1))
        assert other.game.tobytes() != ends[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 1}, "players is 2 to 4, not 1"),
        ({"players": 5}, "players is 2 to 4, not 5"),
        ({"deal": "fair"}, "unknown deal 'fair': choose one of standard, tournament"),
        ({"first_player": 2}, "first_player is a seat, 0 to 1, or None, not 2"),
        ({"no_progress_rounds": 0}, "no_progress_rounds is 1 to 1,000,000, not 0"),
    ],
)
def test_unknown_rules_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        Rules(**arguments)


def test_the_first_player_is_the_one_chosen_or_any():
    assert {Table(Rules(4, first_player=3), seed).player for seed in range(9)} == {3}
    assert {Table(Rules(4), seed).player for seed in range(40)} == {0, 1, 2, 3}
