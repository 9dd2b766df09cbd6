"""The tables on the terminal."""

import io
from dataclasses import replace

import numpy as np
import pytest

from evaluation.outcome import Entry, Outcome, Seat, Tables
from evaluation.report import (
    HEADINGS,
    MOST_PAIRED,
    PAIR_HEADINGS,
    SEAT_HEADINGS,
    SPEED_HEADINGS,
    print_outcome,
)
from evaluation.statistics import Estimate, compare, t_interval
from evaluation.tally import Tally
from takeiteasy_env.rules import Rules

GAMES = 50


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def outcome(agents: int, tables: Tables | None = None) -> Outcome:
    rng = np.random.default_rng(0)
    entries = []
    for agent in range(agents):
        scores = (rng.integers(0, 200, GAMES) + 10 * agent).astype(np.int16)
        tally = Tally.of(np.tile(np.arange(19, dtype=np.int8), (GAMES, 1)), Rules())
        entries.append(Entry(f"value:runs/[{agent}]", scores, tally, {}, seconds=0.5, seconds_alone=0.0012))
    return Outcome(Rules(), GAMES, 0, "python evaluate.py", entries, tables)


def printed(capsys: pytest.CaptureFixture[str], shown: Outcome) -> list[list[str]]:
    """The lines of each table, which an empty line keeps apart."""
    print_outcome(shown)
    return [table.splitlines() for table in capsys.readouterr().out.split("\n\n")]


def test_the_table_has_a_line_for_each_agent_in_aligned_columns(capsys):
    shown = outcome(3)
    heading, *rows = printed(capsys, shown)[0]
    assert heading.split("  ")[0] == "agent"
    assert all(title in heading for title in (*HEADINGS, *SPEED_HEADINGS))
    assert len({len(line) for line in (heading, *rows)}) == 1
    for entry, row in zip(shown.entries, rows, strict=True):
        assert row.startswith(f"{entry.agent} ")
        cells = row.split()
        assert f"{entry.scores.mean():.2f}" in cells
        assert f"{100 * np.mean(entry.scores >= 150):.1f}" in cells
        assert cells[-2:] == ["1,900", "1.2"]


def test_where_rays_count_their_points_have_a_column(capsys):
    shown = outcome(1)
    heading, row = printed(capsys, replace(shown, rules=Rules(scoring="sunrays")))[0]
    column = heading.split().index("rays") - len(heading.split())
    assert row.split()[column] == f"{sum(shown.entries[0].tally.ray_points()):.2f}"
    assert "rays" not in printed(capsys, shown)[0][0]


def test_a_second_table_compares_every_two_of_a_few_agents(capsys):
    shown = outcome(MOST_PAIRED)
    heading, *rows = printed(capsys, shown)[1]
    assert heading.startswith("better")
    assert all(title in heading for title in PAIR_HEADINGS)
    assert len(rows) == len(shown.pairs()) == 6
    for ((better, other), pair), row in zip(shown.pairs().items(), rows, strict=True):
        assert row.startswith(f"{better} than {other} ")
        assert f"{pair.mean:.2f}" in row.split()
        assert f"{pair.games_needed:,}" in row.split()
        assert pair.very_good is not None
        assert pair.lowest is not None
        assert row.split()[-3:] == [f"{100 * pair.very_good.value:+.2f}", "%", f"{pair.lowest.value:+.2f}"]


def test_of_many_agents_each_is_compared_with_the_next_in_rank(capsys):
    shown = outcome(MOST_PAIRED + 2)
    ranked = sorted(shown.entries, key=lambda entry: -entry.scores.mean())
    _, *rows = printed(capsys, shown)[1]
    assert len(rows) == MOST_PAIRED + 1
    for better, other, row in zip(ranked, ranked[1:], rows, strict=False):
        assert row.startswith(f"{better.agent} than {other.agent} ")


def test_what_is_left_without_luck_has_a_table_that_names_who_says_so(capsys):
    scores = outcome(2)
    luck = np.linspace(-3, 2, GAMES, dtype=np.float32)
    entries = [replace(entry, luck=sign * luck) for sign, entry in zip((1, -1), scores.entries, strict=True)]
    *_, heading, first, second, pair = printed(
        capsys, replace(scores, entries=entries, adjust="value:runs/mine")
    )[2]
    assert heading.startswith("without luck, by value:runs/mine ")
    for entry, row in zip(entries, (first, second), strict=True):
        adjusted = entry.scores - entry.luck
        low, high = t_interval(adjusted)
        with_luck = entry.summary()
        assert row.split()[1:] == (
            f"{with_luck.mean:.2f} {with_luck.ci95[0]:.2f} - {with_luck.ci95[1]:.2f} {with_luck.sd:.1f} "
            f"{adjusted.mean():.2f} {low:.2f} - {high:.2f} {adjusted.std(ddof=1):.1f}"
        ).split(" ")
    assert f" {np.mean(entries[1].scores - entries[0].scores + 2.0 * luck):.2f} " in pair
    assert len(printed(capsys, scores)) == 2, "no such table of scores as they are"


def test_one_agent_has_nobody_to_be_compared_with(capsys):
    (table,) = printed(capsys, outcome(1))
    assert len(table) == 2


def test_agents_that_play_alike_are_never_told_apart(capsys):
    one = outcome(1)
    twin = Entry("twin", one.entries[0].scores, one.entries[0].tally, {}, 1.0, 1.0)
    _, pairs = printed(capsys, Outcome(Rules(), GAMES, 0, "", [*one.entries, twin]))
    assert "never" in pairs[1].split()


def test_tables_of_several_players_come_between_with_pairs_of_their_own(capsys):
    estimate = Estimate(0.25, (0.125, 0.375))
    seats = (
        Seat(
            "a",
            Estimate(180.5, (170.25, 190.75)),
            12.5,
            Estimate(1.5, (1, 2)),
            estimate,
            Estimate(-3.5, (-4, -3)),
        ),
        Seat("b", Estimate(20, (10, 30)), 0, Estimate(2.5, (2, 3)), estimate, None),
    )
    pairs = {("a", "b"): compare(np.array([3, 1, 5]), np.array([1, 1, 1]))}
    _, at_tables, compared = printed(capsys, outcome(2, Tables((("a", "b"),), seats, pairs)))
    assert all(title in at_tables[0] for title in SEAT_HEADINGS)
    a, b = (" ".join(row.split()) for row in at_tables[1:])
    assert a == "a 180.50 170.25 - 190.75 12.50 1.50 25.0 % -3.50 -4.00 - -3.00"
    assert b == "b 20.00 10.00 - 30.00 0.00 2.50 25.0 %"
    assert compared[1].startswith("a than b ")


@pytest.mark.parametrize("width", [80, 120])
def test_a_narrow_terminal_leaves_out_the_speed_and_does_not_break_the_rest(monkeypatch, width):
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(width))
    print_outcome(outcome(2))
    shown = terminal.getvalue()
    for title in ("moves/s", "ties"):
        assert (title in shown) == (width == 120)
    assert all(title in shown for title in ("200+", "P better", "games to tell"))
    assert "value:runs/[0]" in shown
