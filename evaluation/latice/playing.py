"""Playing what is left of a tournament of Latice: in this process, in several, or in parts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import time_ns
from typing import Final

import numpy as np
from joblib import delayed

from agents.errors import UsageError
from agents.latice.agent import LaticeAgent
from agents.progress import Progress
from evaluation.latice.shards import LaticeShards
from evaluation.latice.tournament import LaticeBatch, LaticeTournament
from evaluation.playing import WHOLE, Part, results_of_calls

#: A process takes seconds to start, so there is one for so many batches at the most.
BATCHES_OF_A_WORKER: Final = 4


@dataclass(frozen=True, slots=True)
class Task:
    """A batch that is to be played at a table."""

    table: int
    batch: int


def play_tournament(
    shards: LaticeShards,
    workers: int = 1,
    threads: int = 1,
    part: Part = WHOLE,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Play the batches that are missing, save each as it is finished, and show the progress.

    Args:
        shards: what is to be played, and what has been.
        workers: processes that play; 1 plays in this one, 0 in as many as pay, at most one for each thread.
        threads: that several workers share.
        part: which batches to play.
        check: called when all agents are compiled and after each batch; it may raise to stop.

    Raises:
        UsageError: when an agent cannot be made or plays otherwise than before, when a worker dies or the
            disk refuses. What was finished is saved.
    """
    tournament = shards.tournament
    agents = [tournament.make_agent(number) for number in range(len(tournament.agents))]
    of_part = [
        Task(table, batch)
        for batch in tournament.batches
        if part.has(batch)
        for table in range(len(tournament.tables))
    ]
    tasks = [task for task in of_part if not shards.has(task.table, task.batch)]
    if not tasks:
        return
    for table in range(len(tournament.tables)):
        refuse_other_play(shards, agents, table)
    check()
    workers = workers or max(1, min(threads, len(tasks) // BATCHES_OF_A_WORKER))
    wins = np.zeros((len(tournament.tables), tournament.players), dtype=np.int64)
    games, left = (
        sum(len(tournament.batch_deals(task.batch)) for task in some) * tournament.players
        for some in (of_part, tasks)
    )
    done = games - left
    with Progress("evaluating", total=games) as progress:
        progress.update(done)
        for task, played in played_batches(tournament, agents, tasks, workers, threads):
            shards.save(task.table, task.batch, played)
            winners = played.counts["winners"]
            wins[task.table] += winners.sum(axis=(0, 1), dtype=np.int64)
            done += len(winners) * tournament.players
            check()
            progress.update(done, _score(tournament, task.table, wins[task.table]))


def _score(tournament: LaticeTournament, table: int, wins: np.ndarray) -> str:
    """How often the members of a table have won."""
    members = (tournament.agents[member] for member in tournament.tables[table])
    return "  ".join(f"{name} {won:,}" for name, won in zip(members, wins, strict=True))


def refuse_other_play(shards: LaticeShards, agents: Sequence[LaticeAgent], table: int) -> None:
    """Play the first deal at a table, which compiles, and refuse agents that play it otherwise than they did.

    Raises:
        UsageError: when the table's first batch is there, and the games of its first deal are others.
    """
    tournament = shards.tournament
    counts = tournament.play(agents, table, range(1))
    if shards.has(table, 0):
        before = shards.load(table, 0).counts
        if any(not np.array_equal(before[name][:1], values) for name, values in counts.items()):
            members = ", ".join(tournament.agents[member] for member in tournament.tables[table])
            raise UsageError(
                f"the table of {members} plays otherwise than when the evaluation was begun: a model or code "
                "has changed, so begin another one"
            )


def played_batches(
    tournament: LaticeTournament,
    agents: Sequence[LaticeAgent],
    tasks: Sequence[Task],
    workers: int,
    threads: int,
) -> Iterator[tuple[Task, LaticeBatch]]:
    """The batches of some tasks, as they are finished.

    Raises:
        UsageError: when a worker dies.
    """
    if workers == 1:
        for task in tasks:
            yield task, tournament.play_batch(agents, task.table, task.batch)
        return
    run = time_ns()
    yield from results_of_calls(
        (delayed(play_in_worker)(tournament, task, run) for task in tasks), workers, threads
    )


def play_in_worker(tournament: LaticeTournament, task: Task, run: int) -> tuple[Task, LaticeBatch]:
    """Play a batch in a process of its own."""
    agents = agents_in_worker(tournament, run)
    return task, tournament.play_batch(agents, task.table, task.batch)


@lru_cache(1)
def agents_in_worker(tournament: LaticeTournament, run: int) -> list[LaticeAgent]:
    """All agents, made once in each worker of a run, after a deal that compiles them."""
    agents = [tournament.make_agent(number) for number in range(len(tournament.agents))]
    for table in range(len(tournament.tables)):
        tournament.play(agents, table, range(1))
    return agents
