"""What all trainings share, with a trainer that learns nothing: its curves, checkpoints, signals."""

import resource
import shutil
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import training, validation
from agents.agent import make_agent
from agents.checkpoints import CHECKPOINT, Past, restore_checkpoint, save_checkpoint
from agents.curves import METRICS
from agents.errors import UsageError
from agents.training import BEST, Outcome
from agents.validation import Validation
from takeiteasy_env.rules import Rules
from tests.agents.counter import ABOUT, EVALUATIONS, ROUNDS, Counter, curves_of, events_of, metrics_of, train

pytestmark = pytest.mark.usefixtures("short_evaluations", "event_files_of_different_seconds")


class Broken:
    """An agent whose values are no numbers."""

    def values(self, positions: Any) -> np.ndarray:
        return np.full((len(positions), 19), np.nan, dtype=np.float32)


class Killed(BaseException):
    """Ends a training where it is, as nothing but a kill would."""


def killed_in(round_: int) -> Callable[[Counter], None]:
    def stop(trainer: Counter) -> None:
        if trainer.round + 1 == round_:
            raise Killed

    return stop


def diverging_in(round_: int, value: float | np.ndarray) -> Callable[[Counter], Mapping[str, Any]]:
    advance = Counter.advance

    def diverging(trainer: Counter) -> Mapping[str, Any]:
        metrics = advance(trainer)
        return dict(metrics) | {"losses/value": value} if trainer.round == round_ else metrics

    return diverging


@pytest.fixture
def checkpoint_every_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_INTERVAL", 0.0)


def without_time(curves: dict[str, list[tuple[int, float]]]) -> dict[str, list[tuple[int, float]]]:
    return {name: points for name, points in curves.items() if not name.startswith("time/")}


def assert_the_curves_are_whole(run: Path) -> None:
    """They are those of a training that was never interrupted, in both places where they are written."""
    written, shown = metrics_of(run), curves_of(events_of(run))
    assert set(written) == set(shown)
    for name, points in written.items():
        each = 100 * ROUNDS // EVALUATIONS if name.startswith("eval/") else 100
        assert [step for step, _ in points] == list(range(each, 100 * ROUNDS + 1, each)), name
        assert [step for step, _ in shown[name]] == [step for step, _ in points], name
        np.testing.assert_allclose([value for _, value in shown[name]], [value for _, value in points], 1e-6)


def test_a_training_leaves_its_curves_its_model_and_where_to_go_on(tmp_path):
    outcome = train(Counter(), tmp_path)
    assert outcome.signal is None
    assert (tmp_path / "model").read_text() == str(ROUNDS)
    assert_the_curves_are_whole(tmp_path)
    assert set(metrics_of(tmp_path)) == {
        "losses/value", "charts/score", "eval/mean", "eval/ci_low", "eval/ci_high", "eval/random",
        "eval/greedy", "eval/line_odds", "time/seconds", "time/games_per_second",
    }  # fmt: skip
    restored = Counter()
    assert restore_checkpoint(tmp_path, restored).seconds == outcome.seconds
    assert restored.round == ROUNDS


def test_fewer_rounds_than_evaluations_are_evaluated_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(Counter, "rounds", 3)
    train(Counter(), tmp_path)
    assert [step for step, _ in metrics_of(tmp_path)["eval/mean"]] == [100, 200, 300]


def test_the_model_that_did_best_is_kept_beside_the_last(tmp_path, monkeypatch):
    """It plays well in the rounds from 11 to 20 alone."""
    good, poor = (make_agent(name, Rules()) for name in ("line_odds", "random"))
    monkeypatch.setattr(Counter, "agent", lambda trainer: good if 10 < trainer.round <= 20 else poor)
    outcome = train(Counter(), tmp_path)
    assert (tmp_path / BEST / "model").read_text() == "20", "of equal ones the last"
    assert (tmp_path / "model").read_text() == str(ROUNDS)
    assert outcome.best == (2_000, max(mean for _, mean in outcome.curve))
    assert outcome.curve == metrics_of(tmp_path)["eval/mean"]


def test_the_better_model_is_kept_though_the_other_one_had_more_luck(tmp_path, monkeypatch):
    """On the draws of this seed line_odds, 4.1 points weaker than value, happens to score more."""
    good, lucky = (make_agent(name, Rules()) for name in ("value", "line_odds"))
    examination = Validation(Rules(), seed=5, games=40)
    assert examination.of(lucky).points.mean() > examination.of(good).points.mean()
    monkeypatch.setattr(Counter, "rounds", 2)
    monkeypatch.setattr(Counter, "agent", lambda trainer: good if trainer.round == 1 else lucky)
    training.train(Counter(), tmp_path, examination, ABOUT)
    assert (tmp_path / BEST / "model").read_text() == "1"


