"""The demo on the core alone: one line says what the part `neural` would add; lines fit 80 columns."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import storymeter

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
    _marks_are_supported(done.stdout)


def _marks_are_supported(shown: str) -> None:
    """No mark: the tests against the best system are significant; `*`: the best, or they are not."""
    videos = Path(__file__).resolve().parents[3] / "examples" / "videos"
    table = re.split(r"\n ─+\n", shown)[0:2]
    metrics = table[0].splitlines()[-1].split()[1:]
    rows = [
        [cell.strip() for cell in re.split(r" {2,}", line.strip())]
        for line in table[1].split("\n\n")[0].splitlines()
    ]
    systems = [row[0] for row in rows]
    assert len(systems) == 3 and "soda_c" in metrics
    results = storymeter.evaluate(
        [videos / f"{name}.json" for name in systems],
        [videos / f"reference_{k}.json" for k in (1, 2)],
        metrics,
        resamples=0,
    )
    compared = results.compare()
    for k, metric in enumerate(metrics, 1):
        p = {frozenset((c.a, c.b)): c.p_holm for c in compared if c.metric == metric}
        best = max(systems, key=lambda name: results[name, metric].value)
        for row in rows:
            worse = row[0] != best and p[frozenset((row[0], best))] < 0.05
            assert row[k].endswith("*") == (not worse), (metric, row)
