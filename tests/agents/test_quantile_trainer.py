"""How quantiles are learned: from exact targets, turn by turn, the same way each time."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.ending_distribution import fill_outcomes
from agents.endings import unseen_tiles
from agents.errors import UsageError
from agents.model_files import MODEL_FILE
from agents.quantile_config import QuantileConfig
from agents.quantile_network import load_quantile_model
from agents.quantile_trainer import QuantileTrainer
from agents.value_network import ValueNetwork, load_model, save_model
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules, bitboards_of, scores_of

TINY = QuantileConfig(
    name="quantile", model=None, quantiles=6, stack=4, games=40, exploration=0.2, steps=5, batch=16,
    learning_rate=4e-3, players=4,
)  # fmt: skip


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> QuantileConfig:
    """With a small value model to learn on."""
    directory = tmp_path_factory.mktemp("value")
    torch.manual_seed(0)
    save_model(directory, ValueNetwork(Rules(), width=8, stack=4), Rules())
    return replace(TINY, model=str(directory))


def trained(config: QuantileConfig, rounds: int = 16, seed: int = 0) -> QuantileTrainer:
    trainer = QuantileTrainer(config, Rules(), seed, threads=1)
    while trainer.round < rounds:
        trainer.advance()
    return trainer


def same_weights(trainer: QuantileTrainer, other: QuantileTrainer) -> bool:
    mine, others = trainer.network.state_dict(), other.network.state_dict()
    return all(torch.equal(mine[name], others[name]) for name in mine)


def saved_and_loaded(state: dict[str, Any]) -> dict[str, Any]:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize("interrupted", [0, 1, 9, 16])
def test_some_rounds_a_checkpoint_and_the_others_are_all_rounds_at_once(config, interrupted):
    first, second = trained(config, interrupted), QuantileTrainer(config, Rules(), seed=0, threads=1)
    second.restore(saved_and_loaded(first.state()))
    assert (second.round, second.games_played) == (interrupted, 40 * interrupted)
    while second.round < second.rounds:
        second.advance()
    assert same_weights(second, trained(config))


def test_another_seed_learns_something_else(config):
    assert not same_weights(trained(config, 1, seed=1), trained(config, 1))


def test_a_round_changes_its_own_turn_and_never_the_value_network(config):
    before, after = trained(config, 3).network.state_dict(), trained(config, 4).network.state_dict()
    value = load_model(Path(config.model), Rules()).state_dict()
    assert all(torch.equal(after[f"value.{name}"], tensor) for name, tensor in value.items())
    turn = 15 - 3
    for name in ("first", "second", "last", "last_bias"):
        changed = (before[name] != after[name]).flatten(start_dim=1).any(dim=1)
        assert changed.nonzero().flatten().tolist() == [turn], name


def test_the_boards_of_a_turn_are_those_of_games(config):
    boards, last = trained(config, 0).boards_of(4, np.random.default_rng(0))
    assert (boards.shape, last.shape) == ((40, 19), (40,))
    assert ((boards >= 0).sum(axis=1) == 5).all()
    assert all(len(set(board)) == 6 and tile in board for board, tile in zip(boards, last, strict=True))


def test_the_last_turn_learns_from_every_outcome_of_the_last_three_tiles(config):
    """One that the network chooses the cell for, by values that are exact, and the two after it."""
    trainer, code = trained(config, 0), Rules().code
    boards, last = trainer.boards_of(15, np.random.default_rng(0))
    for board, tile, target in zip(boards[:5], last, trainer.targets_of(boards, last), strict=False):
        tiles = np.setdiff1d(np.arange(27, dtype=np.int8), board)
        replies = Positions(np.tile(board, (11, 1)), tiles, np.full(11, tile))
        outcomes = np.empty((11, 90), dtype=np.float32)
        now = scores_of(board[None], Rules())[0]
        for reply, cell in enumerate(trainer.agent().values(replies).argmax(axis=1)):
            after = board.copy()
            after[cell] = tiles[reply]
            bitboards = np.full((3, 11), -1, dtype=np.int32)
            bitboards[2] = bitboards_of(after[None], Rules())[0]
            gained = int(scores_of(after[None], Rules())[0] - now)
            left = unseen_tiles(after)
            assert fill_outcomes(bitboards, 2, left, int(tiles[reply]), gained, code, outcomes[reply]) == 90
        expected = np.sort(outcomes.ravel()).reshape(6, -1).mean(axis=1)
        np.testing.assert_allclose(target, expected, atol=1e-3)


def test_learning_brings_the_quantiles_closer_to_their_targets(config):
    longer = replace(config, games=300, steps=200, batch=64)
    trainer = QuantileTrainer(longer, Rules(), seed=0, threads=1)
    boards, last = trainer.boards_of(15, np.random.default_rng(1))
    targets, rng = trainer.targets_of(boards, last), np.random.default_rng(2)
    few = replace(longer, steps=1, learning_rate=1e-9)
    trainer.config = few
    before = trainer.learn(15, boards, last, targets, rng)
    trainer.config = longer
    assert trainer.learn(15, boards, last, targets, rng) < before / 2


def test_a_saved_model_holds_all_that_plays(config, tmp_path):
    trainer = trained(config, 2)
    trainer.save_model(tmp_path)
    loaded = load_quantile_model(tmp_path, Rules())
    assert loaded.last.shape == (16, 4, 6)
    for name, tensor in trainer.network.state_dict().items():
        torch.testing.assert_close(loaded.state_dict()[name], tensor, rtol=1e-3, atol=1e-4)
    (tmp_path / MODEL_FILE).write_bytes(b"")
    with pytest.raises(UsageError, match="is damaged"):
        load_quantile_model(tmp_path, Rules())


def test_a_value_model_is_no_quantile_model(config):
    with pytest.raises(UsageError, match="is one of value, not of quantile"):
        load_quantile_model(Path(config.model), Rules())


def test_a_table_of_best_rays_is_refused(config):
    with pytest.raises(UsageError, match="points of one board"):
        QuantileTrainer(config, Rules(scoring="best_ray"), seed=0, threads=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"quantiles": 1}, "agent.quantiles=1: give 2 or more"),
        ({"stack": 0}, "agent.stack=0: give 1 or more"),
        ({"games": 0}, "agent.games=0: give 1 or more"),
        ({"exploration": 1.5}, "agent.exploration=1.5: give 0 to 1"),
        ({"learning_rate": 0.0}, "agent.learning_rate=0.0: give more than 0"),
    ],
)
def test_a_value_out_of_range_is_named(change, message):
    TINY.check()
    with pytest.raises(UsageError) as refused:
        replace(TINY, **change).check()
    assert str(refused.value) == message
