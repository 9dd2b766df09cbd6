"""Each row of a board means one thing that its definition says, and each such thing has one row."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from takeiteasy_env.board import CELLS, HALF_TURN, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules
from takeiteasy_env.tiles import NUMBERS, TILE_NUMBERS, TILES, tile_index

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
MARKETS = [(direction, number) for direction in range(3) for number in NUMBERS[direction]]
BEHIND_THE_MARKETS = len(LINES) + len(MARKETS)
#: A demand of so many or more is all the same.
HOPELESS = 15

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)


def random_boards(games: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Boards of every fullness, and on each the tile placed last."""
    rng = np.random.default_rng(seed)
    tiles = rng.permuted(np.tile(np.arange(TILES, dtype=np.int8), (games, 1)), axis=1)[:, :CELLS]
    empty = rng.permuted(np.arange(CELLS) >= np.arange(games)[:, None] % (CELLS + 1), axis=1)
    boards = np.where(empty, np.int8(-1), tiles)
    return boards, boards.max(axis=1)


def board_of(tiles: dict[int, int]) -> np.ndarray:
    """One board, from the tiles as they are written on some of its cells."""
    board = np.full((1, CELLS), -1, dtype=np.int8)
    for cell, code in tiles.items():
        board[0, cell] = tile_index(code)
    return board


def rows_of(boards: np.ndarray, last: np.ndarray, rules: Rules) -> np.ndarray:
    rows = np.empty((len(boards), ROWS_PER_BOARD), dtype=np.int32)
    fill_rows(boards, last, rules.code, row_count(rules), rows)
    return rows


def line_row(tiles: dict[int, int], line: int, rules: Rules) -> int:
    """The row of one line of a board."""
    return int(rows_of(board_of(tiles), np.array([-1], dtype=np.int8), rules)[0, line])


def meanings(board: np.ndarray, last: int, rules: Rules) -> list[tuple | None]:
    """What the rows of a board stand for, worked out from the board by counting; None for nothing."""

    def line(index: int) -> tuple:
        direction = index // LINES_PER_DIRECTION
        filled = [cell for cell in LINES[index] if board[cell] >= 0]
        numbers = {int(TILE_NUMBERS[board[cell], direction]) for cell in filled}
        number = numbers.pop() if len(numbers) == 1 else "broken" if numbers else None
        symbols = frozenset(rules.suns[board[cell]] for cell in filled if rules.scoring == "sunrays")
        return "line", index, tuple(filled), number, symbols

    lines = [line(index) for index in range(len(LINES))]

    def market(direction: int, number: int) -> tuple:
        gone = sum(tile >= 0 and TILE_NUMBERS[tile, direction] == number for tile in board)
        wanting = [
            len(LINES[index]) - len(filled)
            for _, index, filled, of_line, _ in lines
            if index // LINES_PER_DIRECTION == direction and of_line == number
        ]
        return "market", direction, number, 9 - gone, min(sum(wanting), HOPELESS)

    markets = [market(direction, number) for direction, number in MARKETS]
    tiles = [("gone", int(tile)) if tile >= 0 else None for tile in board]
    symbol = ("last", rules.suns[last]) if rules.placement == "sun_moon" and last >= 0 else None
    return [*lines, *markets, *tiles, symbol]


@each_of_the_rules
def test_a_row_means_one_thing_and_one_thing_has_one_row(rules):
    boards, last = random_boards(3_000)
    row_of, meaning_of = {}, {}
    for board, tile, rows in zip(boards, last, rows_of(boards, last, rules).tolist(), strict=True):
        for meaning, row in zip(meanings(board, int(tile), rules), rows, strict=True):
            assert row_of.setdefault(meaning, row) == row
            assert meaning_of.setdefault(row, meaning) == meaning
    assert row_of.pop(None) == row_count(rules)
    assert set(row_of.values()) <= set(range(row_count(rules)))
    assert len(row_of) > 1_000
    assert Counter(meaning[0] for meaning in row_of)["gone"] == TILES


