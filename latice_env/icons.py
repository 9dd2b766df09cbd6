"""The six shapes and the wind as strokes, the same in SVG and in pixels.

A shape is drawn on a grid from -3 to 3 in both directions, y downwards. A stroke is its width, then its
points ``x,y``; ``;`` parts the strokes.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from takeiteasy_env.canvas import Stroke

_GRID: Final = 7.4
_STROKES: Final = {
    "feather": (
        "0.5 -2.6,2.8 -1.2,0.9 0.4,-0.7 2.6,-2.6; 0.5 -1.2,0.9 -1.9,-0.5 -0.9,-1.6 0.6,-2.4 2.6,-2.6;"
        "0.5 -1.2,0.9 0.3,1.7 1.5,0.9 2.3,-0.6 2.6,-2.6; 0.4 -0.2,-0.1 -0.7,-1.2; 0.4 0.3,-0.5 1.5,-0.1"
    ),
    "bird": (
        "0.8 -3,-0.2 -2.2,-1.6 -1,-1.5 0,0 1,-1.5 2.2,-1.6 3,-0.2; 1.4 0,0 0,0.9;"
        "0.5 0,1 -0.7,2.3 0.7,2.3 0,1; 0.9 0,-0.6 0,-0.9"
    ),
    "turtle": (
        "2.6 0,-0.4 0,0.4; 1.2 0,-2.2 0,-2.5; 0.8 -1.2,-1.2 -2.2,-2; 0.8 1.2,-1.2 2.2,-2;"
        "0.8 -1.2,1.4 -2.2,2.2; 0.8 1.2,1.4 2.2,2.2; 0.5 0,2 0,2.7; 1.6 -0.7,0 0.7,0"
    ),
    "flower": (
        "1.6 0,-1.7 0,-1.6; 1.6 1.65,-0.5 1.6,-0.5; 1.6 1,1.45 1,1.4; 1.6 -1,1.45 -1,1.4;"
        "1.6 -1.65,-0.5 -1.6,-0.5"
    ),
    "gecko": (
        "0.9 0.9,-2.7 0.6,-1.4 0,-0.2 -0.3,0.9 0.4,1.9 1.6,2.6 2.5,2.1; 1.2 0.9,-2.5 0.8,-2.2;"
        "0.5 0.6,-1.4 -0.9,-1.6 -1.6,-2.4; 0.5 0.6,-1.4 2,-0.8 2.6,-1.5; 0.5 -0.3,0.6 -1.8,0.6 -2.4,1.5;"
        "0.5 -0.2,0.7 1.2,0.6 1.7,0"
    ),
    "dolphin": (
        "1.3 1.5,-0.6 0.6,-1.2 -0.5,-0.8 -1.3,0.2; 0.8 1.5,-0.6 2.9,0.4; 0.8 -1.3,0.2 -1.7,1.4;"
        "0.6 -2.9,1.6 -1.7,1.5 -0.9,2.6; 0.6 0.1,-1.2 -0.6,-2.5; 0.6 0.6,-0.6 0.3,0.8"
    ),
    "wind": (
        "0.6 -2.8,-0.9 0.8,-0.9 1.5,-1.5 1,-2.3 0.2,-2.1; 0.6 -2.8,0.3 2,0.3 2.8,-0.4 2.3,-1.1;"
        "0.6 -2,1.5 0.4,1.5 1,2.1 0.5,2.7 -0.1,2.5"
    ),
}


def icon(name: str, x: float, y: float, size: float, colour: str) -> Iterator[Stroke]:
    """The strokes of a shape, or of the wind, in a square of a given size around (x, y)."""
    scale = size / _GRID
    for stroke in _STROKES[name].split(";"):
        width, *points = stroke.split()
        corners = np.array([[float(number) for number in point.split(",")] for point in points])
        yield Stroke(np.array([x, y]) + scale * corners, scale * float(width), colour)
