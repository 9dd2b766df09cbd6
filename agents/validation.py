"""How good an agent is while it learns: its games on draws that are kept for this.

They are neither learned from nor reported: what is chosen by them, the best model of a training or the best
configuration of a search, is judged anew on other draws. All evaluations of a training are on the same ones.

The same draws are not the same luck: who puts a tile elsewhere is glad of other tiles after it. So the luck
of the draw (:mod:`agents.luck`) is taken out of the scores, by the value network that comes with the project.
It stays in where there is none for the rules, and at a table, whose bonuses it does not foresee.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from agents.agent import Agent, make_agent
from agents.curves import INTERVAL, MEAN
from agents.examination import Found
from agents.luck import luck_of, shipped_network
from agents.play import Games, play
from agents.weights import Weights
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.picture import Picture
from takeiteasy_env.render import to_pixels
from takeiteasy_env.rules import Rules, bonuses_of

#: Games of an examination, unless it is said otherwise; twice as many where the luck stays in.
EVALUATION_GAMES: Final = 1_000

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
        luck: float64 (N,), how many of them were luck of the draw: 0 where nobody can tell.
    """

    games: Games
    points: np.ndarray
    luck: np.ndarray

    @property
    def mean(self) -> float:
        """Mean points of a game, less luck: an estimate of the same number as their mean with it."""
        return float((self.points - self.luck).mean())

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval of the mean."""
        return float(NORMAL * (self.points - self.luck).std(ddof=1) / np.sqrt(len(self.points)))

    @property
    def median_game(self) -> int:
        """The number of a game with the median of the points, luck included: it is a game to look at."""
        return int(np.argsort(self.points)[len(self.points) // 2])


class Validation:
    """Plays agents on the validation draws of a seed: an :class:`agents.examination.Examination`.

    Args:
        rules: of the games.
        seed: of the draws.
        games: how many, None for as many as :data:`EVALUATION_GAMES` says.
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
        self.rules, self.seed, self.games, self.players = rules, seed, games, players

    @cached_property
    def draws(self) -> np.ndarray:
        """int8 (N, 19), the tiles of each game in the order they are drawn."""
        games = self.games or EVALUATION_GAMES * (2 if self.adjuster is None else 1)
        return draw_orders(stream(self.seed, Purpose.VALIDATE), games)

    @cached_property
    def adjuster(self) -> Weights | None:
        """The network that tells luck from play, None where the luck stays in.

        Raises:
            UsageError: when it is damaged.
        """
        return None if self.rules.scoring == "best_ray" else shipped_network(self.rules)

    def examine(self, agent: Agent) -> Found:
        """How an agent does, beside the baselines, with a picture of its median game's final board.

        Raises:
            PlayError: when it answers with what is no move.
            UsageError: when the network that tells luck from play is damaged.
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
            UsageError: when the network that tells luck from play is damaged.
        """
        games = play(agent, self.draws, self.rules)
        return Validated(games, games.scores + self._bonuses(games.boards), self._luck(games))

    @cached_property
    def baselines(self) -> dict[str, float]:
        """The mean of each of :data:`BASELINES` on these draws, less luck as that of any agent."""
        return {name: self.of(make_agent(name, self.rules, self.seed)).mean for name in BASELINES}

    def _luck(self, games: Games) -> np.ndarray:
        """float64 (N,): how many points of each game were luck."""
        if self.adjuster is None:
            return np.zeros(len(games.draws))
        luck = luck_of(games.draws, games.cells, self.rules, self.adjuster)
        return luck.sum(axis=1, dtype=np.float64)

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
