"""How the value agent learns: from its own games, by the exact expectation over the next tile.

The value of a board after a placement is the mean, over the tiles that may come next, of the best that each
of them can do: the points it completes and the value of the board after it. All of it can be computed, so a
target has no sampling noise, only the error of the network that values the successors. What plays and values
them is a moving average of the weights: it is steadier than the weights of a single step.

A *lesson* comes first: games of ``line_odds``, made on the spot, with their returns as targets. It saves the
many rounds in which the values of late boards creep towards the early ones. Then come the *rounds*: games are
played by the network, the boards kept from them go into the replay buffer with their targets, and the network
takes its steps on batches of the buffer. The games of the next round are played on the other cores while the
network learns. What is learned depends on the seed and the configuration alone, not on the number of threads.

Several processes may train together (:mod:`agents.distributed`): each one plays its own games and takes
batches of its own replay buffer, and every step follows the mean of their gradients.

Under ``best_ray`` the games of a round are played in groups on the same draws, and a ray is worth what it
would have brought against the others of the group (:mod:`agents.prizes`).
"""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final, cast

import numba
import numpy as np
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from agents.agent import make_agent
from agents.distributed import ALONE, World
from agents.errors import UsageError
from agents.play import play
from agents.prizes import expected_prizes, rays_of
from agents.replay import Boards, boards_of, boards_per_turn
from agents.successors import POINTS_PER_UNIT, TURNS
from agents.value import ValueAgent
from agents.value_config import ValueConfig
from agents.value_engine import CompiledEngine, DeviceEngine, Engine, Player
from agents.value_network import ValueNetwork, save_model
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import NONE, Rules, bonuses_of

#: Adam's decay rates. Its usual second one, 0.999, remembers the large gradients of the start for too long.
MOMENTA: Final = (0.9, 0.95)
#: Learning rate of the stacks, as a part of that of the table: most of its rows are in few boards of a batch.
STACK_RATE: Final = 0.2
#: What each step keeps of the moving average of the weights.
AVERAGING: Final = 0.99
#: What each round adds to the moving average of the prizes.
NEW_PRIZES: Final = 0.1
NO_PRIZES: Final = np.zeros((2, 0), dtype=np.float32)
#: Part of the steps, at the start, over which the learning rate rises from 0.
WARM_UP: Final = 0.01


@dataclass(frozen=True, slots=True)
class Round:
    """What the games of a round have given.

    Attributes:
        boards: the boards kept, with their targets; of each turn those behind its share hold nothing.
        score: mean points of a game, bonuses left out.
        bonus: mean bonus of a player, in groups on the same draws.
        prizes: float32 (2, 60), what rays were worth in these groups, or (2, 0) where there are no prizes.
        seconds: how long the games took.
    """

    boards: Boards
    score: float
    bonus: float
    prizes: np.ndarray
    seconds: float


