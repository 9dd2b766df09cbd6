"""What all tests share: how hypothesis plays, and how threads wait."""

from hypothesis import settings

from agents.threads import use_threads

# No test is timed: the first example waits for Numba's compiler. The same examples every time, so that a test
# that passes here passes elsewhere.
settings.register_profile("takeiteasy", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("takeiteasy")

# As the commands do it: tests run side by side, and threads that spin while they wait would slow all of them.
use_threads(0)
