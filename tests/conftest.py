"""What all tests share: how hypothesis plays, how threads wait, and that Ctrl-C interrupts."""

import signal

from hypothesis import settings

from agents.threads import use_threads

# No test is timed: the first example waits for Numba's compiler. The same examples every time, so that a test
# that passes here passes elsewhere.
settings.register_profile("takeiteasy", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("takeiteasy")

# As the commands do it: tests run side by side, and threads that spin while they wait would slow all of them.
use_threads(0)

# A shell that runs the tests in the background lets them, and all they start, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
