"""Playing a tournament: the same numbers however it is split, stopped or spread, and wrong answers named."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.agent import make_agent
from agents.errors import UsageError
from agents.value_network import ValueNetwork, save_model
from evaluation import tournament as tournament_module
from evaluation.playing import Part, play_tournament
from evaluation.shards import Shards, claimed
from evaluation.tournament import Tournament
from takeiteasy_env.board import CELLS
from takeiteasy_env.draws import Purpose, draw_orders, stream
from takeiteasy_env.position import Positions
from takeiteasy_env.rules import Rules

AGENTS = ("random", "greedy", "line_odds")
RULES = Rules()
GAMES = 20


def scores(shards: Shards) -> list[list[int]]:
    """The points of every game of each seat."""
    played = shards.tournament
    return [
        [int(points) for batch in played.batches for points in shards.load(seat, batch).scores]
        for seat in range(len(played.agents))
    ]


def play_all(
    out: Path, agents: tuple[str, ...] = AGENTS, games: int = GAMES, batch: int = 8, **how
) -> list[list[int]]:
    with claimed(out, Tournament(agents, games, 0, RULES, batch=batch)) as shards:
        play_tournament(shards, **how)
        return scores(shards)


@pytest.fixture(scope="module")
def in_one_go(tmp_path_factory: pytest.TempPathFactory) -> list[list[int]]:
    return play_all(tmp_path_factory.mktemp("whole"), batch=GAMES)


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_the_scores_do_not_depend_on_the_size_of_a_batch(tmp_path: Path, in_one_go, batch: int):
    assert play_all(tmp_path, batch=batch) == in_one_go


def test_the_network_values_a_position_the_same_whatever_is_beside_it(tmp_path: Path):
    agents = ("value", "search")
    whole, in_batches = (play_all(tmp_path / str(batch), agents, batch=batch) for batch in (GAMES, 3))
    assert whole == in_batches


@pytest.mark.slow
def test_the_scores_do_not_depend_on_the_number_of_workers(tmp_path: Path, in_one_go):
    assert play_all(tmp_path, workers=2) == in_one_go


def test_a_short_evaluation_is_the_beginning_of_a_longer_one(tmp_path: Path, in_one_go):
    assert play_all(tmp_path, games=5) == [points[:5] for points in in_one_go]


def test_seeds_have_draws_and_choices_of_their_own(tmp_path: Path, in_one_go):
    with claimed(tmp_path, Tournament(AGENTS, GAMES, 1, RULES)) as shards:
        play_tournament(shards)
        assert all(one != other for one, other in zip(scores(shards), in_one_go, strict=True))


def test_parts_that_were_played_apart_are_merged_by_putting_their_files_together(tmp_path: Path, in_one_go):
    for number in (1, 2, 3):
        with claimed(tmp_path / str(number), Tournament(AGENTS, GAMES, 0, RULES, batch=4)) as shards:
            play_tournament(shards, part=Part(number, 3))
    merged = Shards(tmp_path, shards.tournament)
    for number in (1, 2, 3):
        for file in (tmp_path / str(number) / "shards").glob("*.npz"):
            assert not (tmp_path / file.name).exists(), "no game is played twice"
            file.rename(tmp_path / file.name)
    assert scores(merged) == in_one_go


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/2", "1/2/3", ""])
def test_a_part_is_one_of_so_many(text: str):
    with pytest.raises(UsageError, match="give which of how many, such as 2/8"):
        Part.parse(text)
    assert Part.parse("2/8") == Part(2, 8)


@dataclass
class InOrder:
    """Fills the cells in their order, and answers one position with nonsense.

    In game ``game`` of seed 0, with three tiles on the board, ``spoil`` is done to its values.
    """

    game: int
    spoil: Callable[[np.ndarray, int], np.ndarray]
    asked: int = 0

    def values(self, positions: Positions) -> np.ndarray:
        self.asked += len(positions)
        values = np.where(positions.legal(RULES), np.float32(0), -np.inf)
        first_four = draw_orders(stream(0, Purpose.EVALUATE), self.game + 1)[self.game, :4]
        seen = np.column_stack([positions.board[:, :3], positions.tile])
        rows = np.flatnonzero((seen == first_four).all(axis=1) & (positions.filled == 3))
        return self.spoil(values, rows[0]) if len(rows) else values


def put(value: float, cell: int) -> Callable[[np.ndarray, int], np.ndarray]:
    def spoil(values: np.ndarray, row: int) -> np.ndarray:
        values[row, cell] = value
        return values

    return spoil


def fail(_: np.ndarray, __: int) -> np.ndarray:
    raise ValueError("no idea")


SPOILT = {
    "not_a_number": (10, put(np.nan, 5), 10, "nan"),
    "filled_cell": (10, put(1.0, 2), 10, "cell 2"),
    "wrong_shape": (10, lambda values, row: values[:, :5], 8, r"\(8, 5\)"),
    "raises": (10, fail, 10, "it raised ValueError: no idea"),
}


@pytest.fixture
def spoilt(monkeypatch: pytest.MonkeyPatch) -> dict[str, InOrder]:
    """Agents that answer one position wrongly, by name."""
    agents = {name: InOrder(game, spoil) for name, (game, spoil, _, _) in SPOILT.items()}
    monkeypatch.setattr(
        tournament_module,
        "make_agent",
        lambda name, rules, seed: agents.get(name) or make_agent(name, rules, seed),
    )
    return agents


@pytest.mark.parametrize("name", SPOILT)
def test_a_wrong_answer_ends_it_with_agent_game_and_move_and_what_was_finished_is_saved(
    spoilt: dict[str, InOrder], tmp_path: Path, name: str, in_one_go
):
    _, _, game, reason = SPOILT[name]
    with pytest.raises(UsageError, match=f"'{name}', game {game}, move 4 of {CELLS}: .*{reason}") as caught:
        play_all(tmp_path, ("greedy", name))
    assert "\n" not in str(caught.value)
    saved = {path.name for path in (tmp_path / "shards").glob("*.npz")}
    assert saved == {"0_000000.npz", "1_000000.npz", "0_000001.npz"}

    spoilt[name].spoil = lambda values, row: values
    assert play_all(tmp_path, ("greedy", name))[0] == in_one_go[1], "mended, it goes on"
    assert spoilt[name].asked > 0


def test_what_was_stopped_goes_on_without_playing_anything_again(
    spoilt: dict[str, InOrder], tmp_path: Path, in_one_go
):
    def stop(_: np.ndarray, __: int) -> np.ndarray:
        raise KeyboardInterrupt

    agent = spoilt["raises"]
    agent.spoil = stop
    with pytest.raises(KeyboardInterrupt):
        play_all(tmp_path, ("greedy", "raises"))
    agent.spoil, agent.asked = (lambda values, row: values), 0
    assert play_all(tmp_path, ("greedy", "raises"))[0] == in_one_go[1]
    assert agent.asked == CELLS * (1 + GAMES - 8), "the first game, and all but the batch that was saved"


def test_an_agent_that_has_changed_since_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def make(name, rules, seed):
        return make_agent("greedy" if changed else name, rules, seed)

    monkeypatch.setattr(tournament_module, "make_agent", make)
    changed = False
    with claimed(tmp_path, Tournament(("line_odds",), GAMES, 0, RULES, batch=8)) as shards:
        play_tournament(shards, part=Part(1, 2))
    changed = True
    with pytest.raises(UsageError, match="'line_odds' plays otherwise than when the evaluation was begun"):
        play_all(tmp_path, ("line_odds",))
    changed = False
    assert len(play_all(tmp_path, ("line_odds",))[0]) == GAMES


def luck(out: Path, adjust: str = "value", batch: int = 8, **how) -> list[list[float]]:
    """The points that were luck in every game of two agents."""
    whole = Tournament(("line_odds", "random"), GAMES, 0, RULES, batch=batch, adjust=adjust)
    with claimed(out, whole) as shards:
        play_tournament(shards, **how)
        batches = [[shards.load(seat, batch) for batch in whole.batches] for seat in range(2)]
    return [[float(points) for batch in of_seat for points in batch.luck] for of_seat in batches]


@pytest.mark.slow
def test_luck_does_not_depend_on_batches_workers_or_stops(tmp_path: Path):
    whole = luck(tmp_path / "whole", batch=GAMES)
    assert whole[0] != whole[1]
    assert luck(tmp_path / "batches", batch=3) == whole
    assert luck(tmp_path / "workers", workers=2) == whole
    stopped = Tournament(("line_odds", "random"), GAMES, 0, RULES, batch=8, adjust="value")
    with claimed(tmp_path / "parts", stopped) as shards:
        play_tournament(shards, part=Part(1, 2))
    assert luck(tmp_path / "parts") == whole


def test_another_network_than_before_is_refused(tmp_path: Path):
    def save(seed: int) -> None:
        torch.manual_seed(seed)
        save_model(tmp_path / "model", ValueNetwork(RULES, width=8, stack=4), RULES)

    (tmp_path / "model").mkdir()
    adjust = f"value:{tmp_path / 'model'}"
    save(0)
    begun = Tournament(("line_odds", "random"), GAMES, 0, RULES, batch=8, adjust=adjust)
    with claimed(tmp_path / "out", begun) as shards:
        play_tournament(shards, part=Part(1, 2))
    save(1)
    with pytest.raises(UsageError, match=r"^adjust=value:.* otherwise than when the evaluation was begun: "):
        luck(tmp_path / "out", adjust)
    save(0)
    assert luck(tmp_path / "out", adjust) == luck(tmp_path / "whole", adjust, batch=GAMES)


OWN = """
import os, signal
import numpy as np