@pytest.mark.usefixtures("checkpoint_every_round")
def test_a_training_that_goes_on_knows_its_best(tmp_path, monkeypatch):
    good, poor = (make_agent(name, Rules()) for name in ("line_odds", "random"))
    monkeypatch.setattr(Counter, "agent", lambda trainer: good if trainer.round <= 20 else poor)
    with pytest.raises(Killed):
        train(Counter(killed_in(30)), tmp_path)
    assert train(Counter(), tmp_path).best[0] == 2_000
    assert (tmp_path / BEST / "model").read_text() == "20"


# ------------------------------------------------------------------------------------------ going on


@pytest.mark.usefixtures("checkpoint_every_round")
@pytest.mark.parametrize("round_", [1, 2, 17, ROUNDS])
def test_a_killed_training_goes_on_as_if_nothing_had_been(tmp_path, round_):
    for name in ("killed", "whole"):
        (tmp_path / name).mkdir()
    with pytest.raises(Killed):
        train(Counter(killed_in(round_)), tmp_path / "killed")
    train(Counter(), tmp_path / "killed")
    train(Counter(), tmp_path / "whole")
    killed, whole = (without_time(metrics_of(tmp_path / name)) for name in ("killed", "whole"))
    assert killed == whole
    assert_the_curves_are_whole(tmp_path / "killed")


@pytest.mark.parametrize("saved", [0, 12])
def test_what_was_written_after_the_checkpoint_does_not_survive(tmp_path, monkeypatch, saved):
    """The checkpoint is of an earlier round than the last metrics."""
    monkeypatch.setattr(training, "CHECKPOINT_INTERVAL", float("inf"))

    def save_then_die(trainer: Counter) -> None:
        if trainer.round == saved:
            save_checkpoint(tmp_path, trainer, Past(began=1e9, seconds=5.0))
        if trainer.round == 25:
            raise Killed

    with pytest.raises(Killed):
        train(Counter(save_then_die), tmp_path)
    assert metrics_of(tmp_path)["losses/value"][-1][0] == 2_500
    with (tmp_path / METRICS).open("a") as file:
        file.write("26")  # a row that was cut off
    outcome = train(Counter(), tmp_path)
    assert_the_curves_are_whole(tmp_path)
    assert outcome.seconds > 5
    seconds = [value for _, value in metrics_of(tmp_path)["time/seconds"]]
    assert seconds == sorted(seconds)


def test_a_training_killed_before_its_first_round_can_go_on(tmp_path):
    with pytest.raises(Killed):
        train(Counter(killed_in(1)), tmp_path)
    assert restore_checkpoint(tmp_path, Counter()).seconds == 0
    (tmp_path / METRICS).write_text("")
    train(Counter(), tmp_path)
    assert_the_curves_are_whole(tmp_path)


def test_a_first_round_without_games_is_not_written_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(Counter, "games_played", property(lambda trainer: 100 * max(trainer.round - 1, 0)))
    with pytest.raises(Killed):
        train(Counter(killed_in(4)), tmp_path)
    train(Counter(), tmp_path)
    steps = list(range(0, 100 * ROUNDS, 100))
    assert [step for step, _ in metrics_of(tmp_path)["losses/value"]] == steps
    assert [step for step, _ in curves_of(events_of(tmp_path))["losses/value"]] == steps


