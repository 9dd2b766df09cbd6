"""A quantile network that has learned nothing, and positions to ask it about."""

import numpy as np
import torch

from agents.agent import make_agent
from agents.play import play
from agents.quantile import QuantileAgent
from agents.quantile_network import QuantileNetwork
from agents.value import ValueAgent
from agents.value_network import ValueNetwork
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import NONE, Rules

QUANTILES = 8


def network_of(rules: Rules) -> QuantileNetwork:
    """On a random value network in half precision, which is how one plays."""
    torch.manual_seed(0)
    value = ValueNetwork(rules, width=12, stack=5).half().float()
    return QuantileNetwork(value, QUANTILES, stack=6)


def agent_of(network: QuantileNetwork, rules: Rules) -> QuantileAgent:
    return QuantileAgent(ValueAgent(rules, network.value.weights()), network.weights())


def positions_at(rules: Rules, turn: int, games: int = 3) -> Positions:
    """Positions of random games at a turn, 0 to 18."""
    played = play(make_agent("random", rules), draw_orders(stream(0, Purpose.VALIDATE), games), rules)
    board = played.boards.copy()
    np.put_along_axis(board, played.cells[:, turn:].astype(np.int64), NONE, axis=1)
    previous = played.draws[:, turn - 1] if turn else np.full(games, NONE, dtype=np.int8)
    return Positions(board, played.draws[:, turn].copy(), previous.copy())
