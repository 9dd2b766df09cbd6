"""The best scores of tiles and cells as tensors on a device; :mod:`agents.best_scores` is the reference."""

from typing import Final

import numpy as np
import torch

from agents.features import MARKETS, tile_row
from agents.matching import WORST
from takeiteasy_env.board import CELL_LINES, CELLS, DIRECTIONS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import RuleCode
from takeiteasy_env.tiles import RANKS, TILES

#: Floats that the scores of a head on a board take while the best ones are found: where rays count those of
#: both symbols, of the tile's own, and of those that count.
SCORES_PER_HEAD: Final = 4 * CELLS * TILES


def best_scores_on_device(
    worth: torch.Tensor, prices: torch.Tensor, rows: torch.Tensor, code: RuleCode
) -> tuple[torch.Tensor, torch.Tensor]:
    """float32 (B, 27, 16) best scores of tiles and (B, 19, 16) of cells, 0 for tiles gone and cells filled.

    Args:
        worth: float32 (lines, kinds, 16), what each state of a line makes of each kind of tile.
        prices: float32 (markets, 16), what each state of a market adds to that.
        rows: int64 (B, 44), the rows of boards.
        code: the rules.
    """
    (lines, _, heads), device = worth.shape, rows.device
    markets = rows[:, len(LINES) : len(LINES) + MARKETS] - lines
    price = prices[markets].view(-1, DIRECTIONS, 1, RANKS, heads)
    price = price.expand(-1, -1, LINES_PER_DIRECTION, -1, -1).flatten(1, 2)
    asked = worth[rows[:, : len(LINES)]].unflatten(2, (-1, RANKS)) + price[:, :, None]
    through = torch.from_numpy(CELL_LINES.astype(np.int64)).to(device)
    one, other, last = (asked[:, through[:, direction]] for direction in range(DIRECTIONS))
    # A tile's index counts its three ranks, so the sums of all ranks are those of all tiles, in order.
    pairs = one[..., :, None, :] + other[..., None, :, :]
    by_symbol = (pairs[..., None, :] + last[..., None, None, :, :]).flatten(3, 5)
    scores = by_symbol[:, :, 0]
    if code.rays:
        suns = torch.tensor([code.suns >> tile & 1 for tile in range(TILES)], device=device)
        scores = torch.where(suns[:, None] == 1, by_symbol[:, :, 1], scores)
    tiles = rows[:, len(LINES) + MARKETS : -1] - tile_row(0, code)
    filled = tiles < TILES
    gone = (tiles[..., None] == torch.arange(TILES, device=device)).any(dim=1)
    of_tile = scores.masked_fill(filled[:, :, None, None], WORST).max(dim=1).values
    of_cell = scores.masked_fill(gone[:, None, :, None], WORST).max(dim=2).values
    return of_tile.masked_fill(gone[..., None], 0.0), of_cell.masked_fill(filled[..., None], 0.0)
