"""The demo on the core alone: one line says what the part `neural` would add; lines fit 80 columns."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CORE = """
import importlib.util, sys
real = importlib.util.find_spec
lacking = ("torch", "transformers")
importlib.util.find_spec = lambda name, *rest: None if name in lacking else real(name, *rest)
from storymeter.cli import main
main(sys.argv[1:])
"""


def test_the_demo_on_the_core_fits_80_columns_and_says_what_is_next(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CORE, "demo", "--out", "demo"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stderr
    added = [line for line in done.stderr.splitlines() if "storymeter[neural]" in line]
    assert added == ["pip install 'storymeter[neural]' adds soda_c(scorer=sts), rovist_c, rovist_vg."]
    own = done.stderr.partition("Next, your own files:\n")[2].splitlines()
    assert [line.split()[:2] for line in own] == [
        ["storymeter", verb] for verb in ("validate", "score", "compare", "report")
    ]
    # notes of a terminal are wrapped there; the timeline and our own lines must be short by themselves
    for line in [*own, *added, *(line for line in done.stdout.splitlines() if "█" in line or "░" in line)]:
        assert len(line) <= 80, line
    assert (tmp_path / "demo" / "report.html").is_file()
