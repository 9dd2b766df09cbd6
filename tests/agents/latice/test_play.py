"""The counts of games are those of their actions, told in words."""

import numpy as np
import pytest

from agents.latice.agent import make_latice_agent
from agents.latice.play import play
from latice_env import Rules
from latice_env.deal import begin, random_words
from latice_env.state import views
from tests.latice_env.tables import Table


@pytest.mark.parametrize("players", [2, 4])
def test_the_counts_are_those_of_the_actions(players):
    rules = Rules(players)
    words = random_words(np.random.default_rng(players), 3)
    names = ["random", "planner", "greedy", "random"][:players]
    agents = [make_latice_agent(name, seat) for seat, name in enumerate(names)]
    games = play(agents, rules, words)
    for number in range(len(words)):
        table = Table(rules)
        begin(table.game, words[number], rules.code)
        table.look()
        counts = {name: [0] * players for name in games._fields[3:]}
        before = None
        while not table.over:
            seat = table.player
            action = int(agents[seat].values(views(table.games))[0].argmax())
            name = next(words for words, legal in table.actions().items() if legal == action)
            had = np.array(table.stones(seat))
            counts["turns"][seat] += seat != before
            counts["actions"][seat] += 1
            before = seat
            kind = {
                ("buy", "move", "sunstone"): "sunstone_moves",
                ("buy", "move", "halfstones"): "halfstone_moves",
                ("buy", "wind"): "winds_bought",
            }.get(name, {"shift": "winds"}.get(name[0]))
            if kind:
                counts[kind][seat] += 1
            if name[0] == "exchange":
                counts["exchanged"][seat] += len(name[1])
            size = len(table.board)
            table.play(action)
            if name[0] == "place":
                assert len(table.board) == size + 1
                suns, halves = np.array(table.stones(seat)) - had
                if table.player == seat and not table.over:  # else some may be lost
                    counts["sunstones"][seat] += suns
                else:
                    row, column = name[2]
                    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
                    touched = sum(square in table.board for square in around)
                    sun = (row % 8 == 0 and column % 4 == 0) or (column % 8 == 0 and row % 4 == 0)
                    sun |= row in (1, 2, 6, 7) and column in (row, 8 - row)
                    counts["sunstones"][seat] += (0, 0, 0, 1, 2)[touched] + sun
                counts["halfstones"][seat] += halves
        for seat in range(players):
            counts["sunstones_kept"][seat], counts["halfstones_kept"][seat] = table.stones(seat)
        for name, of_seats in counts.items():
            assert getattr(games, name)[number].tolist() == of_seats, name
        assert games.left[number].tolist() == [
            table.rack(seat).total() + table.pool(seat).total() for seat in range(players)
        ]
