"""The table: PettingZoo's checks, the same tiles for all, what each may see, bonuses, rounds and leaving."""

import copy
import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.utils import parallel_to_aec

from takeiteasy_env import TakeItEasyEnv, parallel_env
from takeiteasy_env.observation import board_flags, observation_size, observe
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
TABLES: dict[str, dict[str, Any]] = {
    "four": {},
    "one": {"players": 1, "boards": "public"},
    "eight": {"players": 8, "scoring": "sunrays", "rounds": 2},
    "public": {"players": 3, "boards": "public", "placement": "sun_moon", "scoring": "best_ray", "rounds": 2},
    "win": {"players": 2, "reward": "win", "placement": "adjacent"},
}
each_table = pytest.mark.parametrize("arguments", TABLES.values(), ids=TABLES)

#: Put on the cells in their order, all columns score.
COLUMNS = "963 974 928 | 523 563 574 528 | 123 164 178 128 173 | 124 163 168 174 | 568 578 564"
FIVE_COLUMNS = tile_indices(COLUMNS.replace("|", " ").split())


def random_cells(masks: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, int]:
    """A legal cell for each player."""
    return {agent: int(rng.choice(np.flatnonzero(mask))) for agent, mask in masks.items()}


def masks_of(infos: dict[str, dict[str, Any]]) -> dict[str, np.ndarray]:
    return {agent: info["action_mask"] for agent, info in infos.items()}


def play(env: Any, rng: np.random.Generator, seed: int | None = None) -> list[tuple]:
    """Random legal moves to the end of the match; what reset and the steps returned."""
    returned = [env.reset(seed=seed)]
    while env.agents:
        returned.append(env.step(random_cells(masks_of(returned[-1][-1]), rng)))
    return returned


# ------------------------------------------------------------------------------------- PettingZoo's checks


@each_table
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the checks' own imports
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
def test_pettingzoos_checks_pass_also_for_its_conversion_to_turns(arguments):
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    parallel_api_test(parallel_env(**arguments), num_cycles=100)
    parallel_seed_test(lambda: parallel_env(**arguments))
    api_test(parallel_to_aec(parallel_env(**arguments)), num_cycles=100)
    seed_test(lambda: parallel_to_aec(parallel_env(**arguments)))


@each_table
def test_what_is_returned_is_in_the_spaces_and_of_pettingzoos_types(arguments):
    env = parallel_env(**arguments)
    for returned in play(env, np.random.default_rng(0), 0):
        assert all(list(part) == env.possible_agents for part in returned)
        observations, *middle, infos = returned
        for agent in env.possible_agents:
            assert observations[agent] in env.observation_space(agent)
            assert [type(part[agent]) for part in middle] in ([], [float, bool, bool])
            assert (infos[agent]["action_mask"] == observations[agent]["action_mask"]).all()


def test_what_is_returned_is_never_changed_or_returned_again():
    env = parallel_env(players=2, boards="public", scoring="best_ray", rounds=2)
    returned = play(env, np.random.default_rng(0), 0) + play(env, np.random.default_rng(1))
    arrays = [
        array
        for observations, *_, infos in returned
        for agent in observations
        for array in (*observations[agent].values(), infos[agent]["action_mask"])
    ]
    for index, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[max(0, index - 12) : index])
    again = play(
        parallel_env(players=2, boards="public", scoring="best_ray", rounds=2), np.random.default_rng(0), 0
    )
    assert data_equivalence(returned[: len(again)], again, exact=True)


# ------------------------------------------------------------------------------------- the rules


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
        legal = [set(np.flatnonzero(mask)) for mask in masks_of(infos).values()]
        assert legal == [game.legal_cells(tile) for game in reference.games]
        assert all(legal)
        cells = random_cells(masks_of(infos), rng)
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
        cells = random_cells(masks_of(infos), rng)
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


# ------------------------------------------------------------------------------------- bonuses and winners


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


# ------------------------------------------------------------------------------------- rounds


