"""The report says what was found: headline, numbers and games; and it needs nothing beside itself."""

import json
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import numpy as np
import pytest

from agents.agent import make_agent
from evaluation.analysis import analyse
from evaluation.calibration import Calibration
from evaluation.collect import collect
from evaluation.outcome import Outcome
from evaluation.page import game_page, headline, report_page
from evaluation.playing import play_tournament
from evaluation.replays import record_of
from evaluation.shards import claimed
from evaluation.statistics import compare, estimate_mean
from evaluation.tournament import Tournament
from takeiteasy_env import GameRecord
from takeiteasy_env.rules import Rules

NO_BREAK = "\N{NO-BREAK SPACE}"
TODAY = date(2026, 11, 9)


def played(directory, *agents: str, rules: Rules = Rules(), players: int = 1) -> Outcome:
    tournament = Tournament(agents, 40, 3, rules, players, command="python evaluate.py games=40")
    with claimed(directory, tournament) as shards:
        play_tournament(shards, workers=1)
        return collect(shards)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return played(tmp_path_factory.mktemp("alone"), "random", "greedy", "line_odds")


@pytest.fixture(scope="module")
def page(outcome: Outcome) -> str:
    return report_page(outcome, TODAY)


def words(page: str) -> str:
    """What a reader sees of a page, with single spaces."""
    body = re.sub(r"(?s)<(script|style|svg).*?</\1>|<[^>]*>", " ", page)
    return " ".join(body.replace("&nbsp;", " ").split())


def data(page: str) -> dict:
    found = re.search(r'(?s)<script type="application/json" id="data">(.*?)</script>', page)
    assert found
    return json.loads(found[1])


# ---------------------------------------------------------------------------------------- the headline

GENERATOR = np.random.default_rng(0)
SCORES = GENERATOR.integers(100, 200, 400)


def headline_of(**scores: np.ndarray):
    means = {agent: estimate_mean(sample) for agent, sample in scores.items()}
    ranked = sorted(scores, key=lambda agent: -means[agent].value)
    pairs = {
        (better, other): compare(scores[better], scores[other])
        for place, better in enumerate(ranked)
        for other in ranked[place + 1 :]
    }
    return headline(means, pairs, "400 draws")


def test_the_headline_says_who_won_by_how_much_and_how_sure_that_is():
    better = SCORES + GENERATOR.integers(0, 11, 400)
    told = headline_of(steady=SCORES, worst=SCORES - 50, better=better)
    pair = compare(better, SCORES)
    assert told.text == f"better beats steady by {pair.mean:.1f} points a game"
    low, high = pair.ci95
    assert f"With 95{NO_BREAK}% confidence the difference lies between {low:.1f} and {high:.1f}" in told.deck
    assert f"{better.mean():.1f} against {SCORES.mean():.1f} points" in told.deck
    assert f"better wins {100 * pair.wins / 400:.0f}{NO_BREAK}% of the games" in told.deck


def test_the_headline_names_no_winner_where_chance_may_have_made_one():
    other = SCORES + GENERATOR.permutation(np.repeat([-20, 21], 200))
    told = headline_of(steady=SCORES, other=other)
    assert told.text == "other and steady are too close to call"
    pair = compare(other, SCORES)
    assert f"between \N{MINUS SIGN}{-pair.ci95[0]:.1f} and +{pair.ci95[1]:.1f}" in told.deck
    assert f"{pair.games_needed:,} games would tell" in told.deck


def test_equal_agents_are_level_and_one_agent_alone_gets_its_mean():
    assert headline_of(one=SCORES, same=SCORES).text == "one and same are level"
    alone = headline_of(one=SCORES)
    assert alone.text == f"one scores {SCORES.mean():.1f} points a game"
    assert "95" in alone.deck


# ---------------------------------------------------------------------------------------- the page


