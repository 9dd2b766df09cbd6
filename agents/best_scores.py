"""The best scores of tiles and cells for many boards to learn from, and their gradients: compiled."""

from typing import Any

import numpy as np
import torch
from numba import njit

from agents.features import MARKETS, market_row, tile_row
from agents.lanes import load, plus, spread, store, where_equal
from agents.matching import (
    HEADS,
    LINE_IN_DIRECTION,
    ask,
    block_size,
    find_best,
    kind_count,
    make_scores,
    tiles_of,
)
from takeiteasy_env.board import CELLS, DIRECTIONS, LINES, LINES_PER_DIRECTION
from takeiteasy_env.rules import RuleCode
from takeiteasy_env.tiles import RANKS, TILES


class BestScores(torch.autograd.Function):
    """The best scores of boards, compiled: float32 (B, 27, 16) of tiles and (B, 19, 16) of cells.

    Those of tiles that are gone and of filled cells are 0.
    """

    @staticmethod
    def forward(
        ctx: Any, worth: torch.Tensor, prices: torch.Tensor, rows: np.ndarray, code: RuleCode
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Find them from the int (B, 44) rows of boards; the parameters are those of :func:`ask`."""
        of_tile, of_cell = torch.empty(len(rows), TILES, HEADS), torch.empty(len(rows), CELLS, HEADS)
        best = of_tile.view(-1, HEADS).numpy(), of_cell.view(-1, HEADS).numpy()
        _fill_best(rows, code, worth.detach().numpy(), prices.detach().numpy(), *best)
        ctx.save_for_backward(worth, prices, of_tile, of_cell)
        ctx.rows, ctx.code = rows, code
        return of_tile, of_cell

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None, None]:
        """Give each part of a best score its gradient."""
        worth, prices, of_tile, of_cell = (saved.detach() for saved in ctx.saved_tensors)
        best = of_tile.view(-1, HEADS).numpy(), of_cell.view(-1, HEADS).numpy()
        given = (gradient.contiguous().view(-1, HEADS).numpy() for gradient in gradients)
        found = torch.zeros_like(worth), torch.zeros_like(prices)
        into = (gradient.numpy() for gradient in found)
        _spread_best(ctx.rows, ctx.code, worth.numpy(), prices.numpy(), *best, *given, *into)
        return *found, None, None


@njit(cache=True)
def _read_rows(
    rows: np.ndarray,
    code: RuleCode,
    worth: np.ndarray,
    prices: np.ndarray,
    markets: np.ndarray,
    asked: np.ndarray,
) -> tuple[int, int]:
    """Write a board's markets and ask its lines; returns its empty cells and remaining tiles, as bits."""
    for number in range(MARKETS):
        markets[number] = rows[len(LINES) + number] - market_row(0, 0, 0, code)
    for line in range(len(LINES)):
        first = RANKS * (line // LINES_PER_DIRECTION)
        ask(asked, line * kind_count(code), rows[line], markets, first, code, worth, prices)
    empty, tiles = 0, (1 << TILES) - 1
    for cell in range(CELLS):
        tile = rows[len(LINES) + MARKETS + cell] - tile_row(0, code)
        if tile < TILES:
            tiles &= ~(1 << tile)
        else:
            empty |= 1 << cell
    return empty, tiles


@njit(cache=True, nogil=True)
def _fill_best(
    rows: np.ndarray,
    code: RuleCode,
    worth: np.ndarray,
    prices: np.ndarray,
    of_tile: np.ndarray,
    of_cell: np.ndarray,
) -> None:
    scores, block = make_scores(), block_size(code)
    asked, own_tiles, own_cells = scores.asked, scores.of_tile, scores.of_cell
    markets, nothing = np.empty(MARKETS, dtype=np.int32), spread(0.0)
    for board in range(len(rows)):
        empty, tiles = _read_rows(rows[board], code, worth, prices, markets, asked)
        find_best(asked, 0, block, 2 * block, empty, tiles, code, own_tiles, own_cells)
        for tile in range(TILES):
            best = load(own_tiles, tile) if tiles >> tile & 1 else nothing
            store(of_tile, board * TILES + tile, best)
        for cell in range(CELLS):
            best = load(own_cells, cell) if empty >> cell & 1 else nothing
            store(of_cell, board * CELLS + cell, best)


@njit(cache=True, nogil=True)
def _spread_best(
    rows: np.ndarray,
    code: RuleCode,
    worth: np.ndarray,
    prices: np.ndarray,
    of_tile: np.ndarray,
    of_cell: np.ndarray,
    tile_gradients: np.ndarray,
    cell_gradients: np.ndarray,
    of_worth: np.ndarray,
    of_prices: np.ndarray,
) -> None:
    scores, block, kinds = make_scores(), block_size(code), kind_count(code)
    asked, given = scores.asked, np.empty((DIRECTIONS * block, HEADS), dtype=np.float32)
    markets = np.empty(MARKETS, dtype=np.int32)
    for board in range(len(rows)):
        empty, tiles = _read_rows(rows[board], code, worth, prices, markets, asked)
        for row in range(DIRECTIONS * block):
            store(given, row, spread(0.0))
        for cell in range(CELLS):
            if not empty >> cell & 1:
                continue
            best, gradient = load(of_cell, board * CELLS + cell), load(cell_gradients, board * CELLS + cell)
            for symbol in range(1 + code.rays):
                these = tiles & tiles_of(symbol, code)
                first = kinds * LINE_IN_DIRECTION[cell, 0] + RANKS * symbol
                second = block + kinds * LINE_IN_DIRECTION[cell, 1] + RANKS * symbol
                third = 2 * block + kinds * LINE_IN_DIRECTION[cell, 2] + RANKS * symbol
                for one in range(RANKS):
                    upright, of_one = load(asked, first + one), load(given, first + one)
                    for other in range(RANKS):
                        pair = plus(upright, load(asked, second + other))
                        of_pair = spread(0.0)
                        for last in range(RANKS):
                            tile = (one * RANKS + other) * RANKS + last
                            if these >> tile & 1:
                                score, its = plus(pair, load(asked, third + last)), board * TILES + tile
                                part = where_equal(score, load(of_tile, its), load(tile_gradients, its))
                                part = plus(part, where_equal(score, best, gradient))
                                of_pair = plus(of_pair, part)
                                store(given, third + last, plus(load(given, third + last), part))
                        of_one = plus(of_one, of_pair)
                        store(given, second + other, plus(load(given, second + other), of_pair))
                    store(given, first + one, of_one)
        for direction in range(DIRECTIONS):
            for line in range(LINES_PER_DIRECTION):
                row = rows[board, LINES_PER_DIRECTION * direction + line] * kinds
                for kind in range(kinds):
                    part = load(given, direction * block + line * kinds + kind)
                    store(of_worth, row + kind, plus(load(of_worth, row + kind), part))
                    market = markets[RANKS * direction + kind % RANKS]
                    store(of_prices, market, plus(load(of_prices, market), part))
