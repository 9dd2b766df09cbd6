"""Games that the value network plays on a device: :mod:`agents.self_play` with the boards as tensors.

All games of a call go on together. The device is given the draws and runs through the turns whose successors
the network values without being waited for; the last turns, in which the rest of the game is played out
exactly, are left to the compiled functions.
"""

import numpy as np
import torch

from agents.device_successors import DeviceSuccessors, unseen_tiles
from agents.self_play import play_on
from agents.successors import TURNS
from agents.weights import Weights
from takeiteasy_env.board import CELLS
from takeiteasy_env.rules import NONE
from takeiteasy_env.tiles import TILES


def self_play_on_device(
    draws: np.ndarray,
    explored: np.ndarray,
    kept: np.ndarray,
    successors: DeviceSuccessors,
    weights: Weights,
    boards: np.ndarray,
    targets: np.ndarray,
    scores: np.ndarray,
) -> None:
    """Play by the network's values; for the boards kept, write the exact expectation over the next tile.

    Args:
        draws: int8 (N, 19), the tiles of each game.
        explored: int64 (N, 19), -1, or a random number that picks a legal cell instead of the best one.
        kept: bool (N, 19), where the board before a turn's placement is kept.
        successors: values of the network on its device.
        weights: the same network, for the last turns.
        boards: int8 (N, 19, 19), the board before each turn's placement, written.
        targets: float32 (N, 19), points still to come from the kept ones, written.
        scores: int32 (N,), written.
    """
    device = successors.network.table.device
    tiles, numbers = (torch.from_numpy(each.T.copy()).to(device) for each in (draws, explored))
    games = torch.arange(len(draws), device=device)
    kept_first = torch.from_numpy(~kept.T[:TURNS]).to(device).byte().argsort(dim=1, stable=True)
    how_many = kept.sum(axis=0).tolist()
    board = torch.full((len(draws), CELLS), NONE, dtype=torch.int8, device=device)
    no_tile = torch.full_like(tiles[0], NONE)
    before, expected = [], []
    for turn in range(TURNS):
        before.append(board.clone())
        last = tiles[turn - 1] if turn else no_tile
        values = torch.empty(board.shape, device=device)
        keep, leave = kept_first[turn].split([how_many[turn], len(draws) - how_many[turn]])
        if len(keep):
            unseen = unseen_tiles(board[keep], TILES - turn)
            of_tiles = successors.values(board[keep], unseen, last[keep], turn)
            expected.append(of_tiles.amax(dim=2).mean(dim=1))
            in_hand = (unseen == tiles[turn, keep, None]).byte().argmax(dim=1)
            values[keep] = of_tiles[games[: len(keep)], in_hand]
        if len(leave):
            of_tile = successors.values(board[leave], tiles[turn, leave, None], last[leave], turn)
            values[leave] = of_tile[:, 0]
        board[games, chosen_cells(values, numbers[turn])] = tiles[turn]
    before.append(board)
    boards[:, : TURNS + 1] = torch.stack(before, dim=1).cpu().numpy()
    if expected:
        targets.T[:TURNS][kept.T[:TURNS]] = torch.cat(expected).cpu().numpy()
    play_on(TURNS, draws, explored, kept, successors.rules.code, weights, boards, targets, scores)


def chosen_cells(values: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """int64 (N,): the best cell of each row, or a legal one where a random number picks it.

    Args:
        values: float32 (N, 19), minus infinity where a cell is not legal.
        numbers: int64 (N,), -1 for the best cell.
    """
    legal = values > -torch.inf
    wanted = numbers % legal.sum(dim=1) + 1
    picked = (legal & (legal.cumsum(dim=1) == wanted[:, None])).byte().argmax(dim=1)
    return torch.where(numbers == NONE, values.argmax(dim=1), picked)
