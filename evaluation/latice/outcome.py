"""What a tournament of Latice found, as plain data that tables, files and pages are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

import numpy as np

from evaluation.clusters import share_of_groups
from evaluation.latice.elo import ratings
from evaluation.latice.shards import LaticeShards
from evaluation.latice.tournament import LaticeTournament
from evaluation.statistics import Estimate, estimate_mean
from latice_env.legal import wind_price
from latice_env.state import GAME
from latice_env.state import Outcome as Ending

ENDINGS: Final = {ending.name.lower(): int(ending) for ending in Ending if ending is not Ending.PLAYING}
#: The counts that say who won, not what anybody did.
RESULT: Final = ("winners", "outcomes")
#: What a move costs.
SUNSTONES_A_MOVE: Final = 1
HALFSTONES_A_MOVE: Final = 2


@dataclass(frozen=True, slots=True)
class LaticeEntry:
    """What one agent did in its games.

    Attributes:
        agent: the text that names it.
        elo: above the agent that was named first, None for that one.
        wins: the share of its games that it won, a win that several share in equal parts.
        habits: what it did in a game, in the mean over its seats, see :func:`habits`.
    """

    agent: str
    elo: Estimate | None
    wins: Estimate
    habits: dict[str, float]


@dataclass(frozen=True, slots=True)
class LaticePair:
    """How two agents did against each other: whoever has fewer tiles left at the end is ahead.

    For two players that is who won. At a larger table every two seats are compared.

    Attributes:
        first: the one with the higher Elo.
        second: the other.
        games: how many games, or comparisons, it is.
        won: the share in which the first was ahead.
        tied: the share in which both had as many left.
        lost: the share in which the second was ahead.
        of_decided: the share that was won of those not tied, None when all were.
        elo: by how much the first one's is higher.
    """

    first: str
    second: str
    games: int
    won: Estimate
    tied: Estimate
    lost: Estimate
    of_decided: Estimate | None
    elo: Estimate


@dataclass(frozen=True, slots=True)
class LaticeTable:
    """How the games of one table went.

    Attributes:
        members: the texts that name them.
        turns: of all players in a game, the mean with its interval.
        actions: micro-actions of all players in a game, the mean with its interval.
        endings: the share of games that ended in each way.
        games_per_second: of one process.
    """

    members: tuple[str, ...]
    turns: Estimate
    actions: Estimate
    endings: dict[str, Estimate]
    games_per_second: float


@dataclass(frozen=True, slots=True)
class LaticeOutcome:
    """All that a tournament found.

    Attributes:
        tournament: what was played.
        counts: of all games, see :class:`evaluation.latice.tournament.LaticeBatch`, with an axis of tables in
            front: int16 (T, D, P, P), ``outcomes`` int16 (T, D, P).
        entries: one for each agent, the highest Elo first.
        pairs: every two agents that met, in that order.
        tables: one for each table.
    """

    tournament: LaticeTournament
    counts: dict[str, np.ndarray]
    entries: tuple[LaticeEntry, ...]
    pairs: tuple[LaticePair, ...]
    tables: tuple[LaticeTable, ...]


def collect(shards: LaticeShards) -> LaticeOutcome:
    """What a tournament of which all batches have been played says.

    Raises:
        UsageError: when one is missing or damaged.
    """
    tournament = shards.tournament
    batches = [
        [shards.load(table, batch) for batch in tournament.batches] for table in range(len(tournament.tables))
    ]
    counts = {
        name: np.stack([np.concatenate([batch.counts[name] for batch in table]) for table in batches])
        for name in batches[0][0].counts
    }
    seconds = [sum(batch.seconds for batch in table) for table in batches]
    return outcome_of(tournament, counts, seconds)


def outcome_of(
    tournament: LaticeTournament, counts: dict[str, np.ndarray], seconds: Sequence[float]
) -> LaticeOutcome:
    """What the counts of all games say, as :class:`LaticeOutcome` has them, and the seconds of each table."""
    names = tournament.names
    members = [[names.index(tournament.agents[member]) for member in table] for table in tournament.tables]
    shares = counts["winners"] / counts["winners"].sum(axis=3, keepdims=True)
    ahead = {
        (one, other): _differences(counts["left"], members, other, one)
        for one, other in combinations(range(len(names)), 2)
    }
    rated = ratings({pair: (1 + np.sign(by)) / 2 for pair, by in ahead.items()}, len(names))
    ranking = sorted(range(len(names)), key=lambda name: -rated.elo[name])
    return LaticeOutcome(
        tournament=tournament,
        counts=counts,
        entries=tuple(
            LaticeEntry(
                agent=names[name],
                elo=rated.above(name, 0) if name else None,
                wins=_share(_of_seats(shares, members, name)),
                habits=habits(
                    {key: _of_seats(of, members, name) for key, of in counts.items() if key not in RESULT},
                    tournament.players,
                ),
            )
            for name in ranking
        ),
        pairs=tuple(
            _pair(
                names,
                (one, other),
                rated.above(one, other),
                ahead[one, other] if one < other else -ahead[other, one],
            )
            for one, other in combinations(ranking, 2)
        ),
        tables=tuple(
            LaticeTable(
                members=tuple(names[name] for name in of_table),
                turns=_mean_of_a_game(counts["turns"][table]),
                actions=_mean_of_a_game(counts["actions"][table]),
                endings={
                    ending: _share(counts["outcomes"][table] == number) for ending, number in ENDINGS.items()
                },
                games_per_second=tournament.games / seconds[table],
            )
            for table, of_table in enumerate(members)
        ),
    )


def habits(counts: dict[str, np.ndarray], players: int) -> dict[str, float]:
    """What an agent does in a game, in the mean: the counts, and what follows from them about stones.

    Args:
        counts: of all its games, by the names of :class:`agents.latice.play.Games`.
        players: at a table, which a wind's price depends on.
    """
    game = np.zeros(1, dtype=GAME)[0]
    game["players"] = players
    spent = SUNSTONES_A_MOVE * counts["sunstone_moves"] + wind_price(game) * counts["winds_bought"]
    follows = {
        "moves_bought": counts["sunstone_moves"] + counts["halfstone_moves"],
        "sunstones_spent": spent,
        "sunstones_lost": counts["sunstones"] - spent - counts["sunstones_kept"],
        "halfstones_spent": HALFSTONES_A_MOVE * counts["halfstone_moves"],
    }
    return {name: float(values.mean(dtype=np.float64)) for name, values in (counts | follows).items()}


def _of_seats(counts: np.ndarray, members: Sequence[Sequence[int]], name: int) -> np.ndarray:
    """(D, K): what an agent has at all its seats, by deal, of counts (T, D, P, P)."""
    return np.concatenate(
        [
            counts[table, :, :, seat]
            for table, of_table in enumerate(members)
            for seat, member in enumerate(of_table)
            if member == name
        ],
        axis=1,
    )


def _differences(left: np.ndarray, members: Sequence[Sequence[int]], one: int, other: int) -> np.ndarray:
    """int (D, K): tiles that one agent has left more than another where they meet, of tiles (T, D, P, P)."""
    return np.concatenate(
        [
            left[table, :, :, seat] - left[table, :, :, opposite]
            for table, of_table in enumerate(members)
            for seat, opposite in product(range(len(of_table)), repeat=2)
            if (of_table[seat], of_table[opposite]) == (one, other)
        ],
        axis=1,
    )


def _pair(names: Sequence[str], pair: tuple[int, int], elo: Estimate, ahead: np.ndarray) -> LaticePair:
    """How two agents did, from by how many tiles the first was ahead: int (D, K)."""
    first, second = pair
    return LaticePair(
        first=names[first],
        second=names[second],
        games=ahead.size,
        won=_share(ahead > 0),
        tied=_share(ahead == 0),
        lost=_share(ahead < 0),
        of_decided=share_of_groups(ahead > 0, ahead != 0),
        elo=elo,
    )


def _share(values: np.ndarray) -> Estimate:
    """The share of all games, (D, K) by deal."""
    share = share_of_groups(values)
    assert share is not None, "there are games"
    return share


def _mean_of_a_game(counts: np.ndarray) -> Estimate:
    """The mean of what all players of a game make together, (D, P, P), by deal."""
    return estimate_mean(counts.sum(axis=2).mean(axis=1))
