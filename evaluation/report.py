"""What an evaluation shows on the terminal: a table of the agents, and one of every two of them."""

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluation.analysis import Analysis
from evaluation.outcome import Entry, Outcome, Seat
from evaluation.statistics import GOOD, VERY_GOOD, Comparison, Interval, Summary
from takeiteasy_env.tiles import TILE_CODES

HEADINGS: Final = (
    *("mean", "95 % interval", "sd", "5 %", "median", "95 %", "most"),
    *("at 0", f"{GOOD}+", f"{VERY_GOOD}+", "low 10 %"),
)
#: Points of the rays, where they count.
RAY_HEADING: Final = "rays"
SPEED_HEADINGS: Final = ("moves/s", "ms/move")
PAIR_HEADINGS: Final = ("by", "95 % interval", "wins", "ties", "losses", "P better", "games to tell")
#: How much larger the share of very good games is, and the mean of the lowest ones.
OTHER_HEADINGS: Final = (f"{VERY_GOOD}+ by", "low 10 % by")
SEAT_HEADINGS: Final = ("points", "95 % interval", "bonus", "rank", "won", "lead", "95 % interval")
#: What was found with luck, and without it.
ADJUSTED_HEADINGS: Final = ("mean", "95 % interval", "sd", "adjusted", "95 % interval", "sd")
MOVE_HEADINGS: Final = ("tile", "cell", "worth", "best cell", "lost", "lost in hindsight", "still possible")
#: Columns where there is no terminal whose width counts.
PLAIN_WIDTH: Final = 200
#: From how many columns on there is room for all that is worth a look.
WIDE: Final = 100
ONLY_WHERE_WIDE: Final = ("ties", "losses", *OTHER_HEADINGS)
#: Of more agents than these, only neighbours in rank are compared on the terminal.
MOST_PAIRED: Final = 4


def print_outcome(outcome: Outcome) -> None:
    """Print the tables on stdout: ruled on a terminal, plain aligned text elsewhere."""
    console = Console()
    ruled = console.is_terminal
    if not ruled:
        console = Console(width=PLAIN_WIDTH)
    wide = console.width >= WIDE
    headings = (
        *HEADINGS,
        *((RAY_HEADING,) if outcome.rules.scoring == "sunrays" else ()),
        *(SPEED_HEADINGS if wide else ()),
    )
    rows = [(entry.agent, *itemgetter(*headings)(table_row(entry))) for entry in outcome.entries]
    console.print(table_of("agent", headings, rows, ruled))
    if outcome.tables is None:
        pairs, heading = outcome.pairs(), "better"
        pair_headings = (*PAIR_HEADINGS, *OTHER_HEADINGS)
    else:
        pairs, heading = outcome.tables.pairs, "better at a table"
        pair_headings = PAIR_HEADINGS
        console.print()
        seats = [seat_row(seat) for seat in outcome.tables.seats]
        console.print(table_of("at a table", SEAT_HEADINGS, seats, ruled))
    if pairs:
        console.print()
        headings = [title for title in pair_headings if wide or title not in ONLY_WHERE_WIDE]
        rows = [
            (" than ".join(names), *itemgetter(*headings)(pair_row(pair)))
            for names, pair in _shown(pairs).items()
        ]
        console.print(table_of(heading, headings, rows, ruled))
    if outcome.adjust is not None:
        console.print()
        found: dict[str, Summary | Comparison] = {entry.agent: entry.summary() for entry in outcome.entries}
        found |= {" less ".join(names): pair for names, pair in _shown(pairs).items()}
        rows = [(name, *adjusted_row(numbers)) for name, numbers in found.items()]
        console.print(table_of(f"without luck, by {outcome.adjust}", ADJUSTED_HEADINGS, rows, ruled))


