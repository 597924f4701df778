from __future__ import annotations

from pathlib import Path

import pytest

from storymeter.errors import DataError
from storymeter.files import atomic, write_text


def test_an_interrupted_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")
    with pytest.raises(KeyboardInterrupt), atomic(target) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_impossible_place_is_a_data_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / "file" / "inside.txt", "x")
