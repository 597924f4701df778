"""Consoles that do not know UTF-8."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "shift_jis"])
def test_a_table_has_plain_rules_and_no_escapes(encoding: str) -> None:
    videos = ROOT / "examples" / "videos"
    files = [str(videos / "good.json"), "-r", str(videos / "reference_1.json")]
    done = subprocess.run(
        [sys.executable, "-m", "storymeter", "score", *files, "-m", "soda_c", "--resamples", "0"],
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
    )
    text = done.stdout.decode(encoding)
    assert done.returncode == 0, done.stderr
    assert "soda_c" in text and "\\u" not in text
    if encoding == "ascii":
        assert "-----" in text
