"""The table as an environment: PettingZoo's checks, types, wrong input and pictures."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.utils import parallel_to_aec

from takeiteasy_env import parallel_env
from takeiteasy_env.tiles import tile_indices

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


def random_cells(infos: dict[str, dict[str, Any]], rng: np.random.Generator) -> dict[str, int]:
    """A legal cell for each player."""
    return {agent: int(rng.choice(np.flatnonzero(info["action_mask"]))) for agent, info in infos.items()}


def play(env: Any, rng: np.random.Generator, seed: int | None = None) -> list[tuple]:
    """Random legal moves to the end of the match; what reset and the steps returned."""
    returned = [env.reset(seed=seed)]
    while env.agents:
        returned.append(env.step(random_cells(returned[-1][-1], rng)))
    return returned


# ---------------------------------------------------------------------------------- PettingZoo's checks


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


# ------------------------------------------------------------------------------------------ wrong input


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


# -------------------------------------------------------------------------------- pictures and packages


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
