"""Latice's PPO: what it learns from, its league, and that a training that goes on is the same training."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.errors import DivergedError, UsageError
from agents.latice.action_network import ActionNetwork
from agents.latice.agent import make_latice_agent
from agents.latice.examination import LaticeExamination
from agents.latice.play import play
from agents.latice.policy import PolicyAgent, make_policy, write_policy
from agents.latice.ppo import LEAGUE, LaticePPOTrainer
from agents.latice.ppo_config import LaticePPOConfig
from agents.latice.self_play import Experience, play_games, selected
from agents.model_files import CONFIG_FILE, MODEL_FILE
from agents.policy_gradient import chosen, log_softmax
from latice_env import Rules
from latice_env.deal import random_words
from latice_env.state import Outcome
from takeiteasy_env.draws import Purpose, stream

TINY = LaticePPOConfig(
    name="latice_ppo", players=2, deal="standard", width=8, rounds=4, games=6, league=0.5, epochs=2,
    batch=128, learning_rate=1e-2, gae_lambda=0.9, clip=0.2, entropy=0.01,
)  # fmt: skip


def a_network(seed: int = 0, width: int = 8) -> ActionNetwork:
    """A policy that is far from uniform."""
    torch.manual_seed(seed)
    network = ActionNetwork(width)
    with torch.no_grad():
        network.logit[-1].weight *= 30
    return network


def experience_of(players: int, by_past: np.ndarray, seed: int = 0) -> Experience:
    rng = np.random.default_rng(seed)
    words = random_words(rng, len(by_past))
    return play_games(a_network(0), a_network(1), by_past, Rules(players), words, rng)


def trainer_of(config: LaticePPOConfig = TINY, threads: int = 1, seed: int = 0) -> LaticePPOTrainer:
    return LaticePPOTrainer(config, config.rules, seed, threads)


def saved_and_loaded(state: dict[str, Any]) -> dict[str, Any]:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def same_weights(one: LaticePPOTrainer, other: LaticePPOTrainer) -> bool:
    mine, others = one.network.state_dict(), other.network.state_dict()
    return all(torch.equal(mine[name], others[name]) for name in mine)


# ------------------------------------------------------------------------------------------ experience


@pytest.mark.parametrize("players", [2, 3])
def test_each_player_s_decisions_are_in_a_row_and_its_result_is_the_reward_of_the_last(players):
    experience = experience_of(players, np.zeros((5, players), dtype=np.bool_))
    numbered = experience.in_rows(1 + np.arange(len(experience.steps)))
    rewards = experience.rewards()
    assert numbered.shape == rewards.shape
    assert (experience.outcomes != Outcome.PLAYING).all()
    np.testing.assert_allclose(experience.returns.sum(axis=1), 0, atol=1e-6)
    for game in range(5):
        for seat in range(players):
            row, reward = numbered[players * game + seat], rewards[players * game + seat]
            made = int((row > 0).sum())
            assert (np.diff(row[:made]) > 0).all(), "in the order of the game"
            assert not row[made:].any()
            assert reward[made - 1] == experience.returns[game, seat]
            assert not np.delete(reward, made - 1).any()


def test_what_the_past_decides_is_not_learned_from():
    by_past = np.zeros((6, 2), dtype=np.bool_)
    by_past[[1, 2, 4], [0, 1, 0]] = True
    experience = experience_of(2, by_past)
    made = np.bincount(experience.sequences, minlength=12).reshape(6, 2)
    assert ((made == 0) == by_past).all()


def test_only_what_is_legal_is_ever_chosen_and_before_the_first_update_the_ratio_is_one():
    """A choice is one of the position's own actions, with the probability that the network still gives it."""
    experience = experience_of(2, np.zeros((4, 2), dtype=np.bool_))
    counts = np.diff(experience.decisions.starts)
    assert (experience.choices.columns < counts).all()
    for which in np.array_split(np.random.default_rng(0).permutation(len(counts)), 3):
        with torch.no_grad():
            logits, values = a_network(0)(selected(experience.decisions, which))
        assert (logits.isinf().sum(dim=1).numpy() == logits.shape[1] - counts[which]).all()
        columns = torch.from_numpy(experience.choices.columns[which])
        probabilities = chosen(log_softmax(logits), columns).numpy()
        np.testing.assert_allclose(probabilities, experience.choices.log_probabilities[which], atol=1e-5)
        np.testing.assert_allclose(values.numpy(), experience.choices.values[which], atol=1e-6)


