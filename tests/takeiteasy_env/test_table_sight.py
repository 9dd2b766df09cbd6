"""Who sees what at the table: the own board, the others' or not, and nothing of a turn before it is over."""

import copy
from itertools import product
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.utils import parallel_to_aec

from takeiteasy_env import parallel_env
from takeiteasy_env.observation import board_flags, observation_size, observe
from takeiteasy_env.rules import PLACEMENTS, TABLE_SCORINGS, Rules

each_rules = pytest.mark.parametrize(
    "rules",
    [
        {"placement": placement, "scoring": scoring}
        for placement, scoring in product(PLACEMENTS, TABLE_SCORINGS)
    ],
    ids=lambda rules: f"{rules['placement']}-{rules['scoring']}",
)
each_boards = pytest.mark.parametrize("boards", ["private", "public"])


def random_cells(infos: dict[str, dict[str, Any]], rng: np.random.Generator) -> dict[str, int]:
    """A legal cell for each player."""
    return {agent: int(rng.choice(np.flatnonzero(info["action_mask"]))) for agent, info in infos.items()}


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
            cells = random_cells({"player_1": infos.pop("player_1")}, own) | random_cells(infos, theirs)
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
        observations, _, _, _, infos = env.step(random_cells(infos, rng))


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
