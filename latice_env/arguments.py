"""What callers hand to the environments, checked: one clear line names what was wrong and what is allowed."""

from typing import Any

import numpy as np

from latice_env.actions import ACTIONS, action_name
from takeiteasy_env.arguments import integer_of


def action_of(action: Any) -> int:
    """The micro-action that a caller names: an integer of any kind, or an array that holds one.

    Raises:
        TypeError: naming it, when it is no integer; a bool is none.
        ValueError: naming it, when it is not 0-763.
    """
    try:
        number = integer_of(action)
    except TypeError:
        raise TypeError(f"an action is an integer 0-{ACTIONS - 1}, not {action!r}") from None
    if not 0 <= number < ACTIONS:
        raise ValueError(f"an action is an integer 0-{ACTIONS - 1}, not {action!r}")
    return number


def actions_of(actions: Any, masks: np.ndarray) -> np.ndarray:
    """int64 (N,): the legal micro-actions that a caller names for N games with int8 (N, 764) masks.

    Raises:
        TypeError: when they are no integers; bools are none.
        ValueError: when they are not N, or one is not 0-763 or not legal, naming it.
    """
    named = np.asarray(actions)
    if named.dtype.kind not in "iu":
        raise TypeError(f"actions are integers 0-{ACTIONS - 1}, not {named.dtype}")
    if named.shape != (len(masks),):
        raise ValueError(f"actions have the shape ({len(masks)},), one for each game, not {named.shape}")
    wrong = np.flatnonzero((named < 0) | (named >= ACTIONS))
    if len(wrong):
        raise ValueError(
            f"an action is an integer 0-{ACTIONS - 1}, not {named[wrong[0]]} as for game {wrong[0]}"
        )
    named = named.astype(np.int64)
    illegal = np.flatnonzero(masks[np.arange(len(masks)), named] == 0)
    if len(illegal):
        refuse(int(named[illegal[0]]), masks[illegal[0]], f"game {illegal[0]}")
    return named


def refuse(action: int, mask: np.ndarray, who: str) -> None:
    """Do nothing unless an action is illegal.

    Raises:
        ValueError: naming who wanted it, the action and how many others are legal.
    """
    if not mask[action]:
        legal = np.flatnonzero(mask)
        raise ValueError(
            f"{who}: action {action} ({action_name(action)}) is not legal; {len(legal)} others are, "
            f"such as {legal[0]} ({action_name(int(legal[0]))})"
        )
