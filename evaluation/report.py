"""What an evaluation shows: a table with one row for each agent."""

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluation.statistics import summarise
from evaluation.tournament import Entry

HEADINGS: Final = ("mean", "95 % interval", "sd", "median", "5 %", "95 %", "least", "most", "games/s")
#: Columns where there is no terminal whose width counts.
PLAIN_WIDTH: Final = 200


def print_table(entries: Sequence[Entry]) -> None:
    """Print the table on stdout: ruled on a terminal, plain aligned text elsewhere."""
    console = Console()
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
        table = Table(box=None, pad_edge=False)
    table.add_column("agent", overflow="fold", style="bold")
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for entry in entries:
        table.add_row(*(Text(cell) for cell in table_row(entry)))
    console.print(table)


def table_row(entry: Entry) -> tuple[str, ...]:
    """The cells of one agent: its name, then what :data:`HEADINGS` say."""
    summary = summarise(entry.scores)
    low, high = summary.ci95
    return (
        entry.agent,
        f"{summary.mean:.2f}",
        f"{low:.2f} - {high:.2f}",
        f"{summary.sd:.1f}",
        f"{summary.median:g}",
        f"{summary.q05:g}",
        f"{summary.q95:g}",
        f"{summary.min}",
        f"{summary.max}",
        f"{entry.games_per_second:,.0f}",
    )
