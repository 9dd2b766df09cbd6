"""PyTorch's engine against the compiled one: the same games, batches and lessons, but for rounding."""

from pathlib import Path

import numpy as np
import pytest
import torch

from agents import value_trainer
from agents.agent import make_agent
from agents.distributed import ALONE
from agents.metrics import About
from agents.play import play
from agents.replay import Boards, boards_of
from agents.training import train
from agents.validation import Validation
from agents.value_engine import CompiledEngine, DeviceEngine, Engine, Played
from agents.value_network import ValueNetwork
from agents.value_trainer import ValueTrainer
from takeiteasy_env.board import HALF_TURN
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import Rules
from tests.agents.test_device_successors import each_of_the_rules, network_for
from tests.agents.test_features import rows_of
from tests.agents.test_successors import POINTS_OFF, random_games, without_ties
from tests.agents.test_value_trainer import TINY, learned, same_weights, saved_and_loaded

CPU = torch.device("cpu")


def engines(rules: Rules) -> tuple[Engine, Engine]:
    return CompiledEngine(rules), DeviceEngine(rules, CPU)


def boards_for(rules: Rules, games: int = 30) -> Boards:
    return boards_of(random_games(rules, games), rules, np.zeros((2, 0), dtype=np.float32))


def trainer_on(engine: Engine, rules: Rules, rounds: int = 0) -> ValueTrainer:
    trainer = ValueTrainer(TINY, rules, seed=0, threads=1, engine=engine)
    while trainer.round < rounds:
        trainer.advance()
    return trainer


@each_of_the_rules
def test_games_and_targets_are_the_same(rules: Rules):
    network, rng = network_for(rules), np.random.default_rng(0)
    draws = draw_orders(stream(0, Purpose.VALIDATE), 6)
    explored = np.where(rng.random(draws.shape) < 0.3, rng.integers(1 << 62, size=draws.shape), -1)
    kept = rng.random(draws.shape) < 0.4
    kept[:, 3], kept[:, 4], kept[:, 0] = True, False, False
    compiled, device = (engine.player(network)(draws, explored, kept) for engine in engines(rules))
    assert np.array_equal(device.boards, compiled.boards)
    assert np.array_equal(device.scores, compiled.scores)
    np.testing.assert_allclose(device.targets[kept], compiled.targets[kept], atol=POINTS_OFF)


def test_where_nothing_is_kept_the_games_are_the_same():
    network, draws = network_for(Rules()), draw_orders(stream(0, Purpose.VALIDATE), 5)
    nowhere, nothing = np.full(draws.shape, -1), np.zeros(draws.shape, dtype=np.bool_)
    compiled, device = (engine.player(network)(draws, nowhere, nothing) for engine in engines(Rules()))
    assert np.array_equal(device.scores, compiled.scores)


@pytest.mark.parametrize("engine", engines(Rules()), ids=["compiled", "device"])
def test_who_plays_does_not_learn_on(engine: Engine):
    network, draws = network_for(Rules()), draw_orders(stream(0, Purpose.VALIDATE), 20)
    nowhere, nothing = np.full(draws.shape, -1), np.zeros(draws.shape, dtype=np.bool_)
    player = engine.player(network)
    before: Played = player(draws, nowhere, nothing)
    with torch.no_grad():
        network.table.zero_()
    assert np.array_equal(player(draws, nowhere, nothing).boards, before.boards)


@pytest.mark.parametrize("rules", [Rules(), Rules("sun_moon", "sunrays")], ids=lambda rules: rules.name)
def test_batches_and_their_gradients_are_the_same(rules: Rules):
    boards, network = boards_for(rules), without_ties(network_for(rules))
    gradients = []
    for engine in engines(rules):
        network.zero_grad()
        for batch in engine.batches(boards, np.arange(5, 21), np.arange(16), 3, np.random.default_rng(0)):
            (network(batch.rows, batch.sizes) - batch.target).square().mean().backward()
        gradients.append([parameter.grad.clone() for parameter in network.parameters()])
    for compiled, device in zip(*gradients, strict=True):
        torch.testing.assert_close(device, compiled, rtol=1e-4, atol=1e-5)
    assert gradients[0][0][:-1].any()
    assert not gradients[1][0][-1].any(), "the row that stands for nothing learns nothing"


