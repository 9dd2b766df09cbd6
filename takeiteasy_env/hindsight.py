"""The best score with the draws known beforehand: an upper bound for every player."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

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
        board: int8 (19,), the tile on each cell at the end; putting each tile on its cell in the order of the
            draws is legal throughout.
        proved: whether it is certain that no legal game on these draws scores more.
    """

    score: int
    board: np.ndarray
    proved: bool


def hindsight(
    tiles: Iterable[SupportsIndex | str], rules: Rules = Rules(), *, placed: Sequence[Any] = ()
) -> Hindsight:
    """The best score with the draws known beforehand, in their order.

    Args:
        tiles: the 19 draws in order, by index (``26``) or as written (``978``).
        rules: any rules for one player.
        placed: the cells of the first tiles, where these were put and stay. With all 19 the score is theirs.

    Raises:
        TypeError: for a cell that is no integer.
        ValueError: naming what is wrong: the tiles, the rules, or a cell that the rules forbid.
    """
    refuse_players(rules, 1)
    order = given_order(tiles)
    cells = legal_moves(order, rules, placed)
    score, cell_of = best_game(plans_of(order, rules, cells), _touching(order, rules))
    board = np.empty(CELLS, dtype=np.int8)
    board[cell_of] = order
    return Hindsight(int(score), board, proved=True)


def _touching(order: np.ndarray, rules: Rules) -> int:
    """The draws that must touch a tile, as a set: bit 0 is the first one, which never must."""
    if rules.placement == "free":
        return 0
    symbols = np.array(rules.suns)[order]
    must = (symbols[1:] == symbols[:-1]) | (rules.placement == "adjacent")
    return sum(1 << turn for turn, touches in enumerate(must.tolist(), start=1) if touches)


def legal_moves(order: np.ndarray, rules: Rules, placed: Sequence[Any]) -> np.ndarray:
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
    previous = np.concatenate([[NONE], order])[: len(cells)].astype(np.int8)
    refuse_illegal(Positions(boards, order[: len(cells)], previous), cells, rules, name="placed, turn ")
    return cells
