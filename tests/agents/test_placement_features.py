"""Each row of a placement means one thing that its definition says, and each such thing has one row."""

from itertools import product

import numpy as np
import pytest

from agents.features import fill_rows, row_count
from agents.placement_features import placement_rows, position_rows, section_starts
from takeiteasy_env.board import CELLS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules
from takeiteasy_env.tiles import TILE_NUMBERS, TILES

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
#: So many tiles or more that other lines need are all the same.
MANY = 7

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)


def random_positions(games: int) -> Positions:
    """Boards of every fullness but the last, with a tile in hand and the one before."""
    rng = np.random.default_rng(0)
    tiles = rng.permuted(np.tile(np.arange(TILES, dtype=np.int8), (games, 1)), axis=1)
    empty = rng.permuted(np.arange(CELLS) >= np.arange(games)[:, None] % CELLS, axis=1)
    boards = np.where(empty, np.int8(-1), tiles[:, :CELLS])
    return Positions(boards, tiles[:, -1].copy(), boards.max(axis=1))


def meanings(board: np.ndarray, tile: int, cell: int, rules: Rules) -> list[tuple | None]:
    """What the rows of a placement stand for, worked out from the board by counting; None for nothing."""
    found: list[tuple | None] = []
    after = board.copy()
    after[cell] = tile
    for direction in range(3):

        def number_of(other: int, direction: int = direction) -> int:
            return int(TILE_NUMBERS[other, direction])

        def state(index: int, of: np.ndarray, direction: int = direction) -> tuple:
            tiles = [int(of[other]) for other in LINES[index] if of[other] >= 0]
            numbers = {int(TILE_NUMBERS[other, direction]) for other in tiles}
            symbols = frozenset(rules.suns[other] for other in tiles)
            number = numbers.pop() if len(numbers) == 1 else "broken" if numbers else None
            return len(LINES[index]) - len(tiles), number, symbols if rules.scoring == "sunrays" else None

        lines = range(direction * LINES_PER_DIRECTION, (direction + 1) * LINES_PER_DIRECTION)
        (line,) = (index for index in lines if cell in LINES[index])
        missing, before, symbols = state(line, board)
        number, length = number_of(tile), len(LINES[line])

        def odds(kind: str, wanted: int, misses: int, own: int = line, lines: range = lines) -> tuple:
            placed = after if kind == "odds" else board
            remain = 9 - sum(other >= 0 and number_of(other) == wanted for other in placed)
            states = [state(index, board) for index in lines if index != own]
            rivals = sum(misses for misses, of_line, _ in states if of_line == wanted)
            return kind, number_of.__defaults__, wanted, misses, remain, min(rivals, MANY)

        filled = tuple(other for other in LINES[line] if after[other] >= 0)
        found.append(("after", line, filled, *state(line, after)))
        found.append(("effect", direction, number, before, length, missing))
        found.append(odds("odds", number, missing - 1) if before in (None, number) else None)
        found.append(odds("loss", before, missing) if before not in (None, number, "broken") else None)
        ray = ("ray", rules.suns[tile], symbols, length, missing) if symbols is not None else None
        found.append(ray)
    return [*found, ("tile", tile, cell)]


@each_of_the_rules
def test_a_row_means_one_thing_and_one_thing_has_one_row(rules):
    positions = random_positions(1_500)
    games, cells = np.nonzero(positions.board < 0)
    rows = placement_rows(positions, games, cells, rules)
    rng = np.random.default_rng(0)
    row_of, meaning_of = {}, {}
    for placement in rng.choice(len(games), 5_000, replace=False):
        game, cell = games[placement], int(cells[placement])
        means = meanings(positions.board[game], int(positions.tile[game]), cell, rules)
        for meaning, row in zip(means, rows[placement].tolist(), strict=True):
            assert row_of.setdefault(meaning, row) == row
            assert meaning_of.setdefault(row, meaning) == meaning
    starts = section_starts(rules)
    assert row_of.pop(None) == starts[-1]
    kinds = ["after", "effect", "odds", "loss", "ray", "tile"]
    for kind, first, end in zip(kinds, starts[3:], starts[4:], strict=False):
        of_kind = [row for meaning, row in row_of.items() if meaning[0] == kind]
        assert all(first <= row < end for row in of_kind), kind
        assert bool(of_kind) == (kind != "ray" or rules.scoring == "sunrays"), kind


@each_of_the_rules
def test_a_position_has_the_rows_of_its_board_of_the_tile_in_hand_and_of_the_turn(rules):
    positions = random_positions(500)
    rows, starts = position_rows(positions, rules), section_starts(rules)
    board = np.empty((500, rows.shape[1] - 2), dtype=np.int32)
    fill_rows(positions.board, positions.previous, rules.code, int(starts[-1]), board)
    assert starts[1] == row_count(rules)
    assert (rows[:, :-2] == board).all()
    assert (rows[:, -2] == starts[1] + positions.tile).all()
    assert (rows[:, -1] == starts[2] + positions.filled).all()
    assert (rows <= starts[-1]).all()
