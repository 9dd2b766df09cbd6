"""Agents of Latice on the same deals: who sits at which table and in which seat, and one batch of games."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, permutations
from typing import Any, Final

import numpy as np

from agents.errors import UsageError
from agents.latice.agent import LaticeAgent, make_latice_agent
from agents.latice.play import Games, play
from evaluation.tournament import agent_seed
from latice_env.deal import random_words
from latice_env.rules import Rules
from takeiteasy_env.draws import Purpose, stream

#: Games played side by side and saved together, unless somebody wants another number of them.
BATCH: Final = 500
#: Deals at each table, unless somebody wants another number of games.
DEALS: Final = 1_000
#: The least number of deals: one has no spread, hence no interval.
MIN_DEALS: Final = 2
#: Counts of a game are kept as int16; no game comes near its end.
COUNT: Final = np.int16
#: Goes up when what a version keeps on disk cannot be read as that of the one before.
SHARDS_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class LaticeBatch:
    """Some deals at one table of P members, each played from all P rotations of the seats.

    Attributes:
        counts: by the names of :class:`agents.latice.play.Games`, int16 (D, P, P) by deal, rotation and
            member of the table; ``outcomes`` int16 (D, P) by deal and rotation.
        seconds: how long they took.
    """

    counts: dict[str, np.ndarray]
    seconds: float


@dataclass(frozen=True, slots=True)
class LaticeTournament:
    """What an evaluation is to play: at every table the same deals, each once from every rotation of seats.

    A table's members sit in another order round it from deal to deal, so that at three or four nobody always
    plays after the same one. What is played follows from this alone, whatever is played beside it.

    Attributes:
        agents: the texts that name them, as :func:`agents.latice.agent.make_latice_agent` takes them. So
            many as ``players`` are one table, at which an agent may sit several times; more are named once
            each, and sit together in every way.
        games: at each table, a multiple of ``players``.
        seed: of the deals and of the agents' random choices, 0 or more.
        players: at a table, 2 to 4.
        deal: ``standard`` or ``tournament``.
        batch: games that are played side by side and saved together.
        command: what was typed, for the results.
    """

    agents: tuple[str, ...]
    games: int
    seed: int
    players: int = 2
    deal: str = "standard"
    batch: int = BATCH
    command: str = ""

    def check(self) -> None:
        """Raise :class:`UsageError` for what cannot be played, naming it and what is allowed."""
        try:
            players = self.rules.players
        except ValueError as error:
            raise UsageError(str(error)) from None
        if len(self.agents) < players:
            several = "" if players == 2 else ", the same one for several seats if you like,"
            raise UsageError(
                f"players={players}: name as many agents as sit at the table{several} or more for every "
                "table of them"
            )
        twice = sorted({agent for agent in self.agents if self.agents.count(agent) > 1})
        if twice and (players == 2 or len(self.agents) > players or len(self.names) == 1):
            raise UsageError(f"agents names {twice[0]!r} twice: it would play against itself")
        least = MIN_DEALS * players
        if self.games < least or self.games % players:
            raise UsageError(
                f"games={self.games}: give a multiple of {players}, {least} or more, so that everybody plays "
                "each deal from every seat"
            )
        for name, least in (("seed", 0), ("batch", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name}={getattr(self, name)}: give {least} or more")

    def same_games_as(self, other: "LaticeTournament") -> bool:
        """Whether both play the same, however that was typed."""
        return replace(self, command=other.command) == other

    def settings(self) -> dict[str, Any]:
        """All of it as plain values, the game, and the version of its files."""
        return {"version": SHARDS_VERSION, "game": "latice"} | asdict(self)

    @property
    def rules(self) -> Rules:
        """The rules of all the games."""
        return Rules(self.players, self.deal)

    @property
    def names(self) -> tuple[str, ...]:
        """The agents, each once."""
        return tuple(dict.fromkeys(self.agents))

    @property
    def tables(self) -> tuple[tuple[int, ...], ...]:
        """The members of each table, as numbers of agents."""
        return tuple(combinations(range(len(self.agents)), self.players))

    @property
    def games_in_all(self) -> int:
        """The games of all tables together."""
        return self.games * len(self.tables)

    @property
    def deals(self) -> int:
        """How many deals are played at each table."""
        return self.games // self.players

    @property
    def batches(self) -> range:
        """The numbers of the batches."""
        return range(-(-self.deals // self._deals_of_a_batch))

    def batch_deals(self, batch: int) -> range:
        """The numbers of the deals of a batch."""
        return range(self.deals)[batch * self._deals_of_a_batch :][: self._deals_of_a_batch]

    @property
    def _deals_of_a_batch(self) -> int:
        return max(1, self.batch // self.players)

    def words(self, deals: range) -> np.ndarray:
        """uint64 (D, 5): the random words of some deals that follow one another."""
        return random_words(stream(self.seed, Purpose.EVALUATE), deals.stop)[deals.start :]

    def seats(self, deals: range) -> np.ndarray:
        """int8 (D, P, P): the seat of each member, by deal and rotation."""
        every = seatings(self.players)
        return every[np.arange(deals.start, deals.stop) % len(every)]

    def make_agent(self, number: int) -> LaticeAgent:
        """The agent of a number. Of one that is named several times each makes random choices of its own.

        Raises:
            UsageError: when it cannot be made.
        """
        copy = self.agents[:number].count(self.agents[number])
        return make_latice_agent(self.agents[number], agent_seed(self.seed, copy))

    def play(self, agents: Sequence[LaticeAgent], table: int, deals: range) -> dict[str, np.ndarray]:
        """Play some deals at a table.

        Args:
            agents: all of them, by number.
            table: which of the tables.
            deals: which deals, D of them.

        Returns:
            What :class:`LaticeBatch` calls counts.
        """
        members = self.tables[table]
        words, seats = self.words(deals), self.seats(deals)
        shape = (len(deals), self.players, self.players)
        counts = {name: np.zeros(shape[:2] if name == "outcomes" else shape, COUNT) for name in Games._fields}
        for arrangement in np.unique(seats.reshape(-1, self.players), axis=0):
            rows, rotations = np.nonzero((seats == arrangement).all(axis=2))
            sitting = [agents[members[member]] for member in arrangement.argsort()]
            games = play(sitting, self.rules, words[rows])
            for name, values in games._asdict().items():
                counts[name][rows, rotations] = values if name == "outcomes" else values[:, arrangement]
        return counts

    def play_batch(self, agents: Sequence[LaticeAgent], table: int, batch: int) -> LaticeBatch:
        """Play a batch at a table, and measure how long it takes."""
        start = time.perf_counter()
        counts = self.play(agents, table, self.batch_deals(batch))
        return LaticeBatch(counts, time.perf_counter() - start)


def seatings(players: int) -> np.ndarray:
    """int8 (O, P, P): the seat of each member in every order round the table and every rotation of it.

    In the order of a deal everybody sits in each seat once.
    """
    orders = [np.array([0, *others]) for others in permutations(range(1, players))]
    return np.array(
        [[(order.argsort() + turned) % players for turned in range(players)] for order in orders],
        dtype=np.int8,
    )
