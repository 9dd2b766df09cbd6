"""A picture shows the board: its numbers, its scoring lines, the tile in hand, the turn and the score."""

import re
import sys
from xml.etree import ElementTree

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from hypothesis import given, settings
from hypothesis import strategies as st

from takeiteasy_env import Rules, TakeItEasyEnv, TakeItEasyVectorEnv
from takeiteasy_env.picture import (
    BEST,
    EMPTY,
    GLOW,
    HEIGHT,
    MOON,
    NUMBER_COLOURS,
    PAGE,
    SUN,
    WIDTH,
    Picture,
    Polygon,
    Stroke,
)
from takeiteasy_env.render import PIXELS_PER_RADIUS, to_pixels, to_svg, to_text
from takeiteasy_env.tiles import TILE_CODES, tile_indices
from tests.reference.board import LINES
from tests.reference.game import DEFAULT_SUNS, TILES, line_points

SYMBOLS = Rules("sun_moon", "sunrays")
FULL = "563 568 524 | 964 963 928 974 | 168 164 123 178 174 | 968 924 973 978 | 528 574 573"


def board_of(columns: str) -> np.ndarray:
    return np.array(tile_indices(columns.replace("|", " ").split()), dtype=np.int8)


@st.composite
def pictures(draw) -> Picture:
    """Any board with any tile in hand, with and without values, by the standard rules and with symbols."""
    tiles = draw(st.permutations(range(27)))
    gaps = draw(st.sets(st.integers(0, 18)))
    board = np.array([-1 if cell in gaps else tiles[cell] for cell in range(19)], dtype=np.int8)
    values = draw(st.none() | st.lists(st.floats(-999, 999) | st.just(-np.inf), min_size=19, max_size=19))
    return Picture(
        board,
        tiles[19] if gaps else -1,
        draw(st.sampled_from([Rules(), SYMBOLS])),
        None if values is None else np.array(values),
    )


def without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def colour_at(pixels: np.ndarray, x: float, y: float) -> str:
    """The colour at a point in cell radii from the centre of the board."""
    row = int((y + HEIGHT / 2) * PIXELS_PER_RADIUS)
    column = int((x + WIDTH / 2) * PIXELS_PER_RADIUS)
    return "#" + bytes(pixels[row, column]).hex()


@given(pictures())
def test_a_text_has_every_tile_every_value_the_turn_and_the_score(picture):
    heading, *rows = without_colours(to_text(picture)).split("\n")
    placed = [str(TILE_CODES[tile]) for tile in picture.board if tile >= 0]
    turn = len(placed) + (picture.tile >= 0)
    assert heading.startswith(f"turn {turn} of 19, {picture.score} points")
    assert (f"in hand {TILE_CODES[picture.tile]}" in heading) == (picture.tile >= 0)
    written = re.findall(r"-?\d+\.?\d*", "\n".join(rows))
    expected = placed
    for cell in np.flatnonzero(picture.board < 0):
        if picture.values is not None and np.isfinite(picture.values[cell]):
            expected.append(f"{picture.values[cell]:.1f}")
        else:
            expected.append(str(cell))
    assert sorted(written) == sorted(expected)
    suns = sum(str(TILE_CODES[tile]) in DEFAULT_SUNS for tile in [*picture.board, picture.tile] if tile >= 0)
    assert to_text(picture).count("☀") == (suns if picture.rules.uses_symbols else 0)


def test_a_text_is_a_hexagon_of_cells_by_column():
    text = without_colours(to_text(Picture(np.full(19, -1, dtype=np.int8), tile=26)))
    assert text == "\n".join(
        [
            "turn 1 of 19, 0 points, in hand 978",
            "                _____",
            "               /     \\",
            "         _____/   7   \\_____",
            "        /     \\       /     \\",
            "  _____/   3   \\_____/  12   \\_____",
            " /     \\       /     \\       /     \\",
            "/   0   \\_____/   8   \\_____/  16   \\",
            "\\       /     \\       /     \\       /",
            " \\_____/   4   \\_____/  13   \\_____/",
            " /     \\       /     \\       /     \\",
            "/   1   \\_____/   9   \\_____/  17   \\",
            "\\       /     \\       /     \\       /",
            " \\_____/   5   \\_____/  14   \\_____/",
            " /     \\       /     \\       /     \\",
            "/   2   \\_____/  10   \\_____/  18   \\",
            "\\       /     \\       /     \\       /",
            " \\_____/   6   \\_____/  15   \\_____/",
            "       \\       /     \\       /",
            "        \\_____/  11   \\_____/",
            "              \\       /",
            "               \\_____/",
        ]
    )


@given(pictures())
def test_the_scoring_lines_are_framed_and_their_points_sum_to_the_score(picture):
    board = {cell: TILES[tile] for cell, tile in enumerate(picture.board) if tile >= 0}
    points = [line_points(board, line, picture.rules.scoring, DEFAULT_SUNS) for line in LINES]
    assert sorted(picture.line_points.values()) == sorted(filter(None, points))
    assert sum(picture.line_points.values()) == picture.score
    framed = [shape for shape in picture.shapes() if shape.colour == GLOW]
    assert len(framed) == sum(line_points(board, line, "standard", DEFAULT_SUNS) > 0 for line in LINES)


