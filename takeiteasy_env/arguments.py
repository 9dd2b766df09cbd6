"""What callers hand to the environments, checked: one clear line names what was wrong and what is allowed."""

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from takeiteasy_env.board import CELLS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules
from takeiteasy_env.tiles import DEFAULT_SUNS, TILE_CODES


def rules_for(players: int, placement: str, scoring: str, suns: Iterable[Any] | None) -> Rules:
    """The rules that so many players chose; without ``suns`` the default map.

    Raises:
        ValueError: for unknown rules, and for a number of players that they are not for.
    """
    rules = Rules(placement, scoring, DEFAULT_SUNS if suns is None else tuple(suns))
    refuse_players(rules, players)
    return rules


def refuse_players(rules: Rules, players: int) -> None:
    """Do nothing unless the rules are not for so many players.

    Raises:
        ValueError: naming the scoring, and for how many it is.
    """
    if players not in rules.players:
        raise ValueError(
            f"scoring {rules.scoring!r} is for {rules.players[0]} to {rules.players[-1]} players at the "
            f"table of takeiteasy_env.parallel_env, not for {players}"
        )


def chosen(argument: str, value: str, choices: Sequence[str]) -> str:
    """The value of an argument that has a few choices.

    Raises:
        ValueError: naming the argument, its value and the choices.
    """
    if value not in choices:
        raise ValueError(f"unknown {argument} {value!r}: choose one of {', '.join(choices)}")
    return value


def reset_options(options: dict[str, Any] | None, known: Sequence[str]) -> dict[str, Any]:
    """The options of a reset.

    Raises:
        ValueError: naming one that is not known.
    """
    return {chosen("reset option", name, known): value for name, value in (options or {}).items()}


def integer_of(value: Any) -> int:
    """The integer that a caller names: one of any kind, or an array that holds one.

    Raises:
        TypeError: when it is no integer; a bool is none.
    """
    single = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
    if isinstance(single, bool | np.bool_):
        raise TypeError(f"{value!r} is no integer")
    return operator.index(single)


def cell_of(action: Any) -> int:
    """The cell that an action names, as :func:`integer_of` reads it.

    Raises:
        TypeError: naming it, when it is no integer; a bool is none.
        ValueError: naming it, when it is not 0-18.
    """
    try:
        cell = integer_of(action)
    except TypeError:
        raise TypeError(f"an action is an integer, a cell 0-{CELLS - 1}, not {action!r}") from None
    if not 0 <= cell < CELLS:
        raise ValueError(f"an action is a cell 0-{CELLS - 1}, not {action!r}")
    return cell


def cells_of(actions: Any, games: int) -> np.ndarray:
    """int64 (N,): the cells that the actions of N games name.

    Raises:
        TypeError: when they are no integers; bools are none.
        ValueError: when they are not N, or one is not 0-18, naming it.
    """
    cells = np.asarray(actions)
    if cells.dtype.kind not in "iu":
        raise TypeError(f"actions are integers, cells 0-{CELLS - 1}, not {cells.dtype}")
    if cells.shape != (games,):
        raise ValueError(f"actions have the shape ({games},), one for each game, not {cells.shape}")
    wrong = np.flatnonzero((cells < 0) | (cells >= CELLS))
    if len(wrong):
        raise ValueError(f"an action is a cell 0-{CELLS - 1}, not {cells[wrong[0]]} as for game {wrong[0]}")
    return cells.astype(np.int64)


def refuse_illegal(
    positions: Positions, cells: np.ndarray, rules: Rules, name: str = "game ", first: int = 0
) -> None:
    """Do nothing unless a tile in hand may not go on its cell.

    Raises:
        ValueError: naming the first such position by ``name`` and its number, counted from ``first``, its
            tile, its cell and the legal cells.
    """
    legal = positions.legal(rules)
    wrong = np.flatnonzero(~legal[np.arange(len(cells)), cells] & (positions.tile >= 0))
    if len(wrong):
        game = wrong[0]
        tile = TILE_CODES[positions.tile[game]]
        raise ValueError(
            f"{name}{first + game}: tile {tile} may not go on cell {cells[game]}; "
            f"its legal cells are {', '.join(map(str, np.flatnonzero(legal[game])))}"
        )
