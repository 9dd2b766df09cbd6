"""What all trainings share, with a trainer that learns nothing: metrics, checkpoints, signals."""

import csv
import resource
import signal
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from agents import training
from agents.agent import Agent, make_agent
from agents.errors import UsageError
from agents.play import play
from agents.training import CHECKPOINT, METRICS, Outcome, restore_checkpoint, save_checkpoint, train
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.render import to_pixels
from takeiteasy_env.rules import Rules

ROUNDS = 40
EVALUATIONS = 20


class Broken:
    """An agent whose values are no numbers."""

    def values(self, positions: Any) -> np.ndarray:
        return np.full((len(positions), 19), np.nan, dtype=np.float32)


class Counter:
    """A trainer whose loss is a random number and whose games are counted.

    Args:
        stop: called with the trainer before each round: it may end the training in its own way.
    """

    rules = Rules()
    rounds = ROUNDS

    def __init__(self, stop: Callable[["Counter"], object] = lambda _: None) -> None:
        self.round = 0
        self.rng = np.random.default_rng(0)
        self.ballast = torch.zeros(1_000)
        self.stop = stop

    @property
    def games_played(self) -> int:
        return 100 * self.round

    def advance(self) -> Mapping[str, float | np.ndarray]:
        self.stop(self)
        self.round += 1
        return {
            "losses/value": float(self.rng.random()),
            "charts/score": float(self.round),
            "values": self.rng.random(30),
        }

    def agent(self) -> Agent:
        return make_agent("greedy", self.rules)

    def save_model(self, directory: Path) -> None:
        (directory / "model").write_text(str(self.round))

    def state(self) -> dict[str, Any]:
        return {"round": self.round, "rng": self.rng.bit_generator.state, "ballast": self.ballast}

    def restore(self, state: dict[str, Any]) -> None:
        self.round, self.ballast = state["round"], state["ballast"]
        self.rng.bit_generator.state = state["rng"]


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


@pytest.fixture(autouse=True)
def short_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "EVALUATION_GAMES", 40)
    monkeypatch.setattr(training, "to_pixels", lambda _: np.zeros((2, 3, 3), dtype=np.uint8))