def test_parts_that_are_put_together_keep_their_games():
    parts = [experience_of(2, np.zeros((count, 2), dtype=np.bool_), seed=count) for count in (2, 3)]
    together = Experience.together(parts)
    sums = [part.in_rows(part.choices.values).sum(axis=1) for part in (together, parts[1])]
    assert np.array_equal(sums[0][4:], sums[1])
    first = len(parts[0].steps)
    which = np.array([first, 0, first + 7])
    for picked, (part, index) in zip(which, [(1, 0), (0, 0), (1, 7)], strict=True):
        mine = selected(together.decisions, np.array([picked]))
        alone = selected(parts[part].decisions, np.array([index]))
        assert all(np.array_equal(one, other) for one, other in zip(mine, alone, strict=True))


# ------------------------------------------------------------------------------------------ the trainer


def test_advantages_run_along_each_player_s_own_decisions(monkeypatch: pytest.MonkeyPatch):
    """With no faith in the values, what each decision brings is the result of the game."""
    trainer = trainer_of(replace(TINY, gae_lambda=1.0))
    experience = trainer.play(stream(0, Purpose.TRAIN))
    seen = []
    monkeypatch.setattr(trainer.descent, "step", lambda batch, loss, rate: seen.append(loss.args[0]) or {})
    trainer.learn(experience, np.random.default_rng(0))
    results = experience.returns.ravel()[experience.sequences]
    np.testing.assert_allclose(seen[0].returns.numpy(), results, atol=1e-5)
    better = results - experience.choices.values
    standard = (better - better.mean()) / better.std(ddof=1)
    np.testing.assert_allclose(seen[0].advantages.numpy(), standard, atol=1e-4)


def test_a_league_keeps_the_first_policy_and_one_of_each_twentieth():
    trainer = trainer_of(replace(TINY, rounds=2 * LEAGUE, games=2))
    weights = [trainer.network.logit[-1].bias.clone()]
    for _ in range(4):
        trainer.advance()
        weights.append(trainer.network.logit[-1].bias.clone())
    kept = [past["logit.3.bias"] for past in trainer.league]
    assert [int(torch.equal(bias, weights[2 * index])) for index, bias in enumerate(kept)] == [1, 1, 1]


def test_a_part_of_the_games_has_one_seat_of_the_past():
    experience = trainer_of(replace(TINY, games=10, league=0.4)).play(stream(0, Purpose.TRAIN))
    assert experience.by_past.sum() == 4
    assert experience.by_past.sum(axis=1).max() == 1


def test_a_training_that_goes_on_is_the_same_training_on_any_number_of_threads():
    whole, half, rest = trainer_of(), trainer_of(threads=2), trainer_of(threads=2)
    whole_metrics = [whole.advance() for _ in range(4)]
    for _ in range(2):
        half.advance()
    rest.restore(saved_and_loaded(half.state()))
    rest_metrics = [rest.advance() for _ in range(2)]
    assert same_weights(whole, rest)
    assert (rest.round, rest.games_played) == (4, 24)
    for mine, others in zip(whole_metrics[2:], rest_metrics, strict=True):
        assert {name: value for name, value in mine.items() if not name.startswith("time/")} == {
            name: value for name, value in others.items() if not name.startswith("time/")
        }
    assert not same_weights(whole, trainer_of())
    other = trainer_of(seed=1)
    other.restore(saved_and_loaded(half.state()))
    other.advance()
    assert not same_weights(rest, other), "another seed, other games"


def test_a_step_makes_likelier_what_was_better_than_predicted():
    trainer = trainer_of(replace(TINY, games=12, league=0.0))
    experience = trainer.play(stream(0, Purpose.TRAIN))
    trainer.learn(experience, np.random.default_rng(0))
    with torch.no_grad():
        logits, _ = trainer.network(experience.decisions)
        now = chosen(log_softmax(logits), torch.from_numpy(experience.choices.columns)).numpy()
    won = experience.returns.ravel()[experience.sequences] > 0
    moved = now - experience.choices.log_probabilities
    assert moved[won].mean() > 0 > moved[~won].mean()


@pytest.mark.parametrize("players", [3, 4])
def test_larger_tables_learn_too(players):
    trainer = trainer_of(replace(TINY, players=players, games=4))
    metrics = trainer.advance()
    assert all(np.isfinite(value) for value in metrics.values())
    assert trainer.rules.players == players


