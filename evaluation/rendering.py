"""From a template of ``page/`` to a page that needs nothing beside itself, whatever the game."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from evaluation.pictures import COLOURS

PARTS: Final = Path(__file__).with_name("page")
#: How the lines of agents are broken, in pixels, so that they differ in more than their colours.
DASHES: Final = ("none", "8 3", "2 3", "none", "10 3 2 3", "5 5", "1 5")
MINUS: Final = "\N{MINUS SIGN}"
NO_BREAK: Final = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Headline:
    """What a report says first: who won, by how much, and how sure that is."""

    text: str
    deck: str


def signed(number: float, digits: int) -> str:
    """A number with its sign, as it is set in print."""
    return f"{number:+.{digits}f}".replace("-", MINUS)


def percent(share: float, digits: int = 1) -> str:
    """A share in percent, on one line."""
    return f"{100 * share:.{digits}f}{NO_BREAK}%"


def render(template: str, agents: Sequence[str], **content: Any) -> str:
    """A page of some agents, which go by their number: it gives them a colour and a dash."""
    environment = Environment(
        loader=FileSystemLoader(PARTS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"signed": signed, "percent": percent, "thousands": "{:,.0f}".format}
    numbers = range(len(agents))
    return environment.get_template(template).render(
        style=Markup((PARTS / "style.css").read_text()),
        script=Markup((PARTS / "script.js").read_text()),
        key=[(COLOURS[agent % len(COLOURS)], DASHES[agent % len(DASHES)]) for agent in numbers],
        agents=agents,
        **content,
    )
