"""A recorded game is the game that was played, its file says so to anybody, and a wrong file is refused."""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from hypothesis import given, settings
from hypothesis import strategies as st

from takeiteasy_env import GameRecord, Rules
from takeiteasy_env.tiles import TILE_CODES
from tests.reference.game import ReferenceGame

PLACEMENTS = st.sampled_from(["free", "adjacent", "sun_moon"])
SCORINGS = st.sampled_from(["standard", "sunrays"])
SUNS = (123, 124, 568, 978)


def played(seed: int = 0, moves: int = 19, **rules: Any) -> tuple[GameRecord, list[float]]:
    """The record of an environment in which random legal cells were played, and its rewards."""
    env = gym.make("TakeItEasy-v0", **rules)
    env.action_space.seed(seed)
    _, info = env.reset(seed=seed)
    rewards = []
    for _ in range(moves):
        _, reward, _, _, info = env.step(env.action_space.sample(mask=info["action_mask"]))
        rewards.append(float(reward))
    return env.unwrapped.record("somebody"), rewards


@settings(max_examples=40)
@given(st.integers(0, 1000), st.integers(0, 19), PLACEMENTS, SCORINGS)
def test_the_record_of_an_environment_says_what_was_played(seed, moves, placement, scoring):
    record, rewards = played(seed, moves, placement=placement, scoring=scoring, suns=SUNS)
    assert (record.agent, record.rules) == ("somebody", Rules(placement, scoring, SUNS))
    game = ReferenceGame(placement, scoring, frozenset(map(str, SUNS)))
    tiles = [str(TILE_CODES[tile]) for tile in record.draws[:moves]]
    points = [game.place(tile, cell) for tile, cell in zip(tiles, record.placements, strict=True)]
    assert points == list(record.points) == rewards
    assert record.score == sum(rewards)


@settings(max_examples=40)
@given(st.integers(0, 1000), st.integers(0, 19), PLACEMENTS, SCORINGS)
def test_a_game_file_gives_back_the_game(tmp_path_factory, seed, moves, placement, scoring):
    record, _ = played(seed, moves, placement=placement, scoring=scoring, suns=SUNS)
    path = tmp_path_factory.getbasetemp() / "game.json"
    record.save(path)
    assert GameRecord.load(path) == record


def test_the_positions_are_those_that_the_player_saw():
    env = gym.make("TakeItEasy-v0")
    _, info = env.reset(seed=3)
    seen = []
    for _ in range(19):
        seen.append(env.unwrapped.positions)
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    positions = env.unwrapped.record().positions
    for name in ("board", "tile", "previous"):
        shown = np.concatenate([getattr(position, name) for position in seen])
        assert (getattr(positions, name) == shown).all()


def test_a_game_can_be_replayed_from_its_record():
    record, _ = played(seed=5)
    env = gym.make("TakeItEasy-v0")
    env.reset(options={"tiles": list(record.draws)})
    for cell in record.placements:
        _, _, _, _, info = env.step(cell)
    assert info["score"] == record.score
    assert env.unwrapped.record("somebody") == record


def test_a_game_that_an_illegal_cell_ended_is_recorded_up_to_there():
    env = gym.make("TakeItEasy-v0")
    env.reset(seed=0)
    env.step(9)
    env.step(9)
    assert env.unwrapped.record().placements == (9,)


def test_without_a_game_there_is_no_record():
    with pytest.raises(ResetNeeded, match="reset"):
        gym.make("TakeItEasy-v0").unwrapped.record()


def test_the_file_is_as_documented():
    content = json.loads(played(seed=1, scoring="sunrays", suns=SUNS)[0].to_json())
    assert list(content) == [
        "format", "version", "agent", "rules", "draws", "placements", "points", "score"
    ]  # fmt: skip
    assert (content["format"], content["version"]) == ("takeiteasy-game", 1)
    assert content["rules"] == {"placement": "free", "scoring": "sunrays", "suns": list(SUNS)}
    assert len(set(content["draws"])) == 19
    assert set(content["draws"]) <= set(TILE_CODES.tolist())
    assert sorted(content["placements"]) == list(range(19))
    assert sum(content["points"]) == content["score"]


def test_a_key_of_others_is_passed_over():
    record, _ = played()
    content = json.loads(record.to_json()) | {"comment": "my best game"}
    assert GameRecord.from_json(json.dumps(content)) == record


def altered(**changes: Any) -> str:
    """The file of a game with some keys changed; None leaves a key out."""
    content = json.loads(played()[0].to_json()) | changes
    return json.dumps({key: value for key, value in content.items() if value is not None})


DRAWS = json.loads(altered())["draws"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not JSON"),
        (altered()[:100], "not JSON"),
        ("\xff\xfe\xfd", "not JSON"),
        ("[]", '"format" must be "takeiteasy-game"'),
        ("{}", '"format" must be "takeiteasy-game"'),
        (altered(version=2), "version 2, and this program reads version 1: a newer program is needed"),
        (altered(version="1"), "version '1', and this program reads version 1"),
        (altered(draws=None), '"draws" must be a JSON array, and is missing'),
        (altered(score="many"), "\"score\" must be a JSON integer, not 'many'"),
        (altered(draws=[*DRAWS[:18], DRAWS[7]]), f"tile {DRAWS[7]} comes twice: each tile exists once"),
        (altered(draws=DRAWS[:18]), "a game takes 19 tiles, not 18"),
        (altered(draws=[*DRAWS[:18], 999]), "unknown tile 999"),
        (altered(draws=[*DRAWS[:18], None]), "unknown tile None"),
        (altered(placements=[3, 3]), "move 2: tile"),
        (altered(placements=[19]), "a cell 0-18, not 19"),
        (altered(placements=["a"]), "a cell 0-18, not 'a'"),
        (altered(placements=[*range(19), 0]), "at most 19 placements, not 20"),
        (altered(rules={"placement": "free"}), "its rules lack 'scoring'"),
        (altered(rules={"placement": "free", "scoring": "chess", "suns": []}), "unknown scoring 'chess'"),
        (altered(rules={"placement": "free", "scoring": "standard", "suns": 3}), "int"),
        (altered(score=308), "score"),
        (altered(points=[0] * 18 + [5]), "points"),
    ],
)
def test_a_wrong_file_gets_one_line_that_names_it_and_what_is_wrong(tmp_path: Path, content: str, said: str):
    path = tmp_path / "game.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ValueError, match=r"game\.json is no game that can be read") as refused:
        GameRecord.load(path)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@settings(max_examples=50)
@given(st.integers(0, 400), st.text(max_size=3))
def test_no_damage_passes_or_raises_anything_else(at: int, scrap: str):
    whole = played()[0].to_json()
    damaged = whole[:at] + scrap + whole[at + 1 :]
    try:
        record = GameRecord.from_json(damaged)
    except ValueError:
        return
    assert GameRecord.from_json(record.to_json()) == record
