"""PPO and Q-learning: what holds of both, from the same weights each time to the best play of short games."""

import io
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
import torch

from agents.agent import make_agent
from agents.dqn import DQNTrainer
from agents.dqn_config import DQNConfig
from agents.endings import ending_value, unseen_tiles
from agents.errors import UsageError
from agents.experience import play_games
from agents.model_files import CONFIG_FILE, MODEL_FILE
from agents.play import play
from agents.ppo import PPOTrainer
from agents.ppo_config import PPOConfig
from agents.trainers import Trainer
from agents.training import refuse_no_numbers
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.rules import PLACEMENTS, SCORINGS, Rules, bitboards_of, scores_of
from takeiteasy_env.vector_env import TakeItEasyVectorEnv

ALL_RULES = [Rules(placement, scoring) for placement, scoring in product(PLACEMENTS, SCORINGS)]
NO_PRIZES = np.zeros((2, 0), dtype=np.float32)
PPO = PPOConfig(
    name="ppo", players=4, width=8, stack=4, rounds=3, games=12, epochs=2, batch=128, learning_rate=2e-2,
    gae_lambda=0.9, clip=0.2, entropy=0.01,
)  # fmt: skip
DQN = DQNConfig(
    name="dqn", players=4, width=8, stack=4, quantiles=5, rounds=3, games=12, replay_games=30, steps=3,
    batch=64, learning_rate=2e-2, n_step=3, averaging=0.9, exploration=0.2,
)  # fmt: skip
TINY: dict[str, Any] = {"ppo": PPO, "dqn": DQN}

each_of_the_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.name)
both = pytest.mark.parametrize("name", TINY)


def trainer_of(config: Any, rules: Rules | None = None, seed: int = 0, threads: int = 1) -> Any:
    make = PPOTrainer if config.name == "ppo" else DQNTrainer
    return make(config, rules or Rules(), seed, threads)


def trained(config: Any, rules: Rules | None = None, rounds: int | None = None, **kwargs: int) -> Any:
    """A trainer that has gone through its rounds, or through the first ones."""
    trainer = trainer_of(config, rules, **kwargs)
    while trainer.round < (trainer.rounds if rounds is None else rounds):
        trainer.advance()
    return trainer


def saved_and_loaded(state: dict[str, Any]) -> dict[str, Any]:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def same(mine: Any, others: Any) -> bool:
    """Whether two states are the same, bit for bit."""
    if isinstance(mine, torch.Tensor):
        return torch.equal(mine, others)
    if isinstance(mine, dict):
        return mine.keys() == others.keys() and all(same(mine[key], others[key]) for key in mine)
    if isinstance(mine, list | tuple):
        return len(mine) == len(others) and all(same(*pair) for pair in zip(mine, others, strict=True))
    return mine == others


def numbers_of(metrics: dict[str, Any]) -> dict[str, Any]:
    """The metrics of a round that do not depend on the clock."""
    untimed = {name: value for name, value in metrics.items() if not name.startswith("time/")}
    return {name: np.asarray(value).tolist() for name, value in untimed.items()}


# ------------------------------------------------------------------------------------- the same each time


@both
def test_the_same_seed_gives_the_same_training_whatever_the_threads(name):
    once = trained(TINY[name]).state()
    assert same(trained(TINY[name]).state(), once)
    assert same(trained(TINY[name], threads=2).state(), once)
    assert not same(trained(TINY[name], seed=1).state(), once)


@both
@pytest.mark.parametrize("interrupted", [0, 1, 3])
def test_some_rounds_a_checkpoint_and_the_others_are_all_rounds_at_once(name, interrupted):
    second = trainer_of(TINY[name])
    second.restore(saved_and_loaded(trained(TINY[name], rounds=interrupted).state()))
    assert second.round == interrupted
    whole = trained(TINY[name], rounds=interrupted)
    while second.round < second.rounds:
        assert numbers_of(second.advance()) == numbers_of(whole.advance())
    assert same(second.state(), whole.state())


