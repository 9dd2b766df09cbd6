"""How the value agent learns: from exact targets, the same way each time, and to some effect."""

import io
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from agents.agent import make_agent
from agents.endings import ending_value, unseen_tiles
from agents.errors import UsageError
from agents.play import play
from agents.value_config import ValueConfig
from agents.value_trainer import ValueTrainer
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules, bitboards_of

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
NO_PRIZES = np.zeros((2, 0), dtype=np.float32)
TINY = ValueConfig(
    name="value", width=8, stack=4, lesson_games=50, lesson_steps=4, rounds=6, games=12,
    kept=0.5, replay_rounds=2, steps=3, batch=16, learning_rate=2e-3, exploration=0.2, players=4,
)  # fmt: skip

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
with_and_without_a_lesson = pytest.mark.parametrize("config", [TINY, replace(TINY, lesson_games=0)])


def learned(trainer: ValueTrainer) -> dict[str, Any]:
    """The metrics of the next round, but for those of time."""
    return {name: value for name, value in trainer.advance().items() if not name.startswith("time/")}


def trained(
    config: ValueConfig = TINY,
    rules: Rules | None = None,
    seed: int = 0,
    threads: int = 1,
    rounds: int | None = None,
) -> ValueTrainer:
    """A trainer that has gone through its rounds, or through the first ones."""
    trainer = ValueTrainer(config, rules or Rules(), seed, threads)
    while trainer.round < (trainer.rounds if rounds is None else rounds):
        trainer.advance()
    return trainer


def saved_and_loaded(state: dict[str, Any]) -> dict[str, Any]:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def same_weights(trainer: ValueTrainer, other: ValueTrainer) -> bool:
    pairs = zip(trainer.network.parameters(), other.network.parameters(), strict=True)
    return all(torch.equal(mine, others) for mine, others in pairs)


@with_and_without_a_lesson
def test_the_same_seed_gives_the_same_weights_whatever_the_threads(config):
    once = trained(config)
    assert same_weights(trained(config), once)
    assert same_weights(trained(config, threads=2), once)


def test_another_seed_gives_other_weights():
    assert not same_weights(trained(seed=1, rounds=2), trained(seed=0, rounds=2))


@pytest.mark.parametrize("interrupted", [0, 1, 2, 4, 6])
@with_and_without_a_lesson
def test_some_rounds_a_checkpoint_and_the_others_are_all_rounds_at_once(config, interrupted):
    first = trained(config, rounds=interrupted)
    second = ValueTrainer(config, Rules(), seed=0, threads=1)
    second.restore(saved_and_loaded(first.state()))
    assert second.round == interrupted
    metrics = [learned(second) for _ in range(interrupted, second.rounds)]

    whole = trained(config, rounds=interrupted)
    assert metrics == [learned(whole) for _ in range(interrupted, whole.rounds)]
    assert same_weights(second, whole)
    optimizers = [trainer.optimizer.state_dict()["state"] for trainer in (second, whole)]
    for mine, others in zip(*(optimizer.values() for optimizer in optimizers), strict=True):
        assert all(torch.equal(mine[name], others[name]) for name in ("exp_avg", "exp_avg_sq", "step"))


def test_taking_the_state_changes_nothing():
    trainer = ValueTrainer(TINY, Rules(), seed=0, threads=1)
    while trainer.round < trainer.rounds:
        trainer.advance()
        trainer.state()
    assert same_weights(trainer, trained())


def test_the_agent_is_a_copy_that_does_not_learn_on():
    trainer = trained(rounds=2)
    agent = trainer.agent()
    draws = draw_orders(stream(0, Purpose.VALIDATE), 20)
    before = play(agent, draws, Rules())
    trainer.advance()
    assert (play(agent, draws, Rules()).cells == before.cells).all()


def test_rounds_and_games_are_counted():
    trainer = ValueTrainer(TINY, Rules(), seed=0, threads=1)
    counted = []
    while trainer.round < trainer.rounds:
        trainer.advance()
        counted.append((trainer.round, trainer.games_played))
    assert counted == [(round_, 50 + 12 * (round_ - 1)) for round_ in range(1, 8)]


def test_the_learning_rate_and_the_exploration_fall_to_nothing():
    trainer = trained(rounds=1)
    metrics = [learned(trainer) for _ in range(TINY.rounds)]
    rates = [values["charts/learning_rate"] for values in metrics]
    exploration = [values["charts/exploration"] for values in metrics]
    assert 0 < rates[0] <= TINY.learning_rate
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0, abs=1e-9)
    assert exploration == pytest.approx([0.2 * (1 - round_ / 6) for round_ in range(1, 7)])


def test_without_a_lesson_the_first_games_are_random():
    config = replace(TINY, lesson_games=0, games=2_000, exploration=0.0)
    trainer = ValueTrainer(config, Rules(), seed=0, threads=1)
    assert trainer.advance().get("charts/score") is None
    assert trainer.advance()["charts/score"] == pytest.approx(10.69, abs=4 * 14 / 2_000**0.5)


