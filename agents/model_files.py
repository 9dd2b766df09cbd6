"""Networks as files: tensors in half precision, and beside them what they are and for which rules."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import nn

from agents.errors import NoModelError, UsageError
from agents.files import write_whole
from takeiteasy_env.rules import Rules

MODEL_FILE: Final = "model.safetensors"
CONFIG_FILE: Final = "config.json"
#: Goes up when a trained table means something else: other features or another order of rows.
FEATURES_VERSION: Final = 2

Network = TypeVar("Network", bound=nn.Module)


def write_model(
    directory: Path, network: nn.Module, rules: Rules, agent: str, sizes: Mapping[str, int]
) -> None:
    """Write ``model.safetensors`` in half precision and the ``config.json`` that says what it is.

    Args:
        directory: where.
        network: what was trained.
        rules: for which rules.
        agent: the name of the agent that it makes.
        sizes: what :func:`read_model` makes the network of.
    """
    config = {
        "agent": agent,
        "rules": {"placement": rules.placement, "scoring": rules.scoring, "suns": list(rules.suns)},
        "features_version": FEATURES_VERSION,
        **sizes,
    }
    write_network(directory, network, config)


def write_network(directory: Path, network: nn.Module, config: Mapping[str, Any]) -> None:
    """Write ``model.safetensors`` in half precision, and ``config.json`` as given."""
    tensors = {name: tensor.half().contiguous() for name, tensor in network.state_dict().items()}
    described = f"{json.dumps(config, indent=2)}\n".encode()
    write_whole(directory / MODEL_FILE, lambda file: file.write(save(tensors)))
    write_whole(directory / CONFIG_FILE, lambda file: file.write(described))


def read_model(
    directory: Path, rules: Rules, agent: str, sizes: Sequence[str], make: Callable[..., Network]
) -> Network:
    """The network in a directory, for the rules it was trained for.

    Args:
        directory: where.
        rules: that it is to play.
        agent: the name of the agent that it makes.
        sizes: what the network is made of, by the names that :func:`write_model` was given.
        make: makes the network from them, before it gets its weights.

    Raises:
        NoModelError: when it was made for other rules.
        UsageError: when there is none, when it is damaged or when it was made for other features.
    """
    config = read_config(directory, agent)
    try:
        made_for = Rules(
            config["rules"]["placement"], config["rules"]["scoring"], tuple(config["rules"]["suns"])
        )
        version = config["features_version"]
        made_of = {name: config[name] for name in sizes}
    except (ValueError, LookupError, TypeError):
        raise damaged_config(directory, agent) from None
    if made_for.name != rules.name:
        raise NoModelError(f"the model in {directory} plays {made_for.name} rules, not {rules.name}")
    if not made_for.same_game_as(rules):
        raise NoModelError(
            f"the model in {directory} was trained with other suns: give rules.suns as it has them"
        )
    if version != FEATURES_VERSION:
        raise UsageError(f"the model in {directory} has features version {version}, not {FEATURES_VERSION}")
    return read_network(directory, agent, lambda: make(**made_of))


def read_config(directory: Path, agent: str) -> dict[str, Any]:
    """What a directory says of its model.

    Raises:
        UsageError: when it says nothing, something else than a model, or that it is another agent's.
    """
    try:
        config = json.loads((directory / CONFIG_FILE).read_text())
        made_as = config["agent"]
    except OSError as error:
        raise UsageError(f"no {agent} model in {directory}: {CONFIG_FILE}: {error.strerror}") from None
    except (ValueError, LookupError, TypeError):
        raise damaged_config(directory, agent) from None
    if made_as != agent:
        raise UsageError(f"the model in {directory} is one of {made_as}, not of {agent}")
    return config


def damaged_config(directory: Path, agent: str) -> UsageError:
    """What is raised for a ``config.json`` that does not describe a model of an agent."""
    return UsageError(f"{directory / CONFIG_FILE} is damaged: it does not describe a {agent} model")


def read_network(directory: Path, agent: str, make: Callable[[], Network]) -> Network:
    """The network in a directory.

    Args:
        directory: where.
        agent: the name of the agent that it makes.
        make: makes the network, before it gets its weights.

    Raises:
        UsageError: when there is none, or when it is damaged.
    """
    try:
        network = make()
        tensors = load_file(directory / MODEL_FILE)
        network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    except OSError as error:
        raise UsageError(
            f"no {agent} model in {directory}: {MODEL_FILE}: {error.strerror or error}"
        ) from None
    except (SafetensorError, RuntimeError, TypeError, ArithmeticError):
        raise UsageError(f"{directory / MODEL_FILE} is damaged or not of the shape its config says") from None
    return network


def directory_of(source: Path | None, shipped: Path, rules: Rules, missing: str, advice: str) -> Path:
    """Where the model lies that was asked for: in ``source``, or without one among the shipped ones.

    Args:
        source: a run or model directory, or None.
        shipped: where the models lie that come with the project, one directory for each set of rules.
        rules: that it is to play.
        missing: what there is none of.
        advice: what to type instead.

    Raises:
        NoModelError: when none for these rules comes with the project.
    """
    if source is not None:
        return source
    directory = shipped / rules.name
    if not directory.exists():
        known = ", ".join(sorted(model.name for model in shipped.iterdir()))
        raise NoModelError(
            f"no {missing} for {rules.name} rules comes with the project, only for {known}: {advice}"
        )
    return directory