class ValueTrainer:
    """Trains a value network round by round.

    Args:
        config: how.
        rules: of the games.
        seed: of everything random.
        threads: threads to compute on: one learns while the others, at least one, play.
        world: the processes that train together; alone by default.
        engine: where it plays and learns; the compiled one by default.

    Raises:
        UsageError: when the games of a round do not make whole tables of ``best_ray``.
    """

    def __init__(
        self,
        config: ValueConfig,
        rules: Rules,
        seed: int,
        threads: int,
        world: World | None = None,
        engine: Engine | None = None,
    ) -> None:
        torch.manual_seed(seed)
        self.world, self.engine = world or ALONE, engine or CompiledEngine(rules)
        self.config, self.rules, self.seed = config, rules, self.world.own_seed(seed)
        self.network = ValueNetwork(rules, config.width, config.stack).to(self.engine.device)
        self.world.share(self.network.state_dict().values())
        groups = [
            {"params": list(parameters), "lr": config.learning_rate * scale, "scale": scale}
            for parameters, scale in ((self.network.rows(), 1.0), (self.network.stacks(), STACK_RATE))
        ]
        self.optimizer = torch.optim.Adam(groups, betas=MOMENTA, fused=True)
        self.average = AveragedModel(self.network, multi_avg_fn=get_ema_multi_avg_fn(AVERAGING))
        self.rng = stream(self.seed, Purpose.TRAIN)
        self.seats = config.players if rules.scoring == "best_ray" else 1
        if config.games % self.seats:
            raise UsageError(f"agent.games={config.games}: give a multiple of agent.players={self.seats}")
        self.boards_per_round = boards_per_turn(config.games * config.kept)
        self.batch_sizes = boards_per_turn(config.batch)
        self.replay = Boards.empty(config.replay_rounds * self.boards_per_round.max())
        self.round = 0
        #: Games of training so far by all processes, those of the lesson included.
        self.games_played = 0
        self._threads = ThreadPoolExecutor(
            1, initializer=numba.set_num_threads, initargs=(max(1, threads - 1),)
        )
        self._next: Future[Round] | None = None

    @property
    def rounds(self) -> int:
        """How many rounds there are in all; the lesson is the first."""
        return 1 + self.config.rounds

    def agent(self) -> ValueAgent:
        """The agent as it plays now."""
        return ValueAgent(self.rules, self._averaged().weights())

    def save_model(self, directory: Path) -> None:
        """Write the network as it is now."""
        save_model(directory, self._averaged(), self.rules)

    def advance(self) -> dict[str, float | np.ndarray]:
        """Take the lesson, or play and learn one round; returns its metrics."""
        own = self._play_and_learn() if self.round else self._take_lesson()
        metrics = self.world.average_metrics(own)
        games = self.config.games if self.round else self.config.lesson_games
        self.games_played += self.world.size * games
        self.round += 1
        return metrics

    def learn(
        self, boards: Boards, among: np.ndarray, steps: int, rate: Callable[[int], float]
    ) -> dict[str, float]:
        """Take steps on batches of the first boards; returns how well the network fits them, and the time."""
        begun = perf_counter()
        losses, variances = [], []
        with denormals_flushed():
            batches = self.engine.batches(boards, among, self.batch_sizes, steps, self.rng)
            for step, batch in enumerate(batches):
                with self.engine.precision():
                    values = self.network(batch.rows, batch.sizes)
                loss = (values - batch.target).square().mean()
                for group in self.optimizer.param_groups:
                    group["lr"] = rate(step) * group["scale"]
                self.optimizer.zero_grad()
                loss.backward()
                self.world.average_gradients(self.network.parameters())
                self.optimizer.step()
                self.average.update_parameters(self.network)
                losses.append(loss.detach())
                variances.append(batch.target.var())
        error, variance = (sum(torch.stack(found).tolist()) / steps for found in (losses, variances))
        return {
            "losses/value": error * POINTS_PER_UNIT**2,
            "charts/explained_variance": 1 - error / variance,
            "time/learning": perf_counter() - begun,
        }

    def _take_lesson(self) -> dict[str, float]:
        config = self.config
        if not config.lesson_games:
            return {}
        draws = draw_orders(stream(self.seed, Purpose.TRAIN, 0), config.lesson_games)
        games = play(make_agent("line_odds", self.rules), draws, self.rules)
        if self.seats > 1:
            rays = rays_of(games.boards, self.rules)
            self._learn_prizes(expected_prizes(rays[:, None].repeat(self.seats, axis=1)), 1.0)
        lesson = boards_of(games, self.rules, self.network.prizes.cpu().numpy())
        learned = self.learn(lesson, np.full(TURNS, len(lesson)), config.lesson_steps, self._lesson_rate)
        return {"charts/score": float(games.scores.mean())} | learned

    def _play_and_learn(self) -> dict[str, float]:
        found = (self._next or self._play(self.round)).result()
        self._next = self._play(self.round + 1) if self.round + 1 < self.rounds else None
        slots = self.config.replay_rounds
        self.replay.write((self.round - 1) % slots, found.boards, self.boards_per_round)
        self._learn_prizes(found.prizes, NEW_PRIZES)
        among = min(self.round, slots) * self.boards_per_round
        learned = self.learn(self.replay, among, self.config.steps, self._round_rate)
        bonus = {"charts/bonus": found.bonus} if self.seats > 1 else {}
        return (
            bonus
            | learned
            | {
                "charts/score": found.score,
                "charts/learning_rate": self.optimizer.param_groups[0]["lr"],
                "charts/exploration": self._exploration(self.round),
                "time/playing": found.seconds,
            }
        )

    def state(self) -> dict[str, Any]:
        """All that the rest of the training depends on: tensors and plain values.

        In the first process of several: what they share, and what each one has of its own.
        """
        following = None
        if self._next is not None:
            found = self._next.result()
            following = {
                "boards": found.boards.tensors(),
                "score": found.score,
                "bonus": found.bonus,
                "prizes": torch.from_numpy(found.prizes),
                "seconds": found.seconds,
            }
        own = {
            "rng": self.rng.bit_generator.state,
            "replay": self.replay.tensors(),
            "next": following,
        }
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "round": self.round,
            "games_played": self.games_played,
            "ranks": self.world.gather(own),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken, by as many processes or by others.

        A process that was not there begins with its own random numbers and the replay buffer of another one;
        the games of one that is no more there are lost.
        """
        ranks = state["ranks"]
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.round, self.games_played = state["round"], state["games_played"]
        own = ranks[self.world.rank % len(ranks)]
        self.replay, self._next = Boards.of(own["replay"]), None
        if self.world.rank >= len(ranks):
            return
        self.rng.bit_generator.state = own["rng"]
        following = own["next"]
        if following is not None:
            self._next = Future()
            self._next.set_result(
                Round(
                    Boards.of(following["boards"]),
                    following["score"],
                    following["bonus"],
                    following["prizes"].numpy(),
                    following["seconds"],
                )
            )

    def _averaged(self) -> ValueNetwork:
        return cast(ValueNetwork, self.average.module)

    def _learn_prizes(self, prizes: np.ndarray, weight: float) -> None:
        """Move the network's prizes towards those that a round has shown."""
        shown = self.world.average(torch.from_numpy(prizes).to(self.engine.device))
        self.network.prizes.lerp_(shown, weight)

    def _play(self, round_: int) -> Future[Round]:
        """Play the games of a round with the network as it is now, beside whatever else is done."""
        player, exploration = self.engine.player(self._averaged()), self._exploration(round_)
        return self._threads.submit(self._play_round, round_, player, exploration)

    def _play_round(self, round_: int, player: Player, exploration: float) -> Round:
        begun = perf_counter()
        games = self.config.games
        rng = stream(self.seed, Purpose.TRAIN, round_)
        draws = draw_orders(rng, games // self.seats).repeat(self.seats, axis=0)
        explored = rng.integers(1 << 62, size=(games, CELLS))
        explored[rng.random((games, CELLS)) >= exploration] = NONE
        kept = np.zeros((CELLS, games), dtype=np.bool_)
        for turn, count in enumerate(self.boards_per_round, start=1):
            kept[turn, rng.choice(games, count, replace=False)] = True
        boards, targets, scores = player(draws, explored, kept.T.copy())
        found = Boards.empty(self.boards_per_round.max())
        for turn, count in enumerate(self.boards_per_round, start=1):
            found.board[turn - 1, :count] = boards[kept[turn], turn]
            found.last[turn - 1, :count] = draws[kept[turn], turn - 1]
            found.target[turn - 1, :count] = targets[kept[turn], turn]
        full = np.where(boards[:, -1] == NONE, draws[:, -1:], boards[:, -1])
        tables = (games // self.seats, self.seats)
        prizes = NO_PRIZES
        if self.seats > 1:
            prizes = expected_prizes(rays_of(full, self.rules).reshape(*tables, 2))
        bonus = bonuses_of(full.reshape(*tables, CELLS), self.rules).mean()
        return Round(found, float(scores.mean()), float(bonus), prizes, perf_counter() - begun)

    def _lesson_rate(self, step: int) -> float:
        """Learning rate in the lesson: it rises over the first tenth and stays."""
        return self.config.learning_rate * min(1.0, 10 * (step + 1) / self.config.lesson_steps)

    def _round_rate(self, step: int) -> float:
        """Learning rate in the rounds: it rises for a moment, then falls to 0 as a cosine."""
        config = self.config
        done = ((self.round - 1) * config.steps + step + 1) / (config.rounds * config.steps)
        return config.learning_rate * min(1.0, done / WARM_UP) * (1 + math.cos(math.pi * done)) / 2

    def _exploration(self, round_: int) -> float:
        """Part of random moves in a round; the first is all random where there was no lesson."""
        config = self.config
        if round_ == 1 and not config.lesson_games:
            return 1.0
        return config.exploration * (1 - round_ / config.rounds)


@contextmanager
def denormals_flushed() -> Iterator[None]:
    """Let this thread take denormal floats for 0: the moments of rows long unseen become such, and slow."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def make_value_trainer(
    config: ValueConfig,
    rules: Rules,
    seed: int,
    threads: int,
    world: World,
    device: torch.device,
    dtype: torch.dtype,
) -> ValueTrainer:
    """The trainer that computes by the compiled functions on the processor, and in PyTorch elsewhere.

    Raises:
        UsageError: as :class:`ValueTrainer` does.
    """
    engine = CompiledEngine(rules) if device.type == "cpu" else DeviceEngine(rules, device, dtype)
    return ValueTrainer(config, rules, seed, threads, world, engine)
