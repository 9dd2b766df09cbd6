"""The quantile agent as it is named: which objectives there are, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from agents.agent import DistributionalAgent, PredictingAgent, make_agent
from agents.errors import UsageError
from agents.objectives import SCORES, worth_of_reaching
from agents.quantile import ObjectiveAgent, QuantileAgent
from agents.quantile_network import save_quantile_model
from takeiteasy_env.rules import Rules
from tests.agents.tiny_quantiles import QUANTILES, network_of


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("quantile")
    save_quantile_model(directory, network_of(Rules()), Rules())
    return directory


def refusal(spec: str, rules: Rules = Rules()) -> str:
    with pytest.raises(UsageError) as refused:
        make_agent(spec, rules)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_without_an_objective_it_predicts_points_and_how_they_are_spread(model: Path):
    agent = make_agent(f"quantile:{model}", Rules())
    assert isinstance(agent, QuantileAgent)
    assert isinstance(agent, DistributionalAgent)
    assert agent.predicts_points
    assert agent.final_score().shape == (QUANTILES,)


def test_an_objective_is_an_option_and_its_values_are_no_points(model: Path):
    reaching = make_agent(f"quantile+reach:200:{model}", Rules())
    assert isinstance(reaching, ObjectiveAgent)
    assert not isinstance(reaching, PredictingAgent)
    np.testing.assert_array_equal(reaching.worth, worth_of_reaching(200))
    # A tail counts nothing above the score below which it lies when the game begins.
    careful = make_agent(f"quantile+tail:0.25:{model}", Rules())
    assert isinstance(careful, ObjectiveAgent)
    highest = careful.agent.final_score()[int(0.25 * QUANTILES)]
    assert careful.worth[max(int(highest) + 1, 0) :] == pytest.approx(careful.worth[-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("+reach:0", f"quantile: option reach:0: give 1 to {SCORES - 1}"),
        ("+reach:5000", f"quantile: option reach:5000: give 1 to {SCORES - 1}"),
        ("+reach:far", "quantile: option reach:far: give a whole number"),
        ("+tail:0", "quantile: option tail:0.0: give more than 0 and less than 1"),
        ("+tail:1", "quantile: option tail:1.0: give more than 0 and less than 1"),
        ("+reach:200+tail:0.1", "quantile: option reach and tail are two objectives: give one of them"),
    ],
)
def test_what_is_no_objective_is_refused(model: Path, options: str, message: str):
    assert refusal(f"quantile{options}:{model}") == message


def test_rules_without_a_shipped_model_are_refused_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("agents.quantile.SHIPPED_MODELS", tmp_path)
    (tmp_path / "standard").mkdir()
    assert refusal("quantile+reach:200", Rules("adjacent")) == (
        "no quantile model for adjacent rules comes with the project, only for standard: "
        "train one with train.py agent=quantile and name it, quantile:run_directory"
    )


def test_a_model_for_other_rules_is_refused(model: Path):
    assert "plays standard rules, not adjacent" in refusal(f"quantile:{model}", Rules("adjacent"))
