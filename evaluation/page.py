"""Pages that need nothing beside themselves: the report of an evaluation, and a single game.

The templates, the style sheet and the script lie in ``page/``; here is what they say.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from markupsafe import Markup

from evaluation import boards, charts
from evaluation.analysis import Analysis
from evaluation.outcome import Outcome
from evaluation.rendering import NO_BREAK, Headline, percent, render, signed
from evaluation.replays import Replay, replays
from evaluation.statistics import GOOD, VERY_GOOD, Comparison, Estimate
from takeiteasy_env.board import CELLS
from takeiteasy_env.picture import NUMBER_COLOURS
from takeiteasy_env.rules import Rules
from takeiteasy_env.tiles import TILE_CODES


def report_page(outcome: Outcome, today: date) -> str:
    """The report of an evaluation as HTML.

    Raises:
        UsageError: when an agent cannot say again what it thinks of its games.
    """
    entries = outcome.entries
    tables = outcome.tables
    means, pairs = _contest(outcome)
    scores = {entry.agent: entry.scores for entry in entries}
    calibrations = [entry.calibration for entry in entries]
    ranking = sorted(range(len(entries)), key=lambda agent: -means[entries[agent].agent].value)
    return _render(
        "report.html",
        outcome.rules,
        replays(outcome, ranking),
        agents=list(scores),
        outcome=outcome,
        summaries=[entry.summary() for entry in entries],
        ranking=ranking,
        headline=headline(means, pairs, f"{outcome.games:,} draws of the {outcome.rules.name} rules"),
        good=GOOD,
        very_good=VERY_GOOD,
        seats={} if tables is None else {seat.agent: seat for seat in tables.seats},
        histograms=charts.histograms(scores),
        reaching=charts.shares_reaching(scores),
        pairs=pairs,
        predicting=[number for number in ranking if calibrations[number] is not None],
        spreading=any(calibration and calibration.below.size for calibration in calibrations),
        errors=charts.errors_by_move([found.mean_errors() if found else [] for found in calibrations]),
        coverage=charts.coverage(
            [found.levels if found else np.empty(0) for found in calibrations],
            [found.coverage() if found else np.empty((CELLS, 0)) for found in calibrations],
        ),
        forest=charts.forest([(pair.mean, pair.ci95) for pair in pairs.values()]),
        lines=charts.line_strips([entry.tally.completion() for entry in entries]),
        places=[entry.tally.places() for entry in entries],
        today=today,
    )


def game_page(analysis: Analysis) -> str:
    """One game, judged, as HTML."""
    agent = analysis.record.agent or "somebody"
    return _render(
        "game.html", analysis.record.rules, [Replay("a game", analysis)], agents=[agent], codes=TILE_CODES
    )


def _contest(outcome: Outcome) -> tuple[dict[str, Estimate], dict[tuple[str, str], Comparison]]:
    """What decides who won: the mean of each agent, and of every two the better one and how they compare."""
    if outcome.tables is not None:
        return {seat.agent: seat.points for seat in outcome.tables.seats}, outcome.tables.pairs
    summaries = {entry.agent: entry.summary() for entry in outcome.entries}
    return {
        agent: Estimate(summary.mean, summary.ci95) for agent, summary in summaries.items()
    }, outcome.pairs()


def headline(
    means: Mapping[str, Estimate], pairs: Mapping[tuple[str, str], Comparison], draws: str
) -> Headline:
    """The headline of an evaluation.

    Args:
        means: the mean score of each agent.
        pairs: every two agents, the better one first.
        draws: how many draws, of which rules.
    """
    sure = f"With 95{NO_BREAK}% confidence"
    first, *others = sorted(means, key=lambda agent: -means[agent].value)
    if not others:
        low, high = means[first].ci95
        return Headline(
            f"{first} scores {means[first].value:.1f} points a game",
            f"{sure} its mean over {draws} lies between {low:.1f} and {high:.1f} points.",
        )
    second = others[0]
    pair = pairs[first, second]
    low, high = pair.ci95
    scores = (
        f"{means[first].value:.1f} against {means[second].value:.1f} points in the mean, on the same {draws}."
    )
    if pair.games_needed is None:
        return Headline(f"{first} and {second} are level", scores)
    if low > 0:
        games = pair.wins + pair.ties + pair.losses
        return Headline(
            f"{first} beats {second} by {pair.mean:.1f} points a game",
            f"{scores} {sure} the difference lies between {low:.1f} and {high:.1f} points. {first} wins "
            f"{percent(pair.wins / games, 0)} of the games and ties {percent(pair.ties / games, 0)}.",
        )
    return Headline(
        f"{first} and {second} are too close to call",
        f"{scores} {sure} the difference lies between {signed(low, 1)} and {signed(high, 1)} points. About "
        f"{pair.games_needed:,} games would tell agents apart that differ by so little.",
    )


def _render(
    template: str, rules: Rules, games: Sequence[Replay], agents: Sequence[str], **content: Any
) -> str:
    """A page of some agents and games under some rules."""
    return render(
        template,
        agents,
        symbols={name: Markup(svg) for name, svg in boards.symbols(rules).items()},
        boards=boards,
        number_colours=NUMBER_COLOURS,
        rules=rules,
        games=games,
        data={
            "cells": boards.CELL_PLACES,
            "lines": boards.LINE_PLACES,
            "codes": TILE_CODES.tolist(),
            "games": [game.data() for game in games],
        },
        **content,
    )
