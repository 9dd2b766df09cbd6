"""The options in the text that names an agent: ``search+margin:8:runs/mine``.

An agent that has options keeps them in a frozen dataclass with a default for each, whole numbers or numbers,
which raises :class:`ValueError` for a value out of range. The text is read into it here.
"""

import re
from dataclasses import fields
from types import UnionType
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_type_hints

from agents.errors import UsageError

#: Before each option, between its name and its value, and before the directory.
BEFORE_OPTION: Final = "+"
SEPARATOR: Final = ":"
#: What the values of an option may be, and how that is called.
KINDS: Final[dict[type, str]] = {int: "a whole number", float: "a number"}

T = TypeVar("T")


class Named(NamedTuple):
    """The parts of a text that names an agent: ``name+key:value+key:value:source``."""

    name: str
    options: tuple[tuple[str, str], ...]
    source: str


def split_name(text: str) -> Named:
    """The parts of a text, unread.

    Raises:
        UsageError: for an option without a value.
    """
    name = text.partition(SEPARATOR)[0].partition(BEFORE_OPTION)[0]
    rest, options = text.removeprefix(name), []
    while rest.startswith(BEFORE_OPTION):
        key, _, rest = rest.removeprefix(BEFORE_OPTION).partition(SEPARATOR)
        value = re.split(f"[{BEFORE_OPTION}{SEPARATOR}]", rest, maxsplit=1)[0]
        rest = rest.removeprefix(value)
        if not (key and value) or BEFORE_OPTION in key:
            raise UsageError(f"agent {text!r}: write an option as +name:value, such as search+margin:8")
        options.append((key, value))
    return Named(name, tuple(options), rest.removeprefix(SEPARATOR))


def refuse_options(named: Named) -> None:
    """Raise :class:`UsageError` when an agent that has no options is given some."""
    if named.options:
        key, value = named.options[0]
        raise UsageError(f"{named.name} has no options: write {named.name}, not {named.name}+{key}:{value}")


def read_options(kind: type[T], named: Named) -> T:
    """The options that a text gives, as the dataclass ``kind``, with its defaults for the others.

    Raises:
        UsageError: for an unknown option, one given twice, and a value that is not allowed, naming them.
    """
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]  # pyright: ignore[reportArgumentType]
    values: dict[str, Any] = {}
    for key, text in named.options:
        if key not in known:
            raise UsageError(f"{named.name} has no option {key!r}: choose of {', '.join(known)}")
        if key in values:
            raise UsageError(f"{named.name}: option {key} is given twice")
        values[key] = _read_value(hints[key], named.name, key, text)
    try:
        return kind(**values)
    except ValueError as error:
        raise UsageError(f"{named.name}: option {error}") from None


def _read_value(hint: Any, name: str, key: str, text: str) -> Any:
    """A value of the type of an option, which may be None besides where that is its default."""
    of = get_args(hint)[0] if isinstance(hint, UnionType) else hint
    try:
        value = of(text)
    except ValueError:
        value = None
    if value is None or value != value:
        raise UsageError(f"{name}: option {key}:{text}: give {KINDS[of]}")
    return value