def test_a_few_rounds_beat_random():
    trainer = trainer_of(replace(TINY, width=16, rounds=6, games=24, league=0.0), threads=2)
    while trainer.round < trainer.rounds:
        trainer.advance()
    words = random_words(stream(0, Purpose.VALIDATE), 20)
    rival = make_latice_agent("random")
    winners = play([trainer.agent(), rival], Rules(), words).winners
    assert winners[:, 0].sum() >= 18


# ------------------------------------------------------------------------------------------ agent and files


def test_an_examination_counts_the_decided_games_from_every_seat():
    rules = Rules()
    found = LaticeExamination(rules, seed=3, deals=5).examine(make_latice_agent("planner", 3))
    words = random_words(stream(3, Purpose.VALIDATE), 5)
    planner, greedy = make_latice_agent("planner", 3), make_latice_agent("greedy", 3)
    there, back = play([planner, greedy], rules, words).winners, play([greedy, planner], rules, words).winners
    won = (there[:, 0] & ~there[:, 1]).sum() + (back[:, 1] & ~back[:, 0]).sum()
    lost = (there[:, 1] & ~there[:, 0]).sum() + (back[:, 0] & ~back[:, 1]).sum()
    assert found.curves["eval/won_against_greedy"] == won / (won + lost)
    assert found.words.startswith(f"{100 * won / (won + lost):.0f} % against greedy, ")


def test_a_saved_policy_plays_as_it_did(tmp_path: Path):
    network = a_network(width=12)
    write_policy(tmp_path, network, Rules())
    loaded, agent = make_latice_agent(f"ppo:{tmp_path}"), PolicyAgent(network.half().float())
    words = random_words(np.random.default_rng(0), 4)
    mine, others = (play([who, make_latice_agent("greedy")], Rules(), words) for who in (agent, loaded))
    assert np.array_equal(mine.actions, others.actions)


def test_a_policy_whose_numbers_are_none_is_refused():
    network = a_network()
    with torch.no_grad():
        network.action.weight[0, 0] = torch.nan
    with pytest.raises(DivergedError, match=r"^the policy's logits are no numbers any more: [^\n]+$"):
        LaticeExamination(Rules(), 0, deals=1).examine(PolicyAgent(network))


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (CONFIG_FILE, lambda text: text[:20], "is damaged: it does not describe a latice_ppo model"),
        (CONFIG_FILE, lambda text: text.replace(b"width", b"depth"), "is damaged: it does not describe"),
        (
            CONFIG_FILE,
            lambda text: text.replace(b'"latice_ppo"', b'"value"'),
            "is one of value, not of latice",
        ),
        (CONFIG_FILE, lambda text: text.replace(b'version": ', b'version": 9'), "has features version 9"),
        (
            CONFIG_FILE,
            lambda text: text.replace(b'width": 8', b'width": 9'),
            "not of the shape its config says",
        ),
        (MODEL_FILE, lambda text: text[:-100], "is damaged or not of the shape"),
    ],
)
def test_a_model_that_is_none_gets_one_line(tmp_path: Path, file: str, change: Any, message: str):
    write_policy(tmp_path, a_network(), Rules())
    path = tmp_path / file
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(UsageError, match=rf"^[^\n]*{message}[^\n]*$"):
        make_policy(0, tmp_path)


def test_a_directory_without_a_model_gets_one_line(tmp_path: Path):
    with pytest.raises(UsageError, match=r"^no latice_ppo model in [^\n]+$"):
        make_latice_agent(f"ppo:{tmp_path}")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"players": 5}, "agent: players is 2 to 4, not 5"),
        ({"deal": "poker"}, "agent: unknown deal 'poker': choose one of standard, tournament"),
        ({"games": 1}, "agent.games=1: give 2 or more"),
        ({"rounds": 0}, "agent.rounds=0: give 1 or more"),
        ({"league": 1.5}, "agent.league=1.5: give 0 to 1"),
        ({"learning_rate": 0.0}, "agent.learning_rate=0.0: give more than 0"),
        ({"entropy": -1.0}, "agent.entropy=-1.0: give 0 or more"),
    ],
)
def test_a_setting_out_of_range_gets_one_line(setting: dict[str, Any], message: str):
    with pytest.raises(UsageError) as error:
        replace(TINY, **setting).check()
    assert str(error.value) == message
