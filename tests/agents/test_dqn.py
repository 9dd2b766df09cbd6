"""Masked quantile Q-learning: its loss and its targets against numbers worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.dqn import DQNTrainer, mean_values, points_of_next, quantile_huber, quantiles
from agents.dqn_config import DQNConfig
from agents.experience import Experience
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, stream
from takeiteasy_env.rules import Rules

TINY = DQNConfig(
    name="dqn", players=4, width=16, stack=8, quantiles=5, rounds=3, games=12, replay_games=30, steps=3,
    batch=64, learning_rate=1e-2, n_step=3, averaging=0.9, exploration=0.2,
)  # fmt: skip


def a_trainer(rules: Rules | None = None, config: DQNConfig = TINY) -> DQNTrainer:
    """A trainer whose two networks differ from one another, and from nothing."""
    trainer = DQNTrainer(config, rules or Rules(), seed=0, threads=1)
    with torch.no_grad():
        for parameter in (*trainer.network.parameters(), *trainer.target.parameters()):
            parameter += 0.1 * torch.randn(parameter.shape)
    return trainer


# ------------------------------------------------------------------------------------------ the loss


def test_the_quantile_huber_loss_by_hand():
    """Two quantiles, of levels 1/4 and 3/4, and one sample; errors up to 1 count by half their square.

    The first is 0.5 too low: 1/4 * 0.125. The second is 3 too high: (1 - 3/4) * (3 - 0.5).
    """
    loss = quantile_huber(torch.tensor([[0.5, 4.0]]), torch.tensor([[1.0]]), 1.0)
    assert loss.item() == pytest.approx(0.25 * 0.125 + 0.25 * 2.5)


def test_it_is_a_mean_over_rows_and_samples():
    predicted, samples = torch.tensor([[0.0], [0.0]]), torch.tensor([[1.0, 3.0], [-1.0, -1.0]])
    one_row = 0.5 * (0.5 + 2.5) / 2
    assert quantile_huber(predicted, samples, 1.0).item() == pytest.approx((one_row + 0.5 * 0.5) / 2)


def test_with_a_smaller_kappa_it_nears_the_plain_quantile_loss():
    loss = quantile_huber(torch.tensor([[2.0]]), torch.tensor([[5.0]]), 1e-4)
    assert loss.item() == pytest.approx(0.5 * 3, rel=1e-3)


def test_its_minimum_is_at_the_quantiles():
    samples = torch.linspace(0, 1, 101)[None]
    predicted = torch.zeros(1, 4, requires_grad=True)
    optimizer = torch.optim.SGD([predicted], lr=0.1)
    for _ in range(600):
        optimizer.zero_grad()
        quantile_huber(predicted, samples, 1e-3).backward()
        optimizer.step()
    np.testing.assert_allclose(predicted.detach().numpy()[0], [1 / 8, 3 / 8, 5 / 8, 7 / 8], atol=0.02)


# ------------------------------------------------------------------------------------------ the network


def test_the_differences_of_legal_cells_have_the_mean_of_the_position():
    trainer = a_trainer(Rules("adjacent"))
    games, _ = trainer.play(stream(0, Purpose.TRAIN), 1.0)
    positions = games.positions(np.arange(games.cells.size))
    with torch.no_grad():
        answer = quantiles(trainer.network, positions)
        of_position = trainer.network(positions)[1]
    legal = torch.from_numpy(positions.legal(trainer.rules))
    assert (~answer.isinf() == legal[:, :, None]).all()
    means = torch.where(legal[:, :, None], answer, 0).sum(dim=1) / legal.sum(dim=1, keepdim=True)
    torch.testing.assert_close(means, of_position, rtol=1e-4, atol=1e-5)


# ------------------------------------------------------------------------------------------ targets


def test_points_of_the_next_placements_by_hand():
    """Two games of four placements."""
    points = np.array([[1, 2, 4, 8], [10, 20, 40, 80]], dtype=np.float32)
    assert points_of_next(points, np.array([0, 1, 2, 3, 4, 7]), 2).tolist() == [3, 6, 12, 8, 30, 80]
    assert points_of_next(points, np.array([0, 3, 5]), 1).tolist() == [1, 8, 20]
    assert points_of_next(points, np.array([0, 2, 6]), 100).tolist() == [15, 12, 120]


@pytest.mark.parametrize("n_step", [1, 3, 19])
def test_targets_are_the_points_gained_and_the_target_networks_quantiles_of_the_best_legal_cell(n_step):
    """The network says which legal cell is best, the target network what that is worth, before the end."""
    trainer = a_trainer(Rules("adjacent"), replace(TINY, n_step=n_step))
    games, _ = trainer.play(stream(0, Purpose.TRAIN), 1.0)
    targets = trainer.targets(games, np.arange(games.cells.size)).view(12, CELLS, 5)
    for game, turn in np.ndindex(12, CELLS):
        gained = games.points[game, turn : turn + n_step].sum() / 100
        expected = torch.full((5,), float(gained))
        if turn + n_step < CELLS:
            after = games.positions(np.array([CELLS * game + turn + n_step]))
            values = mean_values(trainer.network, after)[0]
            legal = np.flatnonzero(after.legal(trainer.rules)[0])
            best = max(legal, key=lambda cell: values[cell])
            with torch.no_grad():
                expected += quantiles(trainer.target, after)[0, best]
        torch.testing.assert_close(targets[game, turn], expected, rtol=1e-4, atol=1e-4)


def test_the_target_of_a_last_placement_is_what_it_gained():
    trainer = a_trainer()
    games, _ = trainer.play(stream(0, Purpose.TRAIN), 1.0)
    last = np.arange(12) * CELLS + CELLS - 1
    gained = torch.from_numpy(games.points[:, -1] / 100)
    torch.testing.assert_close(trainer.targets(games, last), gained[:, None].repeat(1, 5))


def test_the_target_network_is_a_moving_average():
    trainer = DQNTrainer(replace(TINY, steps=1), Rules(), seed=0, threads=1)
    trainer.advance()
    before = trainer.target.table.clone()
    trainer.advance()
    torch.testing.assert_close(trainer.target.table, 0.9 * before + 0.1 * trainer.network.table)


# ------------------------------------------------------------------------------------------ the replay buffer


def test_the_replay_buffer_forgets_the_oldest_games_first():
    """It holds 30 games; after three rounds of 12 the last six of the third lie where the first began."""
    trainer = DQNTrainer(TINY, Rules(), seed=0, threads=1)
    played: list[Experience] = []
    play = trainer.play
    trainer.play = lambda *args: played.append(play(*args)[0]) or (played[-1], 0.0)  # type: ignore[method-assign]
    for _ in range(3):
        trainer.advance()
    assert trainer.replay is not None
    assert (trainer.replay.tile[:6] == played[2].tile[6:]).all()
    assert (trainer.replay.tile[6:12] == played[0].tile[6:]).all()
    assert (trainer.replay.tile[12:24] == played[1].tile).all()
    assert (trainer.replay.tile[24:] == played[2].tile[:6]).all()


def test_only_games_that_were_played_are_learned_from():
    trainer = DQNTrainer(TINY, Rules(), seed=0, threads=1)
    games, _ = trainer.play(stream(0, Purpose.TRAIN), 0.0)
    filled = trainer.keep(games)
    assert (filled.tile == games.tile).all()
    assert (filled.board == games.board).all()


def test_exploring_games_are_random_and_the_others_greedy():
    trainer = a_trainer(config=replace(TINY, games=400))
    greedy, _ = trainer.play(stream(0, Purpose.TRAIN), 0.0)
    random, _ = trainer.play(stream(0, Purpose.TRAIN), 1.0)
    values = mean_values(trainer.network, greedy.positions(np.arange(greedy.cells.size)))
    assert (greedy.cells.ravel() == values.argmax(axis=1)).all()
    shares = np.bincount(random.cells[:, 0], minlength=CELLS) / 400
    assert abs(shares - 1 / CELLS).max() < 5 * (1 / CELLS / 400) ** 0.5
