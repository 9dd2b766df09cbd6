"""What a game is worth to its players: zero-sum, with an optional potential on the way."""

import numpy as np
from numba import njit

from latice_env.moves import remaining
from latice_env.state import Game, Outcome
from latice_env.tiles import TILES

_PLAYING = int(Outcome.PLAYING)


@njit(cache=True)
def fill_returns(game: Game, returns: np.ndarray) -> None:
    """Write the float (P,) returns of a game: zeros until it is over.

    The winners share 1 and the others share -1; when all win, everybody gets 0. So the returns sum to 0.
    """
    players = game["players"]
    winners = 0
    for player in range(players):
        winners += game["winners"][player]
    if winners == 0 or winners == players:
        returns[:players] = 0.0
        return
    for player in range(players):
        if game["winners"][player]:
            returns[player] = 1 / winners
        else:
            returns[player] = -1 / (players - winners)


@njit(cache=True)
def fill_potentials(game: Game, potentials: np.ndarray) -> None:
    """Write the float (P,) potentials of a game: by how much a player has fewer tiles left than the others.

    As part of the tiles that each had at the beginning, against the mean of the others; 0 once the game is
    over. They sum to 0.
    """
    players = game["players"]
    potentials[:players] = 0.0
    if game["outcome"] == _PLAYING:
        total = 0
        for player in range(players):
            total += remaining(game, player)
        for player in range(players):
            own = remaining(game, player)
            potentials[player] = ((total - own) / (players - 1) - own) / (TILES // players)