def test_the_scores_of_the_rounds_add_up_and_the_caller_rotates():
    env = parallel_env(3, scoring="best_ray", suns=range(27), rounds=4)
    _, *steps = play(env, np.random.default_rng(0), 0)
    assert len(steps) == 4 * 19
    totals = dict.fromkeys(env.possible_agents, 0)
    standing = totals.copy()
    for turn, (_, rewards, terminations, _, infos) in enumerate(steps):
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
        infos = env.step(random_cells(masks_of(infos), np.random.default_rng(turn)))[4]
    assert len(set(drawn[:19])) == len(set(drawn[19:])) == 19
    assert drawn[:19] != drawn[19:]


@pytest.mark.parametrize("tiles", [list(range(19)), [list(range(19)), list(range(18, -1, -1))]])
def test_the_given_tiles_are_drawn_in_their_order(tiles):
    env = parallel_env(2, rounds=2)
    _, infos = env.reset(options={"tiles": tiles})
    drawn = []
    while env.agents:
        drawn.append(int(env.positions.tile[1]))
        infos = env.step(random_cells(masks_of(infos), np.random.default_rng(0)))[4]
    assert drawn == (tiles + tiles if len(tiles) == 19 else tiles[0] + tiles[1])


# ------------------------------------------------------------------------------------- who sees what


@each_rules
def test_a_private_view_is_that_of_the_player_alone(rules):
    """What the others do changes nothing that a player is shown, down to the last turn."""
    seen = []
    for others in (0, 1):
        env = parallel_env(3, **rules)
        own, theirs = np.random.default_rng(0), np.random.default_rng(others)
        observations, infos = env.reset(seed=0)
        turns = []
        while env.agents:
            turns.append([observations["player_1"], infos["player_1"]])
            masks = masks_of(infos)
            cells = random_cells({"player_1": masks.pop("player_1")}, own) | random_cells(masks, theirs)
            observations, _, _, _, infos = env.step(cells)
        seen.append(turns)
    assert data_equivalence(*seen)


@each_rules
def test_public_boards_follow_in_the_order_of_the_seats(rules):
    env = parallel_env(4, **rules, boards="public")
    rng = np.random.default_rng(0)
    size, flags = observation_size(env.rules), board_flags(env.rules)
    observations, infos = env.reset(seed=0)
    while env.agents:
        own = observe(env.positions, env.rules)
        for seat, agent in enumerate(env.possible_agents):
            row = observations[agent]["observation"]
            assert (row[:size] == own[seat]).all()
            others = [own[(seat + after) % 4, flags] for after in (1, 2, 3)]
            assert (row[size:] == np.concatenate(others)).all()
        observations, _, _, _, infos = env.step(random_cells(masks_of(infos), rng))


def test_the_flags_of_a_board_say_what_lies_on_it_and_nothing_of_the_hand():
    rules = Rules("sun_moon")
    env = parallel_env(2, "sun_moon")
    env.reset(seed=0)
    env.step({"player_0": 4, "player_1": 4})
    positions = env.positions
    hands = [observe(positions, rules)[0, board_flags(rules)]]
    positions.tile[:] = positions.previous[:] = -1
    hands.append(observe(positions, rules)[0, board_flags(rules)])
    assert (hands[0] == hands[1]).all()
    assert hands[0].sum() == 4  # three numbers and a symbol


@each_boards
def test_nobody_sees_anothers_choice_before_the_turn_is_over(boards):
    """In the conversion to turns the players act one after another."""
    env = parallel_to_aec(parallel_env(3, boards=boards))
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(19):
        before = [copy.deepcopy((env.observe(agent), env.infos[agent])) for agent in env.possible_agents]
        for seat, agent in enumerate(env.possible_agents):
            assert env.agent_selection == agent
            assert data_equivalence((env.observe(agent), env.infos[agent]), before[seat], exact=True)
            env.step(int(rng.choice(np.flatnonzero(env.observe(agent)["action_mask"]))))


