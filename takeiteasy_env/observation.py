"""What a network reads: a position as flags.

Layout of an observation, int8 0 or 1 (ranks order the numbers of a direction: vertical 1 5 9, rising 2 6 7,
falling 3 4 8):

| flags | what they say |
|---|---|
| ``9 * cell + 3 * direction + rank`` | the number in that direction of the cell's tile; none when empty |
| ``171 + 3 * direction + rank`` | the same of the tile in hand; none when the game is over |
| ``180 + tile`` | the tile remains: it is neither on the board nor in hand, so it may be drawn next |

That is all for the standard game: 207 flags. Where suns and moons matter (``Rules.uses_symbols``), 42 more
follow:

| flags | what they say |
|---|---|
| ``207 + 2 * cell`` | the tile on the cell bears a sun; the next flag: a moon |
| ``245``, ``246`` | the tile in hand bears a sun; a moon |
| ``247``, ``248`` | the tile drawn just before bears a sun; a moon |
"""

from typing import Final

import numpy as np
from numba import njit

from takeiteasy_env.board import CELLS, DIRECTIONS
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import RuleCode, Rules
from takeiteasy_env.tiles import RANKS, TILE_RANKS, TILES

NUMBER_FLAGS: Final = DIRECTIONS * RANKS
HAND: Final = NUMBER_FLAGS * CELLS
REMAINING: Final = HAND + NUMBER_FLAGS
SYMBOLS: Final = REMAINING + TILES
STANDARD_SIZE: Final = SYMBOLS
SIZE_WITH_SYMBOLS: Final = SYMBOLS + 2 * (CELLS + 2)

#: int8 (28, 9): each tile's number flags; the last row, which index -1 reaches too, is that of no tile.
_TILE_FLAGS: Final = np.concatenate(
    [
        (TILE_RANKS[:, :, None] == np.arange(RANKS)).reshape(TILES, NUMBER_FLAGS),
        np.zeros((1, NUMBER_FLAGS), dtype=np.bool_),
    ]
).astype(np.int8)
#: int8 (3, 2): the symbol flags of no tile, of a sun and of a moon.
_SYMBOL_FLAGS: Final = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.int8)


def observation_size(rules: Rules) -> int:
    """How many flags an observation of these rules has."""
    return SIZE_WITH_SYMBOLS if rules.uses_symbols else STANDARD_SIZE


def board_flags(rules: Rules) -> np.ndarray:
    """int64 (171,), or (209,) where symbols matter: which flags of an observation are those of the board."""
    symbols = range(SYMBOLS, SYMBOLS + 2 * CELLS) if rules.uses_symbols else range(0)
    return np.array([*range(HAND), *symbols])


def observe(positions: Positions, rules: Rules) -> np.ndarray:
    """int8 (N, 207), or (N, 249) where symbols matter: the flags of each position."""
    observations = np.empty((len(positions), observation_size(rules)), dtype=np.int8)
    fill_observations(positions.board, positions.tile, positions.previous, rules.code, observations)
    return observations


@njit(cache=True)
def fill_observations(
    boards: np.ndarray, tiles: np.ndarray, previous: np.ndarray, code: RuleCode, observations: np.ndarray
) -> None:
    """Write the flags of each position.

    Args:
        boards: int8 (N, 19), -1 for an empty cell.
        tiles: int8 (N,), the tiles in hand, -1 for none.
        previous: int8 (N,), the tiles drawn just before, -1 for none.
        code: the rules.
        observations: int8 (N, 207) without or (N, 249) with the symbols, written.
    """
    symbols = _packed_symbols(code.suns)
    for game in range(len(boards)):
        flags = observations[game]
        seen = 0  # bit 1 + tile; bit 0 is no tile, so that no branch has to be guessed
        for cell in range(CELLS + 1):
            tile = int(boards[game, cell] if cell < CELLS else tiles[game])
            seen |= 1 << tile + 1
            for flag in range(NUMBER_FLAGS):
                flags[NUMBER_FLAGS * cell + flag] = _TILE_FLAGS[tile, flag]
        for tile in range(TILES):
            flags[REMAINING + tile] = ~seen >> tile + 1 & 1
        if len(flags) > SYMBOLS:
            for cell in range(CELLS):
                _fill_symbol(int(boards[game, cell]), symbols, flags, SYMBOLS + 2 * cell)
            _fill_symbol(int(tiles[game]), symbols, flags, SYMBOLS + 2 * CELLS)
            _fill_symbol(int(previous[game]), symbols, flags, SYMBOLS + 2 * CELLS + 2)


@njit(cache=True)
def _packed_symbols(suns: int) -> int:
    """Two bits for each tile from -1 on, the lowest first: its row of ``_SYMBOL_FLAGS``."""
    packed = 0
    for tile in range(TILES):
        packed |= (1 if suns >> tile & 1 else 2) << 2 * tile + 2
    return packed


@njit(cache=True)
def _fill_symbol(tile: int, symbols: int, flags: np.ndarray, at: int) -> None:
    """Write whether a tile bears a sun, and whether a moon; neither without one."""
    symbol = symbols >> 2 * tile + 2 & 3
    for flag in range(2):
        flags[at + flag] = _SYMBOL_FLAGS[symbol, flag]
