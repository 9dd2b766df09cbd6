"""What was the best move: by an agent's own values, and by what the draws still allowed."""

from pathlib import Path

import numpy as np
import pytest

from agents.errors import UsageError
from evaluation.analysis import analyse, judge
from evaluation.tournament import Tournament, agent_seed
from takeiteasy_env import GameRecord
from takeiteasy_env.hindsight import hindsight
from takeiteasy_env.rules import Rules, scores_of
from takeiteasy_env.tiles import tile_indices
from tests.takeiteasy_env.test_facts import BOARDS


def played(agent: str, number: int, rules: Rules = Rules(), seed: int = 4) -> GameRecord:
    """The record of a game of an evaluation."""
    tournament = Tournament((agent,), games=number + 1, seed=seed, rules=rules)
    games = tournament.play(tournament.make_agent(0), 0, range(number, number + 1))
    return GameRecord(rules, games.draws[0].tolist(), games.cells[0].tolist(), agent)


@pytest.mark.parametrize("agent", ["greedy", "random", "line_odds"])
@pytest.mark.parametrize("rules", [Rules(), Rules("sun_moon", "sunrays")], ids=lambda rules: rules.name)
def test_an_agent_says_again_what_it_thought_of_its_game(agent: str, rules: Rules):
    record = played(agent, 3, rules)
    judgement = judge(record, agent, agent_seed(4), number=3)
    assert judgement.best.tolist() == list(record.placements)
    assert (judgement.losses == 0).all()
    assert (np.isfinite(judgement.values) == record.positions.legal(rules)).all()


def test_greedy_judges_a_move_by_the_points_that_it_completes():
    """So what another one loses by it is points forgone, give or take the fraction that breaks ties."""
    record = played("random", 0)
    judgement = judge(record, "greedy")
    for move, (position, tile) in enumerate(zip(record.positions.board, record.draws, strict=True)):
        after = np.where(np.eye(19, dtype=bool), tile, position)
        legal = position == -1
        points = scores_of(after.astype(np.int8), Rules()) - scores_of(position[None], Rules())
        assert (np.floor(judgement.values[move][legal]) == points[legal]).all()
        assert points[judgement.best[move]] == points[legal].max()
        forgone = points[legal].max() - record.points[move]
        assert forgone - 1 < judgement.losses[move] < forgone + 1
        assert judgement.losses[move] >= 0


@pytest.mark.parametrize("agent", ["random", "line_odds"])
def test_hindsight_says_what_the_draws_allow_after_each_move(agent: str):
    record = played(agent, 1)
    analysis = analyse(record)
    assert analysis.attainable.tolist() == [
        hindsight(record.draws, placed=record.placements[:moves]).score for moves in range(20)
    ]
    assert analysis.attainable[-1] == record.score
    assert (analysis.hindsight_losses >= 0).all()
    assert analysis.hindsight_losses.sum() == analysis.attainable[0] - record.score


def test_a_blunder_is_found_where_it_was_made():
    """The best of all boards, but its last two tiles are put on each other's cells."""
    score, columns = BOARDS[-1]
    record = GameRecord(Rules(), tile_indices(columns.replace("|", " ").split()), [*range(17), 18, 17])
    analysis = analyse(record)
    assert (analysis.attainable[:18] == score).all()
    assert analysis.hindsight_losses.tolist() == [0] * 17 + [score - record.score, 0]


def test_a_game_cut_short_is_judged_as_far_as_it_went():
    whole = played("line_odds", 0)
    analysis = analyse(GameRecord(Rules(), whole.draws, whole.placements[:5]), "greedy", "line_odds")
    assert analysis.attainable.shape == (6,)
    assert [judgement.values.shape for judgement in analysis.judgements] == [(5, 19), (5, 19)]
    assert analyse(GameRecord(Rules(), whole.draws, ())).attainable.tolist() == [hindsight(whole.draws).score]


def test_at_a_table_hindsight_is_about_the_points_of_the_board_alone():
    record = played("greedy", 0, Rules("adjacent", "best_ray"))
    alone = hindsight(record.draws, Rules("adjacent")).score
    assert analyse(record).attainable[[0, -1]].tolist() == [alone, record.score]


def test_an_agent_that_gives_no_values_is_named_with_the_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    module = f"tires_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(
        "import numpy as np\n"
        "class Tires:\n"
        "    def values(self, positions):\n"
        "        return np.full((1, 19), 0.0 if positions.filled[0] == 0 else np.nan)\n"
    )
    with pytest.raises(UsageError, match=rf"agent '{module}:Tires', move 2 of 19: .*nan"):
        analyse(played("greedy", 0), f"{module}:Tires")
