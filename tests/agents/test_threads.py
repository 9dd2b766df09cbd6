"""How many threads compute: Numba's as many as asked for, and everybody else's one."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from agents.errors import UsageError
from agents.threads import use_threads

ROOT = Path(__file__).parents[2]
FRESH_PROCESS = """
from agents.threads import use_threads
use_threads(0)
import numba, threadpoolctl, torch
print(numba.get_num_threads(), torch.get_num_threads())
print({pool["num_threads"] for pool in threadpoolctl.threadpool_info()})
"""


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_WAIT_POLICY"):
        monkeypatch.setenv(name, "")
    before = numba.get_num_threads()
    yield
    numba.set_num_threads(before)


def test_as_many_threads_as_asked_for_and_one_on_each_core_for_zero():
    assert use_threads(1) == numba.get_num_threads() == 1
    assert use_threads(0) == numba.get_num_threads() == numba.config.NUMBA_NUM_THREADS


def test_the_processes_of_a_machine_divide_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    assert use_threads(0) == max(1, numba.config.NUMBA_NUM_THREADS // 2)
    assert use_threads(1) == 1


@pytest.mark.parametrize("threads", [-1, 10_000])
def test_no_other_number_of_threads(threads: int):
    with pytest.raises(UsageError, match=f"threads={threads}: give 1 to"):
        use_threads(threads)


def test_libraries_that_are_loaded_later_get_one_thread_that_sleeps_while_it_waits():
    """Numba loads OpenMP, which reads its variables once and which PyTorch shares."""
    environment = {name: value for name, value in os.environ.items() if value}
    done = subprocess.run(
        [sys.executable, "-c", FRESH_PROCESS],
        cwd=ROOT,
        env=environment | {"OMP_DISPLAY_ENV": "true"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{numba.config.NUMBA_NUM_THREADS} 1", "{1}"]
    assert "OMP_WAIT_POLICY = 'PASSIVE'" in done.stderr
