"""Latice as a PettingZoo environment: two to four players who take turns of one or many micro-actions."""

from typing import Any, Final

import numpy as np
from gymnasium import logger, spaces
from gymnasium.error import DependencyNotInstalled, ResetNeeded
from gymnasium.utils import seeding

from latice_env.actions import ACTIONS
from latice_env.arguments import action_of, refuse
from latice_env.deal import begin, random_words
from latice_env.legal import fill_mask
from latice_env.moves import play
from latice_env.observation import MOST, fill_observation, observation_size
from latice_env.picture import Picture
from latice_env.render import to_pixels, to_svg, to_text
from latice_env.rewards import fill_potentials, fill_returns
from latice_env.rules import Rules
from latice_env.state import GAME, Outcome, hide
from takeiteasy_env.arguments import chosen

try:
    from pettingzoo import AECEnv
except ModuleNotFoundError:
    raise DependencyNotInstalled(
        'Latice needs PettingZoo: python -m pip install "takeiteasy-env[table]"'
    ) from None

OBSERVATIONS: Final = ("box", "dict")
FRAMES: Final = {"ansi": to_text, "rgb_array": to_pixels, "svg": to_svg}


class LaticeEnv(AECEnv[str, Any, Any]):
    """Latice for 2, 3 or 4 players.

    ## Description
    Players place tiles beside others that match them by colour or by shape, earn stones for it, buy further
    moves with these, and try to be the first without tiles. A turn is one or many *micro-actions*: the same
    agent is selected again until the turn ends.

    ## Agents
    ``player_0``, ``player_1``, ... in the order in which they sit and play.

    ## Action Space
    ``Discrete(764)``, see :mod:`latice_env.actions`. The rack is sorted, and of equal tiles only the first
    may be placed or exchanged alone, so that one thing is one action.

    ## Observation Space
    A Box, int8 (D + 764,): the D entries that :mod:`latice_env.observation` describes, then the mask of the
    micro-actions. With ``observation="dict"`` the two apart, as ``observation`` and ``action_mask``, where
    many frameworks look for them; PettingZoo's checks up to 1.27 warn of every dict. The mask of the player
    to move always has a 1; that of the others, and of all when the game is over, is 0. An observation says
    what the player may know; ``state()`` says everything, the order of the pools included.

    ## Starting State
    Each player has five tiles of the own pool. The deal follows from the seed alone.

    ## Rewards
    0 until the game ends. Then the winners share 1 and the others share -1; if all tie, everybody gets 0.
    With ``shaping``, that many times the change of a potential is added at every step: by how much a player
    has fewer tiles left than the others have in the mean, as part of what each began with. It is 0 at the
    beginning and at the end, so the rewards of a game sum to the same as without.

    ## Episode End
    All players terminate together; nobody is ever truncated. An illegal action raises ``ValueError`` and
    changes nothing; PettingZoo's ``TerminateIllegalWrapper`` ends the game instead.

    ## Information
    | key | value |
    |---|---|
    | ``action_mask`` | int8 (764,), the same mask |
    | ``outcome`` | ``"playing"``, ``"emptied"``, ``"blocked"`` or ``"no_progress"`` |

    ## Arguments
    | argument | values |
    |---|---|
    | ``players`` | 2, 3 or 4 |
    | ``deal`` | ``"standard"`` or ``"tournament"``: as many winds for everybody |
    | ``first_player`` | the seat that starts, None for a random one |
    | ``no_progress_rounds`` | rounds without a placement or wind after which the game is judged as blocked |
    | ``shaping`` | a number, 0 for no shaping |
    | ``observation`` | ``"box"`` or ``"dict"`` |
    | ``render_mode`` | ``"ansi"``, ``"rgb_array"`` or ``"svg"``, drawn as the player to move sees it |

    ## References
    The rules page decides where the booklet is silent; :mod:`latice_env.rules` says what was decided besides.

    ## Version History
    * v0: first version.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (as the base class declares it)
        "name": "latice_v0",
        "render_modes": list(FRAMES),
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        players: int = 2,
        deal: str = "standard",
        first_player: int | None = None,
        no_progress_rounds: int = 10,
        shaping: float = 0.0,
        observation: str = "box",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.rules = Rules(players, deal, first_player, no_progress_rounds)
        self.shaping = shaping
        self.observation = chosen("observation", observation, OBSERVATIONS)
        if render_mode is not None:
            chosen("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        flags = spaces.Box(-1, MOST, (observation_size(players),), np.int8)
        mask = spaces.Box(0, 1, (ACTIONS,), np.int8)
        together = spaces.Box(
            np.concatenate([flags.low, mask.low]), np.concatenate([flags.high, mask.high]), dtype=np.int8
        )
        apart = spaces.Dict(observation=flags, action_mask=mask)
        space = together if observation == "box" else apart
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}
        self._games = np.zeros(1, dtype=GAME)
        self.state_space = spaces.Box(-1, np.iinfo(np.int32).max, self.state().shape, np.int32)
        self._np_random: np.random.Generator | None = None
        self._mask = np.zeros(ACTIONS, dtype=np.int8)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What a player observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The micro-actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: seeds the deals; without one the stream of deals goes on.
            options: left alone.
        """
        if seed is not None or self._np_random is None:
            self._np_random, _ = seeding.np_random(seed)
        begin(self._games[0], random_words(self._np_random, 1)[0], self.rules.code)
        fill_mask(self._games[0], self._mask)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._select()

    def step(self, action: Any) -> None:
        """Let the selected agent do a micro-action, or, once the game is over, leave the table with None.

        Raises:
            TypeError: when the action is not an integer, naming it.
            ValueError: when it is not 0-763 or not legal, naming it.
            ResetNeeded: when no game has begun, or all have left.
        """
        if not self.agents:
            raise ResetNeeded("no game has begun or it is over: call reset()")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        number = action_of(action)
        refuse(number, self._mask, self.agent_selection)
        before = self._potentials()
        self._cumulative_rewards[self.agent_selection] = 0.0
        play(self._games[0], number, self._mask)
        returns = np.zeros(len(self.agents))
        fill_returns(self._games[0], returns)
        rewards = returns + self.shaping * (self._potentials() - before)
        self.rewards = dict(zip(self.agents, rewards.tolist(), strict=True))
        self.terminations = dict.fromkeys(self.agents, self._outcome() != Outcome.PLAYING)
        self._select()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Any:
        """What a player sees now: new arrays."""
        flags = np.empty(observation_size(self.rules.players), dtype=np.int8)
        fill_observation(self._games[0], self._seats[agent], flags)
        mask = self._mask_of(agent)
        if self.observation == "box":
            return np.concatenate([flags, mask])
        return {"observation": flags, "action_mask": mask}

    def state(self) -> np.ndarray:
        """int32 (S,): the whole truth, all of :data:`latice_env.state.GAME` but the random streams."""
        game = self._games[0]
        fields = [field for field in GAME.names or () if field != "random"]
        return np.concatenate([np.ravel(game[field]) for field in fields]).astype(np.int32)

    def view(self, agent: str) -> np.ndarray:
        """A record (1,) of the game as a player sees it, which the scripted agents read."""
        seen = self._games.copy()
        hide(seen[0], self._seats[agent])
        return seen

    def render(self) -> str | np.ndarray | None:
        """A text, uint8 (H, W, 3) pixels or SVG, as ``render_mode`` says."""
        if self.render_mode is None:
            logger.warn("render() draws nothing without a render_mode: give env() one")
            return None
        return FRAMES[self.render_mode](Picture(self._games[0]))

    def close(self) -> None:
        """Do nothing: no window is open."""

    def _select(self) -> None:
        """Select the player to move, and tell everybody what is known."""
        self.agent_selection = self.possible_agents[self._games[0]["player"]]
        outcome = self._outcome().name.lower()
        self.infos = {
            agent: {"action_mask": self._mask_of(agent), "outcome": outcome} for agent in self.agents
        }

    def _mask_of(self, agent: str) -> np.ndarray:
        """int8 (764,), new: what a player may do now."""
        if self._seats[agent] == self._games[0]["player"]:
            return self._mask.copy()
        return np.zeros(ACTIONS, dtype=np.int8)

    def _outcome(self) -> Outcome:
        return Outcome(int(self._games[0]["outcome"]))

    def _potentials(self) -> np.ndarray:
        potentials = np.zeros(self.rules.players)
        fill_potentials(self._games[0], potentials)
        return potentials


#: The name by which PettingZoo's users make an environment.
env = LaticeEnv
