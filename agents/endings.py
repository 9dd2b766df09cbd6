"""The end of the game played out exactly: every tile that may come, and the best reply to each."""

from typing import Final

import numpy as np
from numba import njit

from agents.prizes import gain_through, prize_of
from takeiteasy_env.board import (
    ALL_CELLS,
    CELL_LINES,
    CELLS,
    DIRECTIONS,
    LINE_LENGTHS,
    LINE_MASKS,
    LINES_PER_DIRECTION,
)
from takeiteasy_env.rules import (
    FILLED,
    FIRST_NUMBER,
    MOONBEAM_POINTS,
    NONE,
    SUNRAY_POINTS,
    SUNS,
    RuleCode,
    legal_cells,
    place,
)
from takeiteasy_env.tiles import NUMBERS, RANKS, TILE_RANKS, TILES

ALL_TILES: Final = (1 << TILES) - 1
#: int64 (3, 3): the tiles with each direction's number of each rank, as bits.
_TILES_WITH: Final = np.array(
    [
        [sum(1 << int(tile) for tile in np.flatnonzero(ranks == rank)) for rank in range(RANKS)]
        for ranks in TILE_RANKS.T
    ]
)
_NUMBERS: Final = np.array(NUMBERS)
#: A sequence of 32 bits whose windows of five are all different: they tell how far it was shifted.
_DE_BRUIJN: Final = 0x077CB531
_INDEX_OF_LOWEST: Final = np.argsort([(_DE_BRUIJN << index & 0xFFFFFFFF) >> 27 for index in range(32)])


@njit(cache=True)
def ending_value(
    bitboard: np.ndarray, remaining: int, last: int, code: RuleCode, prizes: np.ndarray
) -> float:
    """Expected points still to come on a board, before the next draw, by the best play.

    Backward induction over the boards that can be reached, each of which is valued once, in whatever order
    its tiles came: 34 from a board with three empty cells, 841 from one with four, 18,786 from one with five.
    Those with two empty cells are valued without placing a tile on them.

    Args:
        bitboard: int32 (11,), with five empty cells at the most.
        remaining: the tiles that may still come, as bits.
        last: the tile placed last.
        code: the rules.
        prizes: as :func:`agents.prizes.gain_through` takes them.
    """
    empty = ALL_CELLS & ~bitboard[FILLED]
    count = count_bits(empty)
    if count == 0:
        return 0.0
    if count == 1 and not prizes.size:
        return last_cell_value(bitboard, remaining, code)
    if count == 2 and not prizes.size:
        return last_two_cells_value(bitboard, remaining, code)
    cells, tiles = indices_of(empty), indices_of(remaining)
    board = np.empty_like(bitboard)
    most = count - 1 if prizes.size else count - 2
    # A board's place: which of the cells are filled, and the tiles on these as digits of a number.
    values = np.empty((1 << count, len(tiles) ** most), dtype=np.float32)
    for laid in range(most, -1, -1):
        for filled in range(1 << count):
            if count_bits(filled) != laid:
                continue
            for number in range(len(tiles) ** laid):
                left = lay(bitboard, cells, tiles, filled, number, remaining, code, board)
                if left == 0:
                    continue
                if laid == count - 2 and not prizes.size:
                    values[filled, number] = last_two_cells_value(board, left, code)
                else:
                    # With three empty cells or fewer all of them are legal, whatever tile came last.
                    previous = tiles[number] if laid == 1 else last
                    values[filled, number] = mean_of_best(
                        board, left, previous, cells, tiles, filled, number, values, code, prizes
                    )
    return float(values[0, 0])


@njit(cache=True)
def boards_to_the_end(empty: int) -> int:
    """How many boards :func:`ending_value` values for one with so many empty cells, without prizes."""
    boards, layer = 1, 1
    for laid in range(empty - 2):
        # A tile more on a cell more; a board of the next layer is reached from as many as it has tiles laid.
        layer = layer * (TILES - CELLS + empty - laid) * (empty - laid) // (laid + 1)
        boards += layer
    return boards


@njit(cache=True)
def lay(
    bitboard: np.ndarray,
    cells: np.ndarray,
    tiles: np.ndarray,
    filled: int,
    number: int,
    remaining: int,
    code: RuleCode,
    board: np.ndarray,
) -> int:
    """Write ``bitboard`` with tiles on some of ``cells`` and return those that remain, 0 if one comes twice.

    Args:
        bitboard: int32 (11,).
        cells: int (C,), its empty cells.
        tiles: int (T,), the tiles that may come.
        filled: which of the cells are filled, as bits.
        number: which of the tiles lie there, as digits to the base T, the lowest for the first cell.
        remaining: the tiles that may come, as bits.
        code: the rules.
        board: int32 (11,), written.
    """
    board[:] = bitboard
    for index in range(len(cells)):
        if filled >> index & 1:
            tile = tiles[number % len(tiles)]
            number //= len(tiles)
            if not remaining >> tile & 1:
                return 0
            remaining &= ~(1 << tile)
            place(board, tile, cells[index], code)
    return remaining


