"""Pictures of a table as text, SVG and pixels."""

from typing import Final

import numpy as np

from latice_env.board import IS_SUN, MOON, NONE, SIDE
from latice_env.picture import HEIGHT, PAGE, TILE_COLOURS, WIDTH, Picture
from latice_env.state import Outcome
from latice_env.tiles import SHAPES, WIND
from takeiteasy_env.canvas import colour_channels, pixels, svg_document

PIXELS_PER_SQUARE: Final = 54
#: A letter for each shape: feather, bird, turtle, flower, gecko, dolphin.
SHAPE_LETTERS: Final = "fbtlgd"
_PLAIN: Final = "\x1b[0m"


def to_text(picture: Picture) -> str:
    """The picture for a terminal that knows 24-bit colours.

    A tile is the letter of its shape on its colour (``l`` is the flower), a wind ``~``; an empty square is
    ``.``, a sun ``*`` and the moon ``(``.
    """
    game = picture.game
    player = int(game["player"])
    lines = [_heading(picture)]
    for row in range(SIDE):
        squares = range(SIDE * row, SIDE * (row + 1))
        lines.append("".join(_square_text(int(game["board"][square]), square) for square in squares))
    rack = "".join(_tile_text(int(tile)) for tile in game["racks"][player] if tile != NONE)
    lines.append(f"rack of player {player}: {rack}")
    lines += [
        f"player {seat}: {game['rack_sizes'][seat]} on the rack, {game['pool_sizes'][seat]} in the pool, "
        f"{game['sunstones'][seat]} sunstones, {game['halfstones'][seat]} halfstones"
        for seat in range(int(game["players"]))
    ]
    return "\n".join(lines)


def to_svg(picture: Picture) -> str:
    """The picture as an SVG document, which needs no font."""
    return svg_document(picture.shapes(), (WIDTH, HEIGHT), PAGE, f"Latice, {_heading(picture)}")


def to_pixels(picture: Picture, pixels_per_square: int = PIXELS_PER_SQUARE) -> np.ndarray:
    """uint8 (H, W, 3): the picture as smooth pixels, which need no display and no library."""
    return pixels(picture.shapes(), (WIDTH, HEIGHT), PAGE, pixels_per_square)


def _heading(picture: Picture) -> str:
    game = picture.game
    discarded = f"{game['discarded']} winds discarded"
    if game["outcome"] == Outcome.PLAYING:
        return f"player {game['player']} to move, {game['moves']} moves, {discarded}"
    winners = " and ".join(str(player) for player in np.flatnonzero(game["winners"]))
    ending = Outcome(int(game["outcome"])).name.lower().replace("_", " ")
    return f"{ending}: player {winners} won, {discarded}"


def _square_text(tile: int, square: int) -> str:
    if tile != NONE:
        return _tile_text(tile)
    return " * " if IS_SUN[square] else " ( " if square == MOON else " . "


def _tile_text(tile: int) -> str:
    if tile == WIND:
        return " ~ "
    colour, shape = divmod(tile, SHAPES)
    red, green, blue = colour_channels(TILE_COLOURS[colour]).astype(int)
    return f"\x1b[38;2;255;255;255;48;2;{red};{green};{blue}m {SHAPE_LETTERS[shape]} {_PLAIN}"
