"""How a game begins and tiles are drawn: all of it follows from five random words.

One word deals and chooses who starts, each of the others shuffles the tiles that one player exchanges. So a
game's deal is data, known before the game starts, and what a player draws does not depend on the others.
"""

from typing import Final

import numpy as np
from numba import njit

from latice_env.actions import RACK
from latice_env.board import NONE
from latice_env.rules import RuleCode
from latice_env.state import MOST_PLAYERS, Game, Outcome
from latice_env.tiles import ALL_TILES, TILES, WIND, WINDS

#: Random 64-bit words, none of them 0, that fix a game: one deals, the others are the players' streams.
WORDS_PER_GAME: Final = 1 + MOST_PLAYERS
_PLAYING: Final = int(Outcome.PLAYING)


def random_words(rng: np.random.Generator, games: int) -> np.ndarray:
    """uint64 (games, 5) words, in the order of the games: n games and then m are the same as n + m."""
    return rng.integers(1, 1 << 64, dtype=np.uint64, size=(games, WORDS_PER_GAME))


@njit(cache=True)
def shuffle(tiles: np.ndarray, count: int, streams: np.ndarray, which: int) -> None:
    """Shuffle the first ``count`` tiles by Fisher and Yates, and let that stream go on.

    A stream is Marsaglia's xorshift of 64 bits. Its upper 32 bits times m choose among m.
    """
    word = np.uint64(streams[which])
    for last in range(count - 1, 0, -1):
        word ^= word << np.uint64(13)
        word ^= word >> np.uint64(7)
        word ^= word << np.uint64(17)
        chosen = np.int64((word >> np.uint64(32)) * np.uint64(last + 1) >> np.uint64(32))
        tile = tiles[last]
        tiles[last] = tiles[chosen]
        tiles[chosen] = tile
    streams[which] = word


@njit(cache=True)
def begin(game: Game, words: np.ndarray, code: RuleCode) -> None:
    """Begin a game: deal, draw five tiles each, and choose who starts.

    Args:
        game: written.
        words: uint64 (5,), none of them 0.
        code: the rules.
    """
    dealer = words[:1].copy()
    seats = np.arange(MOST_PLAYERS)
    shuffle(seats[: code.players], code.players, dealer, 0)
    game["players"] = code.players
    game["player"] = seats[0] if code.first_player == NONE else code.first_player
    game["quiet_limit"] = code.quiet_limit
    game["random"][:] = words[1:]
    game["board"][:] = NONE
    game["racks"][:] = NONE
    game["pools"][:] = NONE
    for counts in (
        game["winners"],
        game["rack_sizes"],
        game["pool_sizes"],
        game["sunstones"],
        game["halfstones"],
    ):
        counts[:] = 0
    game["exchanged"][:] = 0
    game["returned"][:] = 0
    game["outcome"] = _PLAYING
    game["quiet_turns"] = 0
    game["passes"] = 0
    game["discarded"] = 0
    game["opened"] = 0
    begin_turn(game)
    tiles = ALL_TILES.copy()
    together = TILES - WINDS if code.tournament else TILES
    shuffle(tiles, together, dealer, 0)
    size = TILES // code.players
    winds = (TILES - together) // code.players
    for player in range(code.players):
        pool = game["pools"][player]
        pool[: size - winds] = tiles[player * (size - winds) : (player + 1) * (size - winds)]
        pool[size - winds : size] = WIND
        game["pool_sizes"][player] = size
        shuffle(pool, size, dealer, 0)
        refill(game, player)


@njit(cache=True)
def begin_turn(game: Game) -> None:
    """Give the player whose turn begins the free move."""
    game["moves"] = 1
    game["moved"] = 0
    game["progressed"] = 0


@njit(cache=True)
def draw(game: Game, player: int) -> int:
    """Take the next tile from a player's pool and return its kind."""
    game["pool_sizes"][player] -= 1
    size = game["pool_sizes"][player]
    tile = game["pools"][player, size]
    game["pools"][player, size] = NONE
    if game["returned"][player, tile] > 0:
        game["returned"][player, tile] -= 1  # it may have been one that was put back
    return tile


@njit(cache=True)
def refill(game: Game, player: int) -> None:
    """Draw back to five tiles, or all that is left."""
    while game["rack_sizes"][player] < RACK and game["pool_sizes"][player] > 0:
        put_on_rack(game, player, draw(game, player))


@njit(cache=True)
def put_on_rack(game: Game, player: int, tile: int) -> None:
    """Put a tile on a rack that has room, in its place among the sorted others."""
    rack, slot = game["racks"][player], game["rack_sizes"][player]
    while slot > 0 and rack[slot - 1] > tile:
        rack[slot] = rack[slot - 1]
        slot -= 1
    rack[slot] = tile
    game["rack_sizes"][player] += 1


@njit(cache=True)
def take_from_rack(game: Game, player: int, slot: int) -> int:
    """Take the tile of a slot from a rack, close the gap and return the tile's kind."""
    rack, size = game["racks"][player], game["rack_sizes"][player]
    tile = rack[slot]
    for later in range(slot, size - 1):
        rack[later] = rack[later + 1]
    rack[size - 1] = NONE
    game["rack_sizes"][player] -= 1
    return tile
