"""One drawing of a board: what a picture shows, and its shapes and colours as data.

:mod:`takeiteasy_env.render` turns it into text, SVG, pixels and a window.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import cos, radians, sin, sqrt
from typing import Final

import numpy as np

from takeiteasy_env.board import (
    CELLS,
    COORDINATES,
    DIRECTIONS,
    FALLING,
    LINE_LENGTHS,
    LINES,
    LINES_PER_DIRECTION,
    RISING,
    VERTICAL,
)
from takeiteasy_env.canvas import Polygon, Stroke, text_shapes
from takeiteasy_env.rules import NONE, Rules, scores_of
from takeiteasy_env.tiles import TILE_NUMBERS

PAGE: Final = "#fbfaf7"
INK: Final = "#2b2d33"
FAINT: Final = "#9a968c"
BOARD: Final = "#d8d2c4"
EMPTY: Final = "#efebe2"
BEST: Final = "#cfe8cf"
TILE: Final = "#26282e"
GLOW: Final = "#ffffff"
SUN: Final = "#ffd34d"
MOON: Final = "#e8eaf2"

#: The colour of each number's band.
NUMBER_COLOURS: Final = {
    1: "#b9bdc6",
    5: "#3dbfae",
    9: "#f7cf46",
    2: "#f3a9c0",
    6: "#ea5545",
    7: "#8ccf5a",
    3: "#b58ae0",
    4: "#56aee8",
    8: "#f59331",
}

#: Unit vectors along the lines, towards the end that bears the number: up, down left and down right.
_TOWARDS_NUMBER: Final = {
    VERTICAL: (0.0, -1.0),
    RISING: (-cos(radians(30)), sin(radians(30))),
    FALLING: (cos(radians(30)), sin(radians(30))),
}
_INRADIUS: Final = sqrt(3) / 2
#: Radii of a tile or empty cell, and of the board's rim around it.
TILE_SIZE: Final = 0.95
RIM_SIZE: Final = 1.1
_BAND: Final = 0.19
_HAND: Final = (3.95, -3.75)
_LEFT: Final = -4.9

#: Width and height of a picture in cell radii; the centre of the board is the origin.
WIDTH: Final = 10.4
HEIGHT: Final = 9.9
#: bool (15, 19): whether a cell lies on a line.
_ON_LINE: Final = np.array([[cell in line for cell in range(CELLS)] for line in LINES])


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture shows of one board.

    Attributes:
        board: int8 (19,), the tile on each cell, -1 for none.
        tile: the tile in hand, -1 for none.
        rules: they decide the score, and whether suns and moons are drawn.
        values: float (19,), a number to write into each empty cell, such as an agent's value of it; cells
            whose value is not finite stay plain. None for no numbers.
    """

    board: np.ndarray
    tile: int = NONE
    rules: Rules = field(default_factory=Rules)
    values: np.ndarray | None = None

    @property
    def score(self) -> int:
        """Points on the board."""
        return int(scores_of(self.board[None], self.rules)[0])

    @property
    def turn(self) -> int:
        """The turn, 1-19: that of the tile in hand, or the last one played."""
        return int((self.board != NONE).sum()) + (self.tile != NONE)

    @property
    def scoring_lines(self) -> dict[int, int]:
        """The number of each line whose tiles all bear the same number in the line's direction."""
        points = self._line_points(Rules())
        return {int(line): int(points[line] // LINE_LENGTHS[line]) for line in np.flatnonzero(points)}

    @property
    def line_points(self) -> dict[int, int]:
        """The points of each line that has any, its rays included."""
        points = self._line_points(self.rules)
        return {int(line): int(points[line]) for line in np.flatnonzero(points)}

    @property
    def written_values(self) -> dict[int, float]:
        """The value of each empty cell that has a finite one."""
        if self.values is None:
            return {}
        cells = np.flatnonzero((self.board == NONE) & np.isfinite(self.values))
        return {int(cell): float(self.values[cell]) for cell in cells}

    def _line_points(self, rules: Rules) -> np.ndarray:
        """int32 (15,): a line's points are those of the board with all other cells taken away."""
        return scores_of(np.where(_ON_LINE, self.board, NONE).astype(np.int8), rules)

    def shapes(self) -> Iterator[Polygon | Stroke]:
        """The shapes, those underneath first."""
        for x, y in map(cell_centre, range(CELLS)):
            yield hexagon(x, y, RIM_SIZE, BOARD)
        values = self.written_values
        best = max(values, key=values.__getitem__, default=NONE)
        for cell in range(CELLS):
            x, y = cell_centre(cell)
            if self.board[cell] == NONE:
                yield hexagon(x, y, TILE_SIZE, BEST if cell == best else EMPTY)
            else:
                yield from tile_shapes(x, y, int(self.board[cell]))
        for line, number in self.scoring_lines.items():
            yield from scoring_band(line, number)
        for cell in range(CELLS):
            x, y = cell_centre(cell)
            if self.board[cell] != NONE:
                yield from number_shapes(x, y, int(self.board[cell]))
                yield from self._symbol(x, y, int(self.board[cell]))
            elif cell in values:
                yield from text_shapes(f"{values[cell]:.1f}", x, y, 0.3, INK)
        for line, points in self.line_points.items():
            x, y = beyond_line(line)
            yield from text_shapes(str(points), x, y, 0.26, INK)
        yield from self._margins()

    def _margins(self) -> Iterator[Polygon | Stroke]:
        """The score, the turn and the tile in hand, in the corners that the board leaves free."""
        yield from text_shapes("SCORE", _LEFT, -4.4, 0.22, FAINT, anchor="left")
        yield from text_shapes(f"{self.score}", _LEFT, -3.8, 0.66, INK, anchor="left")
        yield from text_shapes("TURN", _LEFT, 3.82, 0.22, FAINT, anchor="left")
        yield from text_shapes(f"{self.turn}/{CELLS}", _LEFT, 4.36, 0.46, INK, anchor="left")
        if self.tile != NONE:
            x, y = _HAND
            yield hexagon(x, y, RIM_SIZE, BOARD)
            yield from tile_shapes(x, y, self.tile)
            yield from number_shapes(x, y, self.tile)
            yield from self._symbol(x, y, self.tile)

    def _symbol(self, x: float, y: float, tile: int) -> Iterator[Polygon]:
        """The sun or moon of a tile, where the rules use them."""
        if self.rules.uses_symbols:
            yield from symbol_shapes(x, y, self.rules.suns[tile])


def cell_centre(cell: int) -> tuple[float, float]:
    """Where a cell lies, in cell radii from the centre of the board."""
    column, height = COORDINATES[cell]
    return 1.5 * column, _INRADIUS * height


def hexagon(x: float, y: float, radius: float, colour: str) -> Polygon:
    """A flat-top hexagon around (x, y)."""
    return _regular_polygon(6, x, y, radius, colour)


def _disc(x: float, y: float, radius: float, colour: str) -> Polygon:
    return _regular_polygon(24, x, y, radius, colour)


def _regular_polygon(corners: int, x: float, y: float, radius: float, colour: str) -> Polygon:
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    return Polygon(np.column_stack([x + radius * np.cos(angles), y + radius * np.sin(angles)]), colour)


def _band(start: np.ndarray, end: np.ndarray, half_width: float, colour: str) -> Polygon:
    """A straight band from ``start`` to ``end``, cut off at right angles."""
    along = (end - start) / np.hypot(*(end - start))
    across = half_width * np.array([-along[1], along[0]])
    return Polygon(np.array([start - across, end - across, end + across, start + across]), colour)


def tile_shapes(x: float, y: float, tile: int) -> Iterator[Polygon]:
    """A tile with its three bands, without the numbers."""
    yield hexagon(x, y, TILE_SIZE, TILE)
    centre = np.array([x, y])
    for direction in range(DIRECTIONS):
        reach = _INRADIUS * TILE_SIZE * np.array(_TOWARDS_NUMBER[direction])
        yield _band(centre - reach, centre + reach, _BAND + 0.03, TILE)
        colour = NUMBER_COLOURS[int(TILE_NUMBERS[tile, direction])]
        yield _band(centre - reach, centre + reach, _BAND, colour)


def number_shapes(x: float, y: float, tile: int) -> Iterator[Stroke]:
    """The three numbers of a tile, each at the end of its band."""
    for direction in range(DIRECTIONS):
        dx, dy = _TOWARDS_NUMBER[direction]
        yield from text_shapes(str(TILE_NUMBERS[tile, direction]), x + 0.6 * dx, y + 0.6 * dy, 0.25, TILE)


def symbol_shapes(x: float, y: float, sun: bool) -> Iterator[Polygon]:
    """The sun or moon of a tile, at its right corner."""
    x += 0.76
    yield _disc(x, y, 0.125, SUN if sun else MOON)
    if not sun:
        yield _disc(x + 0.06, y - 0.035, 0.1, TILE)


def _line_ends(line: int) -> tuple[np.ndarray, np.ndarray]:
    """The outer edges of a line's first and last cell; its numbers are at the ends towards the last."""
    towards = np.array(_TOWARDS_NUMBER[line // LINES_PER_DIRECTION])
    first, last = sorted(
        (np.array(cell_centre(cell)) for cell in (LINES[line][0], LINES[line][-1])),
        key=lambda centre: float(centre @ towards),
    )
    return first - _INRADIUS * towards, last + _INRADIUS * towards


def scoring_band(line: int, number: int) -> Iterator[Polygon]:
    """The band of a line that scores with a number, without gaps and in a bright frame."""
    start, end = _line_ends(line)
    yield _band(start, end, _BAND + 0.06, GLOW)
    yield _band(start, end, _BAND, NUMBER_COLOURS[number])


def beyond_line(line: int) -> np.ndarray:
    """Where a line's points are written: past the end where its numbers are."""
    return _line_ends(line)[1] + 0.36 * np.array(_TOWARDS_NUMBER[line // LINES_PER_DIRECTION])
