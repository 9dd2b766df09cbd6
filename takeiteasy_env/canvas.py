"""Drawings as data: polygons and strokes in units of their own, and what SVG and pixels make of them.

A drawing's origin is the centre of the picture; x grows to the right and y downwards.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numba import njit

from takeiteasy_env.glyphs import CAP_HEIGHT, text_strokes, text_width

SVG_UNITS: Final = 100


@dataclass(frozen=True, slots=True)
class Polygon:
    """A convex area: float64 (P, 2) corners, clockwise, in units of the drawing, and a colour ``#rrggbb``."""

    points: np.ndarray
    colour: str


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line with round ends and joints: float64 (P, 2) points and a width in units of the drawing."""

    points: np.ndarray
    width: float
    colour: str


def text_shapes(
    text: str, x: float, y: float, size: float, colour: str, anchor: Literal["centre", "left"] = "centre"
) -> Iterator[Stroke]:
    """A text of a given height whose middle, or left end, is at (x, y), in the font of strokes."""
    scale = size / CAP_HEIGHT
    left = x - scale * text_width(text) / 2 if anchor == "centre" else x
    corner = np.array([left, y - size / 2])
    for points in text_strokes(text):
        yield Stroke(corner + scale * points, 0.17 * size, colour)


def svg_document(
    shapes: Iterable[Polygon | Stroke], size: tuple[float, float], background: str, title: str
) -> str:
    """An SVG document of shapes, which needs no font.

    Args:
        shapes: those underneath first.
        size: width and height in units of the drawing.
        background: a colour ``#rrggbb``.
        title: what the document is called.
    """
    width, height = size
    left, top, across, down = (f"{SVG_UNITS * side:g}" for side in (-width / 2, -height / 2, width, height))
    elements = "\n".join(svg_element(shape) for shape in shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {across} {down}" '
        'fill="none" stroke-linecap="round" stroke-linejoin="round">\n'
        f"<title>{title}</title>\n"
        f'<rect x="{left}" y="{top}" width="{across}" height="{down}" fill="{background}"/>\n'
        f"{elements}\n</svg>\n"
    )


def svg_element(shape: Polygon | Stroke) -> str:
    """The element of one shape, 100 SVG units to a unit of the drawing."""
    points = " ".join(f"{x:.0f},{y:.0f}" for x, y in SVG_UNITS * shape.points)
    if isinstance(shape, Polygon):
        return f'<polygon points="{points}" fill="{shape.colour}"/>'
    width = SVG_UNITS * shape.width
    return f'<polyline points="{points}" stroke="{shape.colour}" stroke-width="{width:.1f}"/>'


def pixels(
    shapes: Iterable[Polygon | Stroke], size: tuple[float, float], background: str, pixels_per_unit: int
) -> np.ndarray:
    """uint8 (H, W, 3): shapes as smooth pixels; the arguments are those of :func:`svg_document`."""
    width, height = size
    canvas = np.empty((round(pixels_per_unit * height), round(pixels_per_unit * width), 3))
    canvas[:] = colour_channels(background)
    for shape in shapes:
        points = pixels_per_unit * (shape.points + np.array(size) / 2)
        half_width = pixels_per_unit * shape.width / 2 if isinstance(shape, Stroke) else 0.0
        _paint(canvas, points, isinstance(shape, Polygon), half_width, colour_channels(shape.colour))
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


def colour_channels(colour: str) -> np.ndarray:
    """float64 (3,) red, green and blue, 0-255, of a colour ``#rrggbb``."""
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], dtype=np.float64)
