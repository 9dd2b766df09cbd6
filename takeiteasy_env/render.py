"""Pictures of a board as text, SVG, pixels and a window."""

from typing import Any, Final

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numba import njit

from takeiteasy_env.board import CELL_LINES, CELLS, COORDINATES
from takeiteasy_env.picture import HEIGHT, NUMBER_COLOURS, PAGE, TILE, WIDTH, Picture, Polygon, Stroke
from takeiteasy_env.rules import NONE
from takeiteasy_env.tiles import TILE_CODES, TILE_NUMBERS

PIXELS_PER_RADIUS: Final = 54
SVG_UNITS: Final = 100
#: Where a picture's origin, the centre of the board, lies, in cell radii from the upper left.
_ORIGIN: Final = np.array([WIDTH, HEIGHT]) / 2
_PLAIN, _FAINT = "\x1b[0m", "\x1b[2m"
_HEXAGON: Final = ("  _____  ", " /     \\ ", "/       \\", "\\       /", " \\_____/ ")


def to_text(picture: Picture) -> str:
    """The picture for a terminal that knows 24-bit colours.

    A tile is written vertical-rising-falling, its numbers on their colours where their lines score. An empty
    cell shows its value, or else its index.
    """
    rows = [[" "] * 37 for _ in range(21)]
    labels = _labels(picture)
    for cell, (column, height) in enumerate(COORDINATES):
        top, left = 2 * (height + 4), 7 * (column + 2)
        for row, line in enumerate(_HEXAGON):
            for offset, character in enumerate(line):
                if character != " ":
                    rows[top + row][left + offset] = character
        start = left + 4 - len(labels[cell]) // 2
        rows[top + 2][start : start + len(labels[cell])] = labels[cell]
        if picture.rules.uses_symbols and picture.board[cell] != NONE:
            rows[top + 3][left + 4] = _symbol(picture, int(picture.board[cell]))
    heading = f"turn {picture.turn} of {CELLS}, {picture.score} points"
    if picture.tile != NONE:
        symbol = f" {_symbol(picture, picture.tile)}" if picture.rules.uses_symbols else ""
        heading += f", in hand {TILE_CODES[picture.tile]}{symbol}"
    return "\n".join([heading, *("".join(row).rstrip() for row in rows)])


def _labels(picture: Picture) -> list[list[str]]:
    """What is written into each cell, one string for each column of the terminal."""
    scoring, values = set(picture.scoring_lines), picture.written_values
    labels = []
    for cell, tile in enumerate(picture.board):
        if tile != NONE:
            labels.append(
                [
                    _coloured(int(number), on_band=int(line) in scoring)
                    for number, line in zip(TILE_NUMBERS[tile], CELL_LINES[cell], strict=True)
                ]
            )
        elif cell in values:
            labels.append(list(f"{values[cell]:.1f}"))
        else:
            labels.append([f"{_FAINT}{digit}{_PLAIN}" for digit in str(cell)])
    return labels


def _coloured(number: int, *, on_band: bool) -> str:
    """A number in its colour, or dark on its colour."""
    colour = NUMBER_COLOURS[number]
    escape = (
        _terminal_colour(38, TILE) + _terminal_colour(48, colour) if on_band else _terminal_colour(38, colour)
    )
    return f"{escape}{number}{_PLAIN}"


def _symbol(picture: Picture, tile: int) -> str:
    return "☀" if picture.rules.suns[tile] else "☾"


def _terminal_colour(ground: int, colour: str) -> str:
    """The escape sequence that sets the foreground (38) or the background (48)."""
    red, green, blue = _rgb(colour).astype(int)
    return f"\x1b[{ground};2;{red};{green};{blue}m"


def to_svg(picture: Picture) -> str:
    """The picture as an SVG document, which needs no font."""
    left, top, width, height = (f"{SVG_UNITS * side:g}" for side in (-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT))
    elements = "\n".join(svg_element(shape) for shape in picture.shapes())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {width} {height}" '
        'fill="none" stroke-linecap="round" stroke-linejoin="round">\n'
        f"<title>Take It Easy!, turn {picture.turn} of {CELLS}, {picture.score} points</title>\n"
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="{PAGE}"/>\n{elements}\n</svg>\n'
    )