class Mortal:
    '''Takes its own process down at the sight of a position in a worker.'''

    def values(self, positions):
        if os.getpid() != {parent} and len(positions) > 1:
            os.kill(os.getpid(), signal.{signal})
        return np.where(positions.board == -1, np.float32(0), -np.inf)

class Wrong:
    def values(self, positions):
        if len(positions) > 1 and (positions.board != -1).any():
            raise RuntimeError("not here")
        return np.where(positions.board == -1, np.float32(0), -np.inf)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module of one's own in the current directory."""
    monkeypatch.chdir(tmp_path)
    name = f"own_{tmp_path.name}_{os.getpid()}"
    (tmp_path / f"{name}.py").write_text(OWN.format(parent=os.getpid(), signal=signal.SIGKILL.name))
    return name


@pytest.mark.slow
def test_an_agent_that_fails_in_a_worker_is_named_all_the_same(own: str, tmp_path: Path):
    with pytest.raises(UsageError, match=f"'{own}:Wrong', game (0|8), move 2 of 19: it raised RuntimeError"):
        play_all(tmp_path / "out", (f"{own}:Wrong",), workers=2)


@pytest.mark.slow
def test_a_worker_that_dies_gets_a_line(own: str, tmp_path: Path):
    with pytest.raises(UsageError, match="a worker died, perhaps for want of memory"):
        play_all(tmp_path / "out", (f"{own}:Mortal",), workers=2)


def test_gone_on_with_it_shows_how_far_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown = []
    monkeypatch.setattr("evaluation.playing.Progress.update", lambda _, done, message="": shown.append(done))
    with claimed(tmp_path, Tournament(AGENTS, GAMES, 0, RULES, batch=8)) as shards:
        play_tournament(shards, part=Part(1, 2))
    play_all(tmp_path)
    assert shown == [0, 8, 16, 24, 28, 32, 36, 36, 44, 52, 60]


def test_it_shows_how_far_it_is_and_the_time_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    play_all(tmp_path)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("evaluating 100 %")
    assert "left 0:00:00" in last
    assert "line_odds" in last


def test_agents_that_cannot_be_made_are_refused_before_any_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    for name in ("gready", "random:runs/mine"):
        with pytest.raises(UsageError, match=name.partition(":")[0]):
            play_all(tmp_path / "out", ("greedy", name))
    assert "evaluating" not in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
