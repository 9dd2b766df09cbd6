"""How good an agent of Latice is while it learns: games against the scripted ones, on deals kept for this.

Each deal is played once from every seat of the agent's; the same opponent sits on all others.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from agents.examination import Found
from agents.latice.agent import LaticeAgent, make_latice_agent
from agents.latice.play import play
from agents.validation import NORMAL
from latice_env.deal import random_words
from latice_env.rules import Rules
from takeiteasy_env.draws import Purpose, stream

#: Whom a trained agent is compared with, the strongest last.
BASELINES: Final = ("greedy", "planner")
#: Deals of an examination.
DEALS: Final = 100
#: The curves: the part of the decided games that it wins against each, and the ends of its 95 % interval.
WON: Final = tuple(f"eval/won_against_{name}" for name in BASELINES)
INTERVALS: Final = tuple((f"{curve}_low", f"{curve}_high") for curve in WON)
#: That by which the best model is kept.
MEASURE: Final = WON[-1]
MEASURE_INTERVAL: Final = INTERVALS[-1]


class LaticeExamination:
    """Plays agents on the validation deals of a seed: an :class:`agents.examination.Examination`.

    Args:
        rules: of the games.
        seed: of the deals, and of the opponents.
        deals: how many, None for :data:`DEALS`.
    """

    measure: str = MEASURE
    charts: Mapping[str, Any] = {
        "eval": {
            f"decided games won against {name}": ["Margin", [curve, *interval]]
            for name, curve, interval in zip(BASELINES, WON, INTERVALS, strict=True)
        }
    }

    def __init__(self, rules: Rules, seed: int, deals: int | None = None) -> None:
        self.rules = rules
        self.words = random_words(stream(seed, Purpose.VALIDATE), deals or DEALS)
        self.opponents = [make_latice_agent(name, seed) for name in BASELINES]

    def examine(self, agent: LaticeAgent) -> Found:
        """The part of the decided games that an agent wins against each of the baselines."""
        curves: dict[str, float] = {}
        words = []
        for name, curve, (low, high), opponent in zip(BASELINES, WON, INTERVALS, self.opponents, strict=True):
            won, decided = self._won_and_decided(agent, opponent)
            part = won / max(decided, 1)
            margin = float(NORMAL * np.sqrt(part * (1 - part) / max(decided, 1)))
            curves |= {curve: part, low: part - margin, high: part + margin}
            words.append(f"{100 * part:.0f} % against {name}")
        return Found(curves, ", ".join(words), {})

    def _won_and_decided(self, agent: LaticeAgent, opponent: LaticeAgent) -> tuple[int, int]:
        """How many games the agent wins, and how many are no tie in which it has a part."""
        won = lost = 0
        for seat in range(self.rules.players):
            seats = [opponent] * self.rules.players
            seats[seat] = agent
            winners = play(seats, self.rules, self.words).winners
            won += int((winners[:, seat] & (winners.sum(axis=1) == 1)).sum())
            lost += int((~winners[:, seat]).sum())
        return won, won + lost
