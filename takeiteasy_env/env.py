"""One game as a Gymnasium environment."""

from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from takeiteasy_env.arguments import cell_of, chosen, refuse_illegal, reset_options, rules_for
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import draw_orders, given_order
from takeiteasy_env.observation import observation_size
from takeiteasy_env.picture import Picture
from takeiteasy_env.position import Positions
from takeiteasy_env.record import GameRecord
from takeiteasy_env.render import Window, to_pixels, to_svg, to_text
from takeiteasy_env.rules import NONE
from takeiteasy_env.state import advance_and_look, begin, games_over, look

REWARDS: Final = ("line", "final")
ILLEGALS: Final = ("terminate", "raise")
#: The render modes that return their frame, and what draws it.
FRAMES: Final = {"ansi": to_text, "rgb_array": to_pixels, "svg": to_svg}


class TakeItEasyEnv(gymnasium.Env[np.ndarray, np.int64]):
    """Take It Easy! for one player.

    ## Description
    Nineteen times a tile is drawn and goes on an empty cell of a hexagon of 19 cells, where it stays. A line
    of cells scores its length times its number when all its tiles bear the same number in the line's
    direction. There are 27 tiles, each once, so 8 of them never appear. The highest score is 307; uniformly
    random play scores 10.69 in the mean.

    ## Action Space
    ``Discrete(19)``: the cell for the tile in hand. Cells are numbered by column, left to right, each column
    top to bottom. Integers of any kind are taken, and arrays that hold one. Which cells are legal is said by
    ``info["action_mask"]``, which ``action_space.sample(mask=...)`` takes, and by :meth:`action_masks`.

    ## Observation Space
    ``Box(0, 1, (207,), int8)``, or ``(249,)`` where suns and moons matter: the numbers of the tile on each
    cell and of the tile in hand, the tiles that remain, and the symbols. Its layout is described in
    :mod:`takeiteasy_env.observation`; :class:`takeiteasy_env.wrappers.DictObservation` adds the mask to it.

    ## Starting State
    An empty board and the first tile. The order of the tiles is fixed at the reset, from the seed alone.
    ``reset(options={"tiles": [...]})`` plays 19 given tiles instead, by index (``26``) or as written
    (``978``).

    ## Rewards
    ``reward="line"``: the points of the lines that the placement completed. ``reward="final"``: 0, and the
    whole score when the game ends, however it ends. Either sums to the score, in points.

    ## Episode End
    The game terminates when the board is full, after 19 steps; it is never truncated. An illegal cell ends it
    at once with the points so far, unless ``illegal="raise"``.

    ## Information
    | key | value |
    |---|---|
    | ``action_mask`` | int8 (19,), 1 where the tile may go; all 0 when the game is over |
    | ``score`` | int, points so far |
    | ``illegal_action`` | int, the illegal cell that ended the game; only then |

    ## Arguments
    | argument | values |
    |---|---|
    | ``placement`` | ``"free"``, ``"adjacent"`` or ``"sun_moon"`` |
    | ``scoring`` | ``"standard"`` or ``"sunrays"`` |
    | ``suns`` | the tiles that bear a sun, or 27 flags; None for the default map, not taken from the box |
    | ``reward`` | ``"line"`` or ``"final"`` |
    | ``illegal`` | ``"terminate"`` or ``"raise"``, what an illegal cell does |
    | ``render_mode`` | ``"human"`` (a window), ``"ansi"``, ``"rgb_array"`` or ``"svg"`` |

    The first three are those of :class:`takeiteasy_env.rules.Rules`, and the ids ``TakeItEasyAdjacent-v0``,
    ``TakeItEasySunMoon-v0`` and ``TakeItEasySunrays-v0`` set one of them. The scoring ``"best_ray"`` takes
    several players: see :class:`takeiteasy_env.table_env.TakeItEasyTableEnv`.

    ## References
    Peter Burley, *Take It Easy!*, Burley Games.

    ## Version History
    * v0: first version. The number goes up with any change after which the same seed and the same actions
      give another observation, reward or end.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (as the base class declares it)
        "render_modes": ["human", *FRAMES],
        "render_fps": 4,
    }

    def __init__(
        self,
        placement: str = "free",
        scoring: str = "standard",
        suns: Sequence[Any] | None = None,
        reward: str = "line",
        illegal: str = "terminate",
        render_mode: str | None = None,
    ) -> None:
        self.rules = rules_for(1, placement, scoring, suns)
        self.reward = chosen("reward", reward, REWARDS)
        self.illegal = chosen("illegal", illegal, ILLEGALS)
        if render_mode is not None:
            self.render_mode = chosen("render_mode", render_mode, self.metadata["render_modes"])
        self._size = observation_size(self.rules)
        self.observation_space = spaces.Box(0, 1, (self._size,), np.int8)
        self.action_space = spaces.Discrete(CELLS)
        self._state = games_over(1)
        self._cell = np.zeros(1, dtype=np.int64)
        self._reward = np.zeros(1)
        self._terminated = np.zeros(1, dtype=np.bool_)
        self._code = self.rules.code
        self._reward_at_end = reward == "final"
        self._window: Window | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a game.

        Args:
            seed: seeds the draws; without one the stream of draws goes on.
            options: ``tiles``, 19 distinct tiles, are drawn in this order.

        Raises:
            ValueError: for unknown options or tiles.
        """
        super().reset(seed=seed)
        tiles = reset_options(options, ("tiles",)).get("tiles")
        order = draw_orders(self.np_random, 1) if tiles is None else given_order(tiles)[None]
        begin(self._state, np.array([0]), order, self._code)
        observations, masks = self._blank()
        look(self._state, self._code, observations, masks)
        if self.render_mode == "human":
            self.render()
        return observations[0], {"action_mask": masks[0], "score": 0}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Put the tile in hand on a cell.

        Raises:
            TypeError: when the action is not an integer, naming it.
            ValueError: when it is not 0-18, or not legal and ``illegal="raise"``, naming it.
            ResetNeeded: when the game is over.
        """
        cell = cell_of(action)
        state = self._state
        if state.tiles[0] == NONE:
            raise ResetNeeded("no tile is in hand, because no game has begun or it is over: call reset()")
        self._cell[0] = cell
        if self.illegal == "raise":
            refuse_illegal(state.positions, self._cell, self.rules)
        observations, masks = self._blank()
        advance_and_look(
            state,
            self._cell,
            self._code,
            self._reward_at_end,
            self._reward,
            self._terminated,
            observations,
            masks,
        )
        terminated = bool(self._terminated[0])
        info: dict[str, Any] = {"action_mask": masks[0], "score": int(state.scores[0])}
        if terminated and state.turns[0] < CELLS:
            info["illegal_action"] = cell
        if self.render_mode == "human":
            self.render()
        return observations[0], float(self._reward[0]), terminated, False, info

    @property
    def positions(self) -> Positions:
        """What the player sees, as one position: an agent answers ``values(env.unwrapped.positions)``."""
        return self._state.positions

    def action_masks(self) -> np.ndarray:
        """bool (19,): where the tile in hand may go."""
        return self.positions.legal(self.rules)[0]

    def record(self, agent: str = "") -> GameRecord:
        """The game so far with all its draws, those to come included: a player must not look at it.

        Args:
            agent: who plays, as the record will say.

        Raises:
            ResetNeeded: when no game has begun.
        """
        state = self._state
        if state.draws[0, 0] == NONE:
            raise ResetNeeded("there is no game to record, because none has begun: call reset()")
        return GameRecord.from_board(self.rules, state.draws[0], state.boards[0], agent)

    def render(self) -> str | np.ndarray | None:
        """The board as text, uint8 (H, W, 3) pixels or SVG, as ``render_mode`` says; None for the window."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() draws nothing without a render_mode: give make() one")
            return None
        picture = Picture(self._state.boards[0], int(self._state.tiles[0]), self.rules)
        if self.render_mode != "human":
            return FRAMES[self.render_mode](picture)
        if self._window is None:
            self._window = Window("Take It Easy!", self.metadata["render_fps"])
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def _blank(self) -> tuple[np.ndarray, np.ndarray]:
        """New arrays for the observation and the mask of one step."""
        return np.empty((1, self._size), dtype=np.int8), np.empty((1, CELLS), dtype=np.int8)
