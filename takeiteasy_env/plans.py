"""Plans: which lines shall be full of what. The best board is sought among plans rather than among boards.

The lines come in families: the vertical, the rising and the falling ones by their numbers and, where rays
count, all 15 lines by their symbols. A *plan* of a family names for each of its lines the number or the
symbol that shall fill it, or nothing. It is worth the points of those lines, and claims their cells for tiles
of that kind. Every board keeps one plan of each family, that of the lines that it scores, and its score is
the sum of their points; any board that keeps given plans scores that sum or more.

The tiles of a game go by their turns, 0-18: a set of tiles is an integer of 19 bits.
"""

from functools import cache
from typing import Final, NamedTuple

import numpy as np

from takeiteasy_env.board import ALL_CELLS, CELLS, DIRECTIONS, HALF_TURN, LINE_MASKS, LINES_PER_DIRECTION
from takeiteasy_env.rules import MOONBEAM_POINTS, SUNRAY_POINTS, Rules
from takeiteasy_env.tiles import NUMBERS, TILE_RANKS

ALL_TURNS: Final = ALL_CELLS
#: A family begins where a word of 32 plans begins, see :mod:`takeiteasy_env.branch_and_bound`.
PLANS_PER_WORD: Final = 32


class Plans(NamedTuple):
    """The plans of all families, one family after the other, in each of them those of more points first.

    Attributes:
        points: int64 (P,).
        turns: int64 (P, 19), the tiles that each plan lets on each cell, as sets.
        begin: int64 (F,), the first plan of each family; it is a multiple of ``PLANS_PER_WORD``.
        end: int64 (F,), the first behind its last one.
    """

    points: np.ndarray
    turns: np.ndarray
    begin: np.ndarray
    end: np.ndarray


class Family(NamedTuple):
    """Lines that are planned together, as sets of cells, and the points of a cell of each kind of tile."""

    lines: tuple[int, ...]
    points: tuple[int, ...]


#: The families of the three directions, by rank, then that of the rays: suns and moons.
RAYS: Final = DIRECTIONS
_LINES: Final = tuple(LINE_MASKS.tolist())
_FAMILIES: Final = (
    *(
        Family(_LINES[LINES_PER_DIRECTION * direction :][:LINES_PER_DIRECTION], numbers)
        for direction, numbers in enumerate(NUMBERS)
    ),
    Family(_LINES, (SUNRAY_POINTS, MOONBEAM_POINTS)),
)


def plans_of(order: np.ndarray, rules: Rules, placed: np.ndarray) -> Plans:
    """All plans that the tiles of a game are enough for and that the first placements allow.

    While nothing is placed a board and its half turn are as good; then of two plans of the vertical lines
    that are each other's half turn only one is there.

    Args:
        order: int8 (19,), the tiles in the order they are drawn.
        rules: the rules, for a player alone.
        placed: int64 (M,), the cells of the first M tiles.
    """
    allowed = np.full(CELLS, ALL_TURNS & -1 << len(placed), dtype=np.int64)
    allowed[placed] = 1 << np.arange(len(placed))
    symbols = np.where(np.array(rules.suns)[order], 0, 1)
    kinds = [*TILE_RANKS[order].T, symbols][: RAYS + rules.code.sunrays]
    families = [
        _family_plans(family, own, allowed, family == 0 and not len(placed))
        for family, own in enumerate(kinds)
    ]
    sizes = np.array([len(points) for points, _ in families])
    room = -(-sizes // PLANS_PER_WORD) * PLANS_PER_WORD
    begin = np.cumsum(room) - room
    plans = Plans(
        points=np.zeros(room.sum(), dtype=np.int64),
        turns=np.zeros((room.sum(), CELLS), dtype=np.int64),
        begin=begin,
        end=begin + sizes,
    )
    for first, end, (points, turns) in zip(plans.begin, plans.end, families, strict=True):
        plans.points[first:end] = points
        plans.turns[first:end] = turns
    return plans


def _family_plans(
    family: int, kinds: np.ndarray, allowed: np.ndarray, up_to_half_turn: bool
) -> tuple[np.ndarray, np.ndarray]:
    """int64 (P,) and (P, 19): the points of a family's plans and the tiles they let on each cell.

    Args:
        family: a direction, or ``RAYS``.
        kinds: int (19,), the kind of each tile: the rank of its number, or 0 for a sun and 1 for a moon.
        allowed: int64 (19,), the tiles that may lie on each cell in any case.
        up_to_half_turn: leave out one of two plans that are each other's half turn.
    """
    own = np.arange(len(_FAMILIES[family].points)) == kinds[:, None]
    points, claims = _points_and_claims(family, tuple(own.sum(axis=0).tolist()), up_to_half_turn)
    bearers = own.T @ (1 << np.arange(CELLS))
    turns = np.tile(allowed, (len(points), 1))
    for kind, bears in enumerate(bearers):
        turns &= np.where(claims[:, kind, None] >> np.arange(CELLS) & 1, bears, ALL_TURNS)
    possible = turns.all(axis=1)
    return points[possible], turns[possible]


@cache
def _points_and_claims(
    family: int, supplies: tuple[int, ...], up_to_half_turn: bool
) -> tuple[np.ndarray, np.ndarray]:
    """int64 (P,) and (P, K): the points of a family's plans and the cells they claim for each kind.

    ``supplies`` says how many tiles of each kind there are. Where lines cross, claims may fill others by the
    way; plans are told apart by their claims alone and have the points of all lines that these fill.
    """
    lines, values = _FAMILIES[family]
    plans = {(0,) * len(values)}
    for line in lines:
        for claims in plans.copy():
            for kind, supply in enumerate(supplies):
                others = sum(claims) - claims[kind]  # no cell is claimed twice
                wider = claims[kind] | line
                if not line & others and wider.bit_count() <= supply:
                    plans.add((*claims[:kind], wider, *claims[kind + 1 :]))
    points = {
        claims: sum(
            line.bit_count() * value
            for claim, value in zip(claims, values, strict=True)
            for line in lines
            if not line & ~claim
        )
        for claims in plans
        if not up_to_half_turn or claims <= tuple(_turned(claim) for claim in claims)
    }
    best_first = sorted(points, key=lambda claims: (-points[claims], claims))
    return np.array([points[claims] for claims in best_first]), np.array(best_first)


def _turned(cells: int) -> int:
    """A set of cells after a half turn of the board."""
    return sum(1 << int(HALF_TURN[cell]) for cell in range(CELLS) if cells >> cell & 1)
