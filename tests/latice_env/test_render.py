"""A picture shows the table: every tile, the rack of the player to move, and what everybody has."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from latice_env import Rules
from latice_env.actions import ACTIONS, action_name
from latice_env.board import IS_SUN, SQUARES
from latice_env.picture import HEIGHT, SUN, TILE_COLOURS, WIDTH, Picture, square_centre
from latice_env.render import PIXELS_PER_SQUARE, SHAPE_LETTERS, to_pixels, to_svg, to_text
from takeiteasy_env.canvas import Stroke
from tests.latice_env.tables import KIND_OF, Table


def in_mid_game(players: int, actions: int = 60) -> Table:
    rng = np.random.default_rng(players)
    table = Table(Rules(players), players)
    for _ in range(actions):
        table.play(int(rng.choice(np.flatnonzero(table.mask))))
    return table


def letter_of(tile: str) -> str:
    """The letter of a tile's shape, between the escapes of its colour."""
    colour, shape = divmod(KIND_OF[tile], 6)
    channels = ";".join(str(int(TILE_COLOURS[colour][at : at + 2], 16)) for at in (1, 3, 5))
    return f"48;2;{channels}m {SHAPE_LETTERS[shape]} "


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_text_has_every_tile_and_what_everybody_has(players):
    table = in_mid_game(players)
    heading, *rows = to_text(Picture(table.game)).split("\n")
    assert heading.startswith(f"player {table.player} to move, {table.game['moves']} moves")
    text = "\n".join(rows[:9])
    for tile in table.board.values():
        assert letter_of(tile) in text
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", row) for row in rows[:9]]
    assert [len(row) for row in plain] == [27] * 9
    free_suns = [square for square in np.flatnonzero(IS_SUN) if divmod(square, 9) not in table.board]
    assert "".join(plain).count("*") == len(free_suns)
    for seat in range(players):
        suns, halves = table.stones(seat)
        assert f"player {seat}: {table.rack(seat).total()} on the rack" in "\n".join(rows)
        assert f"{suns} sunstones, {halves} halfstones" in rows[10 + seat]


def test_a_text_says_who_won_and_how():
    table = Table().arrange({(4, 4): "red bird"}, racks=[["red gecko"], ["wind"]], pools=[[], []])
    table.do("place", "red gecko", (4, 5))
    assert to_text(Picture(table.game)).startswith("emptied: player 0 won")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_shapes_lie_within_the_picture_and_the_svg_is_a_document_of_them(players):
    picture = Picture(in_mid_game(players).game)
    shapes = list(picture.shapes())
    for shape in shapes:
        margin = shape.width / 2 if isinstance(shape, Stroke) else 0
        assert (np.abs(shape.points) + margin < [WIDTH / 2, HEIGHT / 2]).all()
    title, _, *elements = ElementTree.fromstring(to_svg(picture))
    assert (title.text or "").startswith("Latice, player")
    assert len(elements) == len(shapes)


def test_pixels_show_the_colours_where_they_belong():
    table = in_mid_game(2)
    pixels = to_pixels(Picture(table.game))
    assert pixels.shape == (round(PIXELS_PER_SQUARE * HEIGHT), round(PIXELS_PER_SQUARE * WIDTH), 3)
    for square in range(SQUARES):
        x, y = square_centre(square)
        kind = int(table.game["board"][square])
        if kind >= 0:  # a corner of the tile, free of its shape
            row = int((y - 0.43 + HEIGHT / 2) * PIXELS_PER_SQUARE)
            column = int((x - 0.43 + WIDTH / 2) * PIXELS_PER_SQUARE)
            assert "#" + bytes(pixels[row, column]).hex() == TILE_COLOURS[kind // 6]
        elif IS_SUN[square]:
            row, column = ((np.array([y, x]) + np.array([HEIGHT, WIDTH]) / 2) * PIXELS_PER_SQUARE).astype(int)
            assert "#" + bytes(pixels[row, column]).hex() == SUN


def test_only_the_rack_of_the_player_to_move_is_drawn():
    table = in_mid_game(3)
    before = to_text(Picture(table.game)), to_svg(Picture(table.game))
    other = (table.player + 1) % 3
    table.game["racks"][other] = table.game["racks"][other][::-1]
    table.game["pools"][:] = -1
    assert (to_text(Picture(table.game)), to_svg(Picture(table.game))) == before


def test_every_action_has_a_name_of_its_own():
    names = [action_name(action) for action in range(ACTIONS)]
    assert len(set(names)) == ACTIONS
    assert names[0] == "place slot 0 on (0, 0)"
    assert names[405] == "shift (0, 0) up"
    assert names[728:730] == ["shift (8, 8) right", "exchange slots 0"]
    assert names[759:] == [
        "exchange slots 0, 1, 2, 3, 4",
        "buy a move with a sunstone",
        "buy a move with two halfstones",
        "buy a wind back",
        "end the turn",
    ]
