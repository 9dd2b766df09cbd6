"""Draw the picture of Latice in the README: a game of three planners, when most tiles are on the board.

python docs/latice.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the checkout, wherever this is run from

import numpy as np
from matplotlib.image import imsave

from agents.latice.agent import make_latice_agent
from latice_env.picture import Picture
from latice_env.render import to_pixels
from latice_env.vector_env import LaticeVectorEnv

ACTIONS = 75


def main() -> None:
    """Play a part of a game and draw it."""
    table = LaticeVectorEnv(1, players=3)
    table.reset(seed=1)
    agent = make_latice_agent("planner")
    for _ in range(ACTIONS):
        table.step(agent.values(table.views()).argmax(axis=1))
    pixels = to_pixels(Picture(table.views()[0]), pixels_per_square=48)
    imsave(Path(__file__).with_name("latice.png"), np.ascontiguousarray(pixels))


if __name__ == "__main__":
    main()
