"""How the value agent learns: from its own games, by the exact expectation over the next tile.

The value of a board after a placement is the mean, over the tiles that may come next, of the best that each
of them can do: the points it completes and the value of the board after it. All of it can be computed, so a
target has no sampling noise, only the error of the network that values the successors.

A *lesson* comes first: games of ``line_odds``, made on the spot, with their returns as targets. It saves the
many rounds in which the values of late boards creep towards the early ones. Then come the *rounds*: games are
played by the network, the boards kept from them go into the replay buffer with their targets, and the network
takes its steps on batches of the buffer. The games of the next round are played on the other cores while the
network learns. What is learned depends on the seed and the configuration alone, not on the number of threads.
"""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
import torch

from agents.agent import make_agent
from agents.errors import UsageError
from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from agents.play import Games, play
from agents.self_play import self_play
from agents.successors import POINTS_PER_UNIT, Weights
from agents.value import ValueAgent
from agents.value_config import ValueConfig
from agents.value_network import TURNS, ValueNetwork, save_model
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import BITBOARD, NONE, Rules, place_all

#: Part of the steps, at the start, over which the learning rate rises from 0.
WARM_UP: Final = 0.01


@dataclass(frozen=True, slots=True)
class Boards:
    """Boards after a placement and what they bring, sorted by turn.

    Attributes:
        board: int8 (18, N, 19), N boards with 1, 2, ... 18 tiles.
        last: int8 (18, N), the tile placed last.
        target: float32 (18, N), points still to come.
    """

    board: np.ndarray
    last: np.ndarray
    target: np.ndarray

    @classmethod
    def empty(cls, boards: int) -> "Boards":
        """Room for so many boards of each turn."""
        return cls(
            np.full((TURNS, boards, CELLS), NONE, dtype=np.int8),
            np.full((TURNS, boards), NONE, dtype=np.int8),
            np.zeros((TURNS, boards), dtype=np.float32),
        )

    def __len__(self) -> int:
        return self.board.shape[1]

    def write(self, places: np.ndarray, boards: "Boards") -> None:
        """Put ``boards`` at the given places of every turn."""
        self.board[:, places], self.last[:, places] = boards.board, boards.last
        self.target[:, places] = boards.target

    def sample(self, rng: np.random.Generator, boards: int, among: int) -> "Boards":
        """Random boards of each turn among the first ones, each turned by 180 degrees or not."""
        turn = np.arange(TURNS)[:, None]
        chosen = rng.integers(among, size=(TURNS, boards))
        turned = rng.random((TURNS, boards)) < 0.5
        board = self.board[turn, chosen]
        board[turned] = board[turned][:, ::-1]
        return Boards(board, self.last[turn, chosen], self.target[turn, chosen])

    def rows(self, rules: Rules) -> np.ndarray:
        """int32 (18, N, R): the rows of each board, as :class:`ValueNetwork` reads them."""
        rows = np.empty((TURNS * len(self), ROWS_PER_BOARD), dtype=np.int32)
        fill_rows(self.board.reshape(-1, CELLS), self.last.ravel(), rules.code, row_count(rules), rows)
        return rows.reshape(TURNS, len(self), ROWS_PER_BOARD)