def svg_element(shape: Polygon | Stroke) -> str:
    """The element of one shape, in units of which a cell radius has 100, around the picture's origin."""
    pixels = SVG_UNITS * shape.points
    points = " ".join(f"{x:.0f},{y:.0f}" for x, y in pixels)
    if isinstance(shape, Polygon):
        return f'<polygon points="{points}" fill="{shape.colour}"/>'
    width = SVG_UNITS * shape.width
    return f'<polyline points="{points}" stroke="{shape.colour}" stroke-width="{width:.1f}"/>'


def to_pixels(picture: Picture, pixels_per_radius: int = PIXELS_PER_RADIUS) -> np.ndarray:
    """uint8 (H, W, 3): the picture as smooth pixels, which need no display and no library."""
    canvas = np.empty((round(pixels_per_radius * HEIGHT), round(pixels_per_radius * WIDTH), 3))
    canvas[:] = _rgb(PAGE)
    for shape in picture.shapes():
        points = pixels_per_radius * (shape.points + _ORIGIN)
        half_width = pixels_per_radius * shape.width / 2 if isinstance(shape, Stroke) else 0.0
        _paint(canvas, points, isinstance(shape, Polygon), half_width, _rgb(shape.colour))
    return np.rint(canvas).astype(np.uint8)


@njit(cache=True)
def _paint(
    canvas: np.ndarray, points: np.ndarray, filled: bool, half_width: float, colour: np.ndarray
) -> None:
    """Blend a polygon or a line into the canvas: a pixel takes as much of the colour as it is covered."""
    rows, columns, _ = canvas.shape
    margin = half_width + 1
    left, right = max(points[:, 0].min() - margin, 0), min(points[:, 0].max() + margin, columns)
    top, bottom = max(points[:, 1].min() - margin, 0), min(points[:, 1].max() + margin, rows)
    for row in range(int(top), int(bottom)):
        for column in range(int(left), int(right)):
            x, y = column + 0.5, row + 0.5
            distance = _distance_outside(points, x, y) if filled else _distance_off(points, x, y)
            coverage = min(max(0.5 + half_width - distance, 0.0), 1.0)
            for channel in range(3):
                canvas[row, column, channel] += coverage * (colour[channel] - canvas[row, column, channel])


@njit(cache=True)
def _distance_outside(points: np.ndarray, x: float, y: float) -> float:
    """How far (x, y) lies outside the edges of a convex polygon, negative inside."""
    distance = -np.inf
    for end in range(len(points)):
        dx, dy = points[end, 0] - points[end - 1, 0], points[end, 1] - points[end - 1, 1]
        cross = (x - points[end, 0]) * dy - (y - points[end, 1]) * dx
        distance = max(distance, cross / np.hypot(dx, dy))
    return distance


@njit(cache=True)
def _distance_off(points: np.ndarray, x: float, y: float) -> float:
    """How far (x, y) lies from the nearest point of a line of straight pieces."""
    nearest = np.inf
    for end in range(1, len(points)):
        dx, dy = points[end, 0] - points[end - 1, 0], points[end, 1] - points[end - 1, 1]
        from_x, from_y = x - points[end - 1, 0], y - points[end - 1, 1]
        part = min(max((from_x * dx + from_y * dy) / (dx * dx + dy * dy), 0.0), 1.0)
        nearest = min(nearest, np.hypot(from_x - part * dx, from_y - part * dy))
    return nearest


def _rgb(colour: str) -> np.ndarray:
    """float64 (3,) red, green and blue, 0-255, of a colour ``#rrggbb``."""
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], dtype=np.float64)


class Window:
    """A window that shows pictures; needs pygame-ce.

    Raises:
        DependencyNotInstalled: when it is missing.
    """

    def __init__(self, title: str, frames_per_second: int) -> None:
        try:
            import pygame
        except ImportError:
            raise DependencyNotInstalled(
                'a window needs pygame-ce: python -m pip install "takeiteasy-env[human]"'
            ) from None
        self._pygame: Any = pygame
        self._frames_per_second = frames_per_second
        pygame.display.init()
        pygame.display.set_caption(title)
        self._surface = pygame.display.set_mode(
            (round(PIXELS_PER_RADIUS * WIDTH), round(PIXELS_PER_RADIUS * HEIGHT))
        )
        self._clock = pygame.time.Clock()

    def show(self, picture: Picture) -> None:
        """Show a picture and wait until it is time for the next."""
        self._pygame.surfarray.blit_array(self._surface, to_pixels(picture).swapaxes(0, 1))
        self._pygame.event.pump()
        self._pygame.display.flip()
        self._clock.tick(self._frames_per_second)

    def close(self) -> None:
        """Close the window."""
        self._pygame.display.quit()