@both
def test_the_agent_is_a_copy_that_does_not_learn_on(name):
    trainer = trained(TINY[name], rounds=2)
    agent, draws = trainer.agent(), draw_orders(stream(0, Purpose.VALIDATE), 20)
    before = play(agent, draws, Rules())
    trainer.advance()
    assert (play(agent, draws, Rules()).cells == before.cells).all()


@both
def test_rounds_and_games_are_counted(name):
    trainer: Trainer = trainer_of(TINY[name])
    for round_ in range(1, trainer.rounds + 1):
        trainer.advance()
        assert (trainer.round, trainer.games_played) == (round_, 12 * round_)


@both
def test_the_learning_rate_falls_to_nothing(name):
    trainer = trainer_of(TINY[name])
    rates = [trainer.advance()["charts/learning_rate"] for _ in range(trainer.rounds)]
    assert 0 < rates[0] <= 2e-2
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0, abs=1e-9)


@both
def test_time_is_split_into_the_environment_the_network_and_learning(name):
    metrics = trained(TINY[name], rounds=1).advance()
    parts = [metrics[f"time/{part}"] for part in ("env", "network", "learning")]
    assert min(parts) > 0
    assert sum(parts) == pytest.approx(CELLS * 12 / metrics["time/steps_per_second"], rel=0.01)


# ------------------------------------------------------------------------------------------ games


@both
@each_of_the_rules
def test_every_game_is_19_legal_placements_of_a_board_of_its_own(name, rules):
    """No transition leads across a reset: a game begins with an empty board and ends with a full one."""
    trainer = trained(TINY[name], rules, rounds=1)
    played = trainer.play(stream(0, Purpose.TRAIN, 9), *([0.5] if name == "dqn" else []))
    games = played.games if name == "ppo" else played[0]
    assert games.cells.shape == (12, CELLS)
    assert ((games.board >= 0).sum(axis=2) == np.arange(CELLS)).all()
    assert (np.sort(games.cells, axis=1) == np.arange(CELLS)).all()
    boards = np.zeros((12, CELLS), dtype=np.int8)
    np.put_along_axis(boards, games.cells, games.tile, axis=1)
    assert (games.points.sum(axis=1) == scores_of(boards, rules)).all()
    legal = games.positions(np.arange(games.cells.size)).legal(rules)
    assert np.take_along_axis(legal, games.cells.reshape(-1, 1), axis=1).all()


@both
@each_of_the_rules
def test_a_saved_agent_plays_like_the_trained_one_by_its_name(name, rules, tmp_path):
    trainer = trained(TINY[name], rules, rounds=2)
    trainer.save_model(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {MODEL_FILE, CONFIG_FILE}
    draws = draw_orders(stream(0, Purpose.EVALUATE), 30)
    agents = [make_agent(f"{name}:{tmp_path}", rules, seed) for seed in (0, 1)]
    games = [play(agent, draws, rules) for agent in agents]
    assert (games[0].cells == games[1].cells).all(), "it makes no random choice"
    assert (games[0].scores == scores_of(games[0].boards, rules)).all()
    trainer.envs.reset(seed=0)
    positions = trainer.envs.positions
    # In half precision.
    np.testing.assert_allclose(agents[0].values(positions), trainer.agent().values(positions), 0.02, 0.02)


# ------------------------------------------------------------------------------------------ what goes wrong


@both
def test_a_loss_that_is_no_number_ends_the_training_in_one_line(name):
    trainer = trainer_of(replace(TINY[name], learning_rate=1e38))
    metrics = trainer.advance()
    with pytest.raises(UsageError, match=r"^losses/\w+ is no number any more in round 1: [^\n]+$"):
        refuse_no_numbers(metrics, trainer.round)


@both
def test_it_plays_alone(name):
    with pytest.raises(UsageError, match=f"^agent={name} plays alone: [^\n]+$"):
        trainer_of(TINY[name], Rules(scoring="best_ray"))


@both
def test_without_a_directory_or_a_model_in_it_one_line_says_so(name, tmp_path):
    with pytest.raises(UsageError, match=f"^no {name} model comes with the project: [^\n]+$"):
        make_agent(name, Rules())
    with pytest.raises(UsageError, match=f"^no {name} model in {tmp_path}: [^\n]+$"):
        make_agent(f"{name}:{tmp_path}", Rules())
    trained(TINY[name], rounds=0).save_model(tmp_path)
    with pytest.raises(UsageError, match=r"plays standard rules, not adjacent$"):
        make_agent(f"{name}:{tmp_path}", Rules("adjacent"))
    with pytest.raises(UsageError, match=rf"^the model in {tmp_path} is one of {name}, not of [^\n]+$"):
        make_agent(f"{'dqn' if name == 'ppo' else 'ppo'}:{tmp_path}", Rules())
    path = tmp_path / MODEL_FILE
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UsageError, match=f"^{path} is damaged [^\n]+$"):
        make_agent(f"{name}:{tmp_path}", Rules())