class Links(HTMLParser):
    """Whatever a page would fetch or lead to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]


def test_it_is_one_small_file_without_outside_links(page: str):
    assert all(link.startswith("#") for link in Links(page).found)
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)", page)
    assert len(page.encode()) < 1_000_000


def test_every_symbol_that_a_board_uses_is_defined(page: str):
    ids = set(re.findall(r'\bid="([^"]+)"', page))
    assert {link[1:] for link in Links(page).found} <= ids


def test_it_holds_the_table_and_the_pairs_as_they_were_found(page: str, outcome: Outcome):
    text = words(page)
    assert "40 games · standard rules · seed 3" in text
    assert "9 November 2026" in text
    assert "python evaluate.py games=40" in text
    for entry in outcome.entries:
        assert f"{entry.agent} {entry.scores.mean():.2f} " in text
    for (better, other), pair in outcome.pairs().items():
        assert f"{better} over {other} +{pair.mean:.2f} (" in text
        assert f"{pair.wins / 0.4:.1f} % {pair.ties / 0.4:.1f} % {pair.losses / 0.4:.1f} %" in text


def test_its_games_are_the_best_the_median_and_the_worst_of_each_agent_the_best_agent_first(
    page: str, outcome: Outcome
):
    ranked = sorted(outcome.entries, key=lambda entry: -entry.scores.mean())
    expected = [
        (entry.agent, f"{kind} game", int(score))
        for entry in ranked
        for kind, score in (
            ("best", entry.scores.max()),
            ("median", np.sort(entry.scores)[19]),
            ("worst", entry.scores.min()),
        )
    ]
    assert [(game["name"], game["title"], game["score"]) for game in data(page)["games"]] == expected


def test_its_games_show_each_move_as_it_was_played_and_judged(page: str, outcome: Outcome):
    entry = outcome.entries[1]
    record = record_of(outcome.rules, entry, entry.shown["median"])
    (shown,) = (
        game for game in data(page)["games"] if (game["name"], game["title"]) == (entry.agent, "median game")
    )
    assert (shown["draws"], shown["cells"]) == (list(record.draws), list(record.placements))
    assert [sum(points for _, points in lines) for lines in shown["points"]] == [
        sum(record.points[:move]) for move in range(20)
    ]
    assert shown["attainable"] == analyse(record).attainable.tolist()
    best, own = shown["judges"]
    assert (best["agent"], own["agent"]) == ("line_odds", "greedy")
    assert own["best"] == list(record.placements)
    for judge in (best, own):
        legal = [[value is not None for value in row] for row in judge["values"]]
        assert legal == record.positions.legal(Rules()).tolist()
        for move, (row, cell) in enumerate(zip(judge["values"], judge["best"], strict=True)):
            assert row[cell] == max(value for value in row if value is not None)
            loss = row[cell] - row[record.placements[move]]
            assert judge["losses"][move] == pytest.approx(loss, abs=1.5 * 10 ** -judge["digits"])


def test_names_of_agents_are_text_wherever_they_stand(outcome: Outcome, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("evaluation.analysis.make_agent", lambda _, *how: make_agent("line_odds", *how))
    names = ["</script><b>", "a&b", '"x"']
    renamed = [replace(entry, agent=name) for entry, name in zip(outcome.entries, names, strict=True)]
    page = report_page(replace(outcome, entries=renamed), TODAY)
    assert page.count("</script>") == 2
    assert {game["name"] for game in data(page)["games"]} == set(names)


def test_what_agents_predict_is_told_where_they_do(page: str, outcome: Outcome):
    assert "Do they get what they expect?" not in page
    errors = np.full(19, 40 * 512, dtype=np.int64)
    below = np.tile(np.array([14, 20, 36]) * 1024, (19, 1))
    first, *others = outcome.entries
    predicting = replace(first, calibration=Calibration(40, errors, 2 * errors**2 // 40, below))
    found = words(report_page(replace(outcome, entries=[predicting, *others]), TODAY))
    assert "Do they get what they expect?" in found
    assert f"What {first.agent} predicts of the final score before a move lies within 0.50 points" in found
    # 14 of 40 games lie below the first of three quantiles, where a sixth of them is to lie.
    assert "and the share of games below each of its 3 quantiles within 18.3 % of what it says" in found


def test_what_is_left_without_luck_is_told_where_it_was_asked_for(page: str, outcome: Outcome):
    assert "Without the luck of the draw" not in page
    luck = np.linspace(-3, 2, 40, dtype=np.float32)
    entries = [replace(entry, luck=number * luck) for number, entry in enumerate(outcome.entries)]
    adjusted = replace(outcome, entries=entries, adjust="value:runs/<mine>")
    found = words(report_page(adjusted, TODAY))
    assert "by the network of value:runs/&lt;mine&gt;, more than" in found
    for entry in entries:
        summary = entry.summary()
        assert summary.adjusted is not None
        numbers = f"{summary.adjusted.mean:.2f} {summary.adjusted.ci95[0]:.2f} to"
        assert f"{entry.agent} {summary.mean:.2f} {summary.ci95[0]:.2f} to {summary.ci95[1]:.2f} " in found
        assert f" {summary.sd:.1f} {numbers} " in found
    for (better, other), pair in adjusted.pairs().items():
        assert pair.adjusted is not None
        assert f"{better} over {other} +{pair.mean:.2f} +" in found
        assert f" {pair.sd:.1f} +{pair.adjusted.mean:.2f} +" in found


def test_rays_and_tables_are_told_where_there_are_any(tmp_path):
    told = words(report_page(played(tmp_path / "rays", "greedy", rules=Rules(scoring="sunrays")), TODAY))
    assert "from moonbeams and sunrays" in told
    assert "greedy scores" in told
    assert "Who beats whom" not in told
    at_table = played(tmp_path / "table", "greedy", "line_odds", rules=Rules(scoring="best_ray"), players=2)
    told = words(report_page(at_table, TODAY))
    assert at_table.tables is not None
    for seat in at_table.tables.seats:
        assert f"{seat.agent} {seat.points.value:.2f} " in told
    (pair,) = at_table.tables.pairs.values()
    assert f"line_odds beats greedy by {pair.mean:.1f} points a game" in told


def test_a_game_alone_gets_a_page_with_its_moves_in_numbers():
    draws = list(range(19))
    analysis = analyse(GameRecord(Rules(), draws, [9, 4, 0], "me"), "line_odds")
    page = game_page(analysis)
    told = words(page)
    assert f"0 points, where {analysis.attainable[0]} were possible" in told
    for move, (code, cell) in enumerate(zip((123, 124, 128), (9, 4, 0), strict=True)):
        judgement = analysis.judgements[0]
        assert (
            f"{move + 1} {code} {cell} 0 {judgement.values[move, cell]:.2f} {judgement.best[move]} "
            f"{judgement.losses[move]:.2f} {analysis.hindsight_losses[move]}" in told
        )
    assert len(data(page)["games"]) == 1
