"""What all tests share: how hypothesis plays."""

from hypothesis import settings

# No test is timed: the first example waits for Numba's compiler. The same examples every time, so that a test
# that passes here passes elsewhere.
settings.register_profile("takeiteasy", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("takeiteasy")
