"""constraints.lock: a hash for every pinned package; how hashes are read from the page of an index."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_pin_has_hashes() -> None:
    pins = re.findall(r"^(\S+==\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    entries = re.split(r"\n(?=\w)", (ROOT / "constraints.lock").read_text().partition("\n")[2].strip())
    assert [entry.split()[0] for entry in entries] == pins
    for entry in entries:
        assert re.fullmatch(r"\S+( \\\n    --hash=sha256:[0-9a-f]{64})+", entry), entry


def test_hashes_of_one_version_alone() -> None:
    spec = importlib.util.spec_from_file_location("lock", ROOT / "tools" / "lock.py")
    assert spec is not None and spec.loader is not None
    lock = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lock)
    files = [
        "Some_Name-1.0-py3-none-any.whl",
        "some_name-1.0-cp311-cp311-linux_x86_64.whl",
        "some-name-1.0.tar.gz",
    ]
    files += ["some_name-1.0.1-py3-none-any.whl", "old_name-2.0.tar.gz"]
    page = "".join(f'<a href="https://x/y/{file}#sha256={k:064x}">' for k, file in enumerate(files))
    assert lock.hashes(page, "some.name", "1.0") == [f"{0:064x}", f"{1:064x}"]
    assert lock.hashes(page, "old-name", "2.0") == [f"{4:064x}"]
    assert lock.hashes(page, "some-name", "3.0") == []
