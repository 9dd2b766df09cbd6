"""Ctrl-C and SIGTERM end an evaluation by an exception, on which it says what is saved and how to go on."""

import signal
from types import FrameType
from typing import Self


class Stopped(KeyboardInterrupt):
    """A signal has asked to stop.

    Attributes:
        number: which.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Interruptions:
    """While it is entered, Ctrl-C and SIGTERM raise :class:`Stopped` wherever the program is.

    What is raised while a library calls back is lost, as in Numba's compiler: hence :meth:`check`.
    """

    received: int | None = None

    def __enter__(self) -> Self:
        self._before = {
            number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise :class:`Stopped` if a signal has come."""
        if self.received is not None:
            raise Stopped(self.received)

    def _stop(self, number: int, _: FrameType | None) -> None:
        self.received = number
        raise Stopped(number)
