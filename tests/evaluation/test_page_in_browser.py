"""The pages as a person meets them: in a real browser, on a phone and on a desk, by day and by night."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from evaluation.analysis import analyse
from evaluation.calibration import Calibration
from evaluation.collect import collect
from evaluation.games import GAMES, LATICE
from evaluation.latice.playing import play_tournament as play_latice
from evaluation.latice.shards import claimed as claimed_for_latice
from evaluation.latice.tournament import LaticeTournament
from evaluation.outcome import Outcome
from evaluation.page import game_page, report_page
from evaluation.playing import play_tournament
from evaluation.shards import claimed
from evaluation.tournament import Tournament
from takeiteasy_env import GameRecord, Rules
from takeiteasy_env.tiles import TILE_CODES

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PHONE, DESK = (360, 780), (1280, 900)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        program = next((path for path in map(shutil.which, CHROMIUM) if path), None)
        if program is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("no Chromium: install one, or type python -m playwright install chromium")
        yield playwright.chromium.launch(executable_path=program)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    tournament = Tournament(("random@standard", "greedy", "line_odds"), 60, 3, Rules())
    with claimed(tmp_path_factory.mktemp("played"), tournament) as shards:
        play_tournament(shards, workers=1)
        found = collect(shards)
    # As if the first of them had predicted its points and how they are spread.
    errors, below = np.full(19, 60 * 300), np.tile(np.arange(5, 60, 10) * 1030, (19, 1))
    predicted = Calibration(60, errors, 2 * errors**2 // 60, below)
    first, *others = found.entries
    return replace(found, entries=[replace(first, calibration=predicted), *others])


@pytest.fixture(scope="module")
def report(outcome: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report_page(outcome, date(2026, 11, 9)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def games(report: Path) -> list[dict[str, Any]]:
    """The games of the report, as its script reads them."""
    found = re.search(r'(?s)id="data">(.*?)</script>', report.read_text(encoding="utf-8"))
    assert found
    return json.loads(found[1])["games"]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page, on which nothing may go wrong and from which nothing may be fetched."""
    troubles: list[str] = []
    contexts = []

    def visit(path: Path, size: tuple[int, int] = DESK, **circumstances: Any) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **circumstances)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: fetched.append(request.url))
        fetched: list[str] = []
        page.goto(path.as_uri())
        assert fetched == [path.as_uri()]
        return page

    yield visit
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.fixture(scope="module")
def latice_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("latice")
    tournament = LaticeTournament(("random", "greedy"), 20, 3)
    with claimed_for_latice(out, tournament) as shards:
        play_latice(shards)
        GAMES[LATICE].report(out, shards)
    return out / "report.html"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("kind", ["report", "latice_report"])
def test_it_fits_the_screen_and_anybody_can_read_it(
    visit: Callable[..., Page],
    request: pytest.FixtureRequest,
    kind: str,
    size: tuple[int, int],
    scheme: str,
):
    page = visit(request.getfixturevalue(kind), size, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0], "nothing sticks out"
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


# The contrast of text with what is painted under it, of which a checker of pages knows nothing inside an SVG.
CONTRASTS = """
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const luminance = (...colours) => {
    canvas.globalAlpha = 1;
    colours.forEach(([colour, opacity]) => {
      canvas.globalAlpha = opacity;
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    });
    const linear = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((byte) => {
      const part = byte / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const paper = getComputedStyle(document.body).backgroundColor;
  return [...document.querySelectorAll(".board text")].map((text) => {
    const place = (element) => ["x", "y"].map((name) => element.getAttribute(name)).join();
    const under = [...text.parentNode.querySelectorAll('[href="#cell"]')]
      .filter((cell) => place(cell) === place(text) && getComputedStyle(cell).fill !== "none")
      .map((cell) => [getComputedStyle(cell).fill, Number(getComputedStyle(cell).fillOpacity)]);
    const [ink, ground] = [
      luminance([getComputedStyle(text).fill, 1]),
      luminance([paper, 1], ...under),
    ].sort();
    return { text: text.textContent, ratio: (ground + 0.05) / (ink + 0.05) };
  });
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_numbers_on_the_boards_stand_out(visit: Callable[..., Page], report: Path, scheme: str):
    found = visit(report, color_scheme=scheme).evaluate(CONTRASTS)
    assert len(found) > 3 * 9 * 19
    assert [text for text in found if text["ratio"] < 4.5] == []


def assert_shows(page: Page, game: dict[str, Any], step: int, judge: int = 0) -> None:
    """The viewer shows a game as it is before move ``step + 1``, or its end, with a judge's values."""
    board = page.locator("#viewer > svg")
    over = step == len(game["cells"])
    expect(board.locator("use[href^='#tile-']")).to_have_count(step + (not over))
    said = game["judges"][judge]
    values = [] if over else [value for value in said["values"][step] if value is not None]
    texts = [f"{value:.{said['digits']}f}".replace("-", "\N{MINUS SIGN}") for value in values]
    points = [str(points) for _, points in game["points"][step]]
    total = str(sum(points for _, points in game["points"][step]))
    assert board.locator("text").all_text_contents() == [*points, *texts, total]
    expect(page.locator("#viewer input[type=range]")).to_have_value(str(step))
    sentence = page.locator("#viewer .move")
    if over:
        expect(sentence).to_contain_text(f"The end: {game['score']} points")
    else:
        code, cell = TILE_CODES[game["draws"][step]], game["cells"][step]
        expect(sentence).to_contain_text(f"Move {step + 1}: tile {code} on cell {cell}")
        expect(board.locator(".played")).to_have_count(1)
        expect(board.locator(".best")).to_have_count(1)


