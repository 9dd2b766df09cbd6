"""Masked PPO: its ratio, its entropy, its advantages, and what the objective does with them."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck

from agents.policy_gradient import advantages_of, chosen, entropy_of, log_softmax, standardized
from agents.ppo import Lessons, PPOTrainer
from agents.ppo_config import PPOConfig
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, stream
from takeiteasy_env.rules import Rules

TINY = PPOConfig(
    name="ppo", players=4, width=16, stack=8, rounds=3, games=20, epochs=2, batch=128, learning_rate=1e-2,
    gae_lambda=0.9, clip=0.2, entropy=0.01,
)  # fmt: skip
MINUS_INFINITY = -torch.inf


def by_name(rules: Rules) -> str:
    return rules.name


def a_trainer(rules: Rules | None = None, config: PPOConfig = TINY) -> PPOTrainer:
    """A trainer whose policy is far from uniform."""
    trainer = PPOTrainer(config, rules or Rules(), seed=0, threads=1)
    with torch.no_grad():
        for parameter in trainer.network.cells[-1].parameters():
            parameter += 2 * torch.randn(parameter.shape)
    return trainer


def lessons_of(trainer: PPOTrainer) -> Lessons:
    """A rollout with advantages and returns that are random numbers."""
    rollout = trainer.play(stream(0, Purpose.TRAIN))
    numbers = torch.randn(2, rollout.games.cells.size)
    return Lessons(rollout, numbers[0], numbers[1])


# ------------------------------------------------------------------------------------------ the policy


@pytest.mark.parametrize("rules", [Rules(), Rules("adjacent"), Rules("sun_moon", "sunrays")], ids=by_name)
def test_before_the_first_update_the_ratio_is_exactly_one(rules):
    """The placements are scored again as they were when they were made, by the same legal cells."""
    trainer = a_trainer(rules)
    rollout = trainer.play(stream(0, Purpose.TRAIN))

    def ratios(placements: np.ndarray) -> torch.Tensor:
        with torch.no_grad():
            logits = trainer.network(rollout.games.positions(placements))[0].squeeze(-1)
        cells = torch.from_numpy(rollout.games.cells).flatten()[placements]
        return (chosen(log_softmax(logits), cells) - rollout.log_probabilities[placements]).exp()

    for turn in range(CELLS):
        for part in np.array_split(np.arange(TINY.games), 2):
            assert (ratios(CELLS * part + turn) == 1).all(), "together with those it was played with"
    for batch in np.array_split(np.random.default_rng(0).permutation(CELLS * TINY.games), 4):
        torch.testing.assert_close(ratios(batch), torch.ones(len(batch)), rtol=0, atol=2e-6)


def test_one_step_later_it_is_not():
    trainer = a_trainer()
    lessons = lessons_of(trainer)
    placements = np.arange(CELLS * TINY.games)
    before = trainer.loss(lessons, 0.0, placements)[1]
    trainer.descent.step(placements, partial(trainer.loss, lessons, 0.0), 1e-2)
    after = trainer.loss(lessons, 0.0, placements)[1]
    assert before["losses/approximate_kl"].item() == pytest.approx(0, abs=1e-7)
    assert before["losses/clipped"] == 0
    assert after["losses/approximate_kl"] > 1e-5


def test_cells_are_drawn_with_their_probabilities():
    """The first tile of 4,000 games: each cell as often as the mean of its probabilities."""
    games = 4_000
    trainer = a_trainer(config=replace(TINY, games=games))
    rollout = trainer.play(stream(0, Purpose.TRAIN))
    first = rollout.games.positions(np.arange(games) * CELLS)
    with torch.no_grad():
        expected = log_softmax(trainer.network(first)[0].squeeze(-1)).exp().mean(dim=0).numpy()
    shares = np.bincount(rollout.games.cells[:, 0], minlength=CELLS) / games
    assert expected.max() > 1.5 * expected.min()
    assert (abs(shares - expected) < 5 * np.sqrt(expected / games)).all()


# ------------------------------------------------------------------------------------------ entropy


def test_the_entropy_counts_legal_cells_only():
    logits = torch.tensor([[0.0, 0.0, MINUS_INFINITY, 0.0], [MINUS_INFINITY, 1.0, 1.0, MINUS_INFINITY]])
    entropy = entropy_of(log_softmax(logits), ~logits.isinf())
    torch.testing.assert_close(entropy, torch.log(torch.tensor([3.0, 2.0])))


def test_with_one_legal_cell_or_none_it_is_nothing_and_so_are_its_gradients():
    logits = torch.full((2, 4), MINUS_INFINITY)
    logits[0, 2] = 3.0
    logits.requires_grad_()
    log_probabilities = log_softmax(logits)
    entropy = entropy_of(log_probabilities, ~logits.isinf())
    assert entropy.tolist() == [0.0, 0.0]
    assert log_probabilities.isfinite().all()
    (gradient,) = torch.autograd.grad(entropy.sum() + log_probabilities[0, 2], logits)
    assert (gradient == 0).all()


def test_the_gradients_of_the_entropy_are_those_of_finite_differences():
    legal = torch.tensor([[True, False, True, True]])

    def entropy(free: torch.Tensor) -> torch.Tensor:
        logits = torch.full((1, 4), MINUS_INFINITY, dtype=torch.float64).index_put(
            legal.nonzero(as_tuple=True), free
        )
        return entropy_of(log_softmax(logits), legal)

    assert gradcheck(entropy, (torch.tensor([0.3, -1.0, 0.8], dtype=torch.float64, requires_grad=True),))


# ------------------------------------------------------------------------------------------ advantages


def test_advantages_by_hand():
    """One game of three placements that gain 1, 0 and 4, where 2, 3 and 5 were predicted."""
    rewards, values = torch.tensor([[1.0, 0.0, 4.0]]), torch.tensor([[2.0, 3.0, 5.0]])
    # What each placement gained and the next value, less its own: 1 + 3 - 2, 0 + 5 - 3 and 4 + 0 - 5.
    assert advantages_of(rewards, values, 0.0).tolist() == [[2.0, 2.0, -1.0]]
    assert advantages_of(rewards, values, 0.5).tolist() == [[2.75, 1.5, -1.0]]
    # The points to come are 5, 4 and 4.
    assert advantages_of(rewards, values, 1.0).tolist() == [[3.0, 1.0, -1.0]]


def test_advantages_of_one_game_do_not_depend_on_another():
    rewards, values = torch.randn(2, 5, CELLS)
    together = advantages_of(rewards, values, 0.9)
    for game in range(5):
        alone = advantages_of(rewards[game : game + 1], values[game : game + 1], 0.9)
        torch.testing.assert_close(alone[0], together[game])


def test_standardized_numbers_have_mean_0_and_deviation_1():
    numbers = standardized(torch.tensor([1.0, 2.0, 6.0]))
    assert numbers.mean().item() == pytest.approx(0, abs=1e-6)
    assert numbers.std().item() == pytest.approx(1)
    assert standardized(torch.ones(3)).tolist() == [0, 0, 0]


# ------------------------------------------------------------------------------------------ the objective


def changed(lessons: Lessons, log_ratio: float, advantage: float) -> Lessons:
    """The same placements as if their probabilities had been others when they were made."""
    rollout = replace(lessons.rollout, log_probabilities=lessons.rollout.log_probabilities - log_ratio)
    return replace(lessons, rollout=rollout, advantages=torch.full_like(lessons.advantages, advantage))


@pytest.mark.parametrize(
    ("ratio", "advantage", "gain"),
    [
        (1.1, 1.0, 1.1),
        (1.5, 1.0, 1.2),
        (0.5, 1.0, 0.5),
        (0.9, -1.0, -0.9),
        (0.5, -1.0, -0.8),
        (1.5, -1.0, -1.5),
    ],
)
def test_a_gain_is_cut_off_where_the_probability_has_moved_far_enough(ratio, advantage, gain):
    """Equation 7 of arXiv:1707.06347 with a clip of 0.2: only a gain is cut off, never a loss."""
    trainer = a_trainer()
    lessons = changed(lessons_of(trainer), float(np.log(ratio)), advantage)
    placements = np.arange(50)
    _, reported = trainer.loss(lessons, 0.0, placements)
    assert reported["losses/policy"].item() == pytest.approx(-gain, rel=1e-4)
    assert reported["losses/clipped"].item() == float(abs(ratio - 1) > 0.2)


def test_a_gain_that_is_cut_off_moves_the_policy_no_further():
    trainer = a_trainer()
    lessons = changed(lessons_of(trainer), float(np.log(1.5)), 1.0)
    loss, _ = trainer.loss(lessons, 0.0, np.arange(50))
    for gradient in torch.autograd.grad(loss, list(trainer.network.cells.parameters())):
        assert (gradient == 0).all()


def test_a_policy_learns_to_choose_what_was_better_than_predicted():
    trainer = a_trainer()
    lessons = lessons_of(trainer)
    better = lessons.advantages > 0
    placements = np.arange(CELLS * TINY.games)
    for _ in range(5):
        trainer.descent.step(placements, partial(trainer.loss, lessons, 0.0), 3e-3)
    with torch.no_grad():
        logits = trainer.network(lessons.rollout.games.positions(placements))[0].squeeze(-1)
        cells = torch.from_numpy(lessons.rollout.games.cells).flatten()
        moved = chosen(log_softmax(logits), cells) - lessons.rollout.log_probabilities
    assert moved[better].mean() > 0 > moved[~better].mean()
