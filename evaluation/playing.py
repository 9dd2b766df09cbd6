"""Playing what is left of a tournament: in this process, in several, or in parts on many machines."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import time_ns
from typing import Any, Final, cast

import numpy as np
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from agents.agent import Agent
from agents.errors import UsageError
from agents.progress import Progress
from agents.threads import use_threads
from agents.weights import Weights
from evaluation.shards import Shards
from evaluation.tournament import Batch, Tournament


@dataclass(frozen=True, slots=True)
class Part:
    """Which of the batches to play: number ``number`` of ``of`` parts, counted from 1."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> "Part":
        """The part that is written as ``2/8``.

        Raises:
            UsageError: for anything else.
        """
        number, _, of = text.partition("/")
        if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
            raise UsageError(f"part={text}: give which of how many, such as 2/8")
        return cls(int(number), int(of))

    def has(self, batch: int) -> bool:
        """Whether the batch belongs to it."""
        return batch % self.of == self.number - 1


WHOLE = Part()


@dataclass(frozen=True, slots=True)
class Task:
    """A batch that is to be played, and the seats that it is played for, by the agent of the first."""

    seats: tuple[int, ...]
    batch: int


#: A process takes seconds to start, so there is one for so many batches at the most.
BATCHES_OF_A_WORKER: Final = 50
#: Points by which the same network may value the draws of a game otherwise on another machine.
ROUNDING: Final = 0.01


def play_tournament(
    shards: Shards,
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
        UsageError: when an agent cannot be made, plays otherwise than before or answers with what is no move,
            when a worker dies or the disk refuses. What was finished is saved.
    """
    tournament = shards.tournament
    adjuster = tournament.make_adjuster()
    agents = [tournament.make_agent(seat) for seat in range(len(tournament.agents))]
    alike = tournament.seats_alike(agents)
    of_part = [
        Task(tuple(seats), batch)
        for batch in tournament.batches
        if part.has(batch)
        for seats in alike.values()
    ]
    tasks = [task for task in of_part if not all(shards.has(seat, task.batch) for seat in task.seats)]
    if not tasks:
        return
    for seat in alike:
        refuse_other_play(shards, agents[seat], seat, adjuster)
    check()
    workers = workers or max(1, min(threads, len(tasks) // BATCHES_OF_A_WORKER))
    sums = np.zeros((2, len(agents)), dtype=np.int64)
    games, left = (sum(len(tournament.batch_games(task.batch)) for task in some) for some in (of_part, tasks))
    done = games - left
    with Progress("evaluating", total=games) as progress:
        progress.update(done)
        for task, played in played_batches(tournament, agents, adjuster, tasks, workers, threads):
            for seat in task.seats:
                shards.save(seat, task.batch, played)
            seat = task.seats[0]
            sums[:, seat] += len(played.scores), played.scores.sum()
            done += len(played.scores)
            check()
            progress.update(done, f"{tournament.agents[seat]} {sums[1, seat] / sums[0, seat]:.1f}")


def refuse_other_play(shards: Shards, agent: Agent, seat: int, adjuster: Weights | None) -> None:
    """Play the first game, which compiles, and refuse an agent that plays it otherwise than it did.

    Raises:
        UsageError: when its first batch is there, and its first game another, or what was luck in it.
    """
    tournament = shards.tournament
    game = tournament.play(agent, seat, range(1))
    luck = tournament.luck(game, adjuster)
    if not shards.has(seat, 0):
        return
    begun = shards.load(seat, 0)
    if not np.array_equal(begun.cells[:1], game.cells):
        other = f"agent {tournament.agents[seat]!r} plays"
    elif luck is not None and begun.luck is not None and abs(luck[0] - begun.luck[0]) > ROUNDING:
        other = f"adjust={tournament.adjust} values boards"
    else:
        return
    raise UsageError(
        f"{other} otherwise than when the evaluation was begun: "
        "its model or its code has changed, so begin another one"
    )


def played_batches(
    tournament: Tournament,
    agents: Sequence[Agent],
    adjuster: Weights | None,
    tasks: Sequence[Task],
    workers: int,
    threads: int,
) -> Iterator[tuple[Task, Batch]]:
    """The batches of some tasks, as they are finished.

    Raises:
        UsageError: when an agent answers with what is no move, or a worker dies.
    """
    if workers == 1:
        for task in tasks:
            seat = task.seats[0]
            yield task, tournament.play_batch(agents[seat], seat, task.batch, adjuster)
        return
    run = time_ns()
    yield from results_of_calls(
        (delayed(play_in_worker)(tournament, task, run) for task in tasks), workers, threads
    )


def results_of_calls(calls: Iterable[Any], workers: int, threads: int) -> Iterator[Any]:
    """What joblib's delayed calls return in so many processes, which share the threads, as they are finished.

    Raises:
        UsageError: when a worker dies.
    """
    parallel = Parallel(
        n_jobs=workers,
        return_as="generator_unordered",
        initializer=prepare_worker,
        initargs=(max(1, threads // workers), Path.cwd()),
    )
    try:
        yield from cast(Iterator[Any], parallel(calls))
    except TerminatedWorkerError:
        raise UsageError(
            "a worker died, perhaps for want of memory: what was finished is saved, go on with fewer workers"
        ) from None


def prepare_worker(threads: int, directory: Path) -> None:
    """Compute on so many threads in a directory, and leave Ctrl-C to the process that started the workers.

    Workers stay for later evaluations of the same process, but not for those that are made elsewhere.
    """
    os.chdir(directory)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_threads(threads)


def play_in_worker(tournament: Tournament, task: Task, run: int) -> tuple[Task, Batch]:
    """Play a batch in a process of its own."""
    seat = task.seats[0]
    agent, adjuster = agent_in_worker(tournament, seat, run), adjuster_in_worker(tournament, run)
    return task, tournament.play_batch(agent, seat, task.batch, adjuster)


@lru_cache
def agent_in_worker(tournament: Tournament, seat: int, run: int) -> Agent:
    """An agent that has played its first game, made once in each worker of a run."""
    agent = tournament.make_agent(seat)
    tournament.play(agent, seat, range(1))
    return agent


@lru_cache
def adjuster_in_worker(tournament: Tournament, run: int) -> Weights | None:
    """The network that tells luck from play, read once in each worker of a run."""
    return tournament.make_adjuster()
