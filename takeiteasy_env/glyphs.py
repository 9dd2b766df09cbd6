"""A font of strokes: the digits and the few letters of a picture, the same in SVG and in pixels.

A glyph is drawn on a grid 4 wide and 6 high, y downwards. A stroke is a list of points ``x,y``; its corners
are rounded, save those marked ``!``, and ``z`` closes it. ``;`` parts the strokes of a glyph.
"""

from functools import cache
from typing import Final

import numpy as np

CAP_HEIGHT: Final = 6.0
_ADVANCE: Final = 5.6
_RADIUS: Final = 2.0
_STEPS: Final = 5

_GLYPHS: Final[dict[str, str]] = {
    "0": "0,0 4,0 4,6 0,6 z",
    "1": "0.7,1.3 2.3,0! 2.3,6",
    "2": "0,1.8 0,0 4,0 4,2.4 0,6! 4,6",
    "3": "0,1.2 0,0 3.8,0 3.8,2.8 1.5,2.8; 1.5,2.8 4,2.8 4,6 0,6 0,4.8",
    "4": "2.7,0 0,4.3! 4,4.3; 3.1,2.7 3.1,6",
    "5": "3.7,0 0.3,0! 0.1,2.8! 4,2.4 4,6 0,6 0,4.8",
    "6": "3.9,1.3 3.9,0 0,0 0,6 4,6 4,2.6 0,2.6 0,4.3",
    "7": "0,0 4,0! 1.5,6",
    "8": "0.3,0 3.7,0 3.7,2.8 0.3,2.8 z; 0,2.8 4,2.8 4,6 0,6 z",
    "9": "0.1,4.7 0.1,6 4,6 4,0 0,0 0,3.4 4,3.4 4,1.7",
    "C": "4,1.5 4,0 0,0 0,6 4,6 4,4.5",
    "E": "3.8,0 0,0! 0,6! 3.8,6; 0,3 3.2,3",
    "N": "0,6 0,0! 4,6! 4,0",
    "O": "0,0 4,0 4,6 0,6 z",
    "R": "0,6 0,0! 4,0 4,3.2 0,3.2; 2.1,3.2 4,6",
    "S": "3.9,1.4 3.9,0 0.1,0 0.1,2.9 4,2.9 4,6 0,6 0,4.6",
    "T": "0,0 4,0; 2,0 2,6",
    "U": "0,0 0,6 4,6 4,0",
    "-": "0.6,3.2 3.4,3.2",
    "/": "3.6,-0.4 0.4,6.4",
    ".": "2,5.9 2,6",
}
#: Glyphs narrower than the grid, by the width they take; the others take ``_ADVANCE``.
_NARROW: Final = {".": 2.4, "1": 4.6}


def text_width(text: str) -> float:
    """How far a text reaches from the first stroke to the last, in grid units."""
    return sum(_advance(character) for character in text) - (_ADVANCE - 4.0)


def text_strokes(text: str) -> list[np.ndarray]:
    """The strokes of a text, each float64 (P, 2) points in grid units, from (0, 0) to the right and down."""
    strokes, left = [], 0.0
    for character in text:
        shift = np.array([left - (4.0 - (_advance(character) - (_ADVANCE - 4.0))) / 2, 0.0])
        strokes += [stroke + shift for stroke in _glyph(character)]
        left += _advance(character)
    return strokes


def _advance(character: str) -> float:
    return _NARROW.get(character, _ADVANCE)


@cache
def _glyph(character: str) -> tuple[np.ndarray, ...]:
    """The strokes of one character, with its corners rounded."""
    return tuple(_rounded(stroke.split()) for stroke in _GLYPHS[character].split(";"))


def _rounded(tokens: list[str]) -> np.ndarray:
    """The points of a stroke, each unlike the one before, every unmarked corner a piece of a parabola."""
    closed = tokens[-1] == "z"
    tokens = tokens[:-1] if closed else tokens
    points = np.array([[float(number) for number in token.rstrip("!").split(",")] for token in tokens])
    last = len(points) - 1
    curve: list[np.ndarray] = []
    for index, (token, corner) in enumerate(zip(tokens, points, strict=True)):
        if token.endswith("!") or (not closed and index in (0, last)):
            curve.append(corner)
            continue
        before, after = points[index - 1], points[(index + 1) % len(points)]
        start = _towards(corner, before, whole=not closed and index == 1)
        end = _towards(corner, after, whole=not closed and index == last - 1)
        t = np.linspace(0.0, 1.0, _STEPS + 1)[:, None]
        curve.extend((1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * end)
    curve = [*curve, curve[0]] if closed else curve
    steps = np.linalg.norm(np.diff(curve, axis=0), axis=1)
    return np.array(curve)[np.concatenate([[True], steps > 1e-9])]


def _towards(corner: np.ndarray, other: np.ndarray, *, whole: bool) -> np.ndarray:
    """Where rounding begins between a corner and its neighbour: at most half-way, unless it ends there."""
    length = float(np.hypot(*(other - corner)))
    return corner + (other - corner) / length * min(_RADIUS, length if whole else length / 2)