# ------------------------------------------------------------------------------------------ boards


@each_of_the_rules
def test_each_round_keeps_boards_of_every_turn_with_exact_targets(rules):
    """Of a board with three empty cells the target follows from the rules."""
    trainer = trained(replace(TINY, games=20, replay_rounds=6), rules)
    kept, counts = trainer.replay, 6 * trainer.boards_per_round
    assert counts[15] == 6 * 10
    for turn, count in enumerate(counts):
        boards, last = kept.board[turn, :count], kept.last[turn, :count]
        assert ((boards >= 0).sum(axis=1) == turn + 1).all()
        assert (boards == last[:, None]).any(axis=1).all()
        assert (kept.board[turn, count:] == -1).all()
    board, last, target = kept.board[15, 0], int(kept.last[15, 0]), kept.target[15, 0]
    bitboard = bitboards_of(board[None], rules)[0]
    value = ending_value(bitboard, unseen_tiles(board), last, rules.code, NO_PRIZES)
    assert target == pytest.approx(value, rel=1e-5)


def test_the_replay_forgets_the_oldest_round_first():
    trainer = trained(rounds=2)
    fullest = trainer.replay.board[15]
    first = fullest[:6].copy()
    trainer.advance()
    assert (fullest[:6] == first).all()
    second = fullest[6:].copy()
    trainer.advance()
    assert (fullest[:6] != first).any()
    assert (fullest[6:] == second).all()


def test_from_its_own_games_alone_it_learns_in_seconds_to_play_twice_as_well_as_greedy():
    config = replace(
        TINY, width=32, stack=16, lesson_games=0, rounds=30, games=128, replay_rounds=10, steps=20, batch=64,
        learning_rate=1e-2, exploration=0.05,
    )  # fmt: skip
    draws = draw_orders(stream(0, Purpose.VALIDATE), 1_000)
    learned, greedy = (
        play(agent, draws, Rules()).scores.mean()
        for agent in (trained(config, threads=2).agent(), make_agent("greedy", Rules()))
    )
    assert learned > 2 * greedy


def test_learning_leaves_the_arithmetic_of_others_alone():
    config = ValueConfig(
        name="value", width=8, stack=4, lesson_games=20, lesson_steps=2, rounds=1, games=8,
        kept=0.5, replay_rounds=2, steps=1, batch=4, learning_rate=1e-3, exploration=0.0, players=4,
    )  # fmt: skip
    ValueTrainer(config, Rules(), seed=0, threads=1).advance()
    assert np.float32(1e-38) / np.float32(10) > 0


# ------------------------------------------------------------------------------------------ at a table

BEST_RAY = Rules(scoring="best_ray")


def test_under_best_ray_the_boards_of_a_table_share_their_draws():
    config = replace(TINY, kept=1.0, lesson_games=0, replay_rounds=1)
    last = trained(config, BEST_RAY, rounds=2).replay.last[15].reshape(3, 4)
    assert (last == last[:, :1]).all()


def test_prizes_grow_with_the_ray_and_survive_a_checkpoint():
    trainer = trained(rules=BEST_RAY, rounds=3)
    prizes = trainer.network.prizes
    assert prizes.shape == (2, 60)
    assert (prizes[:, 0] == 0).all()
    assert (prizes.diff(dim=1) >= 0).all()
    assert prizes[:, 59].min() > 0
    other = ValueTrainer(TINY, BEST_RAY, seed=0, threads=1)
    other.restore(saved_and_loaded(trainer.state()))
    metrics = learned(trainer)
    assert learned(other) == metrics
    assert metrics["charts/bonus"] >= 0
    assert torch.equal(other.network.prizes, trainer.network.prizes)


def test_alone_there_are_no_prizes_and_no_bonus():
    trainer = trained(rounds=2)
    assert trainer.network.prizes.shape == (2, 0)
    assert "charts/bonus" not in trainer.advance()


def test_games_that_make_no_whole_tables_are_refused():
    with pytest.raises(UsageError, match=r"^agent\.games=10: give a multiple of agent\.players=4$"):
        ValueTrainer(replace(TINY, games=10), BEST_RAY, seed=0, threads=1)


def test_the_agent_is_a_mean_of_the_last_weights():
    """One step from equal weights moves the mean by a hundredth of what it moves the weights."""
    trainer = trained(replace(TINY, lesson_games=50, lesson_steps=1), rounds=0)
    start = trainer.network.table.detach().clone()
    trainer.advance()
    once = trainer.agent().weights.table
    assert np.array_equal(once, trainer.network.weights().table), "the first step is the mean itself"
    first = trainer.network.table.detach().clone()
    trainer.advance()
    assert not torch.equal(start, first)
    assert not np.array_equal(trainer.agent().weights.table, trainer.network.weights().table)
