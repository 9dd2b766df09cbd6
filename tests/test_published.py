"""The numbers that the README states are those of the scores in ``results/``, and agents still play so."""

import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from evaluation.statistics import Comparison, Summary, compare, summarise
from evaluation.tournament import Tournament
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
#: Every evaluation that is published: a directory that holds its scores and its summary.
PUBLISHED = sorted(path.parent.relative_to(ROOT).as_posix() for path in ROOT.glob("results/**/scores.npz"))
#: The table at the top of the README, and the paragraph below it that names its results.
TABLE = README[README.index("| agent | mean |") :].split("\n\n")
NAMED = re.search(r"`(results/[\w/]+)/`", TABLE[1])[1]
#: How an agent writes each column of the table.
COLUMNS = {
    "mean": lambda summary: f"{summary.mean:.2f}",
    "95 % interval": lambda summary: f"{summary.ci95[0]:.2f} to {summary.ci95[1]:.2f}",
    "mean without luck": lambda summary: (
        f"{summary.adjusted.mean:.2f} ({summary.adjusted.ci95[0]:.2f} to {summary.adjusted.ci95[1]:.2f})"
    ),
    "sd": lambda summary: f"{summary.sd:.1f}",
    "median": lambda summary: f"{summary.median:g}",
    "5 % to 95 %": lambda summary: f"{summary.q05:g} to {summary.q95:g}",
    "most": lambda summary: f"{summary.max}",
}
BETTER = re.compile(r"`(\w+)`(?: is better)? than `(\w+)` by ([\d.]+) \(([\d.]+) to ([\d.]+)\)")
ENDED = re.compile(r"at ([\d.]+) \(([\d.]+) to\s([\d.]+)(?:\)[\w\s,]*\(|,\s)`(results/[\w/]+)/`\)")
#: What five minutes of training give under each set of rules.
TRAINED = README[README.index("| rules | `line_odds` | `value`, five minutes |") :].split("\n\n")[0]

#: What search adds to it under the other rule sets.
SEARCHED = README[README.index("| rules | `line_odds` | `value` | `search` |") :].split("\n\n")[0]

#: What wider and deeper searches add.
WIDTHS = README[README.index("| agent | mean | mean without luck | better than") :].split("\n\n")[0]

#: What is left of the same scores without luck.
ADJUSTED = README[README.index("| 3,000 games | mean | adjusted |") :].split("\n\n")[0]


def published(directory: str) -> tuple[dict[str, np.ndarray], dict]:
    """The scores of each agent, and the summary."""
    with np.load(ROOT / directory / "scores.npz", allow_pickle=False) as scores:
        return {agent: scores[agent] for agent in scores}, json.loads(
            (ROOT / directory / "results.json").read_text()
        )


def published_luck(directory: str) -> dict[str, np.ndarray]:
    """The points that were luck in each game of each agent."""
    with np.load(ROOT / directory / "luck.npz", allow_pickle=False) as luck:
        return {agent: luck[agent] for agent in luck}


def cells(row: str) -> list[str]:
    return [cell.strip().strip("*`") for cell in row.strip("|").split("|")]


def test_the_table_is_the_one_of_the_published_scores():
    (scores, results), luck = published(NAMED), published_luck(NAMED)
    headings, _, *rows = (cells(row) for row in TABLE[0].splitlines())
    assert headings[:2] == ["agent", "mean"]
    assert sorted(row[0] for row in rows) == sorted(scores)
    means = [scores[row[0]].mean() for row in rows]
    assert means == sorted(means, reverse=True), "the best comes first"
    for row in rows:
        summary = summarise(scores[row[0]], luck[row[0]])
        for heading, cell in zip(headings[1:], row[1:], strict=True):
            if heading in COLUMNS:
                assert cell == COLUMNS[heading](summary), f"{heading} of {row[0]}"
    games = re.search(r"([\d,]+) games of the (\w+) rules", TABLE[1])
    assert int(games[1].replace(",", "")) == results["games"]
    assert games[2] == Rules(**results["rules"]).name