class ValueTrainer:
    """Trains a value network round by round.

    Args:
        config: how.
        rules: of the games.
        seed: of everything random.
        threads: threads to compute on: one learns while the others, at least one, play.
    """

    def __init__(self, config: ValueConfig, rules: Rules, seed: int, threads: int) -> None:
        torch.manual_seed(seed)
        self.config, self.rules, self.seed = config, rules, seed
        self.network = ValueNetwork(rules, config.width, config.stack)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate, fused=True)
        self.rng = stream(seed, Purpose.TRAIN)
        self.boards_per_round = round(config.games * config.kept)
        self.replay = Boards.empty(config.replay_rounds * self.boards_per_round)
        self.round = 0
        self._player = ThreadPoolExecutor(
            1, initializer=numba.set_num_threads, initargs=(max(1, threads - 1),)
        )
        self._next: Future[tuple[Boards, float]] | None = None

    @property
    def rounds(self) -> int:
        """How many rounds there are in all; the lesson is the first."""
        return 1 + self.config.rounds

    @property
    def games_played(self) -> int:
        """Games of training so far, those of the lesson included."""
        return min(self.round, 1) * self.config.lesson_games + max(self.round - 1, 0) * self.config.games

    def agent(self) -> ValueAgent:
        """The agent as it plays now."""
        return ValueAgent(self.rules, self.network.weights())

    def save_model(self, directory: Path) -> None:
        """Write the network as it is now."""
        save_model(directory, self.network, self.rules)

    def advance(self) -> dict[str, float]:
        """Take the lesson, or play and learn one round; returns its metrics."""
        metrics = self._play_and_learn() if self.round else self._take_lesson()
        self.round += 1
        if not math.isfinite(metrics.get("losses/value", 0.0)):
            raise UsageError(
                f"the loss is no number any more in round {self.round}: lower agent.learning_rate"
            )
        return metrics

    def learn(self, boards: Boards, among: int, steps: int, rate: Callable[[int], float]) -> float:
        """Take steps on batches of the first boards; returns the mean squared error in points squared."""
        total = 0.0
        with denormals_flushed():
            for step in range(steps):
                batch = boards.sample(self.rng, self.config.batch, among)
                target = torch.from_numpy(batch.target) / POINTS_PER_UNIT
                loss = (self.network(batch.rows(self.rules)) - target).square().mean()
                self.optimizer.param_groups[0]["lr"] = rate(step)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
        return total / steps * POINTS_PER_UNIT**2

    def _take_lesson(self) -> dict[str, float]:
        config = self.config
        if not config.lesson_games:
            return {}
        draws = draw_orders(stream(self.seed, Purpose.TRAIN, 0), config.lesson_games)
        games = play(make_agent("line_odds", self.rules), draws, self.rules)
        lesson = boards_of(games, self.rules)
        loss = self.learn(lesson, len(lesson), config.lesson_steps, self._lesson_rate)
        return {"charts/score": float(games.scores.mean()), "losses/value": loss}

    def _play_and_learn(self) -> dict[str, float]:
        boards, score = (self._next or self._play(self.round)).result()
        self._next = self._play(self.round + 1) if self.round + 1 < self.rounds else None
        played = self.round * len(boards)
        self.replay.write(np.arange(played - len(boards), played) % len(self.replay), boards)
        loss = self.learn(self.replay, min(played, len(self.replay)), self.config.steps, self._round_rate)
        return {
            "charts/score": score,
            "charts/learning_rate": self.optimizer.param_groups[0]["lr"],
            "charts/exploration": self._exploration(self.round),
            "losses/value": loss,
        }

    def state(self) -> dict[str, Any]:
        """All that the rest of the training depends on: tensors and plain values."""
        following = None
        if self._next is not None:
            boards, score = self._next.result()
            following = {"boards": _tensors(boards), "score": score}
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "rng": self.rng.bit_generator.state,
            "replay": _tensors(self.replay),
            "round": self.round,
            "next": following,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where :meth:`state` was taken."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rng.bit_generator.state = state["rng"]
        self.replay = _boards(state["replay"])
        self.round = state["round"]
        self._next = None
        if state["next"] is not None:
            self._next = Future()
            self._next.set_result((_boards(state["next"]["boards"]), state["next"]["score"]))

    def _play(self, round_: int) -> Future[tuple[Boards, float]]:
        """Play the games of a round with the network as it is now, beside whatever else is done."""
        weights, exploration = self.network.weights(), self._exploration(round_)
        return self._player.submit(self._play_round, round_, weights, exploration)

    def _play_round(self, round_: int, weights: Weights, exploration: float) -> tuple[Boards, float]:
        games, kept_games = self.config.games, self.boards_per_round
        rng = stream(self.seed, Purpose.TRAIN, round_)
        draws = draw_orders(rng, games)
        explored = rng.integers(1 << 62, size=(games, CELLS))
        explored[rng.random((games, CELLS)) >= exploration] = NONE
        kept = np.zeros((CELLS, games), dtype=np.bool_)
        for turn in range(1, CELLS):
            kept[turn, rng.choice(games, kept_games, replace=False)] = True
        boards = np.empty((games, CELLS, CELLS), dtype=np.int8)
        targets = np.empty((games, CELLS), dtype=np.float32)
        scores = np.empty(games, dtype=np.int32)
        self_play(draws, explored, kept.T.copy(), self.rules.code, weights, boards, targets, scores)
        found = Boards.empty(kept_games)
        for turn in range(1, CELLS):
            found.board[turn - 1] = boards[kept[turn], turn]
            found.last[turn - 1] = draws[kept[turn], turn - 1]
            found.target[turn - 1] = targets[kept[turn], turn]
        return found, float(scores.mean())

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
        return config.exploration * max(0.0, 1 - round_ / (config.exploring * config.rounds))


@contextmanager
def denormals_flushed() -> Iterator[None]:
    """Let this thread take denormal floats for 0: the moments of rows long unseen become such, and slow."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def boards_of(games: Games, rules: Rules) -> Boards:
    """The boards of finished games after each of their first 18 placements, and the points that followed."""
    found = Boards.empty(len(games.scores))
    board = np.full_like(games.boards, NONE)
    bitboards = np.zeros((len(board), BITBOARD), dtype=np.int32)
    points = np.empty(len(board), dtype=np.int32)
    to_come = games.scores.copy()
    for turn in range(TURNS):
        tiles = games.draws[:, turn]
        place_all(board, bitboards, tiles, games.cells[:, turn], rules.code, points)
        to_come -= points
        found.board[turn], found.last[turn], found.target[turn] = board, tiles, to_come
    return found


def _tensors(boards: Boards) -> dict[str, torch.Tensor]:
    return {
        "board": torch.from_numpy(boards.board),
        "last": torch.from_numpy(boards.last),
        "target": torch.from_numpy(boards.target),
    }


def _boards(tensors: dict[str, torch.Tensor]) -> Boards:
    return Boards(tensors["board"].numpy(), tensors["last"].numpy(), tensors["target"].numpy())