@settings(max_examples=60)
@given(pictures())
def test_all_shapes_lie_within_the_picture_and_polygons_are_convex_and_clockwise(picture):
    for shape in picture.shapes():
        margin = shape.width / 2 if isinstance(shape, Stroke) else 0
        assert (np.abs(shape.points) + margin < [WIDTH / 2, HEIGHT / 2]).all()
        steps = np.diff(shape.points, axis=0)
        assert (np.hypot(*steps.T) > 0).all()
        if isinstance(shape, Polygon):
            edges = np.diff(shape.points, axis=0, append=shape.points[:1])
            following = np.roll(edges, -1, axis=0)
            assert (edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0] > 0).all()


@settings(max_examples=60)
@given(pictures())
def test_an_svg_is_a_document_of_all_the_shapes_in_their_order(picture):
    root = ElementTree.fromstring(to_svg(picture))
    space = "{http://www.w3.org/2000/svg}"
    title, page, *elements = root
    assert f"{picture.score} points" in (title.text or "")
    assert page.attrib["fill"] == PAGE
    colours = [
        (f"{space}polygon", shape.colour)
        if isinstance(shape, Polygon)
        else (f"{space}polyline", shape.colour)
        for shape in picture.shapes()
    ]
    assert [
        (element.tag, element.attrib.get("fill") or element.attrib["stroke"]) for element in elements
    ] == colours


def test_pixels_show_the_colours_where_they_belong():
    board = board_of(FULL)
    board[[0, 9]] = -1
    pixels = to_pixels(Picture(board, tile=tile_indices([123])[0]))
    assert pixels.dtype == np.uint8
    assert pixels.shape == (round(PIXELS_PER_RADIUS * HEIGHT), round(PIXELS_PER_RADIUS * WIDTH), 3)
    assert colour_at(pixels, -WIDTH / 2, HEIGHT / 2 - 0.1) == PAGE
    assert colour_at(pixels, 0, 0) == EMPTY
    # Cell 8 is 164, right above the centre: its vertical band is grey, the lower end without its number, the
    # falling one blue.
    assert colour_at(pixels, 0, -(3**0.5) + 0.7) == NUMBER_COLOURS[1]
    assert colour_at(pixels, -0.5, -(3**0.5) - 0.5 / 3**0.5) == NUMBER_COLOURS[4]


def test_the_best_value_stands_out():
    values = np.full(19, -np.inf)
    values[[9, 4]] = 3.0, 2.0
    pixels = to_pixels(Picture(np.full(19, -1, dtype=np.int8), values=values))
    assert colour_at(pixels, 0, 0.5) == BEST
    assert colour_at(pixels, -1.5, -0.4) == EMPTY


@pytest.mark.parametrize(("tile", "colour"), [(0, SUN), (1, MOON)])
def test_symbols_are_drawn_only_where_the_rules_use_them(tile, colour):
    def colours(rules: Rules) -> set[str]:
        return {shape.colour for shape in Picture(np.full(19, -1, dtype=np.int8), tile, rules).shapes()}

    assert colour in colours(SYMBOLS)
    assert not {SUN, MOON} & colours(Rules())


@pytest.mark.parametrize("mode", TakeItEasyEnv.metadata["render_modes"])
def test_every_mode_works_through_make(mode, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gym.make("TakeItEasy-v0", render_mode=mode)
    env.reset(seed=0)
    frames = []
    for cell in (3, 9):
        env.step(cell)
        frames.append(env.render())
    kinds = {"human": type(None), "ansi": str, "svg": str, "rgb_array": np.ndarray}
    assert all(isinstance(frame, kinds[mode]) for frame in frames)
    if mode != "human":
        assert not np.array_equal(frames[0], frames[1])
    env.close()
    env.close()


def test_the_window_shows_the_pixels(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame = pytest.importorskip("pygame")
    env = TakeItEasyEnv(render_mode="human")
    env.reset(seed=0)
    env.step(9)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    positions = env.positions
    assert (shown == to_pixels(Picture(positions.board[0], int(positions.tile[0])))).all()
    env.close()
    assert not pygame.display.get_init()


def test_without_pygame_a_window_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = TakeItEasyEnv(render_mode="human")
    with pytest.raises(
        DependencyNotInstalled, match=r'needs pygame-ce: python -m pip install "takeiteasy-env\['
    ):
        env.reset(seed=0)


@pytest.mark.parametrize("mode", TakeItEasyVectorEnv.metadata["render_modes"])
def test_the_vector_environment_renders_a_frame_for_each_game(mode):
    env = gym.make_vec("TakeItEasy-v0", num_envs=2, render_mode=mode)
    env.reset(seed=4)
    env.step(np.array([3, 9]))
    frames = env.render()
    assert isinstance(frames, tuple)
    single = gym.make("TakeItEasy-v0", render_mode=mode)
    for game, cell in enumerate((3, 9)):
        single.reset(seed=4 + game)
        single.step(cell)
        assert np.array_equal(frames[game], single.render())


@pytest.mark.parametrize("make", [TakeItEasyEnv, TakeItEasyVectorEnv])
def test_rendering_without_a_mode_warns(make):
    env = make()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="draws nothing without a render_mode"):
        assert env.render() is None
