"""Pictures of a board as text, SVG, pixels and a window."""

from typing import Any, Final

import numpy as np
from gymnasium.error import DependencyNotInstalled

from takeiteasy_env.board import CELL_LINES, CELLS, COORDINATES
from takeiteasy_env.canvas import colour_channels, pixels, svg_document
from takeiteasy_env.picture import HEIGHT, NUMBER_COLOURS, PAGE, TILE, WIDTH, Picture
from takeiteasy_env.rules import NONE
from takeiteasy_env.tiles import TILE_CODES, TILE_NUMBERS

PIXELS_PER_RADIUS: Final = 54
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
    red, green, blue = colour_channels(colour).astype(int)
    return f"\x1b[{ground};2;{red};{green};{blue}m"


def to_svg(picture: Picture) -> str:
    """The picture as an SVG document, which needs no font."""
    title = f"Take It Easy!, turn {picture.turn} of {CELLS}, {picture.score} points"
    return svg_document(picture.shapes(), (WIDTH, HEIGHT), PAGE, title)


def to_pixels(picture: Picture, pixels_per_radius: int = PIXELS_PER_RADIUS) -> np.ndarray:
    """uint8 (H, W, 3): the picture as smooth pixels, which need no display and no library."""
    return pixels(picture.shapes(), (WIDTH, HEIGHT), PAGE, pixels_per_radius)


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
