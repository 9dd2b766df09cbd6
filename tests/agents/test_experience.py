"""Whole games of the vector environment: what is kept of them, and in which order."""

import numpy as np
import pytest
import torch

from agents.errors import UsageError
from agents.experience import Experience, make_envs, play_games
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, Rules, scores_of


def played(games: int = 5, seed: int = 0) -> tuple[Experience, np.ndarray, list[Positions]]:
    """Games whose tiles go on the highest empty cell, their draws and the positions that were seen."""
    draws = draw_orders(stream(seed, Purpose.TRAIN), games)
    seen = []

    def choose(positions: Positions) -> np.ndarray:
        seen.append(positions)
        return (18 - (positions.board[:, ::-1] == NONE).argmax(axis=1)).astype(np.int64)

    experience, seconds = play_games(make_envs("ppo", Rules(), games), draws, choose)
    assert seconds > 0
    return experience, draws, seen


def test_a_game_is_its_19_placements_in_order():
    experience, draws, _ = played()
    assert experience.turns == 19
    assert (experience.tile == draws).all()
    assert (experience.previous[:, 0] == NONE).all()
    assert (experience.previous[:, 1:] == draws[:, :-1]).all()
    assert (experience.cells == np.arange(18, -1, -1)).all()
    assert (experience.board[:, 0] == NONE).all()
    full = np.where(experience.board[:, -1] == NONE, draws[:, -1:], experience.board[:, -1])
    assert (experience.points.sum(axis=1) == scores_of(full, Rules())).all()


def test_placements_are_numbered_game_by_game():
    experience, _, seen = played()
    positions = experience.positions(np.array([0, 3, 19 * 4 + 18]))
    for row, (game, turn) in enumerate([(0, 0), (0, 3), (4, 18)]):
        for name in ("board", "tile", "previous"):
            assert (getattr(positions, name)[row] == getattr(seen[turn], name)[game]).all()


def test_games_are_written_in_place_of_others():
    buffer, (experience, *_) = Experience.empty(8, 19), played()
    buffer.write(np.array([6, 7, 0, 1, 2]), experience)
    assert (buffer.tile[[6, 7, 0, 1, 2]] == experience.tile).all()
    assert (buffer.board[[6, 7, 0, 1, 2]] == experience.board).all()
    assert (buffer.points[3:6] == 0).all()
    assert (buffer.first(2).tile == experience.tile[2:4]).all()


def test_tensors_bring_it_back():
    experience, *_ = played()
    back = Experience.of(experience.tensors())
    for name, tensor in experience.tensors().items():
        assert isinstance(tensor, torch.Tensor)
        assert (getattr(back, name) == getattr(experience, name)).all()
        assert getattr(back, name).dtype == getattr(experience, name).dtype


def test_rules_of_a_table_are_refused():
    with pytest.raises(UsageError, match=r"^agent=dqn plays alone: [^\n]+best_ray[^\n]+$"):
        make_envs("dqn", Rules(scoring="best_ray"), 3)
