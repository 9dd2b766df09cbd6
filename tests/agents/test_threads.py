import os

import numba
import pytest

from agents.errors import UsageError
from agents.threads import use_threads


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch):
    for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY"):
        monkeypatch.setenv(name, "")
    before = numba.get_num_threads()
    yield
    numba.set_num_threads(before)


def test_as_many_threads_as_asked_for_and_one_on_each_core_for_zero():
    assert use_threads(1) == numba.get_num_threads() == int(os.environ["OMP_NUM_THREADS"]) == 1
    assert use_threads(0) == numba.get_num_threads() == int(os.environ["OMP_NUM_THREADS"])


@pytest.mark.parametrize("threads", [-1, 10_000])
def test_no_other_number_of_threads(threads: int):
    with pytest.raises(UsageError, match=f"threads={threads}: give 1 to"):
        use_threads(threads)