# ------------------------------------------------------------------------------------- leaving the table


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


# ------------------------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 0}, "'standard' is for 1 to 8 players .*, not for 0"),
        ({"players": 9}, "'standard' is for 1 to 8 players .*, not for 9"),
        ({"players": 9, "scoring": "sunrays"}, "'sunrays' is for 1 to 8 players .*, not for 9"),
        ({"players": 1, "scoring": "best_ray"}, "'best_ray' is for 2 to 6 players .*, not for 1"),
        ({"players": 7, "scoring": "best_ray"}, "'best_ray' is for 2 to 6 players .*, not for 7"),
        ({"placement": "near"}, "unknown placement 'near': choose one of free, adjacent, sun_moon"),
        ({"scoring": "double"}, "unknown scoring 'double': choose one of standard, sunrays, best_ray"),
        ({"suns": [True] * 26}, "suns has 26 flags: give 27"),
        ({"suns": [123, 979]}, "suns: unknown tile 979"),
        ({"suns": ["978", 26]}, "suns: tile 978 comes twice"),
        ({"rounds": 0}, "rounds is at least 1, not 0"),
        ({"reward": "line"}, "unknown reward 'line': choose one of points, win"),
        ({"boards": "hidden"}, "unknown boards 'hidden': choose one of private, public"),
        ({"illegal": "ignore"}, "unknown illegal 'ignore': choose one of terminate, raise"),
        ({"render_mode": "human"}, "unknown render_mode 'human': choose one of ansi, rgb_array"),
    ],
)
def test_unknown_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        parallel_env(**arguments)


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ({"player_0": 0}, ValueError, "actions are those of player_0, player_1, not of player_0"),
        ({"player_0": 0, "player_2": 0}, ValueError, "not of player_0, player_2"),
        ({"player_0": 0, "player_1": 19}, ValueError, "an action is a cell 0-18, not 19"),
        ({"player_0": 0, "player_1": None}, TypeError, "an action is an integer, a cell 0-18, not None"),
    ],
)
def test_wrong_actions_are_refused_by_name_and_change_nothing(actions, error, message):
    env = parallel_env(2)
    env.reset(seed=0)
    with pytest.raises(error, match=message):
        env.step(actions)
    assert (env.positions.board == -1).all()


@pytest.mark.parametrize(
    ("tiles", "message"),
    [
        (range(18), "a game takes 19 tiles, not 18"),
        ([0] * 19, "tile 123 comes twice"),
        ([list(range(19))] * 3, "tiles for 3 games, not 2"),
    ],
)
def test_wrong_tiles_are_refused_by_name(tiles, message):
    with pytest.raises(ValueError, match=message):
        parallel_env(2, rounds=2).reset(options={"tiles": tiles})


def test_a_step_before_the_first_reset_is_refused():
    with pytest.raises(ResetNeeded, match="call reset"):
        parallel_env(2).step({"player_0": 0, "player_1": 0})


# ------------------------------------------------------------------------------------- pictures and packages


def test_the_boards_are_shown_together():
    text = parallel_env(2, render_mode="ansi")
    pixels = parallel_env(3, render_mode="rgb_array")
    text.reset(options={"tiles": FIVE_COLUMNS})
    text.step({"player_0": 0, "player_1": 18})
    pixels.reset(seed=0)
    assert "player_0: turn 2 of 19" in text.render()
    assert "player_1: turn 2 of 19" in text.render()
    height, width, channels = pixels.render().shape
    assert channels == 3
    assert width > 3 * height
    assert pixels.render().dtype == np.uint8


def test_without_pettingzoo_the_rest_works_and_the_table_says_what_it_needs():
    code = (
        "import sys; sys.modules['pettingzoo'] = None;"
        "import takeiteasy_env; takeiteasy_env.TakeItEasyEnv().reset(seed=0);"
        "takeiteasy_env.parallel_env()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'a table needs PettingZoo: python -m pip install "takeiteasy-env[table]"' in done.stderr
