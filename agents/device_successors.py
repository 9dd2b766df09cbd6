"""Every successor of many boards, valued by the network on a device: :mod:`agents.successors` in tensors.

All boards of a call hold equally many tiles, so that one stack of the network values them all. Each
successor is read as a board of its own, which costs little beside the scores of its tiles on its cells, and
nothing waits for the device.
"""

from typing import Final

import torch

from agents.device_boards import BoardReader, LineStates
from agents.device_matching import SCORES_PER_HEAD
from agents.features import BROKEN, MIXED
from agents.matching import HEADS
from agents.successors import POINTS_PER_UNIT, TURNS
from agents.value_network import ValueNetwork
from takeiteasy_env.board import CELLS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import MOONBEAM_POINTS, NONE, SUNRAY_POINTS, Rules
from takeiteasy_env.tiles import RANKS, TILES

#: Bytes that the first layers and scores of a call's successors may take at a time, on a device and on a CPU.
DEVICE_BYTES: Final = 2**30
CPU_BYTES: Final = 2**24


class DeviceSuccessors:
    """Values of successors, on the device that holds a network.

    Args:
        network: the network; what it learns later counts.
        rules: the rules.
        chunk_bytes: how much memory the first layers and scores of successors may take at a time.
    """

    def __init__(self, network: ValueNetwork, rules: Rules, chunk_bytes: int | None = None) -> None:
        device = network.table.device
        self.network, self.rules = network, rules
        self.reader = BoardReader.on(device, rules)
        self.chunk_bytes = chunk_bytes or (CPU_BYTES if device.type == "cpu" else DEVICE_BYTES)

    @torch.no_grad()
    def values(
        self, boards: torch.Tensor, tiles: torch.Tensor, last: torch.Tensor, turn: int
    ) -> torch.Tensor:
        """float32 (N, M, 19): what M tiles are worth on each cell, minus infinity where one may not go.

        Args:
            boards: int8 (N, 19), each with ``turn`` tiles, 15 at most.
            tiles: int8 (N, M), one tile of each board, or all that are not on it in any order.
            last: int8 (N,), the tile placed last, -1 for none.
            turn: how many tiles lie on each board.

        Raises:
            ValueError: for a turn whose successors the network does not value.
        """
        if not 0 <= turn < TURNS:
            raise ValueError(f"turn={turn}: give 0 to {TURNS - 1}, later boards are valued exactly")
        successors = tiles.shape[1] * (CELLS - turn)
        floats = self.network.table.shape[1] + HEADS * SCORES_PER_HEAD
        boards_at_once = max(1, self.chunk_bytes // (4 * floats * successors))
        chunks = zip(*(each.split(boards_at_once) for each in (boards, tiles, last)), strict=True)
        return torch.cat([self._values(board, tile, before, turn) for board, tile, before in chunks])

    def _values(
        self, boards: torch.Tensor, tiles: torch.Tensor, last: torch.Tensor, turn: int
    ) -> torch.Tensor:
        cells = empty_cells(boards, CELLS - turn)
        shape = (*tiles.shape, cells.shape[1])
        placed = tiles[..., None].expand(shape)
        successors = boards[:, None, None].repeat(1, *shape[1:], 1)
        successors.scatter_(3, cells[:, None, :, None].expand(*shape, 1), placed[..., None])
        successors = successors.flatten(0, 2)
        before, after = self.reader.states(boards), self.reader.states(successors)
        rows = self.reader.rows(successors, placed.flatten(), after)
        outputs = self.network.behind(self.network.hidden(rows), turn).view(shape)
        gains = self._points(after).view(shape) - self._points(before)[:, None, None]
        values = torch.full((*tiles.shape, CELLS), -torch.inf, device=boards.device)
        values.scatter_(2, cells[:, None].expand(shape), gains + POINTS_PER_UNIT * outputs)
        return values.masked_fill_(~self.reader.legal(boards, tiles, last), -torch.inf)

    def _points(self, states: LineStates) -> torch.Tensor:
        """float32 (N,): points of the complete lines of boards, and what their best rays are worth."""
        reader, complete = self.reader, states.missing == 0
        direction = torch.arange(len(LINES), device=states.number.device) // LINES_PER_DIRECTION
        numbers = reader.points[direction, states.number.clamp(max=RANKS - 1)]
        scores, one_symbol = complete & (states.number != BROKEN), complete & (states.ray != MIXED)
        points = (reader.lengths * numbers * scores).sum(dim=1).float()
        if self.rules.code.sunrays:
            each = MOONBEAM_POINTS + (SUNRAY_POINTS - MOONBEAM_POINTS) * states.ray
            points += (reader.lengths * each * one_symbol).sum(dim=1)
        if self.rules.scoring == "best_ray":
            ray = 10 * reader.lengths + numbers
            for symbol, prizes in enumerate(self.network.prizes.flip(0)):
                points += prizes[(ray * (scores & (states.ray == symbol))).amax(dim=1)]
        return points


def empty_cells(boards: torch.Tensor, cells: int) -> torch.Tensor:
    """int64 (N, E): the E empty cells of each int8 (N, 19) board, the lowest first."""
    return torch.argsort((boards != NONE).to(torch.int8), dim=1, stable=True)[:, :cells]


def unseen_tiles(boards: torch.Tensor, tiles: int) -> torch.Tensor:
    """int8 (N, M): the M tiles that are not on each int8 (N, 19) board, the lowest first."""
    gone = torch.zeros(len(boards), TILES + 1, dtype=torch.int8, device=boards.device)
    gone.scatter_(1, torch.where(boards == NONE, TILES, boards).long(), 1)
    return torch.argsort(gone[:, :TILES], dim=1, stable=True)[:, :tiles].to(torch.int8)
