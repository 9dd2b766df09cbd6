"""How many threads the compiled loops compute on."""

import os
import sys

import numba
from threadpoolctl import threadpool_limits

from agents.errors import UsageError


def use_threads(threads: int) -> int:
    """Let Numba's loops compute on so many threads, 0 for one on each core, and return how many.

    They spread over boards. Matrix products, those of BLAS within the loops and those of PyTorch beside them,
    get one thread each, so that the pools do not fight for the cores and sums are always taken in one order.
    The processes that ``torchrun`` starts on this machine divide the threads among themselves.

    Raises:
        UsageError: for a negative number, or more than there are cores.
    """
    cores = numba.config.NUMBA_NUM_THREADS  # pyright: ignore[reportPrivateImportUsage, reportAttributeAccessIssue]
    if not 0 <= threads <= cores:
        raise UsageError(f"threads={threads}: give 1 to {cores}, or 0 for one on each core")
    threads = max(1, (threads or cores) // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))
    # Libraries read the variables when they are loaded; Numba loads OpenMP with its threads. Those that wait
    # passively sleep instead of spinning, which on a busy machine makes the others many times faster.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
    numba.set_num_threads(threads)
    # Numba asks for its threads loop by loop; the limit is for all that share its OpenMP, PyTorch among them.
    threadpool_limits(1)
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(1)
    return threads
