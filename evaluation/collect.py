"""From the batches of a tournament to what they say, read one after the other so that memory stays flat."""

import numpy as np

from evaluation.calibration import Calibration
from evaluation.outcome import Entry, Outcome, Shown
from evaluation.shards import Shards
from evaluation.tables import Standings
from evaluation.tally import Tally
from evaluation.tournament import SCORE


def collect(shards: Shards) -> Outcome:
    """What a tournament of which all batches have been played says.

    Raises:
        UsageError: when one is missing or damaged.
    """
    tournament = shards.tournament
    seats = len(tournament.agents)
    scores = np.empty((seats, tournament.games), dtype=SCORE)
    tallies = [Tally.empty() for _ in range(seats)]
    calibrations: list[Calibration | None] = [None] * seats
    luck = None if tournament.adjust is None else np.empty(scores.shape, dtype=np.float32)
    seconds, alone = np.zeros(seats), np.zeros(seats)
    standings = Standings(tournament) if tournament.tables else None
    for batch in tournament.batches:
        games = tournament.batch_games(batch)
        draws = tournament.draws(games)
        boards = np.empty((seats, *draws.shape), dtype=np.int8)
        for seat in range(seats):
            played = shards.load(seat, batch)
            np.put_along_axis(boards[seat], played.cells.astype(np.int64), draws, axis=1)
            scores[seat, games.start : games.stop] = played.scores
            if luck is not None:
                luck[seat, games.start : games.stop] = played.luck
            tallies[seat] += Tally.of(boards[seat], tournament.rules)
            if played.calibration is not None:
                before = calibrations[seat]
                calibrations[seat] = played.calibration if before is None else before + played.calibration
            seconds[seat] += played.seconds
            alone[seat] += played.seconds_alone
        if standings is not None:
            standings.add(games, boards, scores[:, games.start : games.stop])
    entries = [
        Entry(
            agent,
            scores[seat],
            tallies[seat],
            {name: _game(shards, seat, number) for name, number in _worth_showing(scores[seat]).items()},
            float(seconds[seat]),
            float(alone[seat]),
            calibrations[seat],
            None if luck is None else luck[seat],
        )
        for seat, agent in enumerate(tournament.agents)
        if agent not in tournament.agents[:seat]
    ]
    return Outcome(
        rules=tournament.rules,
        games=tournament.games,
        seed=tournament.seed,
        command=tournament.command,
        entries=entries,
        tables=None if standings is None else standings.tables(),
        adjust=tournament.adjust,
    )


def _worth_showing(scores: np.ndarray) -> dict[str, int]:
    """The number of the first game that is the best, the median (of two, the lower) and the worst."""
    median = np.partition(scores, (len(scores) - 1) // 2)[(len(scores) - 1) // 2]
    return {
        "best": int(scores.argmax()),
        "median": int(np.flatnonzero(scores == median)[0]),
        "worst": int(scores.argmin()),
    }


def _game(shards: Shards, seat: int, number: int) -> Shown:
    tournament = shards.tournament
    batch, row = divmod(number, tournament.batch)
    played = shards.load(seat, batch)
    draws = tournament.draws(range(number, number + 1))[0]
    return Shown(number, draws, played.cells[row], int(played.scores[row]))
