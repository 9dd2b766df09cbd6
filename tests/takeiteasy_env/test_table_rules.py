"""The table by the rules: the same tiles for all, bonuses, winners, rounds, and who has to leave."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import given, settings
from hypothesis import strategies as st

from takeiteasy_env import TakeItEasyEnv, parallel_env
from takeiteasy_env.observation import board_flags, observation_size
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, TABLE_SCORINGS, Rules
from takeiteasy_env.tiles import TILE_CODES, tile_indices
from tests.reference.game import DEFAULT_SUNS, TILES
from tests.reference.table import ReferenceTable

SUN_MAPS = {
    "default": DEFAULT_SUNS,
    "by rising number": frozenset(tile for tile in TILES if tile[1] == "2"),
    "all suns": frozenset(TILES),
    "all moons": frozenset(),
}
each_rules = pytest.mark.parametrize(
    "rules",
    [
        {"placement": placement, "scoring": scoring}
        for placement, scoring in product(PLACEMENTS, TABLE_SCORINGS)
    ],
    ids=lambda rules: f"{rules['placement']}-{rules['scoring']}",
)
each_boards = pytest.mark.parametrize("boards", ["private", "public"])

#: Put on the cells in their order, all columns score.
COLUMNS = "963 974 928 | 523 563 574 528 | 123 164 178 128 173 | 124 163 168 174 | 568 578 564"
FIVE_COLUMNS = tile_indices(COLUMNS.replace("|", " ").split())


def random_cells(infos: dict[str, dict[str, Any]], rng: np.random.Generator) -> dict[str, int]:
    """A legal cell for each player."""
    return {agent: int(rng.choice(np.flatnonzero(info["action_mask"]))) for agent, info in infos.items()}


# -------------------------------------------------------------------------------------------- the rules


@each_rules
@pytest.mark.parametrize("suns", SUN_MAPS.values(), ids=SUN_MAPS)
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), players=st.integers(2, 6), rounds=st.integers(1, 2))
def test_matches_go_move_by_move_as_by_the_reference(rules, suns, seed, players, rounds):
    env = parallel_env(players, **rules, suns=sorted(suns), rounds=rounds)
    reference = ReferenceTable(players, **rules, suns=suns)
    rng = np.random.default_rng(seed)
    _, infos = env.reset(seed=seed)
    for turn in range(19 * rounds):
        if turn == 19:
            reference.begin_round()
        tiles = {str(TILE_CODES[tile]) for tile in env.positions.tile}
        assert len(tiles) == 1
        (tile,) = tiles
        legal = [set(np.flatnonzero(info["action_mask"])) for info in infos.values()]
        assert legal == [game.legal_cells(tile) for game in reference.games]
        assert all(legal)
        cells = random_cells(infos, rng)
        _, rewards, terminations, truncations, infos = env.step(cells)
        assert list(rewards.values()) == reference.place(tile, list(cells.values()))
        assert [info["score"] for info in infos.values()] == reference.points
        assert set(terminations.values()) == {turn == 19 * rounds - 1}
        assert not any(truncations.values())
    assert not any(info["action_mask"].any() for info in infos.values())
    assert env.agents == []


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("placement", PLACEMENTS)
@each_boards
def test_a_table_of_one_is_the_single_environment_round_after_round(placement, scoring, boards):
    single = TakeItEasyEnv(placement, scoring)
    table = parallel_env(1, placement, scoring, rounds=3, boards=boards)
    rng = np.random.default_rng(0)
    seen, told = (each["player_0"] for each in table.reset(seed=5))
    points = 0
    for number in range(3):
        flags, info = single.reset(seed=5 if number == 0 else None)
        assert told["round"] == number
        for _ in range(19):
            assert data_equivalence(
                seen, {"observation": flags, "action_mask": info["action_mask"]}, exact=True
            )
            assert told["score"] == points + info["score"]
            assert told["standing"] == {"player_0": points}
            cell = int(rng.choice(np.flatnonzero(info["action_mask"])))
            flags, reward, terminated, _, info = single.step(cell)
            seen, rewarded, over, cut, told = (each["player_0"] for each in table.step({"player_0": cell}))
            assert rewarded == reward
            assert (over, cut) == (terminated and number == 2, False)
            assert told["score"] == points + info["score"]
        points += info["score"]
    assert table.agents == []


@each_rules
@each_boards
def test_who_sits_where_changes_nothing_but_the_seats(rules, boards):
    rng = np.random.default_rng(0)
    seats = np.array([2, 0, 3, 1])  # whoever sat in seats[i] now sits in seat i
    one, other = (parallel_env(4, **rules, rounds=2, boards=boards, suns=range(27)) for _ in range(2))
    own = observation_size(one.rules)
    names = one.possible_agents
    _, infos = one.reset(seed=1)
    other.reset(seed=1)
    while one.agents:
        cells = random_cells(infos, rng)
        observations, *middle, infos = one.step(cells)
        permuted, *middle_permuted, infos_permuted = other.step(
            {agent: cells[names[seat]] for agent, seat in zip(names, seats, strict=True)}
        )
        for agent, seat in zip(names, seats, strict=True):
            before, after = observations[names[seat]], permuted[agent]
            assert (before["observation"][:own] == after["observation"][:own]).all()
            assert (before["action_mask"] == after["action_mask"]).all()
            assert others_boards(before, one.rules) == others_boards(after, one.rules)
            assert [part[names[seat]] for part in middle] == [part[agent] for part in middle_permuted]
            assert infos[names[seat]]["score"] == infos_permuted[agent]["score"]


def others_boards(observation: dict[str, np.ndarray], rules: Rules) -> list[bytes]:
    """The other boards that a player sees, whatever their order."""
    boards = observation["observation"][observation_size(rules) :].reshape(-1, len(board_flags(rules)))
    return sorted(board.tobytes() for board in boards)


# ---------------------------------------------------------------------------------- bonuses and winners


def play_tiles(env: Any, tiles: list[int], orders: list[list[int]]) -> list[tuple]:
    """Put the k-th of the given tiles on the k-th cell of each player's order; what the steps returned."""
    env.reset(options={"tiles": tiles})
    return [
        env.step(dict(zip(env.possible_agents, (int(cell) for cell in cells), strict=True)))
        for cells in np.transpose(orders)
    ]


