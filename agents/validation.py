"""How good an agent is while it learns: its games on draws that are kept for this.

They are neither learned from nor reported: what is chosen by them, the best model of a training or the best
configuration of a search, is judged anew on other draws. All evaluations of a training are on the same ones,
so that their differences are those of the agent and not of its luck.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from agents.agent import Agent, make_agent
from agents.curves import INTERVAL, MEAN
from agents.examination import Found
from agents.play import Games, play
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.picture import Picture
from takeiteasy_env.render import to_pixels
from takeiteasy_env.rules import Rules, bonuses_of

#: Games of an examination, unless it is said otherwise.
EVALUATION_GAMES: Final = 2_000

#: Those whom a trained agent is compared with.
BASELINES: Final = ("random", "greedy", "line_odds")
REFERENCES: Final = tuple(f"eval/{name}" for name in BASELINES)
#: Who sits on the other seats of a table.
OPPONENT: Final = "line_odds"
#: Standard errors from the mean to the ends of its 95 % interval.
NORMAL: Final = 1.96


@dataclass(frozen=True, slots=True)
class Validated:
    """How an agent did.

    Attributes:
        games: what it played.
        points: int32 (N,), the points of each game, with the bonuses at a table.
    """

    games: Games
    points: np.ndarray

    @property
    def mean(self) -> float:
        """Mean points of a game."""
        return float(self.points.mean())

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval of the mean."""
        return float(NORMAL * self.points.std(ddof=1) / np.sqrt(len(self.points)))

    @property
    def median_game(self) -> int:
        """The number of a game with the median of the points."""
        return int(np.argsort(self.points)[len(self.points) // 2])


class Validation:
    """Plays agents on the validation draws of a seed: an :class:`agents.examination.Examination`.

    Args:
        rules: of the games.
        seed: of the draws.
        games: how many, None for :data:`EVALUATION_GAMES`.
        players: at a table; :data:`OPPONENT` plays on all seats but one.
    """

    measure: str = MEAN
    charts: Mapping[str, Any] = {
        "eval": {
            "mean points with their 95 % interval": ["Margin", [MEAN, *INTERVAL]],
            "mean points and those of the baselines": ["Multiline", [MEAN, *REFERENCES]],
        }
    }

    def __init__(self, rules: Rules, seed: int, games: int | None = None, players: int = 1) -> None:
        self.rules, self.seed, self.players = rules, seed, players
        self.draws = draw_orders(stream(seed, Purpose.VALIDATE), games or EVALUATION_GAMES)

    def examine(self, agent: Agent) -> Found:
        """How an agent does, beside the baselines, with a picture of its median game's final board.

        Raises:
            PlayError: when it answers with what is no move.
        """
        found = self.of(agent)
        low, high = INTERVAL
        points = {MEAN: found.mean, low: found.mean - found.margin, high: found.mean + found.margin}
        lines = dict(zip(REFERENCES, self.baselines.values(), strict=True))
        picture = Picture(found.games.boards[found.median_game], rules=self.rules)
        return Found(
            curves=points | lines | {"eval/scores": found.points},
            words=f"mean {found.mean:.1f}",
            pictures={"eval/median_board": to_pixels(picture)},
        )

    def of(self, agent: Agent) -> Validated:
        """Let an agent play.

        Raises:
            PlayError: when it answers with what is no move.
        """
        games = play(agent, self.draws, self.rules)
        return Validated(games, games.scores + self._bonuses(games.boards))

    @cached_property
    def baselines(self) -> dict[str, float]:
        """The mean of each of :data:`BASELINES` on these draws."""
        return {name: self.of(make_agent(name, self.rules, self.seed)).mean for name in BASELINES}

    @cached_property
    def _opponents(self) -> np.ndarray:
        """int8 (N, players - 1, 19): the boards of the other seats."""
        boards = play(make_agent(OPPONENT, self.rules), self.draws, self.rules).boards
        return boards[:, None].repeat(self.players - 1, axis=1)

    def _bonuses(self, boards: np.ndarray) -> np.ndarray:
        """int32 (N,): what boards get at a table besides their own points."""
        if self.players == 1:
            return np.zeros(len(boards), dtype=np.int32)
        return bonuses_of(np.concatenate((boards[:, None], self._opponents), axis=1), self.rules)[:, 0]