# ------------------------------------------------------------------------------------------ a short game


class ShortGames(TakeItEasyVectorEnv):
    """Games that begin on one board with three empty cells; the tiles that remain come in random order."""

    def __init__(self, games: int, rules: Rules, tiles: np.ndarray, cells: np.ndarray) -> None:
        super().__init__(games, rules.placement, rules.scoring, autoreset_mode="Disabled", illegal="raise")
        self.tiles, self.cells = tiles, cells

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        assert options is not None
        rest = [[tile for tile in order if tile not in self.tiles] for order in options["tiles"].tolist()]
        draws = np.array([[*self.tiles, *tiles[: CELLS - len(self.tiles)]] for tiles in rest])
        begun = super().reset(options={"tiles": draws})
        for cell in self.cells:
            self.step(np.full(self.num_envs, cell))
        return begun


def points_of_all_endings(agent: Any, games: ShortGames) -> np.ndarray:
    """What an agent makes of each order in which three of the tiles that remain may come."""
    remaining = [tile for tile in range(27) if tile not in games.tiles]
    orders = np.array(list(permutations(remaining, 3)))
    draws = np.hstack([np.tile(games.tiles, (len(orders), 1)), orders])
    every = ShortGames(len(orders), games.rules, games.tiles, games.cells)
    played, _ = play_games(every, draws, lambda positions: agent.values(positions).argmax(axis=1))
    return played.points.sum(axis=1)


LEARNING: dict[str, Any] = {
    "ppo": replace(PPO, width=32, stack=16, rounds=40, games=128, batch=128),
    "dqn": replace(DQN, width=32, stack=16, rounds=40, games=64, replay_games=2560, steps=15, batch=128),
}


@both
@pytest.mark.parametrize(
    "rules",
    [Rules(), pytest.param(Rules("sun_moon", "sunrays"), marks=pytest.mark.slow)],
    ids=lambda rules: rules.name,
)
def test_a_short_game_is_played_within_one_per_cent_of_the_best(name, rules):
    """The best expectation of the last three cells follows from the rules, and so does that of the agent."""
    before = play(make_agent("line_odds", rules), draw_orders(stream(3, Purpose.TRAIN), 1), rules)
    tiles, cells = before.draws[0, :16], before.cells[0, :16]
    trainer = trainer_of(LEARNING[name], rules)
    trainer.envs = ShortGames(LEARNING[name].games, rules, tiles, cells)
    board = np.full((1, CELLS), -1, dtype=np.int8)
    board[0, cells] = tiles
    bitboard = bitboards_of(board, rules)[0]
    best = ending_value(bitboard, unseen_tiles(board[0]), int(tiles[-1]), rules.code, NO_PRIZES)
    assert points_of_all_endings(trainer.agent(), trainer.envs).mean() < 0.9 * best
    while trainer.round < trainer.rounds:
        trainer.advance()
    assert 0.99 * best < points_of_all_endings(trainer.agent(), trainer.envs).mean() < 1.0001 * best
