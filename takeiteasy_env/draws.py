"""Draws are data: a game's order of tiles, fixed before it starts and independent of what a player does."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Any, Final, SupportsIndex, cast

import numpy as np
from numba import njit

from takeiteasy_env.board import CELLS
from takeiteasy_env.tiles import TILES, tile_indices


class Purpose(IntEnum):
    """What a stream of random numbers is for; no two purposes share one."""

    TRAIN = 0
    VALIDATE = 1
    EVALUATE = 2
    AGENT = 3
    RANK = 4


#: Random 64-bit words that one order of draws takes.
WORDS_PER_GAME: Final = CELLS


@njit(cache=True)
def deal(words: np.ndarray, draws: np.ndarray) -> None:
    """Write the int8 (N, 19) tiles that uint64 (N, 19) random words draw, by Fisher and Yates.

    A word chooses among m tiles by its upper 32 bits times m, so that no tile is likelier than another by
    more than 27 / 2**32.
    """
    tiles = np.empty(TILES, dtype=np.int8)
    for game in range(len(words)):
        for tile in range(TILES):
            tiles[tile] = tile
        for turn in range(CELLS):
            left = np.uint64(TILES - turn)
            chosen = turn + np.int64((words[game, turn] >> np.uint64(32)) * left >> np.uint64(32))
            draws[game, turn] = tiles[chosen]
            tiles[chosen] = tiles[turn]


def stream(seed: int, purpose: Purpose, *key: int) -> np.random.Generator:
    """The random stream of a seed for one purpose, a spawned child of the seed's sequence.

    Streams of other seeds, purposes or keys (a round, a rank, a batch) are independent of it.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, *key)))


def random_words(rng: np.random.Generator, games: int) -> np.ndarray:
    """uint64 (games, 19) words, in the order of the games: n games and then m are the same as n + m."""
    return rng.integers(1 << 64, dtype=np.uint64, size=(games, WORDS_PER_GAME))


def skip_games(rng: np.random.Generator, games: int) -> None:
    """Let a stream go on as if so many games had been drawn from it: any game is dealt without those before.

    It takes no longer for a million of them than for one.
    """
    cast(np.random.PCG64, rng.bit_generator).advance(games * WORDS_PER_GAME)


def draw_orders(rng: np.random.Generator, games: int) -> np.ndarray:
    """int8 (games, 19): the tiles of each game in the order they are drawn, uniform without replacement.

    The first n orders of a generator are the same however many are asked for.
    """
    draws = np.empty((games, CELLS), dtype=np.int8)
    deal(random_words(rng, games), draws)
    return draws


def given_order(tiles: Iterable[SupportsIndex | str]) -> np.ndarray:
    """int8 (19,): the draws of one game as somebody gives them, by index (26) or as written (978).

    Raises:
        ValueError: naming what is wrong, unless they are 19 distinct tiles.
    """
    order = tile_indices(tiles)
    if len(order) != CELLS:
        raise ValueError(f"a game takes {CELLS} tiles, not {len(order)}")
    return np.array(order, dtype=np.int8)


def given_orders(tiles: Any, games: int) -> np.ndarray:
    """int8 (games, 19): the draws that somebody gives for each of some games, or the same 19 for all of them.

    Raises:
        ValueError: naming what is wrong.
    """
    if np.ndim(tiles) == 1:
        return np.tile(given_order(tiles), (games, 1))
    if len(tiles) != games:
        raise ValueError(f"tiles for {len(tiles)} games, not {games}: give (19,) or ({games}, 19)")
    return np.stack([given_order(row) for row in tiles])
