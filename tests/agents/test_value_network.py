"""The value network as it is trained, saved and loaded: what must survive, and what must be refused."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.errors import UsageError
from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from agents.model_files import CONFIG_FILE, MODEL_FILE
from agents.value_network import RowSums, ValueNetwork, load_model, save_model
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules
from tests.agents.test_successors import boards_after, random_games

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
OTHER_SUNS = (0, 1, 2)
#: Boards of each turn.
SIZES = tuple(range(5, 21))


def network_of(rules: Rules, width: int = 12, stack: int = 5) -> ValueNetwork:
    """A network whose every parameter is another number."""
    torch.manual_seed(0)
    network = ValueNetwork(rules, width, stack)
    for parameter in network.parameters():
        parameter.data += 0.1 * torch.randn(parameter.shape)
    return network


def rows_of_boards(rules: Rules) -> np.ndarray:
    """The rows of boards of random games, so many of each turn."""
    games = random_games(rules)
    boards = [boards_after(games, turn)[:size] for turn, size in enumerate(SIZES, start=1)]
    last = [games.draws[:size, turn - 1] for turn, size in enumerate(SIZES, start=1)]
    rows = np.empty((sum(SIZES), ROWS_PER_BOARD), dtype=np.int32)
    fill_rows(np.concatenate(boards), np.concatenate(last), rules.code, row_count(rules), rows)
    return rows


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A directory that holds a model for the standard rules."""
    save_model(tmp_path, network_of(Rules()), Rules())
    return tmp_path


def refusal(directory: Path, rules: Rules | None = None) -> str:
    with pytest.raises(UsageError) as refused:
        load_model(directory, rules or Rules())
    assert "\n" not in str(refused.value)
    return str(refused.value)


def change_config(model: Path, **changes: Any) -> None:
    config = json.loads((model / CONFIG_FILE).read_text())
    (model / CONFIG_FILE).write_text(json.dumps(config | changes))


def test_the_first_layer_is_the_sum_of_the_rows_and_nothing_adds_nothing():
    """Against a product with a matrix that counts the rows of each board."""
    torch.manual_seed(0)
    table = torch.randn(31, 7, dtype=torch.float32, requires_grad=True)
    rows = np.random.default_rng(0).integers(31, size=(50, 9), dtype=np.int32)
    counts = torch.zeros(50, 31)
    for board, row in product(range(50), range(9)):
        counts[board, rows[board, row]] += rows[board, row] != 30
    weights = torch.randn(50, 7)

    sums = RowSums.apply(table, rows)
    torch.testing.assert_close(sums, counts @ table)
    (gradient,) = torch.autograd.grad((sums * weights).sum(), table)
    (expected,) = torch.autograd.grad((counts @ table * weights).sum(), table)
    torch.testing.assert_close(gradient, expected)
    assert (gradient[30] == 0).all()


def test_each_turn_has_a_stack_of_its_own():
    """Another stack for the boards of five tiles changes the values of these, and of no others."""
    network, rows, sizes = network_of(Rules()), rows_of_boards(Rules()), list(SIZES)
    with torch.no_grad():
        before = network(rows, sizes)
        for layer in (network.first, network.second, network.last):
            layer[4] += 0.3
        changed = (network(rows, sizes) != before).split(sizes)
    assert [of_turn.any().item() for of_turn in changed] == [turn == 4 for turn in range(16)]


def test_the_compiled_weights_have_their_shapes_and_do_not_change_with_further_training():
    network = network_of(Rules(), width=20, stack=5)
    weights = network.weights()
    rows = row_count(Rules()) + 1
    assert [array.shape for array in weights] == [
        (rows, 32), (32,), (3 * 915, 16), (1440, 16), (17, 16),
        (16, 32 + 32, 5), (16, 5), (16, 5, 5), (16, 5), (16, 5), (16,), (2, 0),
    ]  # fmt: skip
    halves = {"table", "worth", "prices"}
    for name, array in weights._asdict().items():
        assert array.dtype == (np.uint16 if name in halves else np.float32), name
    behind = [weights.table[:, 20:], weights.bias[20:], weights.first[:, 20:32]]
    assert not any(array.any() for array in behind), "units that only fill up the lanes are 0"
    before = [array.copy() for array in weights]
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 1
    assert all((array == kept).all() for array, kept in zip(weights, before, strict=True))