def print_analysis(analysis: Analysis) -> None:
    """Print the moves of a game on stdout, as its first judge and hindsight see them."""
    record, judgement = analysis.record, analysis.judgements[0]
    rows = [
        (
            f"{move + 1}",
            f"{TILE_CODES[record.draws[move]]}",
            f"{cell}",
            f"{judgement.values[move, cell]:.2f}",
            f"{judgement.best[move]}",
            f"{judgement.losses[move]:.2f}",
            f"{analysis.hindsight_losses[move]}",
            f"{analysis.attainable[move + 1]}",
        )
        for move, cell in enumerate(record.placements)
    ]
    console = Console()
    console.print(table_of("move", MOVE_HEADINGS, rows, console.is_terminal))
    console.print(
        f"\n{record.score} points, {analysis.attainable[0]} were possible with the draws known. "
        f"What a cell is worth is said by {judgement.agent}."
    )


def _shown(pairs: Mapping[tuple[str, str], Comparison]) -> dict[tuple[str, str], Comparison]:
    """All pairs of few agents; of many each with the next in rank, which is their order in the pairs."""
    ranks = {name: rank for rank, name in enumerate(dict.fromkeys(name for names in pairs for name in names))}
    return {
        (better, other): pair
        for (better, other), pair in pairs.items()
        if len(ranks) <= MOST_PAIRED or abs(ranks[better] - ranks[other]) == 1
    }


def table_of(first: str, headings: Iterable[str], rows: Iterable[tuple[str, ...]], ruled: bool) -> Table:
    """A table whose first column has room for long names: ruled or as plain aligned text."""
    table = Table(box=box.SIMPLE_HEAD, padding=0) if ruled else Table(box=None, pad_edge=False)
    table.add_column(first, overflow="fold", style="bold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def table_row(entry: Entry) -> dict[str, str]:
    """The cells of one agent under each heading."""
    summary = entry.summary()
    shares = (summary.at_zero, summary.good, summary.very_good)
    cells = (
        f"{summary.mean:.2f}",
        interval_text(summary.ci95),
        f"{summary.sd:.1f}",
        *(f"{round(value, 1):g}" for value in (summary.q05, summary.median, summary.q95)),
        f"{summary.max}",
        *(f"{100 * share.value:.1f} %" for share in shares),
        f"{summary.lowest.value:.1f}",
        f"{sum(entry.tally.ray_points()):.2f}",
        f"{entry.moves_per_second:,.0f}",
        f"{1000 * entry.seconds_alone:.2g}",
    )
    return dict(zip((*HEADINGS, RAY_HEADING, *SPEED_HEADINGS), cells, strict=True))


def pair_row(pair: Comparison) -> dict[str, str]:
    """The cells of two agents under each heading."""
    games = pair.wins + pair.ties + pair.losses
    cells = (
        f"{pair.mean:.2f}",
        interval_text(pair.ci95),
        *(f"{100 * count / games:.1f} %" for count in (pair.wins, pair.ties, pair.losses)),
        f"{100 * pair.improvement.value:.1f} %",
        "never" if pair.games_needed is None else f"{pair.games_needed:,}",
        "" if pair.very_good is None else f"{100 * pair.very_good.value:+.2f} %",
        "" if pair.lowest is None else f"{pair.lowest.value:+.2f}",
    )
    return dict(zip((*PAIR_HEADINGS, *OTHER_HEADINGS), cells, strict=True))


def adjusted_row(found: Summary | Comparison) -> tuple[str, ...]:
    """What :data:`ADJUSTED_HEADINGS` say of an agent, or of the difference of two."""
    return tuple(
        cell
        for numbers in (found, found.adjusted)
        if numbers is not None
        for cell in (f"{numbers.mean:.2f}", interval_text(numbers.ci95), f"{numbers.sd:.1f}")
    )


def seat_row(seat: Seat) -> tuple[str, ...]:
    """The cells of one agent at its tables: its name, then what :data:`SEAT_HEADINGS` say."""
    return (
        seat.agent,
        f"{seat.points.value:.2f}",
        interval_text(seat.points.ci95),
        f"{seat.bonus:.2f}",
        f"{seat.rank.value:.2f}",
        f"{100 * seat.wins.value:.1f} %",
        *(("", "") if seat.lead is None else (f"{seat.lead.value:+.2f}", interval_text(seat.lead.ci95))),
    )


def interval_text(ends: Interval) -> str:
    """An interval as the tables show it."""
    low, high = ends
    return f"{low:.2f} - {high:.2f}"
