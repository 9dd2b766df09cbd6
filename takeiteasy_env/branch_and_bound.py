"""The best game by branch and bound over plans: one of each family, those of the lines that the board scores.

Two plans *agree* when the tiles can be matched with cells so that both are kept. Few good plans do, and that
makes the search short: it chooses the plans of one family after the other, the best first, among those that
agree with all chosen before; what the other families can add is bounded by their best such plans. Three plans
or four that agree in pairs are then matched together and, where the placement is not free, played.

The search begins with a floor just below the sum of the best plans, and lowers it until some game is above
it. So it needs no good game to start from, and hardly looks at what could not be the best.
"""

from typing import Final, NamedTuple

import numpy as np
from numba import njit

from takeiteasy_env.assignment import Matching, Moves, assign, lowest, no_matching, no_moves, play
from takeiteasy_env.board import CELLS
from takeiteasy_env.plans import ALL_TURNS, PLANS_PER_WORD, Plans
from takeiteasy_env.rules import NONE

#: How many points the floor is lowered at a time.
STEP: Final = 5


class Agreements(NamedTuple):
    """Which plans agree, as far as it mattered yet.

    Attributes:
        words: int64 (P, W), for each plan the plans of later families that agree with it, 32 to a word.
        known: int64 (P, F), for each plan and later family the first plan not yet compared with it.
    """

    words: np.ndarray
    known: np.ndarray


class Branch(NamedTuple):
    """The plans chosen so far, in a row for each number of them, 0 to F; all int64.

    Attributes:
        words: (F + 1, W), the plans that agree with all of them.
        turns: (F + 1, 19), the tiles that they all let on each cell.
        points: (F + 1,), what they are worth.
        next: (F + 1,), the plan of the next family to try next.
        rest: (F + 1,), what the families behind the next one can add at best.
    """

    words: np.ndarray
    turns: np.ndarray
    points: np.ndarray
    next: np.ndarray
    rest: np.ndarray


class Search(NamedTuple):
    """What a search works on, and in.

    Attributes:
        plans: the plans of F families.
        touching: the tiles that must touch one that lies there, as a set.
        agreements: which plans agree.
        branch: the plans chosen.
        matching: working memory.
        moves: working memory.
        cell_of: int64 (19,), the cell of each tile in the best game found.
    """

    plans: Plans
    touching: int
    agreements: Agreements
    branch: Branch
    matching: Matching
    moves: Moves
    cell_of: np.ndarray


def best_game(plans: Plans, touching: int) -> tuple[int, np.ndarray]:
    """The most points that a legal game can have, and int64 (19,) the cell of each tile in such a game.

    Args:
        plans: the plans of the three directions and, where rays count, of the rays.
        touching: the tiles that must touch one that lies there already, as a set.
    """
    rows, words = len(plans.begin) + 1, len(plans.points) // PLANS_PER_WORD
    all_plans = np.full((rows, words), (1 << PLANS_PER_WORD) - 1)
    search = Search(
        plans=plans,
        touching=touching,
        agreements=Agreements(
            words=np.zeros((plans.begin[-1], words), dtype=np.int64),
            known=np.tile(plans.begin, (plans.begin[-1], 1)),
        ),
        branch=Branch(all_plans, np.full((rows, CELLS), ALL_TURNS), *np.zeros((3, rows), dtype=np.int64)),
        matching=no_matching(),
        moves=no_moves(touching),
        cell_of=np.full(CELLS, NONE),
    )
    best_of_all_families = int(plans.points[plans.begin].sum())
    return _best_points(search, best_of_all_families), search.cell_of


@njit(cache=True)
def _best_points(search: Search, ceiling: int) -> int:
    """The most points of a game, which are known not to be above the ceiling."""
    floor = ceiling
    while True:
        ceiling, floor = floor, floor - STEP
        _compare(search, floor)
        best = _best_above(search, floor, ceiling)
        if best > floor:
            return best


@njit(cache=True)
def _compare(search: Search, floor: int) -> None:
    """Find out which plans agree, of all pairs that might belong to a game above the floor."""
    plans, agreements = search.plans, search.agreements
    families = len(plans.begin)
    turns = np.empty(CELLS, dtype=np.int64)
    for family in range(families - 1):
        for other in range(family + 1, families):
            rest = 0
            for third in range(families):
                if third not in (family, other):
                    rest += plans.points[plans.begin[third]]
            for plan in range(plans.begin[family], plans.end[family]):
                while agreements.known[plan, other] < plans.end[other]:
                    second = agreements.known[plan, other]
                    if plans.points[plan] + plans.points[second] + rest <= floor:
                        break
                    for cell in range(CELLS):
                        turns[cell] = plans.turns[plan, cell] & plans.turns[second, cell]
                    agree = assign(turns, search.matching)
                    agreements.words[plan, second // PLANS_PER_WORD] |= agree << second % PLANS_PER_WORD
                    agreements.known[plan, other] += 1


@njit(cache=True)
def _best_above(search: Search, floor: int, ceiling: int) -> int:
    """The most points of a game above the floor, or the floor; it is known that none is above the ceiling."""
    plans, branch = search.plans, search.branch
    best = floor
    family = 0
    branch.next[0] = 0
    _look_ahead(search, 0)
    while family >= 0:
        plan = _next_plan(branch.words[family], branch.next[family], plans.end[family])
        points = branch.points[family] + plans.points[plan]
        if plan == NONE or points + branch.rest[family] <= best:
            family -= 1
            continue
        branch.next[family] = plan + 1
        last = family == len(plans.begin) - 1
        if last and points > ceiling:
            continue
        for cell in range(CELLS):
            branch.turns[family + 1, cell] = branch.turns[family, cell] & plans.turns[plan, cell]
        if family >= 2 and not assign(branch.turns[family + 1], search.matching):
            continue
        if last:
            turns = branch.turns[family + 1]
            if search.touching == 0 or play(turns, search.touching, search.matching, search.moves):
                best = points
                for turn in range(CELLS):
                    search.cell_of[turn] = search.matching.cell_of[turn]
            continue
        for word in range(branch.words.shape[1]):
            branch.words[family + 1, word] = branch.words[family, word] & search.agreements.words[plan, word]
        branch.points[family + 1] = points
        branch.next[family + 1] = plans.begin[family + 1]
        if _look_ahead(search, family + 1):
            family += 1
    return best


@njit(cache=True)
def _look_ahead(search: Search, family: int) -> bool:
    """Note what the families behind one can add, given the plans chosen before it; False if one has none."""
    plans, branch = search.plans, search.branch
    branch.rest[family] = 0
    for later in range(family + 1, len(plans.begin)):
        plan = _next_plan(branch.words[family], plans.begin[later], plans.end[later])
        if plan == NONE:
            return False
        branch.rest[family] += plans.points[plan]
    return True


@njit(cache=True)
def _next_plan(words: np.ndarray, plan: int, end: int) -> int:
    """The first plan of a set that is not before ``plan`` but before ``end``, -1 for none."""
    if plan >= end:
        return NONE
    word = plan // PLANS_PER_WORD
    members = words[word] & -1 << plan % PLANS_PER_WORD
    while not members:
        word += 1
        if word * PLANS_PER_WORD >= end:
            return NONE
        members = words[word]
    plan = word * PLANS_PER_WORD + lowest(members)
    return plan if plan < end else NONE