def test_a_saved_model_plays_as_the_network_does_that_was_saved(tmp_path):
    """Compiled functions read the network in half precision, so saving it takes nothing away."""
    torch.manual_seed(0)
    network = ValueNetwork(Rules(), width=20, stack=5)
    save_model(tmp_path, network, Rules())
    loaded = load_model(tmp_path, Rules()).weights()
    for name, array in network.weights()._asdict().items():
        np.testing.assert_array_equal(getattr(loaded, name), array, err_msg=name)


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_a_saved_model_comes_back_in_half_precision(tmp_path, rules):
    network, rows = network_of(rules, width=10, stack=3), rows_of_boards(rules)
    save_model(tmp_path, network, rules)
    loaded = load_model(tmp_path, rules)
    for name, parameter in network.named_parameters():
        torch.testing.assert_close(dict(loaded.named_parameters())[name], parameter, rtol=1e-3, atol=1e-6)
    with torch.no_grad():
        torch.testing.assert_close(loaded(rows, SIZES), network(rows, SIZES), rtol=0.05, atol=0.05)
    assert {path.name for path in tmp_path.iterdir()} == {MODEL_FILE, CONFIG_FILE}


def test_saving_again_replaces_the_model(model):
    other = network_of(Rules(), width=4, stack=2)
    save_model(model, other, Rules())
    loaded = load_model(model, Rules())
    assert loaded.table.shape == other.table.shape
    assert {path.name for path in model.iterdir()} == {MODEL_FILE, CONFIG_FILE}


def test_the_config_says_what_the_model_is(tmp_path):
    rules = Rules("sun_moon", "sunrays", OTHER_SUNS)
    save_model(tmp_path, network_of(rules, width=12, stack=5), rules)
    config = json.loads((tmp_path / CONFIG_FILE).read_text())
    assert config["agent"] == "value"
    assert (config["width"], config["stack"]) == (12, 5)
    assert Rules(**config["rules"]) == rules


@pytest.mark.parametrize(
    ("made_for", "asked_for"),
    [(made, asked) for made, asked in product(ALL_RULES, ALL_RULES) if made != asked],
)
def test_a_model_for_other_rules_is_refused_by_their_names(tmp_path, made_for, asked_for):
    save_model(tmp_path, network_of(made_for, width=2, stack=2), made_for)
    assert refusal(tmp_path, asked_for).endswith(f"plays {made_for.name} rules, not {asked_for.name}")


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
def test_another_map_of_the_suns_is_another_game_where_symbols_matter_and_the_same_elsewhere(tmp_path, rules):
    save_model(tmp_path, network_of(rules, width=2, stack=2), rules)
    with_other_suns = Rules(rules.placement, rules.scoring, OTHER_SUNS)
    if rules.uses_symbols:
        assert "trained with other suns" in refusal(tmp_path, with_other_suns)
    else:
        assert isinstance(load_model(tmp_path, with_other_suns), ValueNetwork)


def test_a_model_for_other_features_is_refused(model):
    change_config(model, features_version=0)
    assert "features version 0, not " in refusal(model)


@pytest.mark.parametrize("kept", [0.0, 0.0005, 0.01, 0.5, 0.999])
def test_a_model_file_that_was_cut_off_is_refused_by_its_name(model, kept):
    path = model / MODEL_FILE
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    assert refusal(model).startswith(f"{path} is damaged")


def test_a_file_of_something_else_is_no_model(model):
    (model / MODEL_FILE).write_bytes(np.random.default_rng(0).bytes(10_000))
    assert refusal(model).startswith(f"{model / MODEL_FILE} is damaged")


@pytest.mark.parametrize(
    "changes",
    [
        {"width": 13},
        {"stack": 4},
        {"width": 0},
        {"width": "wide"},
        {"width": 1.5},
        {"stack": -1},
        {"stack": None},
    ],
)
def test_a_model_of_another_shape_than_its_config_says_is_refused(model, changes):
    change_config(model, **changes)
    assert refusal(model).startswith(f"{model / MODEL_FILE} is damaged or not of the shape its config says")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"rules": 3}', '{"rules": {"placement": "anywhere"}}', "\xff\x00"]
)
def test_a_config_that_describes_no_model_is_refused_by_its_name(model, text):
    (model / CONFIG_FILE).write_text(text, encoding="latin-1")
    assert refusal(model).startswith(f"{model / CONFIG_FILE} is damaged")


def test_a_missing_file_is_named(model):
    (model / MODEL_FILE).unlink()
    assert MODEL_FILE in refusal(model)
    (model / CONFIG_FILE).unlink()
    assert CONFIG_FILE in refusal(model)
    assert str(model / "nowhere") in refusal(model / "nowhere")