@njit(cache=True)
def mean_of_best(
    board: np.ndarray,
    left: int,
    previous: int,
    cells: np.ndarray,
    tiles: np.ndarray,
    filled: int,
    number: int,
    values: np.ndarray,
    code: RuleCode,
    prizes: np.ndarray,
) -> float:
    """Mean over the tiles left of the best that each can do, from the values of the boards one tile later."""
    best = np.full(len(tiles), -np.inf)
    after = np.empty_like(board)
    prize = prize_of(board, prizes)
    full = count_bits(filled) == len(cells) - 1
    below = 1
    for index in range(len(cells)):
        if filled >> index & 1:
            below *= len(tiles)
            continue
        # The number with room for one more digit.
        spread = number + number // below * below * (len(tiles) - 1)
        for digit in range(len(tiles)):
            tile = tiles[digit]
            if left >> tile & legal_cells(board[FILLED], tile, previous, code) >> cells[index] & 1:
                after[:] = board
                place(after, tile, cells[index], code)
                value = gain_through(after, tile, cells[index], prize, code, prizes)
                if not full:
                    value += values[filled | 1 << index, spread + digit * below]
                best[digit] = max(best[digit], value)
    total = 0.0
    for digit in range(len(tiles)):
        if left >> tiles[digit] & 1:
            total += best[digit]
    return total / count_bits(left)


@njit(cache=True)
def last_cell_value(bitboard: np.ndarray, remaining: int, code: RuleCode) -> float:
    """Expected points of the tile to come on the only empty cell, by counting tiles, not placing them."""
    cell = lowest_bit(ALL_CELLS & ~bitboard[FILLED])
    total = 0
    for direction in range(DIRECTIONS):
        for tiles, points in completing_tiles(
            bitboard, CELL_LINES[cell, direction], 1 << cell, remaining, code
        ):
            total += points * count_bits(tiles)
    return float(total) / count_bits(remaining)


@njit(cache=True)
def last_two_cells_value(bitboard: np.ndarray, remaining: int, code: RuleCode) -> float:
    """Expected points of the next two tiles on the only two empty cells, without placing them.

    The first tile gains what it completes on its cell; the second one, the mean over the others, what these
    complete on the other cell. Where a line runs through both, the two have to suit each other.
    """
    empty = ALL_CELLS & ~bitboard[FILLED]
    cells = (lowest_bit(empty), lowest_bit(empty & (empty - 1)))
    # What each tile completes on the first cell, on the second, and what one that suits it then completes.
    points_of = np.zeros((3, TILES))
    suiting = 0
    for which in range(2):
        for direction in range(DIRECTIONS):
            line = CELL_LINES[cells[which], direction]
            shared = LINE_MASKS[line] & empty == empty
            if shared and which:
                continue
            for tiles, points in completing_tiles(bitboard, line, empty, remaining, code):
                if not tiles:
                    continue
                suiting |= tiles
                if shared:
                    add_points(points_of[2], tiles, points * (count_bits(tiles) - 1))
                else:
                    add_points(points_of[which], tiles, points)
    others = count_bits(remaining) - 1
    sum_here, sum_there = points_of[0].sum(), points_of[1].sum()
    total = max(sum_here, sum_there) * (others + 1 - count_bits(suiting)) / others
    while suiting:
        tile = lowest_bit(suiting)
        here, there, after = points_of[0, tile], points_of[1, tile], points_of[2, tile]
        total += max(here + (sum_there - there) / others, there + (sum_here - here) / others) + after / others
        suiting &= suiting - 1
    return total / (others + 1)


@njit(cache=True)
def add_points(points_of: np.ndarray, tiles: int, points: float) -> None:
    """Add points to each of some tiles, given as bits."""
    while tiles:
        points_of[lowest_bit(tiles)] += points
        tiles &= tiles - 1


@njit(cache=True)
def completing_tiles(
    bitboard: np.ndarray, line: int, empty: int, remaining: int, code: RuleCode
) -> tuple[tuple[int, int], tuple[int, int]]:
    """The tiles, as bits, that suit those on a line, and the points of the line once all on it do.

    First by its number, then by its symbol; (0, 0) where no tile does. Not all of the line is empty.

    Args:
        bitboard: int32 (11,).
        line: which one.
        empty: the empty cells.
        remaining: the tiles to choose from, as bits.
        code: the rules.
    """
    others, direction = LINE_MASKS[line] & ~empty, line // LINES_PER_DIRECTION
    number, ray = (0, 0), (0, 0)
    for rank in range(RANKS):
        if not others & ~bitboard[FIRST_NUMBER + RANKS * direction + rank]:
            tiles = remaining & _TILES_WITH[direction, rank]
            number = (tiles, LINE_LENGTHS[line] * _NUMBERS[direction, rank])
    if code.sunrays:
        if not others & ~bitboard[SUNS]:
            ray = (remaining & code.suns, LINE_LENGTHS[line] * SUNRAY_POINTS)
        elif not others & bitboard[SUNS]:
            ray = (remaining & ~code.suns, LINE_LENGTHS[line] * MOONBEAM_POINTS)
    return number, ray


@njit(cache=True)
def unseen_tiles(board: np.ndarray) -> int:
    """The tiles, as bits, that are not on an int8 (19,) board."""
    remaining = ALL_TILES
    for tile in board:
        if tile != NONE:
            remaining &= ~(1 << int(tile))
    return remaining


@njit(cache=True)
def indices_of(bits: int) -> np.ndarray:
    """int64: the indices of the bits that are 1, from the lowest."""
    indices = np.empty(count_bits(bits), dtype=np.int64)
    for number in range(len(indices)):
        indices[number] = lowest_bit(bits)
        bits &= bits - 1
    return indices


@njit(cache=True)
def count_bits(bits: int) -> int:
    """How many of 32 bits are 1."""
    bits -= bits >> 1 & 0x55555555
    bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333)
    return ((bits + (bits >> 4) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24


@njit(cache=True)
def lowest_bit(bits: int) -> int:
    """The index of the lowest of 32 bits that is 1, by the de Bruijn sequence."""
    return _INDEX_OF_LOWEST[((bits & -bits) * _DE_BRUIJN & 0xFFFFFFFF) >> 27]
