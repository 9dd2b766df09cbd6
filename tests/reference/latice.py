"""A table of Latice by the rules, with tiles as strings such as "red bird" and squares as (row, column).

Actions are tuples of words: ("place", tile, square), ("shift", square, way), ("exchange", tiles),
("buy", "move", "sunstone"), ("buy", "move", "halfstones"), ("buy", "wind") and ("stop",). Chance is not
played but checked: whoever plays says which tiles a player holds after an action, and the table refuses what
cannot have been drawn.
"""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations, product

Square = tuple[int, int]
Action = tuple

COLOURS = ["yellow", "navy", "purple", "red", "green", "teal"]
SHAPES = ["feather", "bird", "turtle", "flower", "gecko", "dolphin"]
BOX = Counter({f"{colour} {shape}": 2 for colour, shape in product(COLOURS, SHAPES)} | {"wind": 12})
BOARD = set(product(range(9), range(9)))
MIDDLE = (4, 4)
SUNS = (
    {(i, i) for i in (0, 1, 2, 6, 7, 8)}
    | {(i, 8 - i) for i in (0, 1, 2, 6, 7, 8)}
    | {(0, 4), (4, 0), (4, 8), (8, 4)}
)
WAYS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
COST_OF_A_WIND = {2: 3, 3: 3, 4: 2}


def around(square: Square) -> dict[str, Square]:
    """The squares orthogonally next to a square that lie on the board, by the way that leads there."""
    row, column = square
    steps = {way: (row + down, column + right) for way, (down, right) in WAYS.items()}
    return {way: step for way, step in steps.items() if step in BOARD}


NEIGHBOURS = {square: around(square) for square in BOARD}


@cache
def alike(tile: str, other: str) -> bool:
    """Whether two colour tiles share their colour or their shape."""
    return any(one == two for one, two in zip(tile.split(), other.split(), strict=True))


@dataclass
class Player:
    """What one player has."""

    rack: Counter
    pool: Counter
    sunstones: int = 0
    halfstones: int = 0
    tiles_exchanged: int = 0

    @property
    def tiles_left(self) -> int:
        """All the tiles that must go."""
        return self.rack.total() + self.pool.total()


