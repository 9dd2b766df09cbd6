"""Games to step through on a page: what each move shows, as compact data for the page's script."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from evaluation.analysis import Analysis, Judgement, analyse
from evaluation.boards import BoardDrawing
from evaluation.outcome import Entry, Outcome, Shown
from evaluation.tournament import agent_seed
from takeiteasy_env.record import GameRecord
from takeiteasy_env.rules import Rules

#: Values are written with one decimal, small ones with two.
SMALL: Final = 10.0


@dataclass(frozen=True, slots=True)
class Replay:
    """A game of M moves to step through.

    Attributes:
        title: which game of the agent it is.
        analysis: the game, judged.
    """

    title: str
    analysis: Analysis

    @property
    def drawing(self) -> BoardDrawing:
        """What the last board shows."""
        record = self.analysis.record
        return BoardDrawing.of(record.boards[-1], record.rules)

    def data(self) -> dict[str, Any]:
        """What the script needs: tiles, cells and points move by move, and what each judge says."""
        record = self.analysis.record
        drawings = [BoardDrawing.of(board, record.rules) for board in record.boards]
        return {
            "name": record.agent,
            "title": self.title,
            "score": record.score,
            "draws": record.draws,
            "cells": record.placements,
            "bands": [drawing.bands for drawing in drawings],
            "points": [drawing.points for drawing in drawings],
            "attainable": self.analysis.attainable.tolist(),
            "judges": [_said(judgement) for judgement in self.analysis.judgements],
        }


def replays(outcome: Outcome, ranking: Sequence[int]) -> list[Replay]:
    """The best, the median and the worst game of each agent, the better agents first.

    Each is judged by the best agent and by the one that played it.

    Args:
        outcome: what an evaluation found.
        ranking: the numbers of its agents, the best one first.

    Raises:
        UsageError: when an agent cannot say again what it thinks of a game.
    """
    judge = outcome.entries[ranking[0]].agent
    return [
        Replay(
            f"{kind} game",
            analyse(
                record_of(outcome.rules, outcome.entries[agent], shown),
                *dict.fromkeys((judge, outcome.entries[agent].agent)),
                seed=agent_seed(outcome.seed),
                number=shown.number,
            ),
        )
        for agent in ranking
        for kind, shown in outcome.entries[agent].shown.items()
    ]


def record_of(rules: Rules, entry: Entry, shown: Shown) -> GameRecord:
    """The record of a game that an agent played."""
    return GameRecord(rules, shown.draws.tolist(), shown.cells.tolist(), entry.agent)


def _said(judgement: Judgement) -> dict[str, Any]:
    finite = judgement.values[np.isfinite(judgement.values)]
    digits = 1 if len(finite) and np.abs(finite).max() >= SMALL else 2
    return {
        "agent": judgement.agent,
        "digits": digits,
        "values": [
            [round(float(value), digits) if np.isfinite(value) else None for value in row]
            for row in judgement.values
        ],
        "best": judgement.best.tolist(),
        "losses": [round(float(loss), digits) for loss in judgement.losses],
    }
