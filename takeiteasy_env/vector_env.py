"""Many games at once as a Gymnasium vector environment, stepped by one compiled call."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from gymnasium import logger, spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from takeiteasy_env.arguments import cells_of, chosen, refuse_illegal, reset_options, rules_for
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import draw_orders, given_orders
from takeiteasy_env.env import FRAMES, ILLEGALS, REWARDS, TakeItEasyEnv
from takeiteasy_env.observation import observation_size, observe
from takeiteasy_env.picture import Picture
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE
from takeiteasy_env.state import advance_and_look, begin, games_over, look

#: Games whose draws are read from a game's stream at a time, so that a reset costs next to nothing.
GAMES_AHEAD: Final = 32


class TakeItEasyVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N games of Take It Easy!, each the same as :class:`takeiteasy_env.env.TakeItEasyEnv` on its seed.

    Observations, rewards, ends and infos are those of N single environments in Gymnasium's
    ``SyncVectorEnv``, array by array. Every array returned is new.

    Args:
        num_envs: N.
        placement: as for the single environment, like the next four.
        scoring: as above.
        suns: as above.
        reward: as above.
        illegal: as above; ``"raise"`` names the first game concerned and leaves all games as they were.
        render_mode: ``"ansi"``, ``"rgb_array"`` or ``"svg"``; ``render()`` returns a frame for each game.
        autoreset_mode: what follows the end of a game, a member of ``AutoresetMode`` or its value:
            ``"SameStep"`` (the step that ends a game returns the first observation of the next one; the last
            one is in ``infos["final_obs"]``, its info in ``infos["final_info"]``), ``"NextStep"`` (the step
            after it begins the next one) or ``"Disabled"`` (``reset`` with ``options={"reset_mask": ...}``).

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (as the base class declares it)
        "render_modes": list(FRAMES),
        "render_fps": TakeItEasyEnv.metadata["render_fps"],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        placement: str = "free",
        scoring: str = "standard",
        suns: Sequence[Any] | None = None,
        reward: str = "line",
        illegal: str = "terminate",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs is at least 1, not {num_envs}")
        self.num_envs = num_envs
        self.rules = rules_for(1, placement, scoring, suns)
        self.reward = chosen("reward", reward, REWARDS)
        self.illegal = chosen("illegal", illegal, ILLEGALS)
        if render_mode is not None:
            self.render_mode = chosen("render_mode", render_mode, self.metadata["render_modes"])
        modes = [mode.value for mode in AutoresetMode]
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self.autoreset_mode = AutoresetMode(chosen("autoreset_mode", mode, modes))
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space = spaces.Box(0, 1, (observation_size(self.rules),), np.int8)
        self.single_action_space = spaces.Discrete(CELLS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._state = games_over(num_envs)
        self._streams = _Streams(num_envs)
        self._code = self.rules.code

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Each game's generator, which has been read up to 32 games ahead."""
        return self._streams.generators()

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Each game's seed."""
        return self._streams.seeds()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin all games, or some.

        Args:
            seed: game i is seeded with ``seed + i``, or with ``seed[i]``; None lets its stream go on.
            options: ``tiles``, the draws of each game, (N, 19) or (19,) for all of them; ``reset_mask``,
                bool (N,), the games to begin, while the others go on.

        Returns:
            int8 (N, D) observations, and the infos of the games begun.

        Raises:
            TypeError: when the mask is no array of bools.
            ValueError: for unknown options or tiles, a wrong number of seeds, or a mask of another shape or
                without a single True.
        """
        options = reset_options(options, ("tiles", "reset_mask"))
        begun = _reset_mask(options.get("reset_mask"), self.num_envs)
        games = np.flatnonzero(begun)
        tiles = options.get("tiles")
        given = None if tiles is None else given_orders(tiles, self.num_envs)[games]
        self._streams.seed(games, _seeds(seed, self.num_envs))
        orders = self._streams.next(games) if given is None else given
        begin(self._state, games, orders, self._code)
        observations, masks = self._blank()
        look(self._state, self._code, observations, masks)
        masks[~begun] = 0
        return observations, self._infos(begun, masks)

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Put each game's tile in hand on a cell.

        Args:
            actions: integers (N,); with ``"NextStep"`` those of games that are over do nothing.

        Returns:
            int8 (N, D) observations, float64 (N,) rewards, bool (N,) terminated and truncated, and the infos.

        Raises:
            TypeError: when the actions are not integers.
            ValueError: when they are not N, not 0-18, or not legal and ``illegal="raise"``.
            ResetNeeded: before the first reset, and with ``"Disabled"`` when a game is over.
        """
        cells = cells_of(actions, self.num_envs)
        over = self._state.tiles == NONE
        next_step = self.autoreset_mode is AutoresetMode.NEXT_STEP
        stuck = self._state.draws[:, 0] == NONE if next_step else over
        if stuck.any():
            raise ResetNeeded(f"game {stuck.argmax()} has not begun or is over: call reset()")
        if self.illegal == "raise":
            refuse_illegal(self.positions, cells, self.rules)
        observations, masks = self._blank()
        rewards = np.empty(self.num_envs)
        terminated = np.empty(self.num_envs, dtype=np.bool_)
        advance_and_look(
            self._state, cells, self._code, self.reward == "final", rewards, terminated, observations, masks
        )
        infos = self._illegal_actions(cells, terminated)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and terminated.any():
            infos = {
                "final_obs": _rows_as_objects(observations, terminated),
                "_final_obs": terminated.copy(),
                "final_info": self._infos(terminated, np.zeros_like(masks)) | infos,
                "_final_info": terminated.copy(),
            }
            self._begin_anew(np.flatnonzero(terminated), observations, masks)
        elif next_step and over.any():
            self._begin_anew(np.flatnonzero(over), observations, masks)
        infos |= self._infos(np.ones(self.num_envs, dtype=np.bool_), masks)
        return observations, rewards, terminated, np.zeros(self.num_envs, dtype=np.bool_), infos

    @property
    def positions(self) -> Positions:
        """What the players see: an agent answers ``values(env.unwrapped.positions)``."""
        return self._state.positions

    def render(self) -> tuple[str | np.ndarray, ...] | None:
        """A frame for each game: a text, uint8 (H, W, 3) pixels or SVG, as ``render_mode`` says."""
        if self.render_mode is None:
            logger.warn("render() draws nothing without a render_mode: give make_vec() one")
            return None
        draw = FRAMES[self.render_mode]
        state = self._state
        return tuple(
            draw(Picture(board, int(tile), self.rules))
            for board, tile in zip(state.boards, state.tiles, strict=True)
        )

    def _blank(self) -> tuple[np.ndarray, np.ndarray]:
        """New arrays for the observations and the masks of one step."""
        observations = np.empty((self.num_envs, observation_size(self.rules)), dtype=np.int8)
        return observations, np.empty((self.num_envs, CELLS), dtype=np.int8)

    def _begin_anew(self, games: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> None:
        """Begin the next game of each of these streams, and show it."""
        begin(self._state, games, self._streams.next(games), self._code)
        positions = self.positions[games]
        observations[games] = observe(positions, self.rules)
        masks[games] = positions.legal(self.rules)

    def _infos(self, games: np.ndarray, masks: np.ndarray) -> dict[str, Any]:
        """The infos of some games, bool (N,): zeros for the others, as ``masks`` has for them already."""
        return {
            "action_mask": masks,
            "_action_mask": games.copy(),
            "score": self._state.scores * games,
            "_score": games.copy(),
        }

    def _illegal_actions(self, cells: np.ndarray, terminated: np.ndarray) -> dict[str, Any]:
        """The infos of the games that an illegal cell just ended: nothing when there are none."""
        illegal = terminated & (self._state.turns < CELLS)
        return {"illegal_action": cells * illegal, "_illegal_action": illegal} if illegal.any() else {}


class _Streams:
    """Each game's own stream of draws, the same as a single environment's, read ahead in blocks."""

    def __init__(self, games: int) -> None:
        self._seeded: dict[int, tuple[np.random.Generator, int]] = {}
        self._orders = np.empty((games, GAMES_AHEAD, CELLS), dtype=np.int8)
        self._used = np.full(games, GAMES_AHEAD)

    def seed(self, games: Iterable[int], seeds: Sequence[int | None]) -> None:
        """Seed the streams of some games; None lets a stream go on, and begins it anywhere if it has none."""
        for game in games:
            if seeds[game] is not None or game not in self._seeded:
                self._seeded[game] = seeding.np_random(seeds[game])
                self._used[game] = GAMES_AHEAD

    def next(self, games: np.ndarray) -> np.ndarray:
        """int8 (M, 19): the next order of draws of each of some games."""
        for game in games[self._used[games] == GAMES_AHEAD].tolist():
            generator, _ = self._seeded[game]
            self._orders[game] = draw_orders(generator, GAMES_AHEAD)
            self._used[game] = 0
        orders = self._orders[games, self._used[games]]
        self._used[games] += 1
        return orders

    def generators(self) -> tuple[np.random.Generator, ...]:
        """The generator of each game."""
        return tuple(generator for generator, _ in self._all())

    def seeds(self) -> tuple[int, ...]:
        """The seed of each game."""
        return tuple(seed for _, seed in self._all())

    def _all(self) -> list[tuple[np.random.Generator, int]]:
        games = len(self._orders)
        self.seed(range(games), [None] * games)
        return [self._seeded[game] for game in range(games)]


def _seeds(seed: int | Sequence[int | None] | None, games: int) -> Sequence[int | None]:
    """One seed for each game, as Gymnasium's vector environments take them."""
    if seed is None:
        return [None] * games
    if isinstance(seed, int):
        return [seed + game for game in range(games)]
    if len(seed) != games:
        raise ValueError(f"{len(seed)} seeds for {games} games: give one for each, or a single one")
    return seed


def _reset_mask(mask: Any, games: int) -> np.ndarray:
    """bool (N,): the games to reset, all of them without a mask."""
    if mask is None:
        return np.ones(games, dtype=np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f"reset_mask is an array of bools, not {mask!r}")
    if mask.shape != (games,) or not mask.any():
        raise ValueError(f"reset_mask has the shape ({games},) and at least one True, not {mask!r}")
    return mask


def _rows_as_objects(rows: np.ndarray, games: np.ndarray) -> np.ndarray:
    """object (N,): a copy of the row of each of some games, bool (N,); None for the others."""
    objects = np.full(len(rows), None, dtype=object)
    objects[games] = np.fromiter(rows[games], dtype=object, count=games.sum())
    return objects
