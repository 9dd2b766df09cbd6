"""Draw the picture at the top of the README: a position in mid-game, with the value of every cell.

python docs/position.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

from matplotlib.image import imsave

from agents.agent import make_agent
from agents.play import play
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.picture import Picture
from takeiteasy_env.position import Positions
from takeiteasy_env.render import to_pixels
from takeiteasy_env.rules import NONE, Rules

TURN = 9


def main() -> None:
    """Play a game, take it back to the tenth turn, and draw it."""
    rules = Rules()
    agent = make_agent("value", rules)
    game = play(agent, draw_orders(stream(1, Purpose.VALIDATE), 1), rules)
    board = game.boards.copy()
    board[0, game.cells[0, TURN:]] = NONE
    tile = game.draws[:, TURN]
    values = agent.values(Positions(board, tile, game.draws[:, TURN - 1]))[0]
    pixels = to_pixels(Picture(board[0], int(tile[0]), rules, values), pixels_per_radius=54)
    imsave(Path(__file__).with_name("position.png"), pixels)


if __name__ == "__main__":
    main()