@dataclass
class ReferenceTable:
    """A game of Latice.

    Attributes:
        players: In the order of their seats.
        turn: Whose turn it is.
        rounds: Full rounds without a placement or a wind that end the game.
        board: The tile on each square that has one.
        discards: Winds in the discard pile.
        moves: Moves that the player has left in this turn.
        made: The kinds of move made in this turn.
        history: For each turn that is over, the kinds of move made in it.
        ending: None, or how the game ended.
        winners: The seats of those who won.
    """

    players: list[Player]
    turn: int
    rounds: int = 10
    board: dict[Square, str] = field(default_factory=dict)
    discards: int = 0
    moves: int = 1
    made: set[str] = field(default_factory=set)
    history: list[set[str]] = field(default_factory=list)
    opened: bool = False
    ending: str | None = None
    winners: set[int] = field(default_factory=set)

    def legal(self) -> set[Action]:
        """Everything that the player may do now."""
        if self.ending:
            return set()
        player = self.players[self.turn]
        actions = {("stop",)} | self._purchases(player)
        if self.moves:
            actions |= self._placements(player) | self._exchanges(player) | self._winds(player)
        return actions

    def _purchases(self, player: Player) -> set[Action]:
        actions: set[Action] = set()
        if player.sunstones:
            actions.add(("buy", "move", "sunstone"))
        if player.halfstones > 1:
            actions.add(("buy", "move", "halfstones"))
        price = COST_OF_A_WIND[len(self.players)]
        if player.rack.total() < 5 and self.discards and player.sunstones >= price:
            actions.add(("buy", "wind"))
        return actions

    def _can_go_on(self, player: Player) -> bool:
        """Whether anything but stopping is left."""
        if self._purchases(player):
            return True
        return self.moves > 0 and bool(
            self._exchanges(player) or self._winds(player) or self._placements(player)
        )

    def _placements(self, player: Player) -> set[Action]:
        tiles = {tile for tile in player.rack if tile != "wind"}
        if not self.opened:
            return {("place", tile, MIDDLE) for tile in tiles}
        return {
            ("place", tile, square)
            for square in BOARD - set(self.board)
            if (neighbours := self._neighbours(square))
            for tile in tiles
            if all(alike(tile, neighbour) for neighbour in neighbours)
        }

    def _neighbours(self, square: Square) -> list[str]:
        return [self.board[step] for step in NEIGHBOURS[square].values() if step in self.board]

    def _exchanges(self, player: Player) -> set[Action]:
        most = min(5, player.pool.total())
        held = sorted(player.rack.elements())
        return {("exchange", tiles) for count in range(1, most + 1) for tiles in combinations(held, count)}

    def _winds(self, player: Player) -> set[Action]:
        if not player.rack["wind"] or not self.opened:
            return set()
        return {
            ("shift", square, way)
            for square in self.board
            for way, step in NEIGHBOURS[square].items()
            if step not in self.board
        }

    def do(self, action: Action, rack_afterwards: Counter) -> None:
        """Do a legal action, and all that follows before somebody has to choose again.

        Args:
            action: what the player does.
            rack_afterwards: what the player holds then, which tells what was drawn.
        """
        player = self.players[self.turn]
        opening = not self.opened
        aside: Counter = Counter()
        match action:
            case ("place", tile, square):
                self._place(player, tile, square)
            case ("shift", square, way):
                player.rack -= Counter(["wind"])
                self.discards += 1
                self.board[NEIGHBOURS[square][way]] = self.board.pop(square)
                self.made.add("wind")
            case ("exchange", tiles):
                aside = Counter(tiles)
                player.tiles_exchanged += len(tiles)
                self.moves -= 1
                self.made.add("exchange")
            case ("buy", "move", "sunstone"):
                player.sunstones -= 1
                self.moves += 1
            case ("buy", "move", "halfstones"):
                player.halfstones -= 2
                self.moves += 1
            case ("buy", "wind"):
                player.sunstones -= COST_OF_A_WIND[len(self.players)]
                self.discards -= 1
                player.rack += Counter(["wind"])
        if not player.tiles_left:
            self._finish("emptied", {self.turn})
            assert not rack_afterwards
            return
        over = action == ("stop",) or not player.rack or (opening and self.opened)
        # After an exchange the rack is still the old one; but if a move is left, another exchange is legal.
        over = over or not self._can_go_on(player)
        self._draw(player, aside, rack_afterwards, 5 - player.rack.total() if over else 0)
        if over:
            self._end_turn(player)

    def _place(self, player: Player, tile: str, square: Square) -> None:
        touched = len(self._neighbours(square))
        player.halfstones += 1 if touched == 2 else 0
        player.sunstones += {3: 1, 4: 2}.get(touched, 0)
        player.sunstones += 1 if square in SUNS else 0
        player.rack -= Counter([tile])
        self.board[square] = tile
        self.opened = True
        self.moves -= 1
        self.made.add("place")

    def _draw(self, player: Player, aside: Counter, rack_afterwards: Counter, room: int) -> None:
        """Draw as many tiles as were set aside, put these into the pool, then fill the room on the rack."""
        kept = player.rack - aside
        drawn = rack_afterwards - kept
        refilled = min(room, player.pool.total())
        assert kept <= rack_afterwards, "no other tile has left the rack"
        assert drawn.total() == aside.total() + refilled
        assert drawn <= player.pool + aside, "tiles come from the own pool"
        assert (drawn - player.pool).total() <= refilled, "what is set aside is not drawn for itself"
        player.pool = player.pool + aside - drawn
        player.rack = Counter(rack_afterwards)

    def _end_turn(self, player: Player) -> None:
        player.sunstones = min(player.sunstones, 3)
        self.history.append(self.made)
        count = len(self.players)
        if len(self.history) >= count and not any(self.history[-count:]):
            self._finish("blocked", self._with_fewest_tiles())
        elif self._rounds_without_progress() >= self.rounds:
            self._finish("no_progress", self._with_fewest_tiles())
        else:
            self.turn = (self.turn + 1) % count
            self.moves = 1
            self.made = set()

    def _rounds_without_progress(self) -> int:
        turns = 0
        for made in reversed(self.history):
            if made & {"place", "wind"}:
                break
            turns += 1
        return turns // len(self.players)

    def _with_fewest_tiles(self) -> set[int]:
        left = [player.tiles_left for player in self.players]
        return {seat for seat, tiles in enumerate(left) if tiles == min(left)}

    def _finish(self, ending: str, winners: set[int]) -> None:
        self.ending, self.winners = ending, winners

    def returns(self) -> list[Fraction]:
        """What the game brings each player: 1 shared by the winners, -1 shared by the others."""
        losers = len(self.players) - len(self.winners)
        if not losers or not self.winners:
            return [Fraction(0)] * len(self.players)
        return [
            Fraction(1, len(self.winners)) if seat in self.winners else Fraction(-1, losers)
            for seat in range(len(self.players))
        ]
