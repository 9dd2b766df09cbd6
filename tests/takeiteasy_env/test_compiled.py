"""Numba changes the speed and nothing else: each compiled function against the Python it was made from."""

import copy
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from takeiteasy_env import draws, rules
from takeiteasy_env.board import LINE_LENGTHS, LINE_MASKS
from takeiteasy_env.draws import Purpose, random_words, stream
from takeiteasy_env.rules import BITBOARD, FILLED, PLACEMENTS, SCORINGS, RuleCode, Rules, bitboards_of

ROOT = Path(__file__).parents[2]
WITHOUT_NUMBA = (
    "tests/takeiteasy_env/test_facts.py",
    "tests/takeiteasy_env/test_position.py",
    "tests/takeiteasy_env/test_best_ray.py",
    "tests/takeiteasy_env/test_rules.py::test_legal_cells_and_points_are_those_of_the_reference",
    "tests/takeiteasy_env/test_agreement.py::test_all_three_agree_on_every_move[sun_moon-sunrays-other suns]",
    "tests/takeiteasy_env/test_hindsight.py::test_the_tiles_of_the_best_boards_give_307_drawn_cell_by_cell",
)
GAMES = 40
ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
COMPILED = {
    function.__name__: function
    for module in (draws, rules)
    for function in vars(module).values()
    if isinstance(function, Dispatcher)
}

Arguments = tuple[Any, ...]


class Situations:
    """Random boards of every fullness, each with a tile in hand and the tile drawn just before."""

    def __init__(self, rules: Rules) -> None:
        rng = stream(0, Purpose.VALIDATE)
        tiles = rng.permuted(np.tile(np.arange(27, dtype=np.int8), (GAMES, 1)), axis=1)
        empty = rng.permuted(np.arange(19) >= np.arange(GAMES)[:, None] % 20, axis=1)
        self.code = rules.code
        self.boards = np.where(empty, np.int8(-1), tiles[:, :19])
        self.bitboards = bitboards_of(self.boards, rules)
        self.filled = self.bitboards[:, FILLED]
        self.tiles = tiles[:, 19]
        self.previous = np.where(empty.all(axis=1), np.int8(-1), tiles[:, 20])

    def on_filled_cells(self) -> list[Arguments]:
        games, cells = np.nonzero(self.boards != -1)
        return [
            (self.bitboards[game], self.boards[game, cell], cell, self.code)
            for game, cell in zip(games, cells, strict=True)
        ]

    def on_empty_cells(self) -> list[Arguments]:
        games, cells = np.nonzero(self.boards == -1)
        return [
            (self.bitboards[game], self.tiles[game], cell, self.code)
            for game, cell in zip(games, cells, strict=True)
        ]

    def one_empty_cell_each(self) -> Arguments:
        some = ~(self.boards != -1).all(axis=1)
        cells = (self.boards[some] == -1).argmax(axis=1).astype(np.int8)
        points = np.zeros(some.sum(), dtype=np.int32)
        return self.boards[some], self.bitboards[some], self.tiles[some], cells, self.code, points


CALLS: dict[str, Callable[[Situations], list[Arguments]]] = {
    "deal": lambda s: [(random_words(stream(1, Purpose.TRAIN), GAMES), np.zeros((GAMES, 19), np.int8))],
    "place": Situations.on_empty_cells,
    "ray_points": lambda s: [
        (bitboard, mask, length)
        for bitboard in s.bitboards
        for mask, length in zip(LINE_MASKS, LINE_LENGTHS, strict=True)
    ],
    "points_through": Situations.on_filled_cells,
    "score": lambda s: [(bitboard, s.code) for bitboard in s.bitboards],
    "best_rays": lambda s: [(bitboard,) for bitboard in s.bitboards],
    "neighbours": lambda s: [(filled,) for filled in s.filled],
    "legal_cells": lambda s: [
        (filled, tile, previous, s.code)
        for filled, tile, previous in zip(s.filled, s.tiles, s.previous, strict=True)
    ],
    "fill_bitboards": lambda s: [(s.boards, s.code, np.ones((GAMES, BITBOARD), np.int32))],
    "fill_scores": lambda s: [(s.bitboards, s.code, np.zeros(GAMES, np.int32))],
    "fill_bonuses": lambda s: [
        (s.bitboards.reshape(GAMES // 5, 5, BITBOARD), np.ones((GAMES // 5, 5), np.int32))
    ],
    "fill_legal": lambda s: [(s.filled, s.tiles, s.previous, s.code, np.zeros((GAMES, 19), np.int8))],
    "place_all": lambda s: [s.one_empty_cell_each()],
}


def result(function: Callable[..., Any], arguments: Arguments) -> list[Any]:
    """What a function returns and leaves in its arguments, given a copy of them."""
    own = copy.deepcopy(arguments)
    returned = function(*own)
    changed = [np.asarray(argument).tolist() for argument in own if not isinstance(argument, RuleCode)]
    return [returned, *changed]


def test_every_compiled_function_is_compared():
    assert set(CALLS) == set(COMPILED)


@pytest.mark.parametrize("chosen", ALL_RULES, ids=[rules.name for rules in ALL_RULES])
@pytest.mark.parametrize("name", CALLS)
def test_a_compiled_function_gives_what_its_python_gives(name, chosen):
    calls = CALLS[name](Situations(chosen))
    assert calls
    for arguments in calls:
        assert result(COMPILED[name], arguments) == result(COMPILED[name].py_func, arguments)


def test_the_rules_hold_without_numba():
    """The tests of known boards and of random games, in an interpreter whose Numba compiles nothing."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *WITHOUT_NUMBA],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout
