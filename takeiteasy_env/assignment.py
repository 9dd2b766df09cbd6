"""Whether tiles can be put on cells that take them: all at once, and one after the other by the rules.

The tiles of a game go by their turns, 0-18: a set of tiles is an integer of 19 bits.
"""

from typing import Final, NamedTuple

import numpy as np
from numba import njit

from takeiteasy_env.board import ALL_CELLS, CELLS, NEIGHBOURS
from takeiteasy_env.rules import NONE, neighbours

#: For 2**i times the factor, what its bits 27-31 say about i (a de Bruijn sequence).
_DE_BRUIJN: Final = 0x077CB531
_BIT_OF_PRODUCT: Final = np.argsort([(_DE_BRUIJN << bit) >> 27 & 31 for bit in range(32)])
#: int64 (19, 6): the neighbours of each cell; where it has fewer than six, a 20th cell that holds nothing.
_NEIGHBOUR_LISTS: Final = np.array(
    [
        ([other for other in range(CELLS) if mask >> other & 1] + [CELLS] * 6)[:6]
        for mask in NEIGHBOURS.tolist()
    ]
)


class Matching(NamedTuple):
    """Tiles given to cells, and the working memory to find them, all int64.

    Attributes:
        cell_of: (19,), the cell of each tile.
        turn_of: (19,), the tile on each cell.
        taker: (19,), the cell that asked for each tile last.
        queue: (19,), the cells that may ask, in turn.
    """

    cell_of: np.ndarray
    turn_of: np.ndarray
    taker: np.ndarray
    queue: np.ndarray


class Moves(NamedTuple):
    """Working memory to put the tiles on cells in order.

    Attributes:
        turns: int64 (20, 19), the tiles that each cell takes, before each turn.
        filled: int64 (20,), the filled cells before each turn, as a set.
        options: int64 (20,), the cells still to be tried at each turn, as a set.
        tried: int32 (2**19,), for each set of filled cells the number of the last search that tried it.
        searches: int32 (1,), how many there were.
    """

    turns: np.ndarray
    filled: np.ndarray
    options: np.ndarray
    tried: np.ndarray
    searches: np.ndarray


def no_matching() -> Matching:
    """Memory for a matching."""
    return Matching(*np.full((4, CELLS), NONE))


def no_moves(touching: int) -> Moves:
    """Memory for moves of which those of the set ``touching`` must touch; without any there is no search."""
    return Moves(
        turns=np.zeros((CELLS + 1, CELLS), dtype=np.int64),
        filled=np.zeros(CELLS + 1, dtype=np.int64),
        options=np.zeros(CELLS + 1, dtype=np.int64),
        tried=np.zeros(1 << CELLS if touching else 1, dtype=np.int32),
        searches=np.zeros(1, dtype=np.int32),
    )


@njit(cache=True)
def lowest(bits: int) -> int:
    """The lowest member of a set of integers 0-31 that is not empty."""
    return _BIT_OF_PRODUCT[(bits & -bits) * _DE_BRUIJN >> 27 & 31]


@njit(cache=True)
def assign(turns: np.ndarray, matching: Matching) -> bool:
    """Give each cell a tile of its own that it takes, by augmenting paths; False if that can't be done."""
    free = ALL_CELLS
    for cell in range(CELLS):
        turn = _free_turn(turns, cell, free, matching)
        if turn == NONE:
            return False
        free ^= 1 << turn
        taker = NONE
        while taker != cell:
            taker = matching.taker[turn]
            handed_on = matching.turn_of[taker]
            matching.turn_of[taker] = turn
            matching.cell_of[turn] = taker
            turn = handed_on
    return True


@njit(cache=True)
def _free_turn(turns: np.ndarray, cell: int, free: int, matching: Matching) -> int:
    """A free tile that would let the cell have one, if those on the way to it hand theirs on; -1 for none."""
    queue, taker = matching.queue, matching.taker
    queue[0] = cell
    asked, asking, seen = 0, 1, 0
    while asked < asking:
        cell = queue[asked]
        asked += 1
        new = turns[cell] & ~seen
        if new & free:
            turn = lowest(new & free)
            taker[turn] = cell
            return turn
        seen |= new
        while new:
            turn = lowest(new)
            new &= new - 1
            taker[turn] = cell
            queue[asking] = matching.cell_of[turn]
            asking += 1
    return NONE


@njit(cache=True)
def drop_too_early(turns: np.ndarray, touching: int) -> bool:
    """Take from the cells, in place, the tiles that must touch and would come before all that could be there.

    That is, before any tile that one of the cell's neighbours takes. False when a cell is left with none.
    """
    lowest_bit = np.empty(CELLS + 1, dtype=np.int64)
    lowest_bit[CELLS] = 1 << CELLS
    for cell in range(CELLS):
        lowest_bit[cell] = turns[cell] & -turns[cell]
    changed = True
    while changed:
        changed = False
        for cell in range(CELLS):
            earliest = lowest_bit[CELLS]
            for neighbour in _NEIGHBOUR_LISTS[cell]:
                earliest = min(earliest, lowest_bit[neighbour])
            turns[cell] &= ~(touching & (2 * earliest - 1))
            if turns[cell] == 0:
                return False
            bit = turns[cell] & -turns[cell]
            changed |= bit != lowest_bit[cell]
            lowest_bit[cell] = bit
    return True


@njit(cache=True)
def play(turns: np.ndarray, touching: int, matching: Matching, moves: Moves) -> bool:
    """Put the tiles in order on cells that take them, those of ``touching`` beside one that lies there.

    Depth first. How the rest can be played depends on the filled cells alone, so each set is tried once.

    Args:
        turns: int64 (19,), the tiles that each cell takes.
        touching: the tiles that must touch another, as a set.
        matching: written: the cell of each tile.
        moves: working memory.

    Returns:
        whether it can be done.
    """
    moves.searches[0] += 1
    for cell in range(CELLS):
        moves.turns[0, cell] = turns[cell]
    if not _can_go_on(moves.turns[0], touching, matching):
        return False
    turn = 0
    moves.options[0] = _cells_for(0, moves.turns[0])
    while turn >= 0:
        options = moves.options[turn]
        if not options:
            turn -= 1
            continue
        moves.options[turn] &= options - 1
        filled = moves.filled[turn] | options & -options
        if moves.tried[filled] == moves.searches[0]:
            continue
        moves.tried[filled] = moves.searches[0]
        after = moves.turns[turn + 1]
        for cell in range(CELLS):
            after[cell] = moves.turns[turn, cell] & ~(1 << turn)
        after[lowest(options)] = 1 << turn
        if _can_go_on(after, touching, matching):
            turn += 1
            if turn == CELLS:
                return True
            moves.filled[turn] = filled
            moves.options[turn] = _cells_for(turn, after)
            if touching >> turn & 1:
                moves.options[turn] &= neighbours(filled)
    return False


@njit(cache=True)
def _can_go_on(turns: np.ndarray, touching: int, matching: Matching) -> bool:
    """Whether nothing speaks against a game yet; takes from the cells, in place, what they can't get."""
    return drop_too_early(turns, touching) and assign(turns, matching)


@njit(cache=True)
def _cells_for(turn: int, turns: np.ndarray) -> int:
    """The cells that take a tile, as a set."""
    cells = 0
    for cell in range(CELLS):
        cells |= (turns[cell] >> turn & 1) << cell
    return cells
