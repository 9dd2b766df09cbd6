"""Signals that stop an evaluation."""

import os
import signal
from contextlib import suppress

import pytest

from evaluation.stopping import Interruptions, Stopped

BOTH = [signal.SIGINT, signal.SIGTERM]


@pytest.mark.parametrize("number", BOTH)
def test_a_signal_stops_what_is_done_and_says_which_it_was(number):
    with pytest.raises(Stopped) as stop, Interruptions():
        os.kill(os.getpid(), number)
    assert stop.value.number == number
    assert isinstance(stop.value, KeyboardInterrupt)


@pytest.mark.parametrize("number", BOTH)
def test_a_stop_that_was_lost_in_a_call_back_comes_at_the_next_check(number):
    with Interruptions() as interruptions:
        interruptions.check()
        with suppress(Stopped):
            os.kill(os.getpid(), number)
        with pytest.raises(Stopped):
            interruptions.check()


def test_afterwards_signals_do_what_they_did_before():
    before = [signal.getsignal(number) for number in BOTH]
    with Interruptions():
        assert [signal.getsignal(number) for number in BOTH] != before
    assert [signal.getsignal(number) for number in BOTH] == before
