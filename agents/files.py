"""Files that are written whole or not at all."""

from collections.abc import Callable
from pathlib import Path
from typing import IO


def write_whole(path: Path, save: Callable[[IO[bytes]], object]) -> None:
    """Let ``save`` write a file under a temporary name, then give it its own, in place of what was there.

    Raises:
        OSError: when the disk refuses; what was there stays.
    """
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("wb") as file:
        save(file)
    partial.replace(path)
