"""What several processes that train one agent have of their own, and what one of them does for all."""

import numpy as np
import pytest

from agents.distributed import World, joined_world
from agents.errors import UsageError, one_line_errors


def test_every_process_has_a_seed_of_its_own_and_the_first_one_that_of_the_training():
    seeds = [World(rank, 100).own_seed(seed) for seed in (0, 1) for rank in range(100)]
    assert len(set(seeds)) == 200
    assert seeds[0] == 0
    assert all(0 <= seed < 1 << 63 for seed in seeds)


def test_alone_nothing_is_exchanged():
    with joined_world() as world:
        assert world == World()
        assert world.from_first(lambda: 3) == 3
        assert world.gather("own") == ["own"]
        histogram = np.arange(3)
        assert world.average_metrics({"a": 0.1, "b": histogram}) == {"a": 0.1, "b": histogram}


@pytest.mark.parametrize(("rank", "said"), [("0", "error: no\n"), ("1", "")])
def test_the_first_process_speaks_for_all(monkeypatch, capsys, rank, said):
    monkeypatch.setenv("RANK", rank)

    @one_line_errors
    def fail() -> None:
        raise UsageError("no")

    with pytest.raises(SystemExit) as stopped:
        fail()
    assert stopped.value.code == 1
    assert capsys.readouterr().err == said
