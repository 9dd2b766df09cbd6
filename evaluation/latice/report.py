"""What a tournament of Latice shows on the terminal: strengths, pairs, how games go and what agents do."""

from typing import Final

from rich.console import Console

from evaluation.latice.outcome import LaticeEntry, LaticeOutcome, LaticePair, LaticeTable
from evaluation.report import PLAIN_WIDTH, WIDE, table_of
from evaluation.statistics import Estimate, Interval

INTERVAL: Final = "95 % interval"
AGENT_HEADINGS: Final = ("Elo", INTERVAL, "games won", INTERVAL)
PAIR_HEADINGS: Final = ("won", INTERVAL, "tied", "lost", "of decided", INTERVAL)
#: Where there is room for it.
PAIR_HEADINGS_WHERE_WIDE: Final = ("Elo by", INTERVAL)
TABLE_HEADINGS: Final = ("turns", "actions", "emptied", "blocked", "no progress", "games/s")
#: What an agent does in a game, by its heading. Stones: how many are earned, spent and left at the end.
HABITS: Final = {
    "turns": "turns",
    "actions": "actions",
    "moves bought": "moves_bought",
    "winds": "winds",
    "bought back": "winds_bought",
    "exchanged": "exchanged",
    "left": "left",
}
STONES: Final = {
    "sunstones": "sunstones",
    "spent": "sunstones_spent",
    "kept": "sunstones_kept",
    "lost": "sunstones_lost",
    "halfstones": "halfstones",
    " spent": "halfstones_spent",
    " kept": "halfstones_kept",
}


def print_outcome(outcome: LaticeOutcome) -> None:
    """Print the tables on stdout: ruled on a terminal, plain aligned text elsewhere."""
    console = Console()
    ruled = console.is_terminal
    if not ruled:
        console = Console(width=PLAIN_WIDTH)
    wide = console.width >= WIDE
    pairs = PAIR_HEADINGS + (PAIR_HEADINGS_WHERE_WIDE if wide else ())
    habits = HABITS | (STONES if wide else {})
    tables = [
        table_of("agent", AGENT_HEADINGS, [agent_row(entry) for entry in outcome.entries], ruled),
        table_of("better", pairs, [pair_row(pair)[: 1 + len(pairs)] for pair in outcome.pairs], ruled),
        table_of("games of", TABLE_HEADINGS, [table_row(table) for table in outcome.tables], ruled),
        table_of("in a game", habits, [habit_row(entry, habits) for entry in outcome.entries], ruled),
    ]
    if not wide:
        stones = [habit_row(entry, STONES) for entry in outcome.entries]
        tables.append(table_of("its stones", STONES, stones, ruled))
    for number, table in enumerate(tables):
        if number:
            console.print()
        console.print(table)


def agent_row(entry: LaticeEntry) -> tuple[str, ...]:
    """The cells of one agent: its name, then what :data:`AGENT_HEADINGS` say."""
    return (
        entry.agent,
        *(("0", "") if entry.elo is None else elo_cells(entry.elo)),
        *share_cells(entry.wins),
    )


def pair_row(pair: LaticePair) -> tuple[str, ...]:
    """The cells of two agents: their names, then what the headings of pairs say."""
    return (
        f"{pair.first} than {pair.second}",
        *share_cells(pair.won),
        percent(pair.tied.value),
        percent(pair.lost.value),
        *(("", "") if pair.of_decided is None else share_cells(pair.of_decided)),
        *elo_cells(pair.elo),
    )


def table_row(table: LaticeTable) -> tuple[str, ...]:
    """The cells of one table: its members, then what :data:`TABLE_HEADINGS` say."""
    return (
        ", ".join(table.members),
        f"{table.turns.value:.1f}",
        f"{table.actions.value:.1f}",
        *(percent(ending.value) for ending in table.endings.values()),
        f"{table.games_per_second:,.0f}",
    )


def habit_row(entry: LaticeEntry, headings: dict[str, str]) -> tuple[str, ...]:
    """The cells of one agent: its name, then what it does in a game."""
    return (entry.agent, *(f"{entry.habits[habit]:.2f}" for habit in headings.values()))


def share_cells(share: Estimate) -> tuple[str, str]:
    """A share and its interval, in percent."""
    low, high = share.ci95
    return percent(share.value), f"{100 * low:.1f} - {100 * high:.1f}"


def elo_cells(elo: Estimate) -> tuple[str, str]:
    """An Elo and its interval."""
    return f"{elo.value:.0f}", elo_interval(elo.ci95)


def elo_interval(ends: Interval) -> str:
    """An interval of Elo: negative numbers make another dash hard to read."""
    low, high = ends
    return f"{low:.0f} to {high:.0f}"


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:.1f} %"
