"""Four players at a table, for PettingZoo: ``python examples/pettingzoo_table.py``.

    python -m pip install "takeiteasy-env[table]"

All place at the same time. Tools that want the players to act one after the other get ``parallel_to_aec``,
where still nobody sees another's choice of the turn.
"""

from pettingzoo.utils import parallel_to_aec

import takeiteasy_env


def play_together(seed: int) -> dict[str, int]:
    """Play a match of two rounds at random; every player's points, bonuses included."""
    table = takeiteasy_env.parallel_env(players=4, placement="sun_moon", scoring="best_ray", rounds=2)
    observations, infos = table.reset(seed=seed)
    while table.agents:
        cells = {
            agent: table.action_space(agent).sample(mask=observations[agent]["action_mask"])
            for agent in table.agents
        }
        observations, _, _, _, infos = table.step(cells)
    return {agent: info["score"] for agent, info in infos.items()}


def play_in_turns(seed: int) -> dict[str, float]:
    """Play a round in which the players act one after the other; every player's points."""
    table = parallel_to_aec(takeiteasy_env.parallel_env(players=4, boards="public"))
    table.reset(seed=seed)
    points = dict.fromkeys(table.possible_agents, 0.0)
    for agent in table.agent_iter():
        observation, reward, terminated, truncated, _ = table.last()
        points[agent] += reward
        over = terminated or truncated
        table.step(None if over else table.action_space(agent).sample(mask=observation["action_mask"]))
    return points


if __name__ == "__main__":
    print("two rounds with the best rays:", play_together(seed=0))
    print("one round, one after the other:", play_in_turns(seed=0))
