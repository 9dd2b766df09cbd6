"""Who beats whom at Latice: two agents on the same deals, each deal played once from either seat.

    python benchmarks/latice_strength.py greedy random [--games 2000] [--seed 1] [--deal standard] [--out ...]

Writes ``results.json`` and ``games.npz``: of each game who won, how it ended, and each agent's micro-actions,
turns, winds and tiles left, in the order of the agents. Intervals are Wilson's, as if no deal came twice.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

from agents.latice.agent import make_latice_agent
from agents.latice.play import Games, play
from agents.threads import use_threads
from benchmarks.machine import machine_facts
from evaluation.statistics import share
from latice_env.deal import random_words
from latice_env.rules import DEALS, Rules
from latice_env.state import Outcome
from takeiteasy_env.draws import Purpose, stream


def play_from_both_seats(names: list[str], deals: int, seed: int, deal: str) -> Games:
    """The games of two agents: all deals with the first agent at seat 0, then the same the other way."""
    rules = Rules(deal=deal)
    words = random_words(stream(seed, Purpose.EVALUATE), deals)
    agents = [make_latice_agent(name, seed) for name in names]
    there, back = play(agents, rules, words), play(agents[::-1], rules, words)
    pairs = zip(there, back, strict=True)
    return Games(*(np.concatenate([a, b if b.ndim == 1 else b[:, ::-1]]) for a, b in pairs))


def summary(names: list[str], games: Games) -> dict:
    """What the games say: wins, ties, the part of the decided games won, lengths and endings."""
    won = games.winners[:, 0] & ~games.winners[:, 1]
    lost = games.winners[:, 1] & ~games.winners[:, 0]
    decided = int(won.sum() + lost.sum())
    of_decided, of_all = share(int(won.sum()), decided), share(int(won.sum()), len(won))
    return {
        "agents": names,
        "games": len(won),
        "won": int(won.sum()),
        "lost": int(lost.sum()),
        "tied": len(won) - decided,
        "won_of_decided": asdict(of_decided),
        "won_of_all": asdict(of_all),
        "endings": {
            outcome.name.lower(): float((games.outcomes == outcome).mean())
            for outcome in Outcome
            if outcome != Outcome.PLAYING
        },
        "micro_actions": float(games.actions.sum(axis=1).mean()),
        "turns": float(games.turns.sum(axis=1).mean()),
        "winds": games.winds.mean(axis=0).tolist(),
        "tiles_left": games.left.mean(axis=0).tolist(),
    }


def main() -> None:
    """Play, print and write."""
    parser = argparse.ArgumentParser(description="Measure who beats whom at Latice.")
    parser.add_argument("agents", nargs=2)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deal", choices=DEALS, default="standard")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    use_threads(1)
    start = time.process_time()
    games = play_from_both_seats(arguments.agents, arguments.games // 2, arguments.seed, arguments.deal)
    results = summary(arguments.agents, games) | {
        "seed": arguments.seed,
        "deal": arguments.deal,
        "cpu_seconds": round(time.process_time() - start, 1),
        "machine": machine_facts(["numpy", "numba"]),
    }
    text = json.dumps(results, indent=2) + "\n"
    print(text, end="")
    out = arguments.out or Path("results") / f"latice_{'_'.join(arguments.agents)}"
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(text, encoding="utf-8")
    compact = {name: array.astype(np.int16) for name, array in games._asdict().items()}
    np.savez_compressed(out / "games.npz", **compact)
    print(f"written to {out}")


if __name__ == "__main__":
    main()
