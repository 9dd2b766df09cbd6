"""Several players at a table, as a PettingZoo environment: the same tiles, each on a board of their own."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium import logger, spaces
from gymnasium.error import DependencyNotInstalled, ResetNeeded
from gymnasium.utils import seeding

from takeiteasy_env.arguments import cell_of, chosen, refuse_illegal, rules_for
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import draw_orders, given_orders
from takeiteasy_env.env import ILLEGALS
from takeiteasy_env.observation import board_flags, observation_size
from takeiteasy_env.picture import Picture
from takeiteasy_env.position import Positions
from takeiteasy_env.render import to_pixels, to_text
from takeiteasy_env.rules import NONE, bonuses_of
from takeiteasy_env.state import advance, begin, games_over, look

try:
    from pettingzoo import ParallelEnv
except ModuleNotFoundError:
    raise DependencyNotInstalled(
        'a table needs PettingZoo: python -m pip install "takeiteasy-env[table]"'
    ) from None

REWARDS: Final = ("points", "win")
BOARDS: Final = ("private", "public")

Observation = dict[str, np.ndarray]
Info = dict[str, Any]


class TakeItEasyTableEnv(ParallelEnv[str, Observation, Any]):
    """Take It Easy! for 1 to 8 players.

    ## Description
    A match is one round or several. In a round the same 19 tiles are drawn for everybody, and all players put
    each of them on their own board at the same time: nobody sees another's choice before the turn is over.
    The scores of the rounds add up. Each player plays by the rules of
    :class:`takeiteasy_env.env.TakeItEasyEnv`, and a table of one is that environment, round after round.

    ## Agents
    ``player_0``, ``player_1``, ... in the order in which they sit. The caller, who draws the tiles and has no
    advantage of it, is the next player each round.

    ## Action Space
    ``Discrete(19)`` for each player: the cell for the tile in hand.

    ## Observation Space
    A dict of ``observation``, the player's flags as :mod:`takeiteasy_env.observation` describes them, and of
    ``action_mask``, int8 (19,). With ``boards="public"`` the flags of the other boards follow, as they lay at
    the end of the last turn: those of the next player in the order of the seats, then of the one after, and
    so on. A board's flags are those of its cells, 171, and where symbols matter those of its symbols, 38.

    ## Starting State
    Empty boards and the first tile. The tiles of all rounds are fixed at the reset, from the seed alone.
    ``reset(options={"tiles": ...})`` plays given ones: 19 for each round, or the same 19 in all of them.
    Other options are left alone, for PettingZoo's tests pass some.

    ## Rewards
    ``reward="points"``: the points of the lines that the placement completed and, with the last placement of
    a round of ``best_ray``, the player's bonuses; they sum to the score. ``reward="win"``: when the match
    ends, 1 for the player with the most points, shared evenly among several; otherwise 0.

    ## Episode End
    All players terminate together when the last round is over; nobody is ever truncated. A player who names
    an illegal cell leaves the table at once, unless ``illegal="raise"``: they keep their points, but get no
    more of them, no bonus of that round and no win. The others play on.

    ## Information
    | key | value |
    |---|---|
    | ``action_mask`` | int8 (19,), as in the observation |
    | ``score`` | int, the player's points of the whole match so far, bonuses included |
    | ``standing`` | dict of all players' points when the last round ended, known to everybody |
    | ``round`` | int, which round is played, 0 for the first |
    | ``caller`` | who draws in this round |
    | ``bonus`` | int, the bonuses of a round of ``best_ray``; only in the step that ends it |
    | ``illegal_action`` | int, the illegal cell for which the player had to leave; only then |

    ## Arguments
    | argument | values |
    |---|---|
    | ``players`` | 1 to 8, and 2 to 6 for ``best_ray`` |
    | ``placement`` | ``"free"``, ``"adjacent"`` or ``"sun_moon"`` |
    | ``scoring`` | ``"standard"``, ``"sunrays"`` or ``"best_ray"`` |
    | ``suns`` | the tiles that bear a sun, or 27 flags; None for the default map, not taken from the box |
    | ``rounds`` | 1 or more |
    | ``reward`` | ``"points"`` or ``"win"`` |
    | ``boards`` | ``"private"`` or ``"public"``, whether the others' boards are observed |
    | ``illegal`` | ``"terminate"`` or ``"raise"``, what an illegal cell does |
    | ``render_mode`` | ``"ansi"`` or ``"rgb_array"`` |

    ## Version History
    * v0: first version.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (as the base class declares it)
        "name": "takeiteasy_table_v0",
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 4,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        players: int = 4,
        placement: str = "free",
        scoring: str = "standard",
        suns: Sequence[Any] | None = None,
        rounds: int = 1,
        reward: str = "points",
        boards: str = "private",
        illegal: str = "terminate",
        render_mode: str | None = None,
    ) -> None:
        self.rules = rules_for(players, placement, scoring, suns)
        if rounds < 1:
            raise ValueError(f"rounds is at least 1, not {rounds}")
        self.rounds = rounds
        self.reward = chosen("reward", reward, REWARDS)
        self.boards = chosen("boards", boards, BOARDS)
        self.illegal = chosen("illegal", illegal, ILLEGALS)
        if render_mode is not None:
            chosen("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._board_flags = board_flags(self.rules)
        others = players - 1 if boards == "public" else 0
        size = observation_size(self.rules) + others * len(self._board_flags)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Dict(
                observation=spaces.Box(0, 1, (size,), np.int8),
                action_mask=spaces.Box(0, 1, (CELLS,), np.int8),
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(CELLS) for agent in self.possible_agents}
        self._np_random: np.random.Generator | None = None
        self._state = games_over(players)
        self._code = self.rules.code
        self._draws = np.full((rounds, CELLS), NONE, dtype=np.int8)
        self._round = 0
        self._points = np.zeros(players, dtype=np.int64)
        self._standing = self._points.copy()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The flags and the mask that a player sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The cells."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Begin a match.

        Args:
            seed: seeds the draws; without one the stream of draws goes on.
            options: ``tiles``, (19,) or (rounds, 19), are drawn in this order.

        Raises:
            ValueError: for wrong tiles.
        """
        if seed is not None or self._np_random is None:
            self._np_random, _ = seeding.np_random(seed)
        tiles = (options or {}).get("tiles")
        if tiles is None:
            self._draws = draw_orders(self._np_random, self.rounds)
        else:
            self._draws = given_orders(tiles, self.rounds)
        self.agents = self.possible_agents[:]
        self._points[:] = self._standing[:] = 0
        self._begin_round(0, np.ones(len(self.agents), dtype=np.bool_))
        return self._look()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """Let every player put the tile in hand on a cell.

        Args:
            actions: a cell for each of ``agents``.

        Raises:
            TypeError: when an action is not an integer, naming it.
            ValueError: when the actions are not those of ``agents``, or one is not 0-18, or not legal and
                ``illegal="raise"``, naming it.
            ResetNeeded: when the match is over.
        """
        cells = self._cells(actions)
        state = self._state
        if self.illegal == "raise":
            refuse_illegal(state.positions, cells, self.rules, name="player_")
        points = np.empty(len(cells))
        ended = np.empty(len(cells), dtype=np.bool_)
        advance(state, cells, self._code, False, points, ended)
        full = ended & (state.turns == CELLS)
        bonuses = self._bonuses(full)
        rewards = points + bonuses
        self._points += rewards.astype(np.int64)
        if full.any():
            self._standing = self._points.copy()
        last_round = self._round == self.rounds - 1
        if self.reward == "win":
            rewards = self._wins(full & last_round)
        if full.any() and not last_round:
            self._begin_round(self._round + 1, full)

        observations, infos = self._look()
        for agent in self.agents:
            seat = self._seats[agent]
            if full[seat] and self.rules.scoring == "best_ray":
                infos[agent]["bonus"] = int(bonuses[seat])
            if ended[seat] and not full[seat]:
                infos[agent]["illegal_action"] = int(cells[seat])
        terminations = self._by_agent(state.tiles == NONE)
        truncations = dict.fromkeys(self.agents, False)
        rewarded = self._by_agent(rewards)
        self.agents = [agent for agent in self.agents if not terminations[agent]]
        return observations, rewarded, terminations, truncations, infos

    @property
    def positions(self) -> Positions:
        """What the players see of their own boards, in the order of the seats: the rows of one position."""
        return self._state.positions

    def render(self) -> str | np.ndarray | None:
        """All boards: texts one below the other, or uint8 (H, W, 3) pixels side by side."""
        if self.render_mode is None:
            logger.warn("render() draws nothing without a render_mode: give parallel_env() one")
            return None
        state = self._state
        pictures = [
            Picture(board, int(tile), self.rules)
            for board, tile in zip(state.boards, state.tiles, strict=True)
        ]
        if self.render_mode == "rgb_array":
            return np.hstack([to_pixels(picture) for picture in pictures])
        texts = [f"{agent}: {to_text(picture)}" for agent, picture in zip(self._seats, pictures, strict=True)]
        return "\n\n".join(texts)

    def _cells(self, actions: dict[str, Any]) -> np.ndarray:
        """int64 (P,): the cell that each player names, 0 for those who have left."""
        if not self.agents:
            raise ResetNeeded("no match has begun or it is over: call reset()")
        if set(actions) != set(self.agents):
            raise ValueError(f"actions are those of {', '.join(self.agents)}, not of {', '.join(actions)}")
        cells = np.zeros(len(self.possible_agents), dtype=np.int64)
        for agent, action in actions.items():
            cells[self._seats[agent]] = cell_of(action)
        return cells

    def _by_agent(self, values: np.ndarray) -> dict[str, Any]:
        """The value of each of ``agents``, as a Python number or bool, of those of all players, (P,)."""
        return {agent: values[self._seats[agent]].item() for agent in self.agents}

    def _begin_round(self, number: int, playing: np.ndarray) -> None:
        """Clear all boards and draw the first tile for those who play, bool (P,)."""
        self._round = number
        orders = np.tile(self._draws[number], (playing.sum(), 1))
        begin(self._state, np.flatnonzero(playing), orders, self._code)
        self._state.boards[~playing] = NONE

    def _bonuses(self, full: np.ndarray) -> np.ndarray:
        """int64 (P,): what the players whose boards have become full get for their best rays."""
        bonuses = np.zeros(len(full), dtype=np.int64)
        if full.any():
            bonuses[full] = bonuses_of(self._state.boards[full][None], self.rules)[0]
        return bonuses

    def _wins(self, full: np.ndarray) -> np.ndarray:
        """float64 (P,): 1 shared among those with the most points of the players who finished the match."""
        if not full.any():
            return np.zeros(len(full))
        best = full & (self._points == self._points[full].max())
        return best / best.sum()

    def _look(self) -> tuple[dict[str, Observation], dict[str, Info]]:
        """What each player sees and is told."""
        players = len(self.possible_agents)
        flags = np.empty((players, observation_size(self.rules)), dtype=np.int8)
        masks = np.empty((players, CELLS), dtype=np.int8)
        look(self._state, self._code, flags, masks)
        if self.boards == "public":
            seats = np.arange(players)
            others = (seats[:, None] + seats[1:]) % players
            boards = flags[:, self._board_flags]
            flags = np.hstack([flags, boards[others].reshape(players, -1)])
        standing = dict(zip(self.possible_agents, self._standing.tolist(), strict=True))
        observations, infos = {}, {}
        for agent in self.agents:
            seat = self._seats[agent]
            observations[agent] = {"observation": flags[seat], "action_mask": masks[seat]}
            infos[agent] = {
                "action_mask": masks[seat].copy(),
                "score": int(self._points[seat]),
                "standing": standing.copy(),
                "round": self._round,
                "caller": self.possible_agents[self._round % players],
            }
        return observations, infos


#: The name by which PettingZoo's users make an environment.
parallel_env = TakeItEasyTableEnv
