"""Where the value agent plays and learns: compiled on the processor, or in PyTorch on a device.

The compiled one is the reference. Both play the same games from the same random numbers and take batches of
the same boards; they differ in the rounding of sums alone.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch

from agents.device_boards import BoardReader
from agents.device_self_play import self_play_on_device
from agents.device_successors import DeviceSuccessors
from agents.features import ROWS_PER_BOARD, fill_rows, row_count
from agents.replay import Boards, choose
from agents.self_play import self_play
from agents.successors import POINTS_PER_UNIT
from agents.value_network import ValueNetwork
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import Rules


class Played(NamedTuple):
    """Games of self-play: what :func:`agents.self_play.self_play` writes."""

    boards: np.ndarray
    targets: np.ndarray
    scores: np.ndarray


#: Plays games from their draws, random moves and kept boards.
Player = Callable[[np.ndarray, np.ndarray, np.ndarray], Played]


class Batch(NamedTuple):
    """Boards to learn from.

    Attributes:
        rows: int (B, 44), the rows of boards sorted by turn.
        sizes: how many there are of each of the 16 turns.
        target: float32 (B,), hundreds of points still to come.
    """

    rows: np.ndarray | torch.Tensor
    sizes: list[int]
    target: torch.Tensor


class Engine(Protocol):
    """Plays the games and prepares the batches."""

    @property
    def device(self) -> torch.device:
        """Where the network lies."""
        ...

    def precision(self) -> AbstractContextManager[object]:
        """While it is entered, the network is computed in the precision of the engine."""
        ...

    def player(self, network: ValueNetwork) -> Player:
        """Who plays by the network as it is now, whatever it learns later."""
        ...

    def batches(
        self, boards: Boards, among: np.ndarray, sizes: np.ndarray, steps: int, rng: np.random.Generator
    ) -> Iterator[Batch]:
        """Random batches of boards, one for each step, as :func:`agents.replay.choose` finds them."""
        ...


@dataclass(frozen=True, slots=True)
class CompiledEngine:
    """The reference: compiled functions on the processor's cores."""

    rules: Rules

    @property
    def device(self) -> torch.device:
        """The processor."""
        return torch.device("cpu")

    def precision(self) -> AbstractContextManager[object]:
        """Nothing to enter: everything is float32."""
        return nullcontext()

    def player(self, network: ValueNetwork) -> Player:
        """Who plays by a copy of the weights."""
        weights, code = network.weights(), self.rules.code

        def play(draws: np.ndarray, explored: np.ndarray, kept: np.ndarray) -> Played:
            played = room_for(len(draws))
            self_play(draws, explored, kept, code, weights, *played)
            return played

        return play

    def batches(
        self, boards: Boards, among: np.ndarray, sizes: np.ndarray, steps: int, rng: np.random.Generator
    ) -> Iterator[Batch]:
        """Batches whose rows the compiled functions find and add up."""
        for _ in range(steps):
            chosen = choose(rng, sizes, among)
            board = boards.board[chosen.turn, chosen.place]
            board[chosen.turned] = board[chosen.turned][:, ::-1]
            rows = np.empty((len(board), ROWS_PER_BOARD), dtype=np.int32)
            last, target = (of[chosen.turn, chosen.place] for of in (boards.last, boards.target))
            fill_rows(board, last, self.rules.code, row_count(self.rules), rows)
            yield Batch(rows, sizes.tolist(), torch.from_numpy(target) / POINTS_PER_UNIT)


@dataclass(frozen=True, slots=True)
class DeviceEngine:
    """PyTorch on a device: boards go there once a round, and games and batches are made of them there.

    Attributes:
        rules: of the games.
        device: any that PyTorch knows, the processor too.
        dtype: number format of the matrix products.
    """

    rules: Rules
    device: torch.device
    dtype: torch.dtype = torch.float32

    def precision(self) -> AbstractContextManager[object]:
        """Autocast, where the number format is another than float32."""
        return torch.autocast(self.device.type, self.dtype, enabled=self.dtype != torch.float32)

    def player(self, network: ValueNetwork) -> Player:
        """Who plays by a copy of the network, in half precision as that of the compiled functions."""
        weights, copied = network.weights(), copy.deepcopy(network).half().float()
        successors = DeviceSuccessors(copied, self.rules)

        def play(draws: np.ndarray, explored: np.ndarray, kept: np.ndarray) -> Played:
            played = room_for(len(draws))
            with self.precision():
                self_play_on_device(draws, explored, kept, successors, weights, *played)
            return played

        return play

    def batches(
        self, boards: Boards, among: np.ndarray, sizes: np.ndarray, steps: int, rng: np.random.Generator
    ) -> Iterator[Batch]:
        """Batches whose rows the device finds; what is chosen goes there in one piece for all steps."""
        reader = BoardReader.on(self.device, self.rules)
        board, last, target = (tensor.to(self.device) for tensor in boards.tensors().values())
        choices = [choose(rng, sizes, among) for _ in range(steps)]
        turn, place, turned = (
            torch.from_numpy(np.stack(choice)).to(self.device) for choice in zip(*choices, strict=True)
        )
        for step in range(steps):
            chosen = turn[step], place[step]
            drawn = board[chosen]
            drawn = torch.where(turned[step, ..., None], drawn.flip(-1), drawn)
            rows = reader.rows(drawn, last[chosen], reader.states(drawn))
            yield Batch(rows, sizes.tolist(), target[chosen] / POINTS_PER_UNIT)


def room_for(games: int) -> Played:
    """Arrays for so many games."""
    return Played(
        np.empty((games, CELLS, CELLS), dtype=np.int8),
        np.empty((games, CELLS), dtype=np.float32),
        np.empty(games, dtype=np.int32),
    )
