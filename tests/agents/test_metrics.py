"""What a training shows: read back from the event files and from ``metrics.csv``."""

import time

import numpy as np
import pytest
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.hparams import plugin_data_pb2

from agents import validation
from agents.agent import make_agent
from agents.checkpoints import Past, save_checkpoint
from agents.luck import luck_of, value_network_of
from agents.play import play
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.render import to_pixels
from takeiteasy_env.rules import Rules
from tests.agents.counter import EVALUATIONS, Counter, events_of, metrics_of, train

pytestmark = pytest.mark.usefixtures("short_evaluations", "event_files_of_different_seconds")


@pytest.fixture(autouse=True)
def three_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counter, "rounds", 3)


def test_the_agent_is_evaluated_on_the_same_draws_twenty_times(tmp_path, monkeypatch):
    monkeypatch.setattr(Counter, "rounds", 40)
    train(Counter(), tmp_path)
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
    monkeypatch.setattr(validation, "to_pixels", lambda picture: shown.append(picture) or to_pixels(picture))
    train(Counter(), tmp_path)
    events = events_of(tmp_path)
    histograms, images = events.Histograms("eval/scores"), events.Images("eval/median_board")
    assert [histogram.step for histogram in histograms] == [image.step for image in images] == [100, 200, 300]
    assert histograms[-1].histogram_value.num == 10
    assert (images[-1].height, images[-1].width) == to_pixels(shown[-1]).shape[:2]
    games = play(make_agent("greedy", Rules()), draw_orders(stream(0, Purpose.VALIDATE), 10), Rules())
    assert shown[-1].score == np.sort(games.scores)[5]


def test_an_array_of_a_round_is_a_histogram(tmp_path, monkeypatch):
    train(Counter(), tmp_path)
    histograms = events_of(tmp_path).Histograms("values")
    assert [(histogram.step, histogram.histogram_value.num) for histogram in histograms] == [
        (100, 30), (200, 30), (300, 30),
    ]  # fmt: skip
    assert "values" not in metrics_of(tmp_path)


def test_the_baselines_are_level_lines_in_the_chart_of_the_mean(tmp_path):
    train(Counter(), tmp_path)
    curves, draws = metrics_of(tmp_path), draw_orders(stream(0, Purpose.VALIDATE), 10)
    network = value_network_of("value", Rules())
    for name in ("random", "greedy", "line_odds"):
        games = play(make_agent(name, Rules()), draws, Rules())
        mean = games.scores.mean() - luck_of(draws, games.cells, Rules(), network).sum(axis=1).mean()
        assert curves[f"eval/{name}"] == [(step, pytest.approx(mean)) for step in (100, 200, 300)]
    assert curves["eval/mean"] == curves["eval/greedy"], "which is who plays here"

    (event,) = events_of(tmp_path).Tensors("custom_scalars__config__")
    layout = layout_pb2.Layout.FromString(event.tensor_proto.string_val[0])
    interval, lines = layout.category[0].chart
    (margin,) = interval.margin.series
    assert (margin.value, margin.lower, margin.upper) == ("eval/mean", "eval/ci_low", "eval/ci_high")
    assert list(lines.multiline.tag) == ["eval/mean", "eval/random", "eval/greedy", "eval/line_odds"]


def test_command_and_settings_are_texts_and_hyperparameters_of_the_same_run(tmp_path):
    train(Counter(), tmp_path)
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == [tmp_path / "best"]
    events = events_of(tmp_path)
    texts = {
        name: events.Tensors(f"{name}/text_summary")[0].tensor_proto.string_val[0].decode()
        for name in ("command", "settings")
    }
    assert texts["command"] == "    python train.py\n"
    assert "    seed: 0\n    agent:\n      name: counter\n" in texts["settings"]
    content = events.summary_metadata["_hparams_/session_start_info"].plugin_data.content
    shown = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info.hparams
    assert {name: shown[name].number_value for name in ("seed", "agent.rate")} == {
        "seed": 0,
        "agent.rate": 0.5,
    }
    assert [shown[name].string_value for name in ("agent.name", "agent.best")] == ["counter", "None"]


def test_the_relative_axis_is_the_time_that_the_training_took(tmp_path):
    """A pause of a year lies between its begin and its second part."""
    began = time.time() - 365 * 86_400
    save_checkpoint(tmp_path, Counter(), Past(began, seconds=50.0))
    train(Counter(), tmp_path)
    events, curves = events_of(tmp_path), metrics_of(tmp_path)
    seconds = [value for _, value in curves["time/seconds"]]
    assert 50 < seconds[0] < seconds[-1] < 50 + 600
    for name in ("losses/value", "eval/mean"):
        walls = [scalar.wall_time - began for scalar in events.Scalars(name)]
        assert walls == pytest.approx(seconds, abs=1e-3)
