"""Many agents on the same draws: what is to be played, and one batch of it."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from agents.agent import Agent, RandomizedAgent, describe, make_agent
from agents.errors import UsageError
from agents.luck import luck_of, value_network_of
from agents.play import Games, PlayError, play
from agents.weights import Weights
from evaluation.calibration import Calibration
from takeiteasy_env.arguments import refuse_players
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, skip_games, stream
from takeiteasy_env.rules import Rules

#: Games played side by side and saved together, unless somebody wants another number of them.
BATCH: Final = 1_000
#: The least number of games: one has no spread, hence no interval.
MIN_GAMES: Final = 2
#: Points are kept as int16; the rules of no variant come near its end.
SCORE: Final = np.int16
#: Goes up when what a version keeps on disk cannot be read as that of the one before.
SHARDS_VERSION: Final = 2


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch of games of one seat.

    Attributes:
        cells: int8 (N, 19), the cell on which each tile drawn was put.
        scores: int16 (N,), points of the board alone.
        seconds: how long they took, side by side.
        seconds_alone: how long a move of the first game takes when it is played alone; 0 when not measured.
        calibration: what was predicted in them, None for an agent that predicts no points.
        luck: float32 (N,), points of the scores that were luck of the draw; None when not asked for.
    """

    cells: np.ndarray
    scores: np.ndarray
    seconds: float
    seconds_alone: float
    calibration: Calibration | None
    luck: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Tournament:
    """What an evaluation is to play: every agent the same draws.

    Nobody's play depends on the others at a table, so everybody plays each draw once, and tables are made of
    the boards. Game number n follows from the seed, the rules and the agent, and from nothing else here.

    Attributes:
        agents: the texts that name them, as :func:`agents.agent.make_agent` takes them, one for each seat.
            Alone each is named once, and also where there are more than ``players``; so many as ``players``
            are one table, at which an agent may sit several times.
        games: how many draws, at least 2.
        seed: of the draws and of the agents' random choices, 0 or more.
        rules: of all the games.
        players: at a table, 1 for players alone.
        batch: games that are played side by side and saved together.
        command: what was typed, for the results.
        adjust: names the value agent by whose network luck is told from play, for players alone; None for
            scores as they are.
    """

    agents: tuple[str, ...]
    games: int
    seed: int
    rules: Rules
    players: int = 1
    batch: int = BATCH
    command: str = ""
    adjust: str | None = None

    def check(self) -> None:
        """Raise :class:`UsageError` for what cannot be played, naming it and what is allowed."""
        if not self.agents:
            raise UsageError("agents is empty: name at least one")
        try:
            refuse_players(self.rules, self.players)
        except ValueError as error:
            raise UsageError(f"players={self.players}: {error}") from None
        if len(self.agents) < self.players:
            raise UsageError(
                f"players={self.players}: name as many agents as sit at the table, the same one for several "
                "seats if you like, or more for every table of them"
            )
        twice = sorted({agent for agent in self.agents if self.agents.count(agent) > 1})
        if twice and (self.players == 1 or len(self.agents) > self.players):
            raise UsageError(f"agents names {twice[0]!r} twice: it would play the same games again")
        if self.adjust is not None and self.players > 1:
            raise UsageError(
                f"adjust={self.adjust}: what is luck at a table is not known, so leave it out or play with "
                f"players=1, not {self.players}"
            )
        for name, least in (("games", MIN_GAMES), ("seed", 0), ("batch", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name}={getattr(self, name)}: give {least} or more")

    def same_games_as(self, other: "Tournament") -> bool:
        """Whether both play the same, however that was typed."""
        return replace(self, command=other.command) == other

    def settings(self) -> dict[str, Any]:
        """All of it as plain values, and the version of its files."""
        return {"version": SHARDS_VERSION} | asdict(self)

    @property
    def games_in_all(self) -> int:
        """The games of all seats together."""
        return self.games * len(self.agents)

    @property
    def batches(self) -> range:
        """The numbers of the batches."""
        return range(-(-self.games // self.batch))

    def batch_games(self, batch: int) -> range:
        """The numbers of the games of a batch."""
        return range(self.games)[batch * self.batch :][: self.batch]

    def draws(self, games: range) -> np.ndarray:
        """int8 (N, 19): the tiles of some games that follow one another, without dealing those before."""
        rng = stream(self.seed, Purpose.EVALUATE)
        skip_games(rng, games.start)
        return draw_orders(rng, len(games))

    @property
    def tables(self) -> tuple[tuple[int, ...], ...]:
        """The seats that sit together at each table; none for players alone."""
        if self.players == 1:
            return ()
        return tuple(combinations(range(len(self.agents)), self.players))

    def make_agent(self, seat: int) -> Agent:
        """The agent of a seat. Of one at several seats each makes random choices of its own, if any.

        Raises:
            UsageError: when it cannot be made.
        """
        copy = self.agents[:seat].count(self.agents[seat])
        return make_agent(self.agents[seat], self.rules, agent_seed(self.seed, copy))

    def make_adjuster(self) -> Weights | None:
        """The network that tells luck from play, None when scores stay as they are.

        Raises:
            UsageError: when there is no such network of the rules.
        """
        if self.adjust is None:
            return None
        try:
            return value_network_of(self.adjust, self.rules)
        except UsageError as error:
            raise UsageError(f"adjust={self.adjust}: {error}") from error

    def seats_alike(self, agents: Sequence[Agent]) -> dict[int, list[int]]:
        """The seats that play the same games, by the first of them: an agent's without random choices."""
        alike: dict[int, list[int]] = {}
        for seat, name in enumerate(self.agents):
            first = seat if isinstance(agents[seat], RandomizedAgent) else self.agents.index(name)
            alike.setdefault(first, []).append(seat)
        return alike

    def play(self, agent: Agent, seat: int, games: range) -> Games:
        """Let the agent of a seat play some games that follow one another.

        Raises:
            UsageError: when it answers with what is no move, naming the agent, the game and the move.
        """
        try:
            return play(agent, self.draws(games), self.rules, games.start)
        except PlayError as error:
            raise UsageError(
                f"agent {self.agents[seat]!r}, game {games.start + error.game}, "
                f"move {error.turn + 1} of {CELLS}: {error.reason}"
            ) from error

    def play_batch(self, agent: Agent, seat: int, batch: int, adjuster: Weights | None = None) -> Batch:
        """Let the agent of a seat play a batch, and measure how long it takes.

        Args:
            agent: who plays.
            seat: whose agent it is.
            batch: which games.
            adjuster: the network that says what was luck in them, if any is to.

        Raises:
            UsageError: as :meth:`play`.
        """
        games = self.batch_games(batch)
        start = time.perf_counter()
        played = self.play(agent, seat, games)
        seconds = time.perf_counter() - start
        alone = 0.0
        if batch == 0:
            start = time.perf_counter()
            self.play(agent, seat, games[:1])
            alone = (time.perf_counter() - start) / CELLS
        return Batch(
            played.cells,
            played.scores.astype(SCORE),
            seconds,
            alone,
            self.calibration(agent, seat, played),
            self.luck(played, adjuster),
        )

    def luck(self, played: Games, adjuster: Weights | None) -> np.ndarray | None:
        """float32 (N,): how many points of each game were luck, None without a network that says so."""
        if adjuster is None:
            return None
        return luck_of(played.draws, played.cells, self.rules, adjuster).sum(axis=1)

    def calibration(self, agent: Agent, seat: int, played: Games) -> Calibration | None:
        """What the agent of a seat predicted in games that it has played, None if it predicts no points.

        Raises:
            UsageError: when its quantiles are none.
        """
        try:
            return Calibration.of(agent, played, self.rules)
        except Exception as error:
            raise UsageError(f"agent {self.agents[seat]!r}: quantiles: {describe(error)}") from error


def agent_seed(seed: int, copy: int = 0) -> int:
    """The seed of an agent in an evaluation, another one for each of its copies."""
    return int(stream(seed, Purpose.AGENT, copy).integers(1 << 63))
