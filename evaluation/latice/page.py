"""The report of a tournament of Latice as a page that needs nothing beside itself."""

from datetime import date
from typing import Final

import numpy as np
from markupsafe import Markup

from evaluation.charts import linear_forest, shares_reaching
from evaluation.latice.closing import closings
from evaluation.latice.outcome import LaticeOutcome
from evaluation.latice.report import HABITS, STONES
from evaluation.rendering import NO_BREAK, Headline, percent, render, signed
from evaluation.statistics import Estimate

#: Tables of which the end of a game is drawn, the strongest first.
MOST_DRAWN: Final = 6
SURE: Final = f"With 95{NO_BREAK}% confidence"


def report_page(outcome: LaticeOutcome, today: date) -> str:
    """The report of a tournament as HTML."""
    tournament = outcome.tournament
    names = tournament.names
    ranking = [names.index(entry.agent) for entry in outcome.entries]
    tables = range(len(tournament.tables))
    members = [{names.index(tournament.agents[member]) for member in table} for table in tournament.tables]
    drawn = sorted(tables, key=lambda table: sum(map(ranking.index, members[table])))[:MOST_DRAWN]
    turns = outcome.counts["turns"].sum(axis=3)
    left = outcome.counts["left"]
    return render(
        "latice.html",
        names,
        outcome=outcome,
        tournament=tournament,
        headline=headline(outcome),
        ranking=ranking,
        ratings=linear_forest([entry.elo or Estimate(0, (0, 0)) for entry in outcome.entries]),
        lengths=shares_reaching(
            {
                name: np.concatenate([turns[table].ravel() for table in tables if number in members[table]])
                for number, name in enumerate(names)
            }
        ),
        left=shares_reaching(
            {
                name: np.concatenate(
                    [
                        left[table, :, :, seat].ravel()
                        for table in tables
                        for seat, member in enumerate(tournament.tables[table])
                        if tournament.agents[member] == name
                    ]
                )
                for name in names
            }
        ),
        habits=HABITS,
        stones=STONES,
        closings=[(closing, Markup(closing.svg)) for closing in closings(tournament, drawn)],
        games=[],
        today=today,
    )


def headline(outcome: LaticeOutcome) -> Headline:
    """What is said first: who is the strongest, and how it did against the next."""
    tournament, pair = outcome.tournament, outcome.pairs[0]
    low, high = pair.elo.ci95
    games = (
        f"{tournament.games:,} games {'for every pair' if tournament.players == 2 else 'at every table'}, on "
        f"{tournament.deals:,} deals that were played from every seat."
    )
    if low > 0:
        least, most = pair.won.ci95
        verb = "beats" if tournament.players == 2 else "is ahead of"
        return Headline(
            f"{pair.first} {verb} {pair.second} in {percent(pair.won.value)} of the games",
            f"{SURE} it does in {100 * least:.1f} to {percent(most)} of them; {percent(pair.tied.value)} are "
            f"tied. {games}",
        )
    return Headline(
        f"{pair.first} and {pair.second} are too close to call",
        f"{SURE} the first is above the second by {signed(low, 0)} to {signed(high, 0)} Elo. {games}",
    )
