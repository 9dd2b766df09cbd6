"""The report says what was found: on the terminal, on the page, in the picture and in the files."""

import json
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import numpy as np
import pytest

from evaluation.latice.page import headline, report_page
from evaluation.latice.report import print_outcome
from evaluation.latice.results import write_results
from evaluation.statistics import Estimate

TODAY = date(2026, 11, 30)


def words(page: str) -> str:
    """What a reader sees of a page, with single spaces."""
    body = re.sub(r"(?s)<(script|style|svg).*?</\1>|<[^>]*>", " ", page)
    return " ".join(body.replace("&nbsp;", " ").replace("\N{NO-BREAK SPACE}", " ").split())


@pytest.mark.parametrize("found", ["outcome", "table"])
def test_the_terminal_names_every_agent_pair_and_table(found, request, capsys):
    outcome = request.getfixturevalue(found)
    print_outcome(outcome)
    agents, pairs, tables, habits = capsys.readouterr().out.split("\n\n")
    names = [entry.agent for entry in outcome.entries]
    assert [row.split()[0] for row in agents.splitlines()[1:]] == names
    assert [row.split()[0:3:2] for row in pairs.splitlines()[1:]] == [
        [pair.first, pair.second] for pair in outcome.pairs
    ]
    assert [row.split("  ")[0] for row in tables.splitlines()[1:]] == [
        ", ".join(table.members) for table in outcome.tables
    ]
    rows = {row.split()[0]: row.split()[1:] for row in habits.splitlines()[1:]}
    best = outcome.entries[0]
    assert rows[best.agent][0] == f"{best.habits['turns']:.2f}"
    assert rows[best.agent][-1] == f"{best.habits['halfstones_kept']:.2f}"


@pytest.mark.parametrize("found", ["outcome", "table"])
def test_the_page_says_what_was_found_and_is_well_formed(found, request):
    outcome = request.getfixturevalue(found)
    page = report_page(outcome, TODAY)
    told = words(page)
    pair, table = outcome.pairs[0], outcome.tables[0]
    assert f"{100 * pair.won.value:.1f} % of the games" in told
    assert f"seed {outcome.tournament.seed}" in told
    assert f"{table.turns.value:.1f}" in told
    assert f"{outcome.entries[0].habits['sunstones']:.2f}" in told
    assert page.count("<title>Latice, ") == min(6, len(outcome.tables))
    open_tags = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag, _):
            if tag not in ("meta", "path", "rect", "polygon", "polyline", "use", "circle"):
                open_tags.append(tag)

        def handle_endtag(self, tag):
            if tag not in ("path", "rect", "polygon", "polyline", "use", "circle"):
                assert open_tags.pop() == tag

    Tags().feed(page)
    assert open_tags == []
    assert not re.search(r"(src|href)=.https?:", page)


def test_the_headline_claims_no_more_than_the_interval(outcome):
    assert headline(outcome).text == "planner beats greedy in 100.0\N{NO-BREAK SPACE}% of the games"
    pair = replace(outcome.pairs[0], elo=Estimate(10, (-20, 40)))
    close = headline(replace(outcome, pairs=(pair,)))
    assert close.text == "planner and greedy are too close to call"
    assert "\N{MINUS SIGN}20 to +40 Elo" in close.deck


def test_the_files_hold_every_game_and_who_sat_where(outcome, tmp_path):
    write_results(tmp_path, outcome)
    assert {path.name for path in tmp_path.iterdir()} == {
        "report.html",
        "results.json",
        "games.npz",
        "strength.png",
    }
    assert (tmp_path / "strength.png").read_bytes().startswith(b"\x89PNG")
    with np.load(tmp_path / "games.npz", allow_pickle=False) as games:
        assert {name: games[name].dtype for name in outcome.counts} == dict.fromkeys(outcome.counts, np.int16)
        assert games["left"].shape == (3, 10, 2, 2)
        assert games["seats"].tolist() == [[[0, 1], [1, 0]]] * 10
    results = json.loads((tmp_path / "results.json").read_text())
    assert (results["game"], results["games"], results["deals"]) == ("latice", 20, 10)
    assert results["pairs"][0]["won"]["value"] == outcome.pairs[0].won.value
    assert [agent["agent"] for agent in results["agents"]] == ["planner", "greedy", "random"]