def test_the_differences_are_those_of_the_published_scores():
    scores, _ = published(NAMED)
    stated = BETTER.findall(README)
    assert stated
    for better, other, *numbers in stated:
        pair = compare(scores[better], scores[other])
        assert numbers == [f"{number:.2f}" for number in (pair.mean, *pair.ci95)], f"{better} than {other}"


def test_the_differences_without_luck_are_those_of_the_published_scores():
    (scores, _), luck = published(NAMED), published_luck(NAMED)
    pairs = (("search", "value"), ("value", "line_odds"))
    found = [
        compare(scores[better], scores[other], luck[better] - luck[other]).adjusted for better, other in pairs
    ]
    stated = [f"{pair.mean:.2f} ({pair.ci95[0]:.2f} to {pair.ci95[1]:.2f})" for pair in found]
    assert f"narrower intervals: {' and '.join(stated)}." in README


def test_what_the_trainings_ended_at_is_what_their_published_scores_say():
    stated = ENDED.findall(README)
    assert stated
    for mean, low, high, directory in stated:
        scores, _ = published(directory)
        (trained,) = (agent for agent in scores if ":" in agent)
        summary = summarise(scores[trained])
        assert [mean, low, high] == [f"{number:.1f}" for number in (summary.mean, *summary.ci95)]


def test_what_five_minutes_of_training_give_is_what_the_published_scores_say():
    rows = [cells(row) for row in TRAINED.splitlines()[2:]]
    singly = [Rules(placement, scoring).name for scoring in SCORINGS for placement in PLACEMENTS]
    assert [row[0] for row in rows] == singly
    for rules, *stated in rows:
        scores, results = published(f"results/train_quick/{rules}")
        trained = scores[f"value:runs/{rules}"]
        pair = compare(trained, scores["line_odds"])
        assert pair.ci95[0] > 0, "better than the baseline"
        assert results["games"] == 20_000
        assert stated == [
            f"{scores['line_odds'].mean():.2f}",
            f"{trained.mean():.2f}",
            f"{pair.mean:.2f} ({pair.ci95[0]:.2f} to {pair.ci95[1]:.2f})",
        ]


def test_search_beats_value_beats_line_odds_under_every_rule_set_as_stated():
    rows = [cells(row) for row in SEARCHED.splitlines()[2:]]
    singly = [Rules(placement, scoring).name for scoring in SCORINGS for placement in PLACEMENTS]
    assert ["standard", *(row[0] for row in rows)] == singly
    for rules, *stated in rows:
        scores, _ = published(f"results/variants/{rules}")
        agents = ("line_odds", "value", "search")
        pairs = [compare(scores[better], scores[other]) for other, better in pairwise(agents)]
        assert all(pair.ci95[0] > 0 for pair in pairs)
        assert stated == [f"{scores[agent].mean():.2f}" for agent in agents] + [
            f"{pair.mean:.2f} ({pair.ci95[0]:.2f} to {pair.ci95[1]:.2f})" for pair in pairs
        ]


def test_more_search_never_loses_as_stated():
    directory = "results/search_widths"
    (scores, _), luck = published(directory), published_luck(directory)
    rows = [cells(row) for row in WIDTHS.splitlines()[2:]]
    assert [row[0] for row in rows] == list(scores)
    for agent, mean, adjusted, better, *_ in rows:
        summary = summarise(scores[agent], luck[agent])
        assert mean == COLUMNS["mean"](summary)
        assert adjusted == COLUMNS["mean without luck"](summary)
        if agent == "value":
            assert better == ""
        else:
            pair = compare(scores[agent], scores["value"], luck[agent] - luck["value"]).adjusted
            assert better == f"{pair.mean:.2f} ({pair.ci95[0]:.2f} to {pair.ci95[1]:.2f})"
    for less, more in pairwise(scores):
        gained = compare(scores[more], scores[less], luck[more] - luck[less]).adjusted
        assert gained.mean > -0.02, f"{more} is no worse than {less}"


