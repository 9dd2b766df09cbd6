"""The rules of Take It Easy!, once: which rules are played, and the game as pure functions.

A board is a *bitboard*, eleven sets of cells in one int32 row: the filled cells, the cells of each of
the nine numbers, and the cells that bear a sun. On it every question of the rules is a few bit
operations: a line is complete for a number when ``line & ~cells_of_number == 0``.

The functions are compiled by Numba and run as plain Python too (``NUMBA_DISABLE_JIT=1`` or ``.py_func``).
Those named in the singular ask about one board; the others loop over many games and write into arrays.
Without Numba an int8 would overflow when shifted: hence each ``int`` beside a shift.
All points are points of the game. Source: the rules page, "Scoring" to "Players and rounds".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, SupportsIndex

import numpy as np
from numba import njit

from takeiteasy_env.board import (
    ALL_CELLS,
    CELL_LINES,
    CELLS,
    DIRECTIONS,
    LINE_LENGTHS,
    LINE_MASKS,
    LINES,
    LINES_PER_DIRECTION,
    NEIGHBOURS,
)
from takeiteasy_env.tiles import DEFAULT_SUNS, NUMBERS, RANKS, TILE_RANKS, TILES, tile_indices

PLACEMENTS: Final = ("free", "adjacent", "sun_moon")
#: What a board scores by itself; at a table its best rays may be compared with the others' besides.
SCORINGS: Final = ("standard", "sunrays")
TABLE_SCORINGS: Final = (*SCORINGS, "best_ray")
SUNRAY_POINTS: Final = 7
MOONBEAM_POINTS: Final = 6
#: For the best Sunray of a table, and again for its best Moonbeam.
BEST_RAY_POINTS: Final = 60
NONE: Final = -1

#: Columns of a bitboard: the filled cells, then ``FIRST_NUMBER + 3 * direction + rank``, then the suns.
FILLED: Final = 0
FIRST_NUMBER: Final = 1
SUNS: Final = FIRST_NUMBER + DIRECTIONS * RANKS
BITBOARD: Final = SUNS + 1

FREE, ADJACENT, SUN_MOON = range(len(PLACEMENTS))
_CELL_LINE_MASKS: Final = LINE_MASKS[CELL_LINES]
_CELL_LINE_LENGTHS: Final = LINE_LENGTHS[CELL_LINES]
_NUMBER_VALUES: Final = np.array(NUMBERS, dtype=np.int32)
#: What the indices of neighbours differ by, each with the lower cells of such pairs, as a set of cells.
_STEPS: Final = tuple(
    (step, sum(1 << cell for cell in range(CELLS) if NEIGHBOURS[cell] >> cell + step & 1))
    for step in (1, 3, 4, 5)
)


class RuleCode(NamedTuple):
    """What the compiled functions read of :class:`Rules`: plain integers.

    ``sunrays`` says whether every ray scores, ``rays`` whether any does, in ``sunrays`` or in ``best_ray``.
    """

    placement: int
    sunrays: int
    rays: int
    suns: int


@dataclass(frozen=True, slots=True)
class Rules:
    """Which game is played: a placement variant, a scoring variant and the map of the suns.

    Args:
        placement: ``free`` (any empty cell), ``adjacent`` (next to a tile already placed) or ``sun_moon``
            (next to a tile when the symbol equals that of the tile drawn just before).
        scoring: ``standard``; ``sunrays``: 7 points a tile more for every line that is all suns and 6 for
            every line that is all moons; or ``best_ray``: a board by itself scores as in ``standard``, and
            the players with the best rays of the table get bonuses, see :func:`bonuses_of`.
        suns: 27 flags in tile order, or the tiles that are suns, by index or as written (``978``). The
            default is a decision, not taken from the box: see :data:`takeiteasy_env.tiles.DEFAULT_SUNS`.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """

    placement: str = "free"
    scoring: str = "standard"
    suns: tuple[bool, ...] = DEFAULT_SUNS

    def __post_init__(self) -> None:
        if self.placement not in PLACEMENTS:
            raise ValueError(f"unknown placement {self.placement!r}: choose one of {', '.join(PLACEMENTS)}")
        if self.scoring not in TABLE_SCORINGS:
            raise ValueError(f"unknown scoring {self.scoring!r}: choose one of {', '.join(TABLE_SCORINGS)}")
        object.__setattr__(self, "suns", sun_flags(self.suns))

    @property
    def name(self) -> str:
        """The variants played, joined by ``_``: ``standard``, ``adjacent``, ``sun_moon_sunrays``, ..."""
        parts = [part for part in (self.placement, self.scoring) if part not in ("free", "standard")]
        return "_".join(parts) or "standard"

    @property
    def uses_symbols(self) -> bool:
        """Whether suns and moons matter, for placing or for scoring."""
        return self.placement == "sun_moon" or self.scoring != "standard"

    @property
    def players(self) -> range:
        """How many may play: 1 to 8, or 2 to 6 where the best rays are compared."""
        return range(2, 7) if self.scoring == "best_ray" else range(1, 9)

    def same_game_as(self, other: "Rules") -> bool:
        """Whether both are one game: the map of the suns counts only where symbols matter."""
        suns = self.suns == other.suns or not self.uses_symbols
        return suns and (self.placement, self.scoring) == (other.placement, other.scoring)

    @property
    def code(self) -> RuleCode:
        """These rules as the compiled functions read them."""
        return RuleCode(
            placement=PLACEMENTS.index(self.placement),
            sunrays=int(self.scoring == "sunrays"),
            rays=int(self.scoring != "standard"),
            suns=sum(1 << tile for tile, sun in enumerate(self.suns) if sun),
        )


def sun_flags(suns: Iterable[SupportsIndex | str]) -> tuple[bool, ...]:
    """27 flags in tile order, from 27 flags or from the tiles that are suns (indices, or as written).

    A flag is True or False, or 1 or 0. No tile comes twice, so three values or more that are all 0 or 1 are
    flags; none at all means that no tile is a sun.

    Raises:
        ValueError: for another number of flags, an unknown tile or one named twice.
    """
    values = list(suns)
    if len(values) > 2 and all(value in (0, 1) for value in values):
        if len(values) != TILES:
            raise ValueError(
                f"suns has {len(values)} flags: give {TILES} flags in tile order, or the tiles that are suns"
            )
        return tuple(bool(value) for value in values)
    try:
        indices = tile_indices(values)
    except ValueError as error:
        raise ValueError(f"suns: {error}") from None
    return tuple(tile in indices for tile in range(TILES))


# ------------------------------------------------------------------------------------------ one board


@njit(cache=True)
def place(bitboard: np.ndarray, tile: int, cell: int, code: RuleCode) -> None:
    """Put a tile on an empty cell of an int32 (11,) bitboard, in place."""
    bit = 1 << int(cell)
    bitboard[FILLED] |= bit
    for direction in range(DIRECTIONS):
        bitboard[FIRST_NUMBER + RANKS * direction + TILE_RANKS[tile, direction]] |= bit
    bitboard[SUNS] |= (code.suns >> int(tile) & 1) << int(cell)


@njit(cache=True)
def ray_points(bitboard: np.ndarray, line: int, length: int) -> int:
    """Points of a line, a set of ``length`` cells, as a Sunray or a Moonbeam; 0 while it has empty cells."""
    sunray = not line & ~bitboard[SUNS]
    moonbeam = not line & ~(bitboard[FILLED] ^ bitboard[SUNS])
    return length * (SUNRAY_POINTS * sunray + MOONBEAM_POINTS * moonbeam)


@njit(cache=True)
def points_through(bitboard: np.ndarray, tile: int, cell: int, code: RuleCode) -> int:
    """Points of the lines through a cell that holds ``tile``: what placing it there just completed."""
    points = 0
    for direction in range(DIRECTIONS):
        rank = TILE_RANKS[tile, direction]
        line = _CELL_LINE_MASKS[cell, direction]
        length = _CELL_LINE_LENGTHS[cell, direction]
        if not line & ~bitboard[FIRST_NUMBER + RANKS * direction + rank]:
            points += length * _NUMBER_VALUES[direction, rank]
        if code.sunrays:
            points += ray_points(bitboard, line, length)
    return points


@njit(cache=True)
def score(bitboard: np.ndarray, code: RuleCode) -> int:
    """Points of a board: the sum over its 15 lines, with the rays where the rules count them."""
    points = 0
    for line in range(len(LINES)):
        direction = line // LINES_PER_DIRECTION
        for rank in range(RANKS):
            if not LINE_MASKS[line] & ~bitboard[FIRST_NUMBER + RANKS * direction + rank]:
                points += LINE_LENGTHS[line] * _NUMBER_VALUES[direction, rank]
        if code.sunrays:
            points += ray_points(bitboard, LINE_MASKS[line], LINE_LENGTHS[line])
    return points


@njit(cache=True)
def best_rays(bitboard: np.ndarray) -> tuple[int, int]:
    """The best Sunray and the best Moonbeam among the lines that score by their numbers, 0 for none.

    A ray is ten times its length plus its number: a longer one is better, then one of a higher number.
    """
    sunray = moonbeam = 0
    for line in range(len(LINES)):
        direction = line // LINES_PER_DIRECTION
        for rank in range(RANKS):
            if not LINE_MASKS[line] & ~bitboard[FIRST_NUMBER + RANKS * direction + rank]:
                ray = 10 * LINE_LENGTHS[line] + _NUMBER_VALUES[direction, rank]
                if not LINE_MASKS[line] & ~bitboard[SUNS]:
                    sunray = max(sunray, ray)
                elif not LINE_MASKS[line] & bitboard[SUNS]:
                    moonbeam = max(moonbeam, ray)
    return sunray, moonbeam


@njit(cache=True)
def neighbours(cells: int) -> int:
    """The cells that share an edge with at least one of ``cells``, both as sets of cells."""
    union = 0
    for step, lower in _STEPS:
        union |= (cells & lower) << step | cells >> step & lower
    return union


@njit(cache=True)
def legal_cells(filled: int, tile: int, previous: int, code: RuleCode) -> int:
    """Where a tile may go, as a set of cells.

    Args:
        filled: the filled cells.
        tile: the tile in hand; -1 for none, then no cell is legal.
        previous: the tile drawn just before, -1 for none.
        code: the rules.
    """
    if tile == NONE:
        return 0
    empty = ALL_CELLS & ~filled
    if filled == 0 or code.placement == FREE:
        return empty
    symbols_differ = (code.suns >> int(tile) ^ code.suns >> int(previous)) & 1
    anywhere = -symbols_differ if code.placement == SUN_MOON else 0
    return empty & (neighbours(filled) | anywhere)


# ----------------------------------------------------------------------------------------- many games


@njit(cache=True)
def fill_bitboards(boards: np.ndarray, code: RuleCode, bitboards: np.ndarray) -> None:
    """Write the int32 (N, 11) bitboards of int8 (N, 19) boards, whose empty cells hold -1."""
    bitboards[:] = 0
    for game in range(len(boards)):
        for cell in range(CELLS):
            if boards[game, cell] != NONE:
                place(bitboards[game], boards[game, cell], cell, code)


@njit(cache=True)
def fill_scores(bitboards: np.ndarray, code: RuleCode, scores: np.ndarray) -> None:
    """Write the int (N,) scores of int32 (N, 11) bitboards."""
    for game in range(len(bitboards)):
        scores[game] = score(bitboards[game], code)


@njit(cache=True)
def fill_legal(
    filled: np.ndarray, tiles: np.ndarray, previous: np.ndarray, code: RuleCode, mask: np.ndarray
) -> None:
    """Write the (N, 19) mask of legal cells, 1 or True where the tile in hand may go.

    Args:
        filled: int32 (N,), each game's filled cells.
        tiles: int8 (N,), the tiles in hand, -1 for none.
        previous: int8 (N,), the tiles drawn just before, -1 for none.
        code: the rules.
        mask: int8 or bool (N, 19), written.
    """
    for game in range(len(filled)):
        legal = legal_cells(filled[game], tiles[game], previous[game], code)
        for cell in range(CELLS):
            mask[game, cell] = legal >> cell & 1


@njit(cache=True)
def place_all(
    boards: np.ndarray,
    bitboards: np.ndarray,
    tiles: np.ndarray,
    cells: np.ndarray,
    code: RuleCode,
    points: np.ndarray,
) -> None:
    """Put each game's tile on its cell, in ``boards`` and ``bitboards``, and write the points gained.

    Args:
        boards: int8 (N, 19), changed.
        bitboards: int32 (N, 11), changed.
        tiles: int8 (N,).
        cells: int (N,), empty cells.
        code: the rules.
        points: int (N,), written.
    """
    for game in range(len(boards)):
        tile, cell = tiles[game], cells[game]
        boards[game, cell] = tile
        place(bitboards[game], tile, cell, code)
        points[game] = points_through(bitboards[game], tile, cell, code)


@njit(cache=True)
def fill_bonuses(bitboards: np.ndarray, bonuses: np.ndarray) -> None:
    """Write what the best rays bring: 60 points for a table's best Sunray, and 60 for its best Moonbeam.

    Players whose best rays are equally good share them evenly. Where nobody has one, nobody gets any.

    Args:
        bitboards: int32 (T, P, 11), the boards of the P players at each table.
        bonuses: int (T, P), written.
    """
    tables, players = bonuses.shape
    rays = np.empty((players, 2), dtype=np.int32)
    bonuses[:] = 0
    for table in range(tables):
        for player in range(players):
            rays[player, 0], rays[player, 1] = best_rays(bitboards[table, player])
        for symbol in range(2):
            best = rays[:, symbol].max()
            holders = (rays[:, symbol] == best).sum()
            for player in range(players):
                if best and rays[player, symbol] == best:
                    bonuses[table, player] += BEST_RAY_POINTS // holders


def bitboards_of(boards: np.ndarray, rules: Rules) -> np.ndarray:
    """int32 (N, 11) bitboards of int8 (N, 19) boards, whose empty cells hold -1."""
    bitboards = np.empty((len(boards), BITBOARD), dtype=np.int32)
    fill_bitboards(boards, rules.code, bitboards)
    return bitboards


def scores_of(boards: np.ndarray, rules: Rules) -> np.ndarray:
    """int32 (N,) points of int8 (N, 19) boards, full or not: incomplete lines score nothing."""
    scores = np.empty(len(boards), dtype=np.int32)
    fill_scores(bitboards_of(boards, rules), rules.code, scores)
    return scores


def bonuses_of(boards: np.ndarray, rules: Rules) -> np.ndarray:
    """int32 (T, P) points that the P players at each of T tables get besides those of their own boards.

    Under ``best_ray`` what :func:`fill_bonuses` says, under all other scorings nothing.

    Args:
        boards: int8 (T, P, 19), full or not: only complete lines are rays.
        rules: the rules.
    """
    tables, players, _ = boards.shape
    bonuses = np.zeros((tables, players), dtype=np.int32)
    if rules.scoring == "best_ray":
        bitboards = bitboards_of(boards.reshape(-1, CELLS), rules)
        fill_bonuses(bitboards.reshape(tables, players, BITBOARD), bonuses)
    return bonuses
