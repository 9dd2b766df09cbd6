"""Steps of gradient descent in halves: the same step as in one piece."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from agents.descent import MAX_NORM, MOMENTA, STACK_RATE, Descent, batches_of, cosine, means_of
from agents.policy_network import PolicyNetwork
from takeiteasy_env.rules import Rules
from tests.agents.test_placement_features import random_positions

POSITIONS = random_positions(50)


def a_network() -> PolicyNetwork:
    torch.manual_seed(0)
    return PolicyNetwork(Rules(), width=6, stack=4)


def loss_of(network: PolicyNetwork, part: np.ndarray) -> torch.Tensor:
    """How far the values of some positions are from the tiles in hand."""
    wanted = torch.from_numpy(POSITIONS.tile[part]).float()
    return (network(POSITIONS[part])[1].squeeze(-1) - wanted).square().mean()


def fitted(threads: int, batches: list[np.ndarray]) -> tuple[PolicyNetwork, list[dict[str, float]]]:
    """A network after some steps, and what they reported."""
    network = a_network()
    descent = Descent(network, threads)

    def loss(part: np.ndarray) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        scores, _ = network(POSITIONS[part])
        value = loss_of(network, part) + 0 * torch.where(scores.isinf(), 0, scores).sum()
        return value, {"losses/square": value.detach(), "losses/size": torch.tensor(float(len(part)))}

    return network, [descent.step(batch, loss, 0.01) for batch in batches]


def test_a_step_in_halves_is_one_of_adam_on_the_whole_batch():
    batch = np.arange(21)
    network, (reported,) = fitted(1, [batch])
    whole = a_network()
    groups = [
        {"params": list(whole.rows()), "lr": 0.01},
        {"params": list(whole.stacks()), "lr": 0.01 * STACK_RATE},
    ]
    optimizer = torch.optim.Adam(groups, betas=MOMENTA)
    loss = loss_of(whole, batch)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(whole.parameters(), MAX_NORM)
    optimizer.step()
    for mine, other in zip(network.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)
    assert reported["losses/square"] == pytest.approx(loss.item(), rel=1e-5)
    assert reported["losses/gradient_norm"] == pytest.approx(norm.item(), rel=1e-4)
    assert reported["losses/size"] == pytest.approx((11 * 11 + 10 * 10) / 21)


def test_the_threads_change_nothing():
    batches = batches_of(50, 8, 3, np.random.default_rng(0))
    (alone, reported), (together, others) = fitted(1, batches), fitted(2, batches)
    assert reported == others
    for mine, other in zip(alone.parameters(), together.parameters(), strict=True):
        assert torch.equal(mine, other)


def test_a_batch_of_one_is_no_half():
    assert len(fitted(2, [np.array([3])])[1]) == 1


def test_each_placement_is_in_one_batch_of_each_epoch():
    batches = batches_of(50, 8, 3, np.random.default_rng(0))
    assert len(batches) == 3 * 7
    assert max(map(len, batches)) <= 8
    for epoch in range(3):
        assert sorted(np.concatenate(batches[7 * epoch : 7 * epoch + 7])) == list(range(50))
    assert list(batches[0]) != list(batches[7])


def test_a_rate_rises_for_a_moment_and_falls_to_nothing():
    assert cosine(0.005) == pytest.approx(0.5, rel=1e-3)
    assert cosine(0.01) == pytest.approx(1, rel=1e-3)
    assert cosine(0.5) == pytest.approx(0.5)
    assert cosine(0.25) == pytest.approx((1 + math.sqrt(0.5)) / 2)
    assert cosine(1.0) == pytest.approx(0)


def test_means_of_what_was_reported():
    assert means_of([{"a": 1.0, "b": 0.0}, {"a": 3.0, "b": 1.0}]) == {"a": 2.0, "b": 0.5}
