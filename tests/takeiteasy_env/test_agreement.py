"""The environment, the vector environment and the reference agree on every move of many games."""

from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pytest

from takeiteasy_env import TakeItEasyEnv
from takeiteasy_env.draws import Purpose, stream
from takeiteasy_env.rules import PLACEMENTS, SCORINGS
from takeiteasy_env.tiles import TILE_CODES
from tests.reference.game import DEFAULT_SUNS, TILES, ReferenceGame

VARIANTS = [
    {"placement": placement, "scoring": scoring} for placement, scoring in product(PLACEMENTS, SCORINGS)
]
NAMES = [f"{variant['placement']}-{variant['scoring']}" for variant in VARIANTS]
OTHER_SUNS = frozenset(tile for tile in TILES if tile[1] == "2" or tile[2] == "8")
SIDE_BY_SIDE = 50


def play_all_three(variant: dict[str, str], suns: frozenset[str], games: int, seed: int) -> None:
    """Play the same random moves in all three, ``SIDE_BY_SIDE`` games at once and one round after another."""
    arguments: dict[str, Any] = variant if suns == DEFAULT_SUNS else variant | {"suns": sorted(suns)}
    vector = gymnasium.make_vec("TakeItEasy-v0", num_envs=SIDE_BY_SIDE, **arguments)
    singles = [TakeItEasyEnv(**arguments) for _ in range(SIDE_BY_SIDE)]
    choices = stream(seed, Purpose.AGENT)
    observations, infos = vector.reset(seed=seed)
    begun = [single.reset(seed=seed + i) for i, single in enumerate(singles)]
    for _ in range(games // SIDE_BY_SIDE):
        assert_same_sight(observations, infos, [start[0] for start in begun], [start[1] for start in begun])
        references = [ReferenceGame(**variant, suns=suns) for _ in range(SIDE_BY_SIDE)]
        for turn in range(19):
            tiles = [str(TILE_CODES[tile]) for tile in vector.unwrapped.positions.tile]
            mask = infos["action_mask"]
            assert np.array_equal(mask, masks_of(references, tiles))
            cells = (mask * choices.random(mask.shape)).argmax(axis=1)
            moves = list(zip(tiles, cells.tolist(), strict=True))
            gained = [game.place(*move) for game, move in zip(references, moves, strict=True)]
            stepped = [single.step(cell) for single, cell in zip(singles, cells, strict=True)]
            observations, rewards, terminated, truncated, infos = vector.step(cells)
            over = turn == 18
            assert rewards.tolist() == gained == [step[1] for step in stepped]
            assert terminated.tolist() == [over] * SIDE_BY_SIDE == [step[2] for step in stepped]
            assert truncated.tolist() == [False] * SIDE_BY_SIDE == [step[3] for step in stepped]
            sight, seen_infos = (infos["final_obs"], infos["final_info"]) if over else (observations, infos)
            assert_same_sight(sight, seen_infos, [step[0] for step in stepped], [step[4] for step in stepped])
            assert seen_infos["score"].tolist() == [game.points for game in references]
        boards = np.concatenate([single.positions.board for single in singles])
        assert TILE_CODES[boards].tolist() == [
            [int(game.board[cell]) for cell in range(19)] for game in references
        ]
        begun = [single.reset() for single in singles]


def assert_same_sight(
    observations: np.ndarray,
    infos: dict[str, Any],
    single_observations: list[np.ndarray],
    single_infos: list[dict[str, Any]],
) -> None:
    """The vector environment shows what the single ones show."""
    assert np.array_equal(np.stack(list(observations)), np.stack(single_observations))
    assert np.array_equal(infos["action_mask"], np.stack([info["action_mask"] for info in single_infos]))
    assert infos["score"].tolist() == [info["score"] for info in single_infos]


def masks_of(references: list[ReferenceGame], tiles: list[str]) -> np.ndarray:
    masks = np.zeros((len(references), 19), dtype=np.int8)
    for mask, game, tile in zip(masks, references, tiles, strict=True):
        mask[list(game.legal_cells(tile))] = 1
    return masks


@pytest.mark.parametrize("suns", [DEFAULT_SUNS, OTHER_SUNS], ids=["default suns", "other suns"])
@pytest.mark.parametrize("variant", VARIANTS, ids=NAMES)
def test_all_three_agree_on_every_move(variant, suns):
    play_all_three(variant, suns, games=2 * SIDE_BY_SIDE, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, 10_000, 1_000))
def test_all_three_agree_on_every_move_of_100_000_standard_games(seed):
    play_all_three(VARIANTS[0], DEFAULT_SUNS, games=10_000, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS[1:], ids=NAMES[1:])
def test_all_three_agree_on_every_move_of_10_000_games_of_each_variant(variant):
    play_all_three(variant, OTHER_SUNS, games=10_000, seed=1)
