"""Files that are written whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import pytest

from agents.files import write_whole


def test_what_was_there_stays_until_the_new_file_is_whole(tmp_path: Path):
    path = tmp_path / "scores"
    path.write_bytes(b"old")

    def save(file: IO[bytes]) -> None:
        file.write(b"new")
        assert path.read_bytes() == b"old"

    write_whole(path, save)
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_fails_half_way_leaves_what_was_there_and_nothing_beside(tmp_path: Path):
    path = tmp_path / "scores"
    path.write_bytes(b"old")

    def save(file: IO[bytes]) -> None:
        file.write(b"ne")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, save)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_several_may_write_the_same_file_at_once(tmp_path: Path):
    path = tmp_path / "scores"
    texts = [bytes([number]) * 100_000 for number in range(50)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: write_whole(path, lambda file: file.write(text)), texts))
    assert path.read_bytes() in texts
    assert list(tmp_path.iterdir()) == [path]
