"""The compiled game in the words of the rules: tiles as "red bird", squares as (row, column)."""

from collections import Counter
from functools import lru_cache
from typing import Any

import numpy as np

from latice_env import Rules
from latice_env.actions import (
    ACTIONS,
    BUY_WIND,
    BUY_WITH_HALFSTONES,
    BUY_WITH_SUNSTONE,
    END,
    EXCHANGE,
    WIND_SHIFT,
)
from latice_env.deal import begin, random_words
from latice_env.legal import fill_mask
from latice_env.moves import play
from latice_env.state import GAME, Outcome
from latice_env.tiles import KINDS, tile_name

NAMES = [tile_name(kind) for kind in range(KINDS)]
KIND_OF = {name: kind for kind, name in enumerate(NAMES)}
SQUARES = [divmod(square, 9) for square in range(81)]
WAYS = ("up", "down", "left", "right")
#: What actions are called whose meaning is always the same.
OTHERS = {
    WIND_SHIFT + 4 * square + direction: ("shift", SQUARES[square], way)
    for square in range(81)
    for direction, way in enumerate(WAYS)
} | {
    BUY_WITH_SUNSTONE: ("buy", "move", "sunstone"),
    BUY_WITH_HALFSTONES: ("buy", "move", "halfstones"),
    BUY_WIND: ("buy", "wind"),
    END: ("stop",),
}


@lru_cache(100)
def exchanges(rack: tuple[int, ...]) -> list[tuple]:
    """What an exchange of each subset of the slots of a rack is called."""
    slots = [[slot for slot in range(5) if subset >> slot & 1] for subset in range(32)]
    tiles = [sorted(NAMES[rack[slot]] for slot in subset) for subset in slots]
    return [("exchange", tuple(names)) for names in tiles]


class Table:
    """A game in progress, with its mask."""

    def __init__(self, rules: Rules = Rules(), seed: int = 0) -> None:  # noqa: B008 (frozen)
        self.rules = rules
        self.games = np.zeros(1, dtype=GAME)
        self.game: Any = self.games[0]
        self.mask = np.zeros(ACTIONS, dtype=np.int8)
        begin(self.game, random_words(np.random.default_rng(seed), 1)[0], rules.code)
        self.look()

    def copy(self) -> "Table":
        """The same game, to go on otherwise."""
        other = Table(self.rules)
        other.games[:] = self.games
        other.look()
        return other

    def look(self) -> None:
        """Ask anew what is legal, after the game was changed by hand."""
        fill_mask(self.game, self.mask)

    def arrange(
        self,
        board: dict[tuple[int, int], str],
        racks: list[list[str]],
        pools: list[list[str]],
        player: int = 0,
        **fields: Any,
    ) -> "Table":
        """Put the tiles where a test wants them; ``fields`` are those of the game, such as ``sunstones``."""
        game = self.game
        for tiles in (game["board"], game["racks"], game["pools"]):
            tiles[:] = -1
        for (row, column), tile in board.items():
            game["board"][9 * row + column] = KIND_OF[tile]
        for seat, (rack, pool) in enumerate(zip(racks, pools, strict=True)):
            game["racks"][seat, : len(rack)] = sorted(KIND_OF[tile] for tile in rack)
            game["pools"][seat, : len(pool)] = [KIND_OF[tile] for tile in pool]
            game["rack_sizes"][seat], game["pool_sizes"][seat] = len(rack), len(pool)
        game["player"], game["opened"] = player, bool(board)
        for name, value in fields.items():
            if game[name].shape:
                game[name][:] = np.resize(value, game[name].shape)
            else:
                game[name] = value
        self.look()
        return self

    def actions(self) -> dict[tuple, int]:
        """What is legal, in words; it fails when one thing is more than one action."""
        legal = np.flatnonzero(self.mask).tolist()
        kinds = tuple(self.game["racks"][self.player].tolist())
        words = {
            ("place", NAMES[kinds[action // 81]], SQUARES[action % 81])
            if action < WIND_SHIFT
            else exchanges(kinds)[action - EXCHANGE]
            if EXCHANGE < action < BUY_WITH_SUNSTONE
            else OTHERS[action]: action
            for action in legal
        }
        assert len(words) == len(legal)
        return words

    def do(self, *words: Any) -> "Table":
        """Do what the words say."""
        self.play(self.actions()[words])
        return self

    def play(self, action: int) -> None:
        """Do a micro-action."""
        play(self.game, action, self.mask)

    def play_randomly(self, rng: np.random.Generator) -> None:
        """Play at random to the end."""
        while not self.over:
            self.play(int(rng.choice(np.flatnonzero(self.mask))))

    @property
    def player(self) -> int:
        """Whose turn it is."""
        return int(self.game["player"])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self.game["outcome"])

    @property
    def outcome(self) -> str:
        """How it ended."""
        return Outcome(int(self.game["outcome"])).name.lower()

    @property
    def board(self) -> dict[tuple[int, int], str]:
        """The tiles on the board."""
        kinds = self.game["board"].tolist()
        return {SQUARES[square]: NAMES[kind] for square, kind in enumerate(kinds) if kind >= 0}

    def rack(self, seat: int) -> Counter:
        """The tiles on a player's rack."""
        return Counter(NAMES[kind] for kind in self.game["racks"][seat].tolist() if kind >= 0)

    def pool(self, seat: int) -> Counter:
        """The tiles in a player's pool."""
        return Counter(NAMES[kind] for kind in self.game["pools"][seat].tolist() if kind >= 0)

    def stones(self, seat: int) -> tuple[int, int]:
        """A player's sunstones and halfstones."""
        return int(self.game["sunstones"][seat]), int(self.game["halfstones"][seat])
