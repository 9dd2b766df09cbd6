"""Files that are written whole or not at all."""

from collections.abc import Callable
from pathlib import Path
from typing import IO
from uuid import uuid4


def write_whole(path: Path, save: Callable[[IO[bytes]], object]) -> None:
    """Let ``save`` write a file under a temporary name, then give it its own, in place of what was there.

    The temporary name is one that no other process has, so several may write the same file.

    Raises:
        OSError: when the disk refuses; what was there stays.
    """
    partial = path.with_name(f"{path.name}.{uuid4().hex}.partial")
    try:
        with partial.open("wb") as file:
            save(file)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
