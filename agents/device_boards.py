"""What :mod:`agents.features` reads of a board, for many boards at once, as tensors on a device.

The compiled functions are the reference; here each question of theirs is an operation on whole tensors.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import torch

from agents.features import (
    BROKEN,
    DEMANDS,
    MARKETS,
    MIXED,
    NUMBER_STATES,
    RAY_STATES,
    SUPPLIES,
    line_row,
    market_row,
    row_count,
    tile_row,
)
from takeiteasy_env.board import (
    CELL_LINES,
    CELLS,
    DIRECTIONS,
    LINE_LENGTHS,
    LINES,
    LINES_PER_DIRECTION,
    NEIGHBOURS,
)
from takeiteasy_env.rules import NONE, Rules
from takeiteasy_env.tiles import NUMBERS, RANKS, TILE_RANKS, TILES

_LONGEST: Final = int(LINE_LENGTHS.max())
_EMPTY: Final = np.array([[NONE] * DIRECTIONS], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class LineStates:
    """The lines and the markets of N boards, int64.

    Attributes:
        occupied: (N, 15), each line's filled cells as bits along it.
        missing: (N, 15), its empty cells.
        number: (N, 15), the rank of its number while it is alive, or ``BROKEN``; any on an empty line.
        ray: (N, 15), 1 while it is all suns, 0 while all moons, or ``MIXED``; any on an empty line.
        supply: (N, 9), tiles of each number that are not on the board.
        demand: (N, 9), tiles of each number that the lines alive with it need.
    """

    occupied: torch.Tensor
    missing: torch.Tensor
    number: torch.Tensor
    ray: torch.Tensor
    supply: torch.Tensor
    demand: torch.Tensor


@dataclass(frozen=True, slots=True)
class BoardReader:
    """The board, the tiles and the rules as tensors on a device, and what they say of boards.

    Attributes:
        rules: the rules.
        line_cells: int64 (15, 5), the cells of each line, 19 where it is shorter.
        cell_lines: int64 (19, 3), the line through each cell in each direction.
        cell_bits: int64 (19, 3), the bit of the cell on each of these lines.
        lengths: int64 (15,), cells of each line.
        offsets: int64 (15,), each line's first row in the table.
        ranks: int64 (28, 3), the rank of each tile's numbers; -1 for no tile.
        suns: int64 (28,), 1 for a sun, 0 for a moon, -1 for no tile.
        points: int64 (3, 3), the number of each direction and rank.
        near: float32 (19, 19), 1 where two cells share an edge.
    """

    rules: Rules
    line_cells: torch.Tensor
    cell_lines: torch.Tensor
    cell_bits: torch.Tensor
    lengths: torch.Tensor
    offsets: torch.Tensor
    ranks: torch.Tensor
    suns: torch.Tensor
    points: torch.Tensor
    near: torch.Tensor

    @classmethod
    def on(cls, device: torch.device, rules: Rules) -> Self:
        """Everything in the memory of a device."""
        line_cells = [[*line, *[CELLS] * (_LONGEST - len(line))] for line in LINES]
        bits = [[1 << LINES[line].index(cell) for line in CELL_LINES[cell]] for cell in range(CELLS)]
        near = NEIGHBOURS[:, None] >> np.arange(CELLS) & 1

        def tensor(values: object) -> torch.Tensor:
            return torch.from_numpy(np.array(values, dtype=np.int64)).to(device)

        return cls(
            rules=rules,
            line_cells=tensor(line_cells),
            cell_lines=tensor(CELL_LINES),
            cell_bits=tensor(bits),
            lengths=tensor(LINE_LENGTHS),
            offsets=tensor([line_row(line, 0, 0, rules.code) for line in range(len(LINES))]),
            ranks=tensor(np.concatenate([TILE_RANKS, _EMPTY])),
            suns=tensor([*rules.suns, NONE]),
            points=tensor(NUMBERS),
            near=tensor(near).float(),
        )

    def states(self, boards: torch.Tensor) -> LineStates:
        """The lines and markets of int8 (N, 19) boards."""
        padded = torch.nn.functional.pad(boards, (0, 1), value=NONE).long()
        tiles = padded[:, self.line_cells]
        filled = tiles != NONE
        bits = 1 << torch.arange(_LONGEST, device=boards.device)
        direction = torch.arange(DIRECTIONS, device=boards.device).repeat_interleave(LINES_PER_DIRECTION)
        missing = self.lengths - filled.sum(dim=2)
        occupied = (filled * bits).sum(dim=2)
        number = _common(self.ranks[tiles, direction[:, None]], filled, RANKS, BROKEN)
        ray = _common(self.suns[tiles], filled, 2, MIXED)

        placed = self.ranks[boards.long()][..., None] == torch.arange(RANKS, device=boards.device)
        supply = TILES // RANKS - placed.sum(dim=1).flatten(1)
        needed = torch.where(occupied > 0, missing, 0).unflatten(1, (DIRECTIONS, LINES_PER_DIRECTION, 1))
        alive = number.unflatten(1, (DIRECTIONS, LINES_PER_DIRECTION, 1)) == torch.arange(
            RANKS, device=boards.device
        )
        demand = (needed * alive).sum(dim=2).flatten(1)
        return LineStates(occupied, missing, number, ray, supply, demand)

    def line_rows(
        self, lines: torch.Tensor, occupied: torch.Tensor, number: torch.Tensor, ray: torch.Tensor
    ) -> torch.Tensor:
        """Rows of line states, whose shapes broadcast; as :func:`agents.features.line_row`."""
        rays = self.rules.code.rays
        statuses = NUMBER_STATES * RAY_STATES if rays else NUMBER_STATES
        status = number + NUMBER_STATES * ray if rays else number
        state = torch.where(occupied > 0, 1 + (occupied - 1) * statuses + status, 0)
        return self.offsets[lines] + state

    def market_rows(self, numbers: torch.Tensor, supply: torch.Tensor, demand: torch.Tensor) -> torch.Tensor:
        """Rows of markets, whose shapes broadcast; as :func:`agents.features.market_row`."""
        state = (numbers * SUPPLIES + supply) * DEMANDS + demand.clamp(max=DEMANDS - 1)
        return market_row(0, 0, 0, self.rules.code) + state

    def tile_rows(self, tiles: torch.Tensor) -> torch.Tensor:
        """Rows of tiles that are gone; that of nothing for no tile."""
        rows = tile_row(0, self.rules.code) + tiles.long()
        return torch.where(tiles == NONE, row_count(self.rules), rows)

    def symbol_rows(self, last: torch.Tensor) -> torch.Tensor:
        """Rows of the symbols of tiles placed last; that of nothing for no tile, or where none are told."""
        nothing = row_count(self.rules)
        if self.rules.placement != "sun_moon":
            return torch.full_like(last, nothing, dtype=torch.int64)
        rows = tile_row(TILES, self.rules.code) + self.suns[last.long()]
        return torch.where(last == NONE, nothing, rows)

    def board_rows(self, boards: torch.Tensor, states: LineStates) -> torch.Tensor:
        """int64 (N, 43) rows of boards, that of the last symbol left out."""
        lines, markets = (torch.arange(count, device=boards.device) for count in (len(LINES), MARKETS))
        return torch.cat(
            [
                self.line_rows(lines, states.occupied, states.number, states.ray),
                self.market_rows(markets, states.supply, states.demand),
                self.tile_rows(boards),
            ],
            dim=1,
        )

    def rows(self, boards: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
        """int64 (N, 44) rows of int8 (N, 19) boards and int8 (N,) tiles placed last, as ``fill_rows``."""
        return torch.cat(
            [self.board_rows(boards, self.states(boards)), self.symbol_rows(last)[:, None]], dim=1
        )

    def legal(self, boards: torch.Tensor, tiles: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
        """bool (N, M, 19): where M tiles may go on each of N boards.

        Args:
            boards: int8 (N, 19), all empty or none.
            tiles: int8 (N, M).
            last: int8 (N,), the tiles drawn just before, -1 for none.
        """
        filled = boards != NONE
        anywhere = ~filled.any(dim=1)[:, None]
        if self.rules.placement == "free":
            anywhere = torch.ones_like(tiles, dtype=torch.bool)
        elif self.rules.placement == "sun_moon":
            anywhere = anywhere | (self.suns[tiles.long()] != self.suns[last.long()][:, None])
        beside = filled.float() @ self.near > 0
        return (beside[:, None] | anywhere[..., None]) & ~filled[:, None]


def _common(values: torch.Tensor, filled: torch.Tensor, above: int, mixed: int) -> torch.Tensor:
    """The value, below ``above``, that a line's filled cells share, or ``mixed`` where they differ."""
    low = torch.where(filled, values, above).amin(dim=2)
    high = torch.where(filled, values, -1).amax(dim=2)
    return torch.where(low == high, low, mixed)
