"""Every successor of many boards, valued by the network on a device: :mod:`agents.successors` in tensors.

All boards of a call hold equally many tiles, so that one stack of the network values them all. What a tile
changes is found for each empty cell, direction and number, as sums of a few rows of the table; a successor's
first layer is a sum of three such changes and of the board's own layer with the tile gone. Both are single
kernels (``embedding_bag``). How tiles match cells is found from the rows of each successor. Nothing waits
for the device.
"""

from dataclasses import dataclass
from typing import Final

import torch
from torch.nn import functional

from agents.device_boards import BoardReader, LineStates
from agents.device_matching import SCORES_PER_HEAD
from agents.features import BROKEN, MARKETS, MIXED
from agents.matching import HEADS
from agents.successors import POINTS_PER_UNIT, TURNS
from agents.value_network import ValueNetwork, row_sums
from takeiteasy_env.board import CELLS, DIRECTIONS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import MOONBEAM_POINTS, NONE, SUNRAY_POINTS, Rules
from takeiteasy_env.tiles import RANKS, TILES

#: Bytes that the first layers and scores of a call's successors may take at a time, on a device and on a CPU.
DEVICE_BYTES: Final = 2**30
CPU_BYTES: Final = 2**24


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of tile that a direction can tell apart, K of them: a rank, and a symbol where rays count.

    Attributes:
        rank: int64 (N or 1, 3, K), the rank of the number.
        sun: int64 (N or 1, 3, K), 1 for a sun, 0 for a moon.
        of_tile: int64 (N, M, 3), which kind each of M tiles is.
    """

    rank: torch.Tensor
    sun: torch.Tensor
    of_tile: torch.Tensor


@dataclass(frozen=True, slots=True)
class Changes:
    """What a tile of each kind does on each of E cells of N boards, in each direction.

    Attributes:
        rows: int64 (N, E, 3, K, 8), the rows of the table that come and, in the last four, those that go.
        points: int64 (N, E, 3, K), the points it completes.
        rays: int64 (2, N, E, 3, K), the Moonbeam and the Sunray it completes where the number scores, or 0.
    """

    rows: torch.Tensor
    points: torch.Tensor
    rays: torch.Tensor


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
        self.signs = torch.tensor([1.0] * 4 + [-1.0] * 4, device=device)

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
        states, kinds = self.reader.states(boards), self._kinds(tiles)
        changes = self._changes(states, cells, kinds)
        parts = parts_of_successors(kinds, cells.shape[1])
        first = self._first_layers(boards, tiles, states, changes, parts)
        matches = self.network.matches(self._rows(boards, tiles, cells, states, changes, parts))
        hidden = torch.cat([first, matches.to(first.dtype)], dim=1)
        outputs = self.network.behind(hidden, turn).view(parts.shape[:3])
        found = self._gains(states, changes, parts) + POINTS_PER_UNIT * outputs
        values = torch.full((*tiles.shape, CELLS), -torch.inf, device=boards.device)
        values.scatter_(2, cells[:, None].expand_as(found), found)
        return values.masked_fill_(~self.reader.legal(boards, tiles, last), -torch.inf)

    def _kinds(self, tiles: torch.Tensor) -> Kinds:
        """All kinds where every tile is to be valued, the one of its tile on each board where one is."""
        ranks, suns = self.reader.ranks[tiles.long()], self.reader.suns[tiles.long()][..., None]
        if tiles.shape[1] == 1:
            rank = ranks.transpose(1, 2)
            return Kinds(rank, suns.expand_as(rank), torch.zeros_like(ranks))
        symbols = 2 if self.rules.code.rays else 1
        kinds = torch.arange(symbols * RANKS, device=tiles.device).expand(1, DIRECTIONS, -1)
        of_tile = ranks + RANKS * suns if symbols > 1 else ranks
        return Kinds(kinds % RANKS, kinds // RANKS, of_tile)

    def _changes(self, states: LineStates, cells: torch.Tensor, kinds: Kinds) -> Changes:
        reader = self.reader
        lines = reader.cell_lines[cells]

        def of_lines(state: torch.Tensor) -> torch.Tensor:
            return state.gather(1, lines.flatten(1)).view_as(lines)[..., None]

        occupied, missing, number, ray = map(
            of_lines, (states.occupied, states.missing, states.number, states.ray)
        )
        lines, rank, sun = lines[..., None], kinds.rank[:, None], kinds.sun[:, None]
        empty = occupied == 0
        number_after = torch.where(empty | (number == rank), rank, BROKEN)
        ray_after = torch.where(empty | (ray == sun), sun, MIXED)
        before = reader.line_rows(lines, occupied, number, ray)
        after = reader.line_rows(
            lines, occupied | reader.cell_bits[cells][..., None], number_after, ray_after
        )

        # The markets of the direction's three numbers, behind a last axis.
        numbers = torch.arange(DIRECTIONS * RANKS, device=cells.device).view(DIRECTIONS, 1, RANKS)
        supply, demand = (
            market.view(-1, 1, DIRECTIONS, 1, RANKS) for market in (states.supply, states.demand)
        )
        other = torch.arange(RANKS, device=cells.device)
        own = (other == rank[..., None]).long()
        served = torch.where(own > 0, -1, -missing[..., None])
        change = torch.where(
            empty[..., None], own * (missing[..., None] - 1), served * (number[..., None] == other)
        )
        markets_before = reader.market_rows(numbers, supply, demand)
        markets_after = reader.market_rows(numbers, (supply - own).clamp(min=0), demand + change)

        rows = torch.cat(
            [
                after[..., None],
                markets_after,
                before.expand_as(after)[..., None],
                markets_before.expand_as(markets_after),
            ],
            dim=-1,
        )
        full = missing == 1
        scores, one_symbol = full & (number_after != BROKEN), full & (ray_after != MIXED)
        directions = torch.arange(DIRECTIONS, device=cells.device)[:, None]
        length, value = reader.lengths[lines], reader.points[directions, kinds.rank][:, None]
        points = length * value * scores
        if self.rules.code.sunrays:
            points = (
                points + length * (MOONBEAM_POINTS + (SUNRAY_POINTS - MOONBEAM_POINTS) * sun) * one_symbol
            )
        ray = (10 * length + value) * (scores & one_symbol)
        return Changes(rows, points, torch.stack([ray * (1 - sun), ray * sun]))

    def _first_layers(
        self,
        boards: torch.Tensor,
        tiles: torch.Tensor,
        states: LineStates,
        changes: Changes,
        parts: torch.Tensor,
    ) -> torch.Tensor:
        """float (N * M * E, H): the rectified first layers of all successors."""
        table, reader = self.network.table, self.reader
        rows = changes.rows.flatten(0, -2)
        change = functional.embedding_bag(
            rows, table, mode="sum", per_sample_weights=self.signs.expand_as(rows)
        )
        base = row_sums(table, reader.board_rows(boards, states)) + self.network.bias
        gone = table[reader.tile_rows(tiles)] + base[:, None]
        if self.rules.placement == "sun_moon":
            gone = gone + table[reader.symbol_rows(tiles)]
        every_part = torch.cat([change, gone.flatten(0, 1)])
        device = table.device.type
        if torch.is_autocast_enabled(device):
            every_part = every_part.to(torch.get_autocast_dtype(device))
        return functional.embedding_bag(parts.flatten(0, 2), every_part, mode="sum").relu_()

    def _rows(
        self,
        boards: torch.Tensor,
        tiles: torch.Tensor,
        cells: torch.Tensor,
        states: LineStates,
        changes: Changes,
        parts: torch.Tensor,
    ) -> torch.Tensor:
        """int64 (N * M * E, 44): the rows of all successors."""
        reader, shape = self.reader, parts.shape[:3]
        changed = changes.rows.flatten(0, 3)[parts[..., :DIRECTIONS]]
        before = functional.pad(reader.board_rows(boards, states), (0, 1))
        rows = before[:, None, None].repeat(1, *shape[1:], 1)
        lines = reader.cell_lines[cells][:, None].expand(*shape, -1)
        rows.scatter_(3, lines, changed[..., 0])
        rows[..., len(LINES) : len(LINES) + MARKETS] = changed[..., 1 : 1 + RANKS].flatten(-2)
        places = len(LINES) + MARKETS + cells[:, None, :, None].expand(*shape, 1)
        rows.scatter_(3, places, reader.tile_rows(tiles)[:, :, None, None].expand(*shape, 1))
        rows[..., -1] = reader.symbol_rows(tiles)[..., None]
        return rows.flatten(0, 2)

    def _gains(self, states: LineStates, changes: Changes, parts: torch.Tensor) -> torch.Tensor:
        """float32 (N, M, E): points that each placement completes, and what they add to the prize."""
        of_directions = parts[..., :DIRECTIONS]
        gains = changes.points.flatten()[of_directions].sum(dim=-1).float()
        if self.rules.scoring == "best_ray":
            before = self._rays(states)
            for symbol, prizes in enumerate(self.network.prizes.flip(0)):
                completed = changes.rays[symbol].flatten()[of_directions].amax(dim=-1)
                after = torch.maximum(completed, before[symbol][:, None, None])
                gains += prizes[after] - prizes[before[symbol]][:, None, None]
        return gains

    def _rays(self, states: LineStates) -> torch.Tensor:
        """int64 (2, N): the best Moonbeam and the best Sunray of each board, 0 for none."""
        reader = self.reader
        direction = torch.arange(len(LINES), device=states.number.device) // LINES_PER_DIRECTION
        scores = (states.missing == 0) & (states.number != BROKEN)
        ray = 10 * reader.lengths + reader.points[direction, states.number.clamp(max=RANKS - 1)]
        return torch.stack([(ray * (scores & (states.ray == symbol))).amax(dim=1) for symbol in range(2)])


def empty_cells(boards: torch.Tensor, cells: int) -> torch.Tensor:
    """int64 (N, E): the E empty cells of each int8 (N, 19) board, the lowest first."""
    return torch.argsort((boards != NONE).to(torch.int8), dim=1, stable=True)[:, :cells]


def unseen_tiles(boards: torch.Tensor, tiles: int) -> torch.Tensor:
    """int8 (N, M): the M tiles that are not on each int8 (N, 19) board, the lowest first."""
    gone = torch.zeros(len(boards), TILES + 1, dtype=torch.int8, device=boards.device)
    gone.scatter_(1, torch.where(boards == NONE, TILES, boards).long(), 1)
    return torch.argsort(gone[:, :TILES], dim=1, stable=True)[:, :tiles].to(torch.int8)


def parts_of_successors(kinds: Kinds, cells: int) -> torch.Tensor:
    """int64 (N, M, E, 4): which changes make a successor, and which tile's going, in one count of all.

    The changes are counted as in :class:`Changes`, (N, E, 3, K) of them, and behind them come N * M tiles.
    """
    boards, tiles, _ = kinds.of_tile.shape
    kinds_each, device = kinds.rank.shape[2], kinds.rank.device
    on_cell = torch.arange(boards * cells * DIRECTIONS, device=device).view(boards, 1, cells, DIRECTIONS)
    changes = on_cell * kinds_each + kinds.of_tile[:, :, None]
    gone = boards * cells * DIRECTIONS * kinds_each + torch.arange(boards * tiles, device=device)
    gone = gone.view(boards, tiles, 1, 1).expand(-1, -1, cells, -1)
    return torch.cat([changes, gone], dim=-1)
