from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from storymeter.errors import DataError
from storymeter.files import atomic, safe_names, write_text


def test_an_interrupted_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")
    with pytest.raises(KeyboardInterrupt), atomic(target) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


#: Ctrl-C after some microseconds, again and again; the errors are kept, so that no garbage is collected
INTERRUPTS = """
import random, signal, sys
from pathlib import Path
from storymeter.files import atomic
folder, kept, left = Path(sys.argv[1]), [], 0
signal.signal(signal.SIGALRM, signal.default_int_handler)
random.seed(1)
for _ in range(6000):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(20e-6, 160e-6))
        with atomic(folder / "x"):
            while True:
                pass
    except KeyboardInterrupt as error:
        kept.append(error)
    for path in folder.iterdir():
        left += 1
        path.unlink()
print(len(kept), left)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of signals on this system")
def test_an_interrupt_at_any_moment_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["6000", "0"]


def test_an_impossible_place_is_a_data_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / "file" / "inside.txt", "x")


def test_a_name_with_a_zero_byte_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        write_text(tmp_path / "a\0b.txt", "x")


def test_the_longest_name_that_the_file_system_takes(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 255)
    write_text(target, "x")
    assert target.read_text() == "x"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link.txt").symlink_to(tmp_path / "far" / "file.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "far" / "file.txt").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_or_device_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_text(pipe, "through")
    reader.join(timeout=10)
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode) and list(tmp_path.iterdir()) == [pipe]


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no /dev/full on this system")
def test_a_full_disk_is_a_data_error(tmp_path: Path) -> None:
    link = tmp_path / "full.txt"  # a link, so that not even a wrong rename could touch the device
    link.symlink_to("/dev/full")
    with pytest.raises(DataError, match="No space left"):
        write_text(link, "x")
    assert Path("/dev/full").is_char_device()


def test_file_names_of_any_texts_differ_and_can_be_written(tmp_path: Path) -> None:
    long = "x" * 300
    texts = ["a/1", "a_1", "A_1", "a_1-2", "../etc", "", "写真" * 200, long, long + "y", "a\0b"]
    names = safe_names(texts)
    assert list(names) == texts
    assert len({name.casefold() for name in names.values()}) == len(texts)
    for name in names.values():
        write_text(tmp_path / f"{name}.jpg", name)
        assert (tmp_path / f"{name}.jpg").read_text() == name
    assert len(list(tmp_path.iterdir())) == len(texts)