IN_ORDER = list(range(19))
HALF_TURNED = IN_ORDER[::-1]
SHIFTED = [*range(1, 19), 0]


@pytest.mark.parametrize(
    ("orders", "bonuses"),
    [
        ([IN_ORDER, SHIFTED], [60, 0]),
        ([SHIFTED, IN_ORDER, SHIFTED], [0, 60, 0]),
        ([IN_ORDER, HALF_TURNED, SHIFTED], [30, 30, 0]),
        ([IN_ORDER, HALF_TURNED, IN_ORDER], [20] * 3),
        ([IN_ORDER, HALF_TURNED] * 2, [15] * 4),
        ([IN_ORDER, HALF_TURNED] * 2 + [IN_ORDER], [12] * 5),
        ([IN_ORDER, HALF_TURNED] * 3, [10] * 6),
    ],
    ids=str,
)
def test_the_bonuses_come_with_the_last_placement_of_a_round(orders, bonuses):
    env = parallel_env(len(orders), scoring="best_ray", suns=range(27))
    plain = parallel_env(len(orders))
    *turns, last = play_tiles(env, FIVE_COLUMNS, orders)
    *plain_turns, plain_last = play_tiles(plain, FIVE_COLUMNS, orders)
    assert [turn[1] for turn in turns] == [turn[1] for turn in plain_turns]
    for agent, bonus in zip(env.possible_agents, bonuses, strict=True):
        assert last[1][agent] == plain_last[1][agent] + bonus
        assert last[4][agent]["score"] == plain_last[4][agent]["score"] + bonus
        assert last[4][agent]["bonus"] == bonus
    assert not any(
        "bonus" in info for turn in [*turns, *plain_turns, plain_last] for info in turn[4].values()
    )


def test_without_a_ray_along_a_scoring_line_there_is_no_bonus():
    env = parallel_env(2, scoring="best_ray", suns=FIVE_COLUMNS[::2])
    last = play_tiles(env, FIVE_COLUMNS, [IN_ORDER, SHIFTED])[-1]
    assert [info["bonus"] for info in last[4].values()] == [0, 0]


@pytest.mark.parametrize(
    ("orders", "wins"),
    [
        ([IN_ORDER, SHIFTED], [1, 0]),
        ([SHIFTED, HALF_TURNED, SHIFTED], [0, 1, 0]),
        ([IN_ORDER, HALF_TURNED, SHIFTED], [1 / 2, 1 / 2, 0]),
        ([IN_ORDER, HALF_TURNED, IN_ORDER], [1 / 3] * 3),
        ([SHIFTED], [1]),
    ],
    ids=str,
)
def test_who_has_the_most_points_wins_and_several_share_it(orders, wins):
    *turns, last = play_tiles(parallel_env(len(orders), reward="win"), FIVE_COLUMNS, orders)
    assert not any(reward for turn in turns for reward in turn[1].values())
    assert list(last[1].values()) == wins


def test_the_bonuses_can_decide_who_wins():
    """One has the columns of 9s and 5s, of mixed symbols, the other that of 1s, a Sunray."""
    nines_and_fives = [*range(7), 18, *range(8, 18), 7]
    ones = [3, 1, 2, 0, *range(4, 19)]
    suns = ["963", "523", "123", "164", "178", "128", "173"]
    wins = {}
    for scoring in ("standard", "best_ray"):
        env = parallel_env(2, scoring=scoring, suns=suns, reward="win")
        wins[scoring] = list(play_tiles(env, FIVE_COLUMNS, [nines_and_fives, ones])[-1][1].values())
    assert wins == {"standard": [1, 0], "best_ray": [0, 1]}


