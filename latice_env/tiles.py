"""The 84 tiles: 36 kinds of colour tile, two of each, and twelve winds.

The kind of a colour tile is ``6 * colour + shape``, 0 to 35; a wind is 36. (Rules page, "Parts".)
"""

from typing import Final

import numpy as np

COLOUR_NAMES: Final = ("yellow", "navy", "purple", "red", "green", "teal")
SHAPE_NAMES: Final = ("feather", "bird", "turtle", "flower", "gecko", "dolphin")
COLOURS: Final = len(COLOUR_NAMES)
SHAPES: Final = len(SHAPE_NAMES)
WIND: Final = COLOURS * SHAPES
KINDS: Final = WIND + 1
WINDS: Final = 12
#: int8 (37,): how many tiles there are of each kind.
COPIES: Final = np.array([2] * WIND + [WINDS], dtype=np.int8)
#: int8 (84,): all tiles by kind, the winds last.
ALL_TILES: Final = np.repeat(np.arange(KINDS, dtype=np.int8), COPIES)
TILES: Final = len(ALL_TILES)


def tile_name(kind: int) -> str:
    """What a kind is called: ``red bird`` or ``wind``."""
    if kind == WIND:
        return "wind"
    colour, shape = divmod(kind, SHAPES)
    return f"{COLOUR_NAMES[colour]} {SHAPE_NAMES[shape]}"
