"""Which rules of Latice are played, and what the rules page leaves open.

The game itself is in :mod:`latice_env.deal`, :mod:`latice_env.legal` and :mod:`latice_env.moves`: functions
on a record of integers, compiled by Numba and run as plain Python too (``NUMBA_DISABLE_JIT=1``).

Decided here:

- In the opening turn all moves but a wind are legal; the moon is the only square.
- Moves and winds may be bought at any time of the turn, whether or not they are of use.
- A pass is a turn without a move. A turn in which tiles were exchanged is none, whatever ends it.
- A turn ends by itself when nothing but ending it is left, not before something was done in it.
- A full round without progress is as many turns in a row as there are players.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from latice_env.board import NONE
from latice_env.state import MOST_PLAYERS

DEALS: Final = ("standard", "tournament")
PLAYERS: Final = range(2, MOST_PLAYERS + 1)


class RuleCode(NamedTuple):
    """What the compiled functions read of :class:`Rules`: plain integers."""

    players: int
    tournament: int
    first_player: int
    quiet_limit: int


@dataclass(frozen=True, slots=True)
class Rules:
    """Which game is played.

    Args:
        players: 2, 3 or 4.
        deal: ``standard`` shuffles all tiles together; ``tournament`` gives everybody as many winds.
        first_player: the seat that starts, None for a random one.
        no_progress_rounds: 1 or more, after how many full rounds without a placement or a wind the game is
            judged as blocked.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """

    players: int = 2
    deal: str = "standard"
    first_player: int | None = None
    no_progress_rounds: int = 10

    def __post_init__(self) -> None:
        if self.players not in PLAYERS:
            raise ValueError(f"players is {PLAYERS[0]} to {PLAYERS[-1]}, not {self.players}")
        if self.deal not in DEALS:
            raise ValueError(f"unknown deal {self.deal!r}: choose one of {', '.join(DEALS)}")
        if self.first_player is not None and self.first_player not in range(self.players):
            raise ValueError(
                f"first_player is a seat, 0 to {self.players - 1}, or None, not {self.first_player}"
            )
        if not 1 <= self.no_progress_rounds <= 1_000_000:
            raise ValueError(f"no_progress_rounds is 1 to 1,000,000, not {self.no_progress_rounds}")

    @property
    def code(self) -> RuleCode:
        """These rules as the compiled functions read them."""
        return RuleCode(
            players=self.players,
            tournament=int(self.deal == "tournament"),
            first_player=NONE if self.first_player is None else self.first_player,
            quiet_limit=self.players * self.no_progress_rounds,
        )