def test_a_finished_training_has_nothing_to_add(tmp_path):
    first = train(Counter(), tmp_path)
    before = (tmp_path / METRICS).read_text()
    again = train(Counter(killed_in(ROUNDS + 1)), tmp_path)
    assert again.seconds == pytest.approx(first.seconds, abs=1.0)
    assert (tmp_path / METRICS).read_text() == before
    assert_the_curves_are_whole(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_training_after_its_round_with_everything_saved(tmp_path, number):
    def interrupt(trainer: Counter) -> None:
        if trainer.round == 6:
            signal.raise_signal(number)

    before = signal.getsignal(number)
    outcome = train(Counter(interrupt), tmp_path)
    assert outcome.signal == number
    assert signal.getsignal(number) is before
    assert (tmp_path / "model").read_text() == "7"
    assert metrics_of(tmp_path)["losses/value"][-1][0] == 700
    assert curves_of(events_of(tmp_path))["losses/value"][-1][0] == 700

    assert train(Counter(), tmp_path).signal is None
    assert_the_curves_are_whole(tmp_path)


# ------------------------------------------------------------------------------------------ what goes wrong


@pytest.mark.parametrize("kept", [0.0, 0.0005, 0.01, 0.5, 0.999])
def test_a_checkpoint_that_was_cut_off_is_named_in_one_line(tmp_path, kept):
    save_checkpoint(tmp_path, Counter(), Past(began=1e9))
    path = tmp_path / CHECKPOINT
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    with pytest.raises(UsageError, match=rf"^{path} is damaged[^\n]+$"):
        train(Counter(), tmp_path)


@pytest.mark.parametrize(
    "state",
    [
        [],
        {},
        {"trainer": {}, "began": 1.0, "seconds": 1.0},
        {"trainer": 3, "began": 1.0, "seconds": 1.0},
        None,
    ],
)
def test_a_checkpoint_of_something_else_is_named_in_one_line(tmp_path, state):
    torch.save(state, tmp_path / CHECKPOINT)
    with pytest.raises(UsageError, match=rf"^{tmp_path / CHECKPOINT} is damaged[^\n]+$"):
        train(Counter(), tmp_path)


def test_a_checkpoint_is_data_and_cannot_run_code(tmp_path):
    torch.save({"trainer": Outcome(1.0, None, []), "began": 1.0, "seconds": 1.0}, tmp_path / CHECKPOINT)
    with pytest.raises(UsageError, match="is damaged"):
        train(Counter(), tmp_path)


@pytest.fixture
def small_files():
    """Allow no file of more than 300 kB, as a full disk would."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limits[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.usefixtures("checkpoint_every_round")
def test_a_checkpoint_that_the_disk_refuses_leaves_the_one_before(tmp_path, small_files):
    def grow(trainer: Counter) -> None:
        if trainer.round == 3:
            trainer.ballast = torch.zeros(100_000)

    small_files()
    with pytest.raises(
        UsageError, match=rf"^cannot write to {tmp_path}: File too large; its last checkpoint is kept$"
    ):
        train(Counter(grow), tmp_path)
    kept = Counter()
    restore_checkpoint(tmp_path, kept)
    assert kept.round == 3


def test_a_directory_that_is_not_there_is_named_in_one_line(tmp_path):
    with pytest.raises(UsageError, match=rf"^cannot write to {tmp_path}/gone: [^\n]+; nothing is kept$"):
        train(Counter(), tmp_path / "gone")


@pytest.mark.usefixtures("checkpoint_every_round")
def test_a_directory_that_vanishes_is_named_in_one_line(tmp_path):
    run = tmp_path / "run"
    run.mkdir()

    def remove(trainer: Counter) -> None:
        if trainer.round == 3:
            shutil.rmtree(run)

    with pytest.raises(UsageError, match=rf"^cannot write to {run}: [^\n]+; nothing is kept$"):
        train(Counter(remove), run)


@pytest.mark.usefixtures("checkpoint_every_round")
def test_curves_that_the_disk_refuses_end_the_training_in_one_line(tmp_path, small_files, monkeypatch):
    """The event file grows too large, the checkpoints do not."""
    noise = np.random.default_rng(0).integers(256, size=(200, 200, 3), dtype=np.uint8)
    monkeypatch.setattr(validation, "to_pixels", lambda _: noise)
    small_files()
    with pytest.raises(
        UsageError, match=rf"^cannot write to {tmp_path}: File too large; its last checkpoint is kept$"
    ):
        train(Counter(), tmp_path)
    kept = Counter()
    restore_checkpoint(tmp_path, kept)
    assert 0 < kept.round < ROUNDS


@pytest.mark.usefixtures("checkpoint_every_round")
def test_an_agent_that_answers_with_no_numbers_stops_the_training_before_its_checkpoint(
    tmp_path, monkeypatch
):
    def break_down(trainer: Counter) -> None:
        if trainer.round == 9:
            monkeypatch.setattr(trainer, "agent", Broken)

    with pytest.raises(UsageError, match=r"^the agent of round 10 gives no moves any more: [^\n]+$"):
        train(Counter(break_down), tmp_path)
    kept = Counter()
    restore_checkpoint(tmp_path, kept)
    assert kept.round == 9


@pytest.mark.usefixtures("checkpoint_every_round")
@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.array([0.0, float("nan")])])
def test_a_metric_that_is_no_number_stops_the_training_before_its_checkpoint(tmp_path, monkeypatch, value):
    monkeypatch.setattr(Counter, "advance", diverging_in(9, value))
    with pytest.raises(UsageError, match=r"^losses/value is no number any more in round 9: [^\n]+$"):
        train(Counter(), tmp_path)
    kept = Counter()
    restore_checkpoint(tmp_path, kept)
    assert kept.round == 8
    assert metrics_of(tmp_path)["losses/value"][-1][0] == 800
