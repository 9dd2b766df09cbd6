"""The board as hexagons in cube coordinates (q, r, s), q + r + s = 0, none farther than 2 from the centre.

q counts columns from left to right, r grows downward within a column. With flat-top hexagons, one step to the
upper right keeps s and one step to the lower right keeps r.
"""

from itertools import product

SHARED_COORDINATE = {"vertical": 0, "rising": 2, "falling": 1}
"""Which of q, r and s all cells of a line in that direction share."""

Hexagon = tuple[int, int, int]

RADIUS = 2
HEXAGONS: list[Hexagon] = sorted(
    (q, r, -q - r) for q, r in product(range(-RADIUS, RADIUS + 1), repeat=2) if abs(q + r) <= RADIUS
)
"""The hexagon of each cell: column by column from the left, each from top to bottom."""


def distance(a: Hexagon, b: Hexagon) -> int:
    """How many steps from one hexagon to another."""
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def neighbours(cell: int) -> set[int]:
    """The cells that share an edge with a cell."""
    return {other for other in range(19) if distance(HEXAGONS[cell], HEXAGONS[other]) == 1}


def line(direction: str, shared: int) -> list[int]:
    """The cells of the line in a direction whose shared coordinate is the one given."""
    axis = SHARED_COORDINATE[direction]
    return [cell for cell, hexagon in enumerate(HEXAGONS) if hexagon[axis] == shared]


LINES: list[tuple[str, list[int]]] = [
    (direction, line(direction, shared))
    for direction in SHARED_COORDINATE
    for shared in range(-RADIUS, RADIUS + 1)
]
"""All 15 lines, each with its direction."""


def half_turn(cell: int) -> int:
    """Where a cell lands when the board is turned by half a turn about its centre."""
    q, r, s = HEXAGONS[cell]
    return HEXAGONS.index((-q, -r, -s))
