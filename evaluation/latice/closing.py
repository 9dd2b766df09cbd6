"""How a game of a tournament looks at its end."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.latice.agent import LaticeAgent
from evaluation.latice.tournament import LaticeTournament
from latice_env.actions import ACTIONS
from latice_env.picture import Picture
from latice_env.render import to_svg
from latice_env.state import GAME, Outcome, views
from latice_env.vector_env import advance, begin_all


@dataclass(frozen=True, slots=True)
class Closing:
    """The end of one game.

    Attributes:
        seats: the texts that name who sat at each seat.
        winners: those of them who won.
        ending: how it ended, in words.
        svg: the table, as the last player saw it.
    """

    seats: tuple[str, ...]
    winners: tuple[str, ...]
    ending: str
    svg: str


def closings(tournament: LaticeTournament, tables: Sequence[int]) -> list[Closing]:
    """The end of the first game of some tables, played again."""
    agents = [tournament.make_agent(number) for number in range(len(tournament.agents))]
    return [_closing(tournament, agents, table) for table in tables]


def _closing(tournament: LaticeTournament, agents: Sequence[LaticeAgent], table: int) -> Closing:
    members, first = tournament.tables[table], range(1)
    sitting = [members[member] for member in tournament.seats(first)[0, 0].argsort()]
    games = np.zeros(1, dtype=GAME)
    masks = np.zeros((1, ACTIONS), dtype=np.int8)
    rewards = np.zeros((1, tournament.players), dtype=np.float32)
    outcomes = np.zeros(1, dtype=np.int8)
    begin_all(games, np.arange(1), tournament.words(first), tournament.rules.code, masks)
    while games["outcome"][0] == Outcome.PLAYING:
        actions = agents[sitting[games["player"][0]]].values(views(games)).argmax(axis=1)
        advance(games, actions, 0.0, masks, rewards, outcomes)
    seats = tuple(tournament.agents[number] for number in sitting)
    return Closing(
        seats=seats,
        winners=tuple(name for name, won in zip(seats, games["winners"][0], strict=False) if won),
        ending=Outcome(int(outcomes[0])).name.lower().replace("_", " "),
        svg=to_svg(Picture(games[0])),
    )
