"""The vector environment plays the games of the single one, many at once."""

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import latice_env
from latice_env.deal import begin, random_words
from latice_env.legal import fill_mask
from latice_env.vector_env import LaticeVectorEnv
from takeiteasy_env.draws import Purpose, stream


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action in each game."""
    return (masks * rng.random(masks.shape)).argmax(axis=1)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"players": 3, "deal": "tournament", "shaping": 0.5}, {"players": 4, "no_progress_rounds": 1}],
)
def test_it_plays_the_games_of_its_seed_as_the_single_environment_does(arguments: dict[str, Any]):
    games, rng = 6, stream(0, Purpose.AGENT)
    vector = LaticeVectorEnv(games, **arguments)
    words = random_words(np.random.default_rng(3), games)
    singles = [latice_env.env(observation="dict", **arguments) for _ in range(games)]
    for single, row in zip(singles, words, strict=True):
        single.reset(seed=0)
        begin(single._games[0], row, single.rules.code)
        fill_mask(single._games[0], single._mask)
        single._select()
    turn = vector.reset(seed=3)
    playing = set(range(games))
    while playing:
        for game in playing:
            single = singles[game]
            agent = f"player_{turn.players[game]}"
            assert agent == single.agent_selection
            seen = single.observe(agent)
            assert np.array_equal(turn.observations[game], seen["observation"])
            assert np.array_equal(turn.masks[game], seen["action_mask"])
        actions = choose(turn.masks, rng)
        turn = vector.step(actions)
        for game in list(playing):
            single = singles[game]
            single.step(int(actions[game]))
            assert turn.rewards[game].tolist() == pytest.approx(list(single.rewards.values()))
            assert turn.terminated[game] == any(single.terminations.values())
            if turn.terminated[game]:
                playing.remove(game)


def test_the_first_game_of_a_seed_is_that_of_the_single_environment():
    single = latice_env.env(players=3, observation="dict")
    single.reset(seed=11)
    vector = LaticeVectorEnv(4, players=3)
    turn = vector.reset(seed=11)
    assert np.array_equal(turn.observations[0], single.observe(single.agent_selection)["observation"])
    assert len({row.tobytes() for row in turn.observations}) == 4


def test_games_follow_one_another_and_every_one_ends():
    rng = np.random.default_rng(0)
    vector = LaticeVectorEnv(8)
    turn = vector.reset(seed=0)
    ended = np.zeros(8, dtype=int)
    for _ in range(1500):
        turn = vector.step(choose(turn.masks, rng))
        ended += turn.terminated
        assert turn.masks.any(axis=1).all()
        assert np.array_equal(turn.terminated, turn.outcomes > 0)
        assert np.abs(turn.rewards.sum(axis=1)).max() < 1e-6
        assert (turn.rewards[~turn.terminated] == 0).all()
        fresh = turn.observations[turn.terminated]
        assert not fresh[:, :972].any(), "the next game begins with an empty board"
    assert ended.min() >= 3


def test_seeded_games_repeat_and_nothing_returned_changes_later():
    runs = []
    for _ in range(2):
        rng = np.random.default_rng(0)
        vector = LaticeVectorEnv(5, players=4)
        turns = [vector.reset(seed=2)]
        for _ in range(400):
            turns.append(vector.step(choose(turns[-1].masks, rng)))
        runs.append(turns)
    for one, other in zip(*runs, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert not np.shares_memory(runs[0][0].masks, runs[0][1].masks)


def test_views_show_what_the_player_to_move_sees():
    vector = LaticeVectorEnv(3, players=3)
    turn = vector.reset(seed=0)
    views = vector.views()
    for view, player in zip(views, turn.players, strict=True):
        assert (view["racks"][player] >= 0).all()
        assert (np.delete(view["racks"], player, axis=0) == -1).all()
        assert (view["pools"] == -1).all()


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([763.0, 763.0], TypeError, "actions are integers 0-763, not float64"),
        ([True, True], TypeError, "not bool"),
        ([763], ValueError, r"actions have the shape \(2,\), one for each game, not \(1,\)"),
        ([763, 764], ValueError, "not 764 as for game 1"),
        ([763, 0], ValueError, r"game 1: action 0 \(place slot 0 on \(0, 0\)\) is not legal"),
    ],
)
def test_wrong_actions_are_refused_by_name_and_change_nothing(actions, error, message):
    vector = LaticeVectorEnv(2)
    vector.reset(seed=0)
    before = vector.views().tobytes()
    with pytest.raises(error, match=message):
        vector.step(np.array(actions))
    assert vector.views().tobytes() == before


def test_a_step_before_the_first_reset_and_no_games_are_refused():
    with pytest.raises(ResetNeeded, match="call reset"):
        LaticeVectorEnv(2).step(np.array([763, 763]))
    with pytest.raises(ValueError, match="num_envs is at least 1, not 0"):
        LaticeVectorEnv(0)
