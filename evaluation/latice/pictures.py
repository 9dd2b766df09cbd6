"""The picture of a tournament of Latice: strengths, who wins, how games end."""

from collections.abc import Mapping, Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from evaluation.latice.outcome import LaticeOutcome
from evaluation.pictures import COLOURS

#: Of what is won, tied and lost, and of games that were emptied, blocked or without progress.
PARTS: Final = ("#0072b2", "#c9c4b8", "#e69f00")
INCHES_A_BAR: Final = 0.42


def strength(outcome: LaticeOutcome, title: str) -> Figure:
    """Elo with its intervals, what every pair won, tied and lost, and how games ended at each table."""
    entries, pairs, tables = outcome.entries, outcome.pairs, outcome.tables
    bars = [len(entries), len(pairs), len(tables)]
    figure = Figure(figsize=(8, 2.6 + INCHES_A_BAR * sum(bars)), layout="constrained")
    rated, won, ended = figure.subplots(3, 1, height_ratios=[bar + 1.5 for bar in bars])
    figure.suptitle(title, x=0.01, horizontalalignment="left")
    for row, entry in enumerate(entries):
        colour = COLOURS[outcome.tournament.names.index(entry.agent) % len(COLOURS)]
        value, (low, high) = (0.0, (0.0, 0.0)) if entry.elo is None else (entry.elo.value, entry.elo.ci95)
        rated.hlines(row, low, high, color=colour, linewidth=2.5)
        rated.plot(value, row, marker="o", markersize=7, color=colour)
    rated.set_yticks(range(len(entries)), [entry.agent for entry in entries])
    rated.set_ylim(len(entries) - 0.5, -0.5)
    rated.set_xlabel(f"Elo above {outcome.tournament.names[0]}")
    rated.spines[["top", "right"]].set_visible(False)
    _stack(
        won,
        [f"{pair.first} against {pair.second}" for pair in pairs],
        {
            "won": [pair.won.value for pair in pairs],
            "tied": [pair.tied.value for pair in pairs],
            "lost": [pair.lost.value for pair in pairs],
        },
    )
    _stack(
        ended,
        [", ".join(table.members) for table in tables],
        {
            ending.replace("_", " "): [table.endings[ending].value for table in tables]
            for ending in tables[0].endings
        },
    )
    return figure


def _stack(axes: Axes, names: Sequence[str], parts: Mapping[str, Sequence[float]]) -> None:
    """Bars of 100 %, each in parts."""
    before = [0.0] * len(names)
    for colour, (part, shares) in zip(PARTS, parts.items(), strict=True):
        widths = [100 * share for share in shares]
        axes.barh(range(len(names)), widths, left=before, color=colour, label=part, height=0.62)
        before = [left + width for left, width in zip(before, widths, strict=True)]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g} %"))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, borderpad=0)