def test_what_is_left_without_luck_is_as_stated():
    scores, luck = published("results/adjusted")[0], published_luck("results/adjusted")
    found: dict[str, Summary | Comparison] = {
        agent: summarise(points, luck[agent]) for agent, points in scores.items()
    }
    for better, other in (("search", "value"), ("search", "line_odds"), ("value", "line_odds")):
        difference = luck[better] - luck[other]
        found[f"{better}` over `{other}"] = compare(scores[better], scores[other], difference)
    rows = [cells(row) for row in ADJUSTED.splitlines()[2:]]
    assert [row[0] for row in rows] == list(found)
    for name, *stated in rows:
        numbers = found[name]
        means = (numbers, numbers.adjusted)
        assert stated == [
            *(f"{mean.mean:.2f} ({mean.ci95[0]:.2f} to {mean.ci95[1]:.2f})" for mean in means),
            f"{(numbers.sd / numbers.adjusted.sd) ** 2:.0f} times fewer",
        ]
    commands = [shlex.split(line) for line in README.splitlines() if "out=results/adjusted" in line]
    assert commands == [shlex.split(published("results/adjusted")[1]["command"])]


def test_the_published_luck_is_what_the_shipped_network_says_still():
    scores, results = published("results/adjusted")
    agents = tuple(scores)
    tournament = Tournament(
        agents,
        results["games"],
        results["seed"],
        Rules(**results["rules"]),
        batch=50,
        adjust=results["adjust"],
    )
    seat = agents.index("value")
    played = tournament.play_batch(tournament.make_agent(seat), seat, 0, tournament.make_adjuster())
    stated = published_luck("results/adjusted")["value"][:50]
    assert (np.abs(played.luck - stated) < 0.01).mean() >= 0.95
    assert results["agents"]["value"]["adjusted"]["sd"] < results["agents"]["value"]["sd"] / 5


def test_the_command_in_the_readme_is_the_one_that_was_typed():
    commands = [line for line in README.splitlines() if f"out={NAMED}" in line]
    _, results = published(NAMED)
    assert [sorted(shlex.split(command)) for command in commands] == [sorted(shlex.split(results["command"]))]


def test_every_directory_of_results_that_the_readme_names_is_there():
    named = set(re.findall(r"`(results/[\w/]*\w)/?`", README))
    assert named
    assert [directory for directory in sorted(named) if not (ROOT / directory).is_dir()] == []


@pytest.mark.parametrize("directory", PUBLISHED)
def test_a_published_summary_is_the_one_of_its_scores(directory: str):
    scores, results = published(directory)
    assert scores.keys() == results["agents"].keys()
    for agent, points in scores.items():
        assert points.dtype == np.int16
        assert points.shape == (results["games"],)
        summary, stated = summarise(points), results["agents"][agent]
        for name in ("mean", "sd", "median", "q05", "q95", "min", "max"):
            assert stated[name] == pytest.approx(getattr(summary, name))
        assert stated["ci95"] == pytest.approx(summary.ci95)


@pytest.mark.parametrize(
    ("agent", "games"), [("random", 500), ("greedy", 500), ("line_odds", 300), ("value", 300), ("search", 20)]
)
def test_the_agents_still_play_the_games_that_are_published(agent: str, games: int):
    """Another processor may round otherwise and settle a tie of two cells the other way, but hardly ever."""
    scores, results = published(NAMED)
    tournament = Tournament((agent,), results["games"], results["seed"], Rules(**results["rules"]))
    played = tournament.play(tournament.make_agent(0), 0, range(games)).scores
    assert (played == scores[agent][:games]).mean() >= 0.95
