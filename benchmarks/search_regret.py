"""How many points a game each way to look ahead gives away, by the judgement of a much wider search.

    python benchmarks/search_regret.py [--games 200] [--agents value search+plies:1 search] [--out ...]

The positions are those of the value agent's own games on validation draws. A move's regret is by how much its
cell is worth less than the best one, by the judge; the sum over the moves of a game tells agents apart on a
hundredth of the games that their scores need. What judge and agents get wrong alike remains unseen.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

from agents.agent import Agent, make_agent
from agents.play import play
from agents.search import SearchAgent, SearchOptions
from agents.threads import use_threads
from agents.value import make_value
from benchmarks.machine import machine_facts
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, Rules

JUDGE = SearchOptions(plies=2, margin=4, close=2.5, width=6, replies=3, exact=4, nodes=0)
#: The first placements are left out: many cells are alike, and the judge would take minutes for them.
TURNS = range(2, 17)
AGENTS = (
    "value",
    "search+plies:1+margin:1",
    "search+plies:1",
    "search+plies:1+margin:5",
    "search+nodes:5000",
    "search+close:0.5",
    "search",
    "search+close:2+nodes:0",
)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Measure what looking ahead less far gives away.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--agents", nargs="+", default=AGENTS)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/search_regret.json"))
    arguments = parser.parse_args()

    use_threads(1)
    rules = Rules()
    value = make_value(rules, 0, None)
    positions = positions_of(value, rules, arguments.games)
    judged = SearchAgent(value, JUDGE).values(positions)
    rows = {}
    for name in arguments.agents:
        agent = make_agent(name, rules)
        agent.values(positions[:1])
        start = time.process_time()
        cells = agent.values(positions).argmax(axis=1)
        milliseconds = (time.process_time() - start) * 1000 / len(positions)
        lost = judged.max(axis=1) - judged[np.arange(len(cells)), cells]
        games = lost.reshape(len(TURNS), arguments.games).sum(axis=0)
        error = 1.96 * float(games.std(ddof=1)) / arguments.games**0.5
        rows[name] = {
            "regret": float(games.mean()),
            "error": error,
            "moves_changed": float((lost > 0).mean()),
            "ms_a_move": milliseconds,
        }
        print(f"{name:28} {games.mean():.3f} +- {error:.3f} points a game, {milliseconds:.2f} ms a move")
    results = {
        "machine": machine_facts(["numpy", "numba"]),
        "games": arguments.games,
        "turns": [TURNS.start, TURNS.stop - 1],
        "judge": asdict(JUDGE),
        "agents": rows,
    }
    arguments.out.write_text(f"{json.dumps(results, indent=2)}\n")


def positions_of(agent: Agent, rules: Rules, games: int) -> Positions:
    """The positions of games that an agent plays, turn by turn."""
    played = play(agent, draw_orders(stream(0, Purpose.VALIDATE), games), rules)
    boards = np.repeat(played.boards[None], len(TURNS), axis=0)
    for board, turn in zip(boards, TURNS, strict=True):
        np.put_along_axis(board, played.cells[:, turn:].astype(np.int64), NONE, axis=1)
    tiles = played.draws.T
    return Positions(
        boards.reshape(-1, boards.shape[-1]),
        tiles[TURNS.start : TURNS.stop].reshape(-1),
        tiles[TURNS.start - 1 : TURNS.stop - 1].reshape(-1),
    )


if __name__ == "__main__":
    main()
