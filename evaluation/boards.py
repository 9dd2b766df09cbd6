"""Boards for a page: each tile, band and cell drawn once as SVG, and what of them a board shows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from takeiteasy_env.board import CELLS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.canvas import SVG_UNITS, Polygon, Stroke, svg_element
from takeiteasy_env.picture import (
    BOARD,
    EMPTY,
    RIM_SIZE,
    TILE_SIZE,
    Picture,
    beyond_line,
    cell_centre,
    hexagon,
    number_shapes,
    scoring_band,
    symbol_shapes,
    tile_shapes,
)
from takeiteasy_env.rules import NONE, Rules
from takeiteasy_env.tiles import NUMBERS, TILES

#: Left, top, width and height of a board, with the points beside its lines and without.
VIEW_BOX: Final = "-450 -505 900 1010"
TIGHT_BOX: Final = "-420 -455 840 910"


def _at(x: float, y: float) -> tuple[int, int]:
    return round(SVG_UNITS * x), round(SVG_UNITS * y)


#: Where each cell lies in an SVG, and where the points of each line are written.
CELL_PLACES: Final = [_at(*cell_centre(cell)) for cell in range(CELLS)]
LINE_PLACES: Final = [_at(*beyond_line(line)) for line in range(len(LINES))]


def symbols(rules: Rules) -> dict[str, str]:
    """What boards are made of, as SVG by id.

    ``tile-T`` and ``numbers-T`` are tile T around the origin, which a scoring band comes between;
    ``band-L-N`` is line L when it scores with number N; ``rim`` and ``cell`` are a cell, to be
    coloured by a style sheet.
    """
    return dict(_symbols(rules))


def _symbols(rules: Rules) -> Iterator[tuple[str, str]]:
    yield "rim", _uncoloured(hexagon(0, 0, RIM_SIZE, BOARD))
    yield "cell", _uncoloured(hexagon(0, 0, TILE_SIZE, EMPTY))
    for tile in range(TILES):
        yield f"tile-{tile}", _svg(tile_shapes(0, 0, tile))
        above: list[Polygon | Stroke] = [*number_shapes(0, 0, tile)]
        if rules.uses_symbols:
            above += symbol_shapes(0, 0, rules.suns[tile])
        yield f"numbers-{tile}", _svg(above)
    for line in range(len(LINES)):
        for number in NUMBERS[line // LINES_PER_DIRECTION]:
            yield f"band-{line}-{number}", _svg(scoring_band(line, number))


def _svg(shapes: Iterable[Polygon | Stroke]) -> str:
    return "".join(map(svg_element, shapes))


def _uncoloured(shape: Polygon) -> str:
    return svg_element(shape).replace(f' fill="{shape.colour}"', "")


@dataclass(frozen=True, slots=True)
class BoardDrawing:
    """What a board shows.

    Attributes:
        tiles: cell and tile of each tile.
        bands: line and number of each line that scores by its number.
        points: line and points of each line that has any.
    """

    tiles: list[tuple[int, int]]
    bands: list[tuple[int, int]]
    points: list[tuple[int, int]]

    @classmethod
    def of(cls, board: np.ndarray, rules: Rules) -> "BoardDrawing":
        """The drawing of an int8 (19,) board."""
        picture = Picture(board, rules=rules)
        tiles = [(cell, int(tile)) for cell, tile in enumerate(board) if tile != NONE]
        return cls(tiles, list(picture.scoring_lines.items()), list(picture.line_points.items()))