def test_one_steps_through_a_game_by_button(
    visit: Callable[..., Page], report: Path, games: list[dict[str, Any]]
):
    page = visit(report, PHONE, has_touch=True)

    def tap(name: str) -> None:
        page.get_by_role("button", name=name).tap()

    assert_shows(page, games[0], 0)
    for step in range(1, 20):
        tap("a move on")
        assert_shows(page, games[0], step)
    tap("a move on")
    assert_shows(page, games[0], 19)
    tap("a move back")
    assert_shows(page, games[0], 18)
    tap("to the first move")
    assert_shows(page, games[0], 0)
    tap("a move back")
    assert_shows(page, games[0], 0)
    tap("to the end")
    assert_shows(page, games[0], 19)


def test_one_steps_through_a_game_by_keyboard(
    visit: Callable[..., Page], report: Path, games: list[dict[str, Any]]
):
    page = visit(report)
    for key, step in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("ArrowLeft", 0), ("End", 0)]:
        page.keyboard.press(key)
        assert_shows(page, games[0], step)
    page.locator("#viewer input[type=range]").focus()
    for key, step in [("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1), ("End", 19)]:
        page.keyboard.press(key)
        assert_shows(page, games[0], step)
    page.get_by_role("region", name="The table").focus()
    page.keyboard.press("ArrowLeft")
    assert_shows(page, games[0], 19)


def test_one_chooses_a_game_and_whose_values_it_shows(
    visit: Callable[..., Page], report: Path, games: list[dict[str, Any]]
):
    page = visit(report)
    number = next(number for number, game in enumerate(games) if game["name"] == "greedy")
    link = page.locator("a[data-game]").nth(number)
    link.click()
    expect(link).to_have_attribute("aria-current", "true")
    expect(page.locator("[aria-current=true]")).to_have_count(1)
    expect(page.locator("#viewer h3")).to_have_text(f"greedy: best game, {games[number]['score']} points")
    assert_shows(page, games[number], 0)
    page.keyboard.press("ArrowRight")
    page.get_by_role("radio", name="greedy").check()
    assert_shows(page, games[number], 1, judge=1)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("radio", name="line_odds")).to_be_checked()
    assert_shows(page, games[number], 1, judge=0)


def test_without_script_all_but_the_stepping_is_there(visit: Callable[..., Page], report: Path):
    page = visit(report, java_script_enabled=False)
    expect(page.locator("#viewer")).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()
    boards = page.locator(".gallery .board")
    expect(boards).to_have_count(9)
    for board in boards.all():
        expect(board).to_be_visible()
        expect(board.locator("use[href^='#tile-']")).to_have_count(19)


def test_who_wants_no_motion_gets_none_and_paper_gets_no_buttons(visit: Callable[..., Page], report: Path):
    page = visit(report, reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    landed = page.locator("#viewer .landed")
    expect(landed).to_have_css("animation-name", "none")
    page.emulate_media(reduced_motion="no-preference")
    expect(landed).to_have_css("animation-name", "land")
    page.emulate_media(media="print")
    expect(page.locator("#viewer")).to_be_hidden()
    expect(page.locator(".gallery .board").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_game_alone_can_be_stepped_through_too(
    visit: Callable[..., Page], tmp_path: Path, outcome: Outcome, scheme: str
):
    entry = outcome.entries[1]
    shown = entry.shown["best"]
    record = GameRecord(Rules(), shown.draws.tolist(), shown.cells.tolist(), entry.agent)
    path = tmp_path / "game.html"
    path.write_text(game_page(analyse(record, "line_odds")), encoding="utf-8")
    page = visit(path, PHONE, color_scheme=scheme)
    assert Axe().run(page).violations_count == 0
    page.get_by_role("button", name="to the end").click()
    expect(page.locator("#viewer .move")).to_contain_text(f"The end: {record.score} points")
    expect(page.locator("tbody tr")).to_have_count(19)