@pytest.fixture(autouse=True)
def event_files_of_different_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorBoard reads event files by name, which begins with the second: no two begin in the same one."""
    seconds = count(int(time.time()))
    clock = SimpleNamespace(time=lambda: float(next(seconds)))
    monkeypatch.setattr("tensorboard.summary.writer.event_file_writer.time", clock)


@pytest.fixture
def checkpoint_every_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_INTERVAL", 0.0)


def metrics_of(run: Path) -> dict[str, list[tuple[int, float]]]:
    """The points of each curve in ``metrics.csv``."""
    curves: dict[str, list[tuple[int, float]]] = {}
    with (run / METRICS).open(newline="") as file:
        for row in csv.DictReader(file):
            curves.setdefault(row["name"], []).append((int(row["step"]), float(row["value"])))
    return curves


def events_of(run: Path) -> EventAccumulator:
    return EventAccumulator(str(run), size_guidance={"scalars": 0, "images": 0, "histograms": 0}).Reload()


def curves_of(events: EventAccumulator) -> dict[str, list[tuple[int, float]]]:
    return {
        name: [(scalar.step, scalar.value) for scalar in events.Scalars(name)]
        for name in events.Tags()["scalars"]
    }


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
    outcome = train(Counter(), tmp_path, seed=0)
    assert outcome.signal is None
    assert (tmp_path / "model").read_text() == str(ROUNDS)
    assert_the_curves_are_whole(tmp_path)
    assert set(metrics_of(tmp_path)) == {
        "losses/value", "charts/score", "eval/mean", "eval/ci_low", "eval/ci_high", "time/seconds",
        "time/games_per_second",
    }  # fmt: skip
    restored = Counter()
    assert restore_checkpoint(tmp_path, restored) == outcome.seconds
    assert restored.round == ROUNDS


def test_the_agent_is_evaluated_on_the_same_draws_twenty_times(tmp_path):
    train(Counter(), tmp_path, seed=0)
    curves = metrics_of(tmp_path)
    means = {value for _, value in curves["eval/mean"]}
    assert len(curves["eval/mean"]) == EVALUATIONS
    assert len(means) == 1, "the agent does not change"
    for (_, low), (_, mean), (_, high) in zip(
        curves["eval/ci_low"], curves["eval/mean"], curves["eval/ci_high"], strict=True
    ):
        assert low < mean < high
        assert high - mean == pytest.approx(mean - low, rel=1e-4)


def test_each_evaluation_shows_all_scores_and_the_board_of_a_median_game(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(training, "to_pixels", lambda picture: shown.append(picture) or to_pixels(picture))
    monkeypatch.setattr(Counter, "rounds", 3)
    train(Counter(), tmp_path, seed=0)
    events = events_of(tmp_path)
    histograms, images = events.Histograms("eval/scores"), events.Images("eval/median_board")
    assert [histogram.step for histogram in histograms] == [image.step for image in images] == [100, 200, 300]
    assert histograms[-1].histogram_value.num == 40
    assert (images[-1].height, images[-1].width) == to_pixels(shown[-1]).shape[:2]
    games = play(make_agent("greedy", Rules()), draw_orders(stream(0, Purpose.VALIDATE), 40), Rules())
    assert shown[-1].score == np.sort(games.scores)[20]


def test_an_array_of_a_round_is_a_histogram(tmp_path, monkeypatch):
    monkeypatch.setattr(Counter, "rounds", 3)
    train(Counter(), tmp_path, seed=0)
    histograms = events_of(tmp_path).Histograms("values")
    assert [(histogram.step, histogram.histogram_value.num) for histogram in histograms] == [
        (100, 30), (200, 30), (300, 30),
    ]  # fmt: skip
    assert "values" not in metrics_of(tmp_path)


def test_fewer_rounds_than_evaluations_are_evaluated_one_by_one(tmp_path, monkeypatch):
    monkeypatch.setattr(Counter, "rounds", 3)
    train(Counter(), tmp_path, seed=0)
    assert [step for step, _ in metrics_of(tmp_path)["eval/mean"]] == [100, 200, 300]


# ------------------------------------------------------------------------------------------ going on


@pytest.mark.usefixtures("checkpoint_every_round")
@pytest.mark.parametrize("round_", [1, 2, 17, ROUNDS])
def test_a_killed_training_goes_on_as_if_nothing_had_been(tmp_path, round_):
    for name in ("killed", "whole"):
        (tmp_path / name).mkdir()
    with pytest.raises(Killed):
        train(Counter(killed_in(round_)), tmp_path / "killed", seed=0)
    train(Counter(), tmp_path / "killed", seed=0)
    train(Counter(), tmp_path / "whole", seed=0)
    killed, whole = (without_time(metrics_of(tmp_path / name)) for name in ("killed", "whole"))
    assert killed == whole
    assert_the_curves_are_whole(tmp_path / "killed")


@pytest.mark.parametrize("saved", [0, 12])
def test_what_was_written_after_the_checkpoint_does_not_survive(tmp_path, monkeypatch, saved):
    """The checkpoint is of an earlier round than the last metrics."""
    monkeypatch.setattr(training, "CHECKPOINT_INTERVAL", float("inf"))

    def save_then_die(trainer: Counter) -> None:
        if trainer.round == saved:
            save_checkpoint(tmp_path, trainer, seconds=5.0)
        if trainer.round == 25:
            raise Killed

    with pytest.raises(Killed):
        train(Counter(save_then_die), tmp_path, seed=0)
    assert metrics_of(tmp_path)["losses/value"][-1][0] == 2_500
    with (tmp_path / METRICS).open("a") as file:
        file.write("26")  # a row that was cut off
    outcome = train(Counter(), tmp_path, seed=0)
    assert_the_curves_are_whole(tmp_path)
    assert outcome.seconds > 5
    seconds = [value for _, value in metrics_of(tmp_path)["time/seconds"]]
    assert seconds == sorted(seconds)


def test_a_training_killed_before_its_first_round_can_go_on(tmp_path):
    with pytest.raises(Killed):
        train(Counter(killed_in(1)), tmp_path, seed=0)
    assert restore_checkpoint(tmp_path, Counter()) == 0
    (tmp_path / METRICS).write_text("")
    train(Counter(), tmp_path, seed=0)
    assert_the_curves_are_whole(tmp_path)


def test_a_first_round_without_games_is_not_written_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(Counter, "games_played", property(lambda trainer: 100 * max(trainer.round - 1, 0)))
    with pytest.raises(Killed):
        train(Counter(killed_in(4)), tmp_path, seed=0)
    train(Counter(), tmp_path, seed=0)
    steps = list(range(0, 100 * ROUNDS, 100))
    assert [step for step, _ in metrics_of(tmp_path)["losses/value"]] == steps
    assert [step for step, _ in curves_of(events_of(tmp_path))["losses/value"]] == steps


def test_a_finished_training_has_nothing_to_add(tmp_path):
    first = train(Counter(), tmp_path, seed=0)
    before = (tmp_path / METRICS).read_text()
    again = train(Counter(killed_in(ROUNDS + 1)), tmp_path, seed=0)
    assert again.seconds == pytest.approx(first.seconds, abs=1.0)
    assert (tmp_path / METRICS).read_text() == before
    assert_the_curves_are_whole(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_training_after_its_round_with_everything_saved(tmp_path, number):
    def interrupt(trainer: Counter) -> None:
        if trainer.round == 6:
            signal.raise_signal(number)

    before = signal.getsignal(number)
    outcome = train(Counter(interrupt), tmp_path, seed=0)
    assert outcome.signal == number
    assert signal.getsignal(number) is before
    assert (tmp_path / "model").read_text() == "7"
    assert metrics_of(tmp_path)["losses/value"][-1][0] == 700
    assert curves_of(events_of(tmp_path))["losses/value"][-1][0] == 700

    assert train(Counter(), tmp_path, seed=0).signal is None
    assert_the_curves_are_whole(tmp_path)


# ------------------------------------------------------------------------------------------ what goes wrong


@pytest.mark.parametrize("kept", [0.0, 0.0005, 0.01, 0.5, 0.999])
def test_a_checkpoint_that_was_cut_off_is_named_in_one_line(tmp_path, kept):
    save_checkpoint(tmp_path, Counter(), seconds=1.0)
    path = tmp_path / CHECKPOINT
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    with pytest.raises(UsageError, match=rf"^{path} is damaged[^\n]+$"):
        train(Counter(), tmp_path, seed=0)


@pytest.mark.parametrize(
    "state", [[], {}, {"trainer": {}, "seconds": 1.0}, {"trainer": 3, "seconds": 1.0}, None]
)
def test_a_checkpoint_of_something_else_is_named_in_one_line(tmp_path, state):
    torch.save(state, tmp_path / CHECKPOINT)
    with pytest.raises(UsageError, match=rf"^{tmp_path / CHECKPOINT} is damaged[^\n]+$"):
        train(Counter(), tmp_path, seed=0)


def test_a_checkpoint_is_data_and_cannot_run_code(tmp_path):
    torch.save({"trainer": Outcome(1.0, None), "seconds": 1.0}, tmp_path / CHECKPOINT)
    with pytest.raises(UsageError, match="is damaged"):
        train(Counter(), tmp_path, seed=0)


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
    with pytest.raises(UsageError, match=rf"^cannot write to {tmp_path}: File too large; [^\n]+$"):
        train(Counter(grow), tmp_path, seed=0)
    kept = Counter()
    restore_checkpoint(tmp_path, kept)
    assert kept.round == 3


def test_a_directory_that_is_gone_is_named_in_one_line(tmp_path):
    with pytest.raises(UsageError, match=rf"^cannot write to {tmp_path}/gone: [^\n]+$"):
        train(Counter(), tmp_path / "gone", seed=0)


@pytest.mark.usefixtures("checkpoint_every_round")
def test_an_agent_that_answers_with_no_numbers_stops_the_training_before_its_checkpoint(
    tmp_path, monkeypatch
):
    def break_down(trainer: Counter) -> None:
        if trainer.round == 9:
            monkeypatch.setattr(trainer, "agent", Broken)

    with pytest.raises(UsageError, match=r"^the agent of round 10 gives no moves any more: [^\n]+$"):
        train(Counter(break_down), tmp_path, seed=0)
    kept = Counter()
    restore_checkpoint(tmp_path, kept)
    assert kept.round == 9


@pytest.mark.usefixtures("checkpoint_every_round")
@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.array([0.0, float("nan")])])
def test_a_metric_that_is_no_number_stops_the_training_before_its_checkpoint(tmp_path, monkeypatch, value):
    monkeypatch.setattr(Counter, "advance", diverging_in(9, value))
    with pytest.raises(UsageError, match=r"^losses/value is no number any more in round 9: [^\n]+$"):
        train(Counter(), tmp_path, seed=0)
    kept = Counter()
    restore_checkpoint(tmp_path, kept)
    assert kept.round == 8
    assert metrics_of(tmp_path)["losses/value"][-1][0] == 800