def test_the_tables_have_the_size_that_their_description_says():
    lines = sum(1 + 4 * (2 ** len(line) - 1) for line in LINES)
    rays = sum(1 + 12 * (2 ** len(line) - 1) for line in LINES)
    assert (lines, rays) == (915, 2_715)
    assert row_count(Rules()) == row_count(Rules("adjacent")) == lines + 9 * 10 * 16 + 27
    assert row_count(Rules("sun_moon")) == row_count(Rules()) + 2
    assert row_count(Rules("sun_moon", "sunrays")) == rays + 9 * 10 * 16 + 27 + 2


def test_a_broken_line_is_just_broken():
    """Column 0 holds cells 0 to 2: whichever two of the numbers meet there, whichever came first."""
    broken = line_row({0: 123, 1: 568}, 0, Rules())
    assert line_row({0: 528, 1: 123}, 0, Rules()) == broken
    assert line_row({0: 978, 1: 164}, 0, Rules()) == broken
    assert line_row({0: 978, 1: 964}, 0, Rules()) != broken
    assert line_row({0: 123, 2: 568}, 0, Rules()) != broken, "other cells are filled"


def test_a_complete_line_says_its_number():
    complete = {number: {0: number + 23, 1: number + 24, 2: number + 28} for number in (100, 500, 900)}
    rows = {line_row(tiles, 0, Rules()) for tiles in complete.values()}
    broken = line_row({0: 123, 1: 124, 2: 528}, 0, Rules())
    assert len(rows | {broken}) == 4


def test_an_empty_line_has_one_row_whatever_lies_elsewhere():
    assert (
        line_row({}, 0, Rules()) == line_row({9: 978}, 0, Rules()) == line_row({3: 123, 7: 568}, 0, Rules())
    )


def test_symbols_show_in_a_line_where_rays_count_and_nowhere_else():
    """123 and 164 are suns, 124 is a moon; all three are ones."""
    suns, both = {0: 123, 1: 164}, {0: 123, 1: 124}
    assert line_row(suns, 0, Rules()) == line_row(both, 0, Rules())
    assert line_row(suns, 0, Rules(scoring="sunrays")) != line_row(both, 0, Rules(scoring="sunrays"))


@each_of_the_rules
def test_turning_the_board_by_180_degrees_permutes_the_rows_of_lines_alone(rules):
    boards, last = random_boards(3_000)
    rows, turned = rows_of(boards, last, rules), rows_of(boards[:, HALF_TURN], last, rules)
    assert (turned[:, BEHIND_THE_MARKETS:-1] == rows[:, BEHIND_THE_MARKETS:-1][:, HALF_TURN]).all()
    assert (turned[:, -1] == rows[:, -1]).all()
    assert (turned[:, len(LINES) : BEHIND_THE_MARKETS] == rows[:, len(LINES) : BEHIND_THE_MARKETS]).all()
    opposite = np.arange(len(LINES)).reshape(3, LINES_PER_DIRECTION)[:, ::-1].ravel()
    pairs = {*zip(rows[:, : len(LINES)].ravel().tolist(), turned[:, opposite].ravel().tolist(), strict=True)}
    onto = dict(pairs)
    assert len(onto) == len(pairs) == len(set(onto.values()))
    assert any(row != image for row, image in pairs)


def test_the_order_of_the_rows_is_that_of_the_trained_tables():
    """Whoever changes this order raises ``FEATURES_VERSION``: it would give trained rows another meaning."""
    board, last = board_of({0: 123, 1: 164, 9: 978}), np.array([tile_index(978)], dtype=np.int8)
    rows = rows_of(board, last, Rules("sun_moon", "sunrays"))[0]
    lines = [29, 85, 309, 639, 820, 910, 996, 1214, 1544, 1725, 1810, 1895, 2132, 2455, 2630]
    markets = [2828, 3019, 3167, 3325, 3486, 3647, 3803, 3966, 4123]
    tiles_and_symbol = [4155, 4159, 4181, 4183]
    assert rows[rows < 4184].tolist() == lines + markets + tiles_and_symbol