@pytest.mark.parametrize("engine", engines(Rules()), ids=["compiled", "device"])
def test_a_batch_has_boards_of_its_turns_and_turns_half_of_them_by_180_degrees(engine: Engine):
    boards, sizes = boards_for(Rules()), np.full(16, 2_000)
    (batch,) = engine.batches(boards, np.full(16, 5), sizes, 1, np.random.default_rng(0))
    rows, target = np.asarray(batch.rows).reshape(16, 2_000, -1), 100 * batch.target.numpy().reshape(16, -1)
    for turn in range(16):
        kept, last = boards.board[turn, :5], boards.last[turn, :5]
        as_it_was, turned = (
            (rows[turn][:, None] == rows_of(those, last, Rules())).all(axis=2)
            for those in (kept, kept[:, HALF_TURN])
        )
        chosen = (as_it_was | turned).argmax(axis=1)
        assert (as_it_was | turned).any(axis=1).all()
        assert set(chosen.tolist()) == {0, 1, 2, 3, 4}
        np.testing.assert_allclose(target[turn], boards.target[turn, chosen], rtol=1e-5)
        if turn:
            assert turned.any(axis=1).mean() == pytest.approx(0.5, abs=4 * 0.5 / 2_000**0.5)


@pytest.mark.parametrize("rules", [Rules(), Rules("adjacent", "best_ray")], ids=lambda rules: rules.name)
def test_what_is_learned_is_the_same(rules: Rules):
    compiled, device = (trainer_on(engine, rules) for engine in engines(rules))
    for _ in range(3):
        assert learned(device) == pytest.approx(learned(compiled), rel=1e-3)


def test_a_checkpoint_goes_on_exactly_and_on_the_other_engine_too():
    compiled, device = engines(Rules())
    half = trainer_on(device, Rules(), rounds=3)
    there, elsewhere = trainer_on(device, Rules()), trainer_on(compiled, Rules())
    for trainer in (there, elsewhere):
        trainer.restore(saved_and_loaded(half.state()))
    for _ in range(2):
        metrics = learned(half)
        assert learned(there) == metrics
        assert learned(elsewhere) == pytest.approx(metrics, rel=0.05), "rounding may change a move"
    assert same_weights(there, half)


@pytest.mark.slow
def test_a_training_in_pytorch_leaves_an_agent_that_plays(tmp_path: Path):
    trainer = trainer_on(DeviceEngine(Rules(), CPU), Rules())
    assert (
        train(trainer, tmp_path, Validation(Rules(), 0, 40), About("train.py", {}, "standard")).signal is None
    )
    draws = draw_orders(stream(1, Purpose.VALIDATE), 20)
    saved, learned = (
        play(agent, draws, Rules()).scores.mean()
        for agent in (make_agent(f"value:{tmp_path}", Rules()), trainer.agent())
    )
    assert saved == pytest.approx(learned, abs=5), "half precision moves few choices"


@pytest.mark.parametrize(
    ("device", "engine"), [("cpu", CompiledEngine), ("cuda", DeviceEngine), ("mps", DeviceEngine)]
)
def test_the_processor_is_for_the_compiled_functions_and_every_device_for_pytorch(
    monkeypatch: pytest.MonkeyPatch, device: str, engine: type[Engine]
):
    monkeypatch.setattr(value_trainer, "ValueTrainer", lambda *arguments: arguments[-1])
    made = value_trainer.make_value_trainer(TINY, Rules(), 0, 1, ALONE, torch.device(device), torch.float32)
    assert isinstance(made, engine)
    assert made.device.type == device


@pytest.mark.slow
def test_in_bfloat16_values_are_rounded_and_targets_stay_near():
    """Three digits of a hundred points: a point or so."""
    rules, draws = Rules(), draw_orders(stream(0, Purpose.VALIDATE), 20)
    torch.manual_seed(0)
    network = ValueNetwork(rules, width=32, stack=16)
    nowhere, kept = np.full(draws.shape, -1), np.ones(draws.shape, dtype=np.bool_)
    exact, rounded = (
        DeviceEngine(rules, CPU, dtype).player(network)(draws, nowhere, kept)
        for dtype in (torch.float32, torch.bfloat16)
    )
    first = [played.targets[:, 0] for played in (exact, rounded)]
    assert not np.array_equal(*first)
    np.testing.assert_allclose(*first, atol=3)
    assert rounded.targets.dtype == np.float32
