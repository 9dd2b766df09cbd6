"""How many threads the compiled loops and PyTorch compute on."""

import os
import sys

import numba

from agents.errors import UsageError


def use_threads(threads: int) -> int:
    """Let Numba and PyTorch compute on so many threads, 0 for one on each core, and return how many.

    Best called before PyTorch is imported: then its idle threads sleep instead of spinning, which on a busy
    machine makes small matrix products many times faster.

    Raises:
        UsageError: for a negative number, or more than there are cores.
    """
    cores = numba.config.NUMBA_NUM_THREADS  # pyright: ignore[reportPrivateImportUsage, reportAttributeAccessIssue]
    if not 0 <= threads <= cores:
        raise UsageError(f"threads={threads}: give 1 to {cores}, or 0 for one on each core")
    threads = threads or cores
    os.environ |= {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    numba.set_num_threads(threads)
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(threads)
    return threads
