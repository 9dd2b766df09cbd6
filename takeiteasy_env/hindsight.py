"""The best score with the draws known beforehand: what they were worth, and an upper bound for every player.

What a player misses of it is regret; with the first moves fixed it says what each of them cost. A standard
game takes a millisecond, one with adjacent tiles and rays a quarter of a second.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np

from takeiteasy_env.arguments import cell_of, refuse_illegal, refuse_players
from takeiteasy_env.board import CELLS
from takeiteasy_env.branch_and_bound import best_game
from takeiteasy_env.draws import given_order
from takeiteasy_env.plans import plans_of
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, Rules


@dataclass(frozen=True, slots=True)
class Hindsight:
    """The best that could have been made of some draws.

    Attributes:
        score: its points.
        board: int8 (19,), the tile on each cell at the end. To put the tiles on these cells in the order of
            the draws is legal, move by move.
        proved: that no legal game on these draws scores more is certain. The search ends with nothing less.
    """

    score: int
    board: np.ndarray
    proved: bool


def hindsight(
    tiles: Iterable[SupportsIndex | str],
    rules: Rules = Rules(),
    *,
    placed: Sequence[SupportsIndex] | np.ndarray = (),
) -> Hindsight:
    """The best score with the draws known beforehand, in their order.

    Args:
        tiles: the 19 draws in order, by index (``26``) or as written (``978``).
        rules: any rules for a player alone.
        placed: the cells where the first draws were put, and stay. With all 19 the score is that of the game.

    Raises:
        TypeError: for a cell that is no integer.
        ValueError: naming what is wrong: the tiles, the rules, or the first cell that is not legal.
    """
    refuse_players(rules, 1)
    order = given_order(tiles)
    moves = _legal_moves(order, rules, placed)
    score, cells = best_game(plans_of(order, rules, moves), _touching(order, rules))
    board = np.empty(CELLS, dtype=np.int8)
    board[cells] = order
    return Hindsight(score, board, proved=True)


def _legal_moves(order: np.ndarray, rules: Rules, placed: Sequence[SupportsIndex] | np.ndarray) -> np.ndarray:
    """int64 (M,): the cells of the first M of int8 (19,) draws.

    Raises:
        TypeError: for a cell that is no integer.
        ValueError: for more than 19 of them, and for the first that is no cell or not legal, naming it.
    """
    if len(placed) > CELLS:
        raise ValueError(f"placed has {len(placed)} cells: a game has {CELLS} moves")
    cells = np.array([cell_of(cell) for cell in placed], dtype=np.int64)
    boards = np.full((len(cells), CELLS), NONE, dtype=np.int8)
    for turn, cell in enumerate(cells):
        boards[turn + 1 :, cell] = order[turn]
    previous = np.append(np.int8(NONE), order)[: len(cells)]
    refuse_illegal(Positions(boards, order[: len(cells)], previous), cells, rules, name="placed, turn ")
    return cells


def _touching(order: np.ndarray, rules: Rules) -> int:
    """The draws that must touch a tile, as a set: if one lies on cell 0 alone, they may not go on cell 18."""
    boards = np.full((CELLS - 1, CELLS), NONE, dtype=np.int8)
    boards[:, 0] = order[0]
    anywhere = Positions(boards, order[1:], order[:-1]).legal(rules)[:, -1]
    return sum(1 << turn for turn in (np.flatnonzero(~anywhere) + 1).tolist())
