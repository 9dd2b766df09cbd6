"""One drawing of a table: the board, the rack of the player whose turn it is, and what everybody has.

A square of the board is a unit wide. :mod:`latice_env.render` turns it into text, SVG and pixels.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from latice_env.actions import RACK
from latice_env.board import IS_SUN, MOON, NONE, SIDE, SQUARES
from latice_env.icons import icon
from latice_env.state import Game
from latice_env.tiles import SHAPE_NAMES, SHAPES, WIND
from takeiteasy_env.canvas import Polygon, Stroke, text_shapes

PAGE: Final = "#fbfaf7"
INK: Final = "#2b2d33"
FAINT: Final = "#9a968c"
RIM: Final = "#8d8676"
EMPTY: Final = "#e6e0d3"
SUN: Final = "#f2b632"
MOON_LIGHT: Final = "#f7f5ee"
ICON: Final = "#ffffff"
WIND_TILE: Final = "#b9c3cc"
#: The colour of the tiles of each colour: yellow, navy, purple, red, green, teal.
TILE_COLOURS: Final = ("#d9a400", "#27406f", "#7d4a9e", "#c8402f", "#4d8f36", "#1f9c98")

WIDTH: Final = 13.6
HEIGHT: Final = 11.2
_LEFT: Final = -6.6
_TOP: Final = -5.3
_PANEL: Final = 3.0
_RACK_TOP: Final = 4.05
_HALF_TILE: Final = 0.46

Shapes = Iterator[Polygon | Stroke]


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture shows.

    Attributes:
        game: a game, or a view of it: only what the player to move may see is drawn.
    """

    game: Game

    def shapes(self) -> Shapes:
        """The shapes, those underneath first."""
        left, top = square_centre(0)
        corner = np.array([left - 0.62, top - 0.62])
        yield _box(corner, corner + SIDE + 0.24, RIM)
        for square in range(SQUARES):
            x, y = square_centre(square)
            yield square_shape(x, y, EMPTY)
            tile = int(self.game["board"][square])
            if tile != NONE:
                yield from tile_shapes(x, y, tile)
            elif IS_SUN[square]:
                yield from sun_shapes(x, y)
            elif square == MOON:
                yield from moon_shapes(x, y)
        yield from self._rack()
        for player in range(int(self.game["players"])):
            yield from self._seat(player, _TOP + 1 + 2.1 * player)
        yield from icon("wind", _PANEL + 0.3, _RACK_TOP + 0.6, 0.7, FAINT)
        yield from text_shapes(str(self.game["discarded"]), _PANEL + 1.2, _RACK_TOP + 0.6, 0.4, INK, "left")

    def _rack(self) -> Shapes:
        """The rack of the player to move, below the board."""
        player = int(self.game["player"])
        yield from text_shapes(str(player), _LEFT + 0.5, _RACK_TOP + 0.6, 0.5, INK)
        for slot in range(RACK):
            x, y = _LEFT + 2 + 1.1 * slot, _RACK_TOP + 0.6
            yield square_shape(x, y, EMPTY)
            tile = int(self.game["racks"][player, slot])
            if tile != NONE:
                yield from tile_shapes(x, y, tile)

    def _seat(self, player: int, y: float) -> Shapes:
        """A player's number, tiles on the rack and in the pool, sunstones and halfstones."""
        game, at = self.game, _PANEL + 0.3
        turn = (player == game["player"] and not game["outcome"]) or bool(game["winners"][player])
        yield disc(at, y, 0.42, INK if turn else FAINT)
        yield from text_shapes(str(player), at, y, 0.4, PAGE)
        tiles = f"{game['rack_sizes'][player]}-{game['pool_sizes'][player]}"
        yield from text_shapes(tiles, at + 0.8, y, 0.4, INK, "left")
        yield from sun_shapes(at + 0.05, y + 0.95, 0.7)
        yield from text_shapes(str(game["sunstones"][player]), at + 0.6, y + 0.95, 0.36, INK, "left")
        yield disc(at + 1.65, y + 0.95, 0.24, SUN)
        yield _box(np.array([at + 1.65, y + 0.65]), np.array([at + 1.95, y + 1.25]), PAGE)
        yield from text_shapes(str(game["halfstones"][player]), at + 2.05, y + 0.95, 0.36, INK, "left")


def square_centre(square: int) -> tuple[float, float]:
    """Where a square of the board lies."""
    row, column = divmod(square, SIDE)
    return _LEFT + 0.6 + column, _TOP + 0.6 + row


def square_shape(x: float, y: float, colour: str) -> Polygon:
    """A square around (x, y), with a gap to the next one."""
    corner = np.array([x, y])
    return _box(corner - _HALF_TILE, corner + _HALF_TILE, colour)


def tile_shapes(x: float, y: float, tile: int) -> Shapes:
    """A tile: a coloured square that bears its shape."""
    if tile == WIND:
        yield square_shape(x, y, WIND_TILE)
        yield from icon("wind", x, y, 0.72, INK)
    else:
        colour, shape = divmod(tile, SHAPES)
        yield square_shape(x, y, TILE_COLOURS[colour])
        yield from icon(SHAPE_NAMES[shape], x, y, 0.72, ICON)


def sun_shapes(x: float, y: float, size: float = 0.8) -> Shapes:
    """A sun with eight rays."""
    for angle in np.arange(8) * np.pi / 4:
        ray = np.array([np.cos(angle), np.sin(angle)])
        yield Stroke(np.array([x, y]) + size * np.outer([0.36, 0.48], ray), 0.07 * size, SUN)
    yield disc(x, y, 0.26 * size, SUN)


def moon_shapes(x: float, y: float) -> Shapes:
    """A crescent."""
    yield disc(x, y, 0.3, MOON_LIGHT)
    yield disc(x + 0.13, y - 0.08, 0.24, EMPTY)


def disc(x: float, y: float, radius: float, colour: str) -> Polygon:
    """A disc around (x, y)."""
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    return Polygon(np.column_stack([x + radius * np.cos(angles), y + radius * np.sin(angles)]), colour)


def _box(corner: np.ndarray, opposite: np.ndarray, colour: str) -> Polygon:
    """The rectangle from its upper left to its lower right corner."""
    (left, top), (right, bottom) = corner, opposite
    return Polygon(np.array([[left, top], [right, top], [right, bottom], [left, bottom]]), colour)
