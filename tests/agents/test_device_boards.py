"""What the device reads of boards, against the compiled functions and the rules."""

import numpy as np
import pytest
import torch

from agents.device_boards import BoardReader
from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from takeiteasy_env.rules import Rules
from tests.agents.test_device_successors import ALL_RULES
from tests.agents.test_successors import positions_at, random_games

CPU = torch.device("cpu")

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)


@each_of_the_rules
def test_the_rows_of_a_board_are_those_that_the_compiled_function_finds(rules: Rules):
    reader, games = BoardReader.on(CPU, rules), random_games(rules)
    for turn in range(19):
        positions = positions_at(games, turn)
        rows = np.empty((len(positions), ROWS_PER_BOARD), dtype=np.int32)
        fill_rows(positions.board, positions.previous, rules.code, row_count(rules), rows)
        boards, last = torch.from_numpy(positions.board), torch.from_numpy(positions.previous)
        found = reader.rows(boards, last, reader.states(boards))
        assert np.array_equal(found.numpy(), rows)


@each_of_the_rules
def test_a_tile_may_go_where_the_rules_let_it_go(rules: Rules):
    reader, games = BoardReader.on(CPU, rules), random_games(rules)
    for turn in range(19):
        positions = positions_at(games, turn)
        board, tile, previous = map(torch.from_numpy, (positions.board, positions.tile, positions.previous))
        legal = reader.legal(board, tile[:, None], previous)[:, 0]
        assert np.array_equal(legal.numpy(), positions.legal(rules).astype(bool))
