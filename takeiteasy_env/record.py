"""One game as it was played, and the file that keeps it.

A game file is a JSON object, version 1 of the format:

| key | value |
|---|---|
| ``format`` | ``"takeiteasy-game"`` |
| ``version`` | ``1`` |
| ``agent`` | who played, a text of any kind; empty when nobody said |
| ``rules`` | ``placement``, ``scoring`` and ``suns`` (the tiles that bear a sun), as for :class:`Rules` |
| ``draws`` | the 19 tiles in the order they are drawn, as written: ``978`` |
| ``placements`` | the cell 0-18 of each tile placed, in the same order; fewer than 19 in a game cut short |
| ``points`` | the points that each placement completed |
| ``score`` | their sum: the points of the player's own board, without a bonus of the table |

``points`` and ``score`` follow from the rest; a reader refuses a file in which they do not. It passes over
keys it does not know. The version goes up when readers of the one before would take a file for another game.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from takeiteasy_env.arguments import cell_of, refuse_illegal
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import given_order
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, Rules, scores_of
from takeiteasy_env.tiles import TILE_CODES

FORMAT: Final = "takeiteasy-game"
VERSION: Final = 1
#: The keys that hold the game, and what JSON calls the kind of their values.
_KINDS: Final = {"agent": str, "rules": dict, "draws": list, "placements": list, "points": list, "score": int}
_KIND_NAMES: Final = {str: "string", dict: "object", list: "array", int: "integer"}


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game of one board, finished or not; everything else follows from what it holds.

    Args:
        rules: the rules of the game.
        draws: the 19 tiles in the order they are drawn, by index or as written; kept as indices.
        placements: the cell of each tile that was placed, at most 19.
        agent: who played.

    Raises:
        TypeError: for a cell that is no integer.
        ValueError: naming what is wrong, unless the draws are 19 distinct tiles and every move is legal.
    """

    rules: Rules
    draws: Sequence[int]
    placements: Sequence[int]
    agent: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "draws", tuple(given_order(self.draws).tolist()))
        object.__setattr__(self, "placements", tuple(map(cell_of, self.placements)))
        if len(self.placements) > CELLS:
            raise ValueError(f"a game has at most {CELLS} placements, not {len(self.placements)}")
        refuse_illegal(
            self.positions, np.array(self.placements, dtype=np.int64), self.rules, "move ", first=1
        )

    @classmethod
    def from_board(cls, rules: Rules, draws: np.ndarray, board: np.ndarray, agent: str = "") -> Self:
        """The game that filled a board.

        Args:
            rules: the rules of the game.
            draws: int8 (19,), the tiles in the order they are drawn.
            board: int8 (19,), the tile on each cell, -1 for none.
            agent: who played.
        """
        cells = {int(tile): cell for cell, tile in enumerate(board)}
        return cls(rules, draws.tolist(), [cells[tile] for tile in draws.tolist() if tile in cells], agent)

    @property
    def boards(self) -> np.ndarray:
        """int8 (M + 1, 19): the board before the first of the M placements, and after each of them."""
        moves = len(self.placements)
        boards = np.full((moves + 1, CELLS), NONE, dtype=np.int8)
        for move, (tile, cell) in enumerate(zip(self.draws, self.placements, strict=False)):
            boards[move + 1 :, cell] = tile
        return boards

    @property
    def positions(self) -> Positions:
        """What the player saw before each of the M placements."""
        moves = len(self.placements)
        drawn = np.array([NONE, *self.draws], dtype=np.int8)
        return Positions(self.boards[:-1], drawn[1 : moves + 1], drawn[:moves])

    @property
    def points(self) -> tuple[int, ...]:
        """What each of the M placements completed."""
        return tuple(np.diff(scores_of(self.boards, self.rules)).tolist())

    @property
    def score(self) -> int:
        """Points of the board as the game left it."""
        return sum(self.points)

    def to_json(self) -> str:
        """The content of the game file, one line for each key."""
        suns = [int(code) for code, sun in zip(TILE_CODES, self.rules.suns, strict=True) if sun]
        content = {
            "format": FORMAT,
            "version": VERSION,
            "agent": self.agent,
            "rules": {"placement": self.rules.placement, "scoring": self.rules.scoring, "suns": suns},
            "draws": TILE_CODES[list(self.draws)].tolist(),
            "placements": self.placements,
            "points": self.points,
            "score": self.score,
        }
        lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The game of a game file's content.

        Raises:
            ValueError: in one line, for what is damaged, of a newer version or at odds with the rules.
        """
        content = _content(text)
        rules = content["rules"]
        try:
            record = cls(
                Rules(rules["placement"], rules["scoring"], tuple(rules["suns"])),
                content["draws"],
                content["placements"],
                content["agent"],
            )
        except KeyError as missing:
            raise ValueError(f"its rules lack {missing}") from None
        except TypeError as error:
            raise ValueError(str(error)) from None
        if (content["points"], content["score"]) != (list(record.points), record.score):
            raise ValueError(
                f"its placements score {', '.join(map(str, record.points))}, in all {record.score}, "
                'and its "points" and "score" say otherwise'
            )
        return record

    def save(self, path: str | PathLike[str]) -> None:
        """Write the game file."""
        Path(path).write_text(self.to_json())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a game file.

        Raises:
            OSError: when it cannot be read.
            ValueError: in one line that names it, for what :meth:`from_json` refuses.
        """
        try:
            return cls.from_json(Path(path).read_bytes())
        except ValueError as error:
            raise ValueError(f"{path} is no game that can be read: {error}") from None


def _content(text: str | bytes) -> dict[str, Any]:
    """The object of a game file, of the format and version read here, each key with a value of its kind."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(f"it is not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f'its "format" must be "{FORMAT}"')
    version = content.get("version")
    if version != VERSION:
        newer = isinstance(version, int) and version > VERSION
        raise ValueError(
            f"it is of version {version!r}, and this program reads version {VERSION}"
            + (": a newer program is needed" if newer else "")
        )
    for key, kind in _KINDS.items():
        if not isinstance(content.get(key), kind):
            found = f"not {content[key]!r:.40}" if key in content else "and is missing"
            raise ValueError(f'its "{key}" must be a JSON {_KIND_NAMES[kind]}, {found}')
    return content
