"""What an agent is, and how the text that names one is read."""

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, get_type_hints, runtime_checkable

import numpy as np

from agents.errors import UsageError
from agents.options import read_options, refuse_options, split_name
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import TABLE_SCORINGS, Rules


class Agent(Protocol):
    """Anything that answers the one question: what is each cell worth for the tile in hand?

    The answer for a position follows from the position alone, unless the agent is a :class:`RandomizedAgent`.
    """

    def values(self, positions: Positions) -> np.ndarray:
        """float32 (N, 19): the worth of each cell, minus infinity where the tile may not go.

        The move is the argmax, on ties the lowest cell. The unit is the agent's own: points for those that
        predict points.
        """
        ...


@runtime_checkable
class RandomizedAgent(Agent, Protocol):
    """An agent that makes random choices of its own.

    For its games to be the same whatever the size of a batch and wherever they are played, the choices follow
    from its seed, the number of the game and the turn.
    """

    def begin(self, first: int) -> None:
        """Begin games anew, of which row 0 of the positions to come is number ``first``, row 1 the next."""
        ...


@runtime_checkable
class PredictingAgent(Agent, Protocol):
    """An agent that can say whether its values are points; if so, evaluation holds it to them."""

    @property
    def predicts_points(self) -> bool:
        """Whether the values are the points of its own board to be expected from here to the end."""
        ...


@runtime_checkable
class DistributionalAgent(PredictingAgent, Protocol):
    """An agent that knows how these points are spread, too."""

    def quantiles(self, positions: Positions, cells: np.ndarray) -> np.ndarray:
        """float32 (N, Q): the points from here to the end, if each tile in hand goes on its int (N,) cell.

        They are in ascending order, and the i-th of them, counted from 0, has the level (i + 1/2) / Q: with
        that probability less points will come.
        """
        ...


class AgentFactory(Protocol):
    """How an agent is made.

    One that has options takes them too, in an argument ``options`` that is annotated with their dataclass
    (:mod:`agents.options`).
    """

    def __call__(self, rules: Rules, seed: int, source: Path | None) -> Agent:
        """Make the agent for ``rules``.

        Args:
            rules: the rules it will play.
            seed: seeds its random choices, where it makes any.
            source: a run directory or model directory to load, None for the shipped model.

        Raises:
            UsageError: when it cannot play these rules or cannot load ``source``.
        """
        ...


#: Name -> "module:factory", imported when asked for, so that a baseline does not wait for PyTorch.
AGENTS: Final[dict[str, str]] = {
    "random": "agents.heuristics:make_random",
    "greedy": "agents.heuristics:make_greedy",
    "line_odds": "agents.line_odds:make_line_odds",
    "rollout": "agents.rollout:make_rollout",
    "value": "agents.value:make_value",
    "search": "agents.search:make_search",
    "quantile": "agents.quantile:make_quantile",
    "ppo": "agents.ppo:make_ppo",
    "dqn": "agents.dqn:make_dqn",
}
#: Between an agent and the scoring that it plays for, where that is another than the table's.
PLAYS_FOR: Final = "@"


def make_agent(spec: str, rules: Rules, seed: int = 0) -> Agent:
    """The agent that a text names.

    ``name`` is one of :data:`AGENTS`, and ``name:directory`` the one trained by yourself that lies there.
    ``name+option:value+option:value:directory`` sets options of one that has some, such as
    ``search+margin:8``.
    ``module:Class`` is an agent of your own, a class (or a function) in a module that Python finds from the
    current directory; it is called with those of the arguments ``rules`` and ``seed`` that it takes.
    ``...@scoring`` is an agent that plays for that scoring, such as ``value@standard`` at a table of
    ``best_ray``: it sees the same placement and suns.

    Raises:
        UsageError: for an unknown name or option, a value that an option does not allow, a directory that
            holds no such agent, or a class that cannot be made.
    """
    text, at, scoring = spec.rpartition(PLAYS_FOR)
    if at and scoring in TABLE_SCORINGS:
        return make_agent(text, replace(rules, scoring=scoring), seed)
    named = split_name(spec)
    if named.name in AGENTS:
        module, _, factory = AGENTS[named.name].partition(":")
        make = getattr(import_module(module), factory)
        options = {}
        if kind := get_type_hints(make).get("options"):
            options["options"] = read_options(kind, named)
        else:
            refuse_options(named)
        try:
            return make(rules, seed, Path(named.source) if named.source else None, **options)
        except UsageError as error:
            if rules.scoring != "best_ray":
                raise
            raise UsageError(f"{error}; {spec}{PLAYS_FOR}standard plays here as for standard") from None
    make = _find_own(spec, named.name, named.source)
    refuse_options(named)
    return _make_own(spec, make, rules, seed)


def _find_own(spec: str, module: str, name: str) -> Callable[..., Any]:
    """The class or function of somebody else's module, which may lie in the current directory."""
    unknown = (
        f"unknown agent {module!r}: choose one of {', '.join(AGENTS)}, or name:run_directory, "
        "or module:Class for one of your own"
    )
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise UsageError(unknown)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        found = import_module(module)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name in (module, module.partition(".")[0]):
            raise UsageError(unknown) from None
        raise UsageError(f"agent {spec!r}: importing {module} failed: {describe(error)}") from error
    if not callable(getattr(found, name, None)):
        raise UsageError(f"agent {spec!r}: there is no class {name} in {module}")
    return getattr(found, name)


def _make_own(spec: str, make: Callable[..., Any], rules: Rules, seed: int) -> Agent:
    given = {"rules": rules, "seed": seed}
    try:
        takes = inspect.signature(make).parameters
        agent = make(**{name: value for name, value in given.items() if name in takes})
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"agent {spec!r} could not be made: {describe(error)}") from error
    if not callable(getattr(agent, "values", None)):
        raise UsageError(f"agent {spec!r} has no method values(positions)")
    return agent


def describe(error: Exception) -> str:
    """An error of somebody else's code in one line: its kind, what it says and where it was raised."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    where = ""
    if traceback is not None:
        where = f" ({Path(traceback.tb_frame.f_code.co_filename).name}:{traceback.tb_lineno})"
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"
