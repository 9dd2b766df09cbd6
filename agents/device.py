"""Where the tensors lie: on the processor, or on a device that PyTorch knows."""

import os
from collections.abc import Sequence
from typing import Final

import torch

from agents.errors import UsageError

PRECISIONS: Final = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def choose_device(name: str, devices: Sequence[str]) -> torch.device:
    """The device of that name among those an agent can learn on; ``auto`` is the first that is there.

    Each process that ``torchrun`` starts on a machine has a CUDA device to itself.

    Raises:
        UsageError: for another name, or a device that is not there.
    """
    if name == "auto":
        name = next(device for device in devices if is_there(device))
    if name not in devices:
        raise UsageError(f"device={name}: give auto or one of {', '.join(devices)}")
    if not is_there(name):
        raise UsageError(f"device={name}: PyTorch finds none on this machine, give auto or cpu")
    processes, there = int(os.environ.get("LOCAL_WORLD_SIZE", "1")), torch.cuda.device_count()
    if name == "mps" and processes > 1:
        raise UsageError("device=mps: for one process, give cpu to several")
    if name != "cuda":
        return torch.device(name)
    if processes > there:
        raise UsageError(f"device=cuda: {processes} processes on this machine and {there} such devices")
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))


def is_there(name: str) -> bool:
    """Whether this machine has a device of that name, ``cpu``, ``cuda`` or ``mps``."""
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return there[name]


def choose_precision(name: str, device: torch.device) -> torch.dtype:
    """The number format of the matrix products; the weights stay in float32.

    Raises:
        UsageError: for a name that is none, or for less than float32 elsewhere than on CUDA.
    """
    if name not in PRECISIONS:
        raise UsageError(f"precision={name}: give one of {', '.join(PRECISIONS)}")
    if name != "float32" and device.type != "cuda":
        raise UsageError(f"precision={name}: only on cuda, give float32 on {device.type}")
    return PRECISIONS[name]