# ----------------------------------------------------------------------------------------------- rounds


def test_the_scores_of_the_rounds_add_up_and_the_caller_rotates():
    env = parallel_env(3, scoring="best_ray", suns=range(27), rounds=4)
    rng = np.random.default_rng(0)
    infos = env.reset(seed=0)[1]
    totals = dict.fromkeys(env.possible_agents, 0)
    standing = totals.copy()
    for turn in range(4 * 19):
        _, rewards, terminations, _, infos = env.step(random_cells(infos, rng))
        totals = {agent: totals[agent] + rewards[agent] for agent in totals}
        over = turn == 4 * 19 - 1
        if turn % 19 == 18:
            standing = totals.copy()
        for agent, info in infos.items():
            assert info["score"] == totals[agent]
            assert info["standing"] == standing
            assert info["round"] == (3 if over else (turn + 1) // 19)
            assert info["caller"] == env.possible_agents[info["round"] % 3]
            assert terminations[agent] == over
    assert len(set(totals.values())) == 3


def test_each_round_has_tiles_of_its_own_and_an_empty_board():
    env = parallel_env(2, rounds=2)
    drawn = []
    infos = env.reset(seed=0)[1]
    for turn in range(38):
        drawn.append(int(env.positions.tile[0]))
        assert (env.positions.filled == turn % 19).all()
        infos = env.step(random_cells(infos, np.random.default_rng(turn)))[4]
    assert len(set(drawn[:19])) == len(set(drawn[19:])) == 19
    assert drawn[:19] != drawn[19:]


@pytest.mark.parametrize("tiles", [list(range(19)), [list(range(19)), list(range(18, -1, -1))]])
def test_the_given_tiles_are_drawn_in_their_order(tiles):
    env = parallel_env(2, rounds=2)
    _, infos = env.reset(options={"tiles": tiles})
    drawn = []
    while env.agents:
        drawn.append(int(env.positions.tile[1]))
        infos = env.step(random_cells(infos, np.random.default_rng(0)))[4]
    assert drawn == (tiles + tiles if len(tiles) == 19 else tiles[0] + tiles[1])


# ------------------------------------------------------------------------------------ leaving the table


def test_who_names_an_illegal_cell_leaves_and_the_others_play_on():
    env = parallel_env(3, scoring="best_ray", suns=range(27), rounds=2)
    env.reset(options={"tiles": FIVE_COLUMNS})
    for cell in range(3):
        *_, infos = env.step(dict.fromkeys(env.agents, cell))
    assert infos["player_1"]["score"] == 27
    observations, rewards, terminations, truncations, infos = env.step(
        {"player_0": 3, "player_1": 0, "player_2": 3}
    )
    assert terminations == {"player_0": False, "player_1": True, "player_2": False}
    assert not any(truncations.values())
    assert rewards["player_1"] == 0
    assert infos["player_1"]["illegal_action"] == 0
    assert infos["player_1"]["score"] == 27
    assert not observations["player_1"]["action_mask"].any()
    assert env.agents == ["player_0", "player_2"]
    for turn in range(4, 38):
        returned = env.step(dict.fromkeys(env.agents, turn % 19))
        assert all(set(part) == {"player_0", "player_2"} for part in returned)
        if turn == 18:
            assert [info["bonus"] for info in returned[4].values()] == [30, 30]
            assert returned[4]["player_0"]["standing"]["player_1"] == 27
    assert env.agents == []


def test_who_leaves_cannot_win():
    env = parallel_env(2, reward="win")
    env.reset(options={"tiles": FIVE_COLUMNS})
    for cell in IN_ORDER[:18]:
        env.step({"player_0": cell, "player_1": SHIFTED[cell]})
    _, rewards, terminations, _, infos = env.step({"player_0": 0, "player_1": 0})
    assert infos["player_0"]["score"] > infos["player_1"]["score"]
    assert rewards == {"player_0": 0, "player_1": 1}
    assert all(terminations.values())


def test_where_everybody_leaves_the_match_is_over():
    env = parallel_env(2, reward="win", rounds=2)
    env.reset(seed=0)
    env.step({"player_0": 0, "player_1": 1})
    _, rewards, terminations, _, _ = env.step({"player_0": 0, "player_1": 1})
    assert all(terminations.values())
    assert not any(rewards.values())
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step({})
    env.reset()
    assert env.agents == env.possible_agents


def test_an_illegal_cell_raises_on_demand_and_changes_nothing():
    env = parallel_env(3, placement="adjacent", illegal="raise")
    env.reset(options={"tiles": range(26, 7, -1)})
    env.step(dict.fromkeys(env.agents, 0))
    before = env.positions
    with pytest.raises(
        ValueError, match=r"player_2: tile 974 may not go on cell 18; its legal cells are 1, 3, 4"
    ):
        env.step({"player_0": 1, "player_1": 3, "player_2": 18})
    assert (env.positions.board == before.board).all()
