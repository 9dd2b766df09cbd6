"""Which device and which precision a training gets, and what it is told when it cannot have them."""

import pytest
import torch

from agents.device import choose_device, choose_precision
from agents.errors import UsageError
from agents.trainers import LEARNERS

VALUE = LEARNERS["value"].devices


def machine_with(monkeypatch: pytest.MonkeyPatch, cuda: int = 0, mps: bool = False) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


def test_auto_is_the_first_of_the_agents_devices_that_is_there(monkeypatch: pytest.MonkeyPatch):
    machine_with(monkeypatch)
    assert choose_device("auto", ("cuda", "mps", "cpu")).type == "cpu"
    machine_with(monkeypatch, mps=True)
    assert choose_device("auto", ("cuda", "mps", "cpu")).type == "mps"
    assert choose_device("auto", ("cpu",)).type == "cpu"
    machine_with(monkeypatch, cuda=1, mps=True)
    assert choose_device("auto", ("cuda", "mps", "cpu")) == torch.device("cuda", 0)


def test_the_value_agent_takes_cuda_by_itself_and_mps_by_its_name(monkeypatch: pytest.MonkeyPatch):
    machine_with(monkeypatch, mps=True)
    assert choose_device("auto", VALUE).type == "cpu"
    assert choose_device("mps", VALUE).type == "mps"
    machine_with(monkeypatch, cuda=1)
    assert choose_device("auto", VALUE).type == "cuda"


def test_each_process_of_a_machine_has_its_own_cuda_device(monkeypatch: pytest.MonkeyPatch):
    machine_with(monkeypatch, cuda=4)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert choose_device("cuda", VALUE) == torch.device("cuda", 3)
    machine_with(monkeypatch, cuda=2)
    with pytest.raises(UsageError, match=r"^device=cuda: 4 processes on this machine and 2 such devices$"):
        choose_device("cuda", VALUE)


def test_mps_is_for_one_process(monkeypatch: pytest.MonkeyPatch):
    machine_with(monkeypatch, mps=True)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    with pytest.raises(UsageError, match=r"^device=mps: for one process, give cpu to several$"):
        choose_device("mps", VALUE)


@pytest.mark.parametrize(
    ("name", "devices", "line"),
    [
        ("tpu", VALUE, "device=tpu: give auto or one of cuda, cpu, mps"),
        ("cuda", ("cpu",), "device=cuda: give auto or one of cpu"),
        ("cuda", VALUE, "device=cuda: PyTorch finds none on this machine, give auto or cpu"),
        ("mps", VALUE, "device=mps: PyTorch finds none on this machine, give auto or cpu"),
    ],
)
def test_another_device_is_refused_in_one_line(monkeypatch, name, devices, line):
    machine_with(monkeypatch)
    with pytest.raises(UsageError) as refused:
        choose_device(name, devices)
    assert str(refused.value) == line


def test_less_than_float32_is_for_cuda_alone():
    assert choose_precision("float32", torch.device("mps")) == torch.float32
    assert choose_precision("bfloat16", torch.device("cuda", 0)) == torch.bfloat16
    with pytest.raises(UsageError, match=r"^precision=bfloat16: only on cuda, give float32 on cpu$"):
        choose_precision("bfloat16", torch.device("cpu"))
    with pytest.raises(UsageError, match=r"^precision=float16: give one of float32, bfloat16$"):
        choose_precision("float16", torch.device("cuda", 0))
