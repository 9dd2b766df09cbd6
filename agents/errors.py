"""Errors that a person caused and can mend: one line on stderr, a non-zero exit, no traceback."""

import functools
import os
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class UsageError(Exception):
    """What was asked for cannot be done.

    Its text is one line that names what was wrong and what is allowed.
    """


class NoModelError(UsageError):
    """There is no trained model of the rules that are to be played."""


class DivergedError(UsageError):
    """A training has come to numbers that are none: its settings are worth nothing."""


def one_line_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command print a :class:`UsageError` as one line and exit with status 1.

    Of the processes that ``torchrun`` starts the first one prints it, for all.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except UsageError as error:
            if os.environ.get("RANK", "0") == "0":
                print(f"error: {error}", file=sys.stderr)
            sys.exit(1)

    return wrapped
