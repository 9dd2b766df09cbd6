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
        lengths: int64 (15,), cells of each line.
        offsets: int64 (15,), each line's first row in the table.
        ranks: int64 (28, 3), the rank of each tile's numbers; -1 for no tile.
        suns: int64 (28,), 1 for a sun, 0 for a moon, -1 for no tile.
        points: int64 (3, 3), the number of each direction and rank.
        near: float32 (19, 19), 1 where two cells share an edge.
    """

    rules: Rules
    line_cells: torch.Tensor
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
        near = NEIGHBOURS[:, None] >> np.arange(CELLS) & 1

        def tensor(values: object) -> torch.Tensor:
            return torch.from_numpy(np.array(values, dtype=np.int64)).to(device)

        return cls(
            rules=rules,
            line_cells=tensor(line_cells),
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

    def rows(self, boards: torch.Tensor, last: torch.Tensor, states: LineStates) -> torch.Tensor:
        """int64 (N, 44) rows of int8 (N, 19) boards, as :func:`agents.features.fill_rows`.

        Args:
            boards: the boards.
            last: int8 (N,), the tiles placed last, -1 for none.
            states: what :meth:`states` says of the boards.
        """
        return torch.cat(
            [
                self._line_rows(states),
                self._market_rows(states),
                self._tile_rows(boards),
                self._symbol_rows(last)[:, None],
            ],
            dim=1,
        )

    def _line_rows(self, states: LineStates) -> torch.Tensor:
        rays = self.rules.code.rays
        statuses = NUMBER_STATES * RAY_STATES if rays else NUMBER_STATES
        status = states.number + NUMBER_STATES * states.ray if rays else states.number
        state = torch.where(states.occupied > 0, 1 + (states.occupied - 1) * statuses + status, 0)
        return self.offsets + state

    def _market_rows(self, states: LineStates) -> torch.Tensor:
        numbers = torch.arange(MARKETS, device=states.supply.device)
        state = (numbers * SUPPLIES + states.supply) * DEMANDS + states.demand.clamp(max=DEMANDS - 1)
        return market_row(0, 0, 0, self.rules.code) + state

    def _tile_rows(self, tiles: torch.Tensor) -> torch.Tensor:
        """Rows of tiles that are gone; that of nothing for no tile."""
        rows = tile_row(0, self.rules.code) + tiles.long()
        return torch.where(tiles == NONE, row_count(self.rules), rows)

    def _symbol_rows(self, last: torch.Tensor) -> torch.Tensor:
        """Rows of the symbols of tiles placed last; that of nothing for no tile, or where none are told."""
        nothing = row_count(self.rules)
        if self.rules.placement != "sun_moon":
            return torch.full_like(last, nothing, dtype=torch.int64)
        rows = tile_row(TILES, self.rules.code) + self.suns[last.long()]
        return torch.where(last == NONE, nothing, rows)

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
