"""Ctrl-C in the middle of scoring leaves nothing half-written and shows no traceback."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def busy(process: subprocess.Popen[str], seconds: float) -> None:
    """Waits until the process has used this much processor time, where the system says so: on a busy machine
    it may still be starting after any number of seconds.
    """
    used, end = Path(f"/proc/{process.pid}/stat"), time.monotonic() + 300
    if not used.exists():
        time.sleep(seconds)
    while used.exists() and process.poll() is None and time.monotonic() < end:
        user, system = used.read_text().rpartition(") ")[2].split()[11:13]
        if (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") >= seconds:
            break
        time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX systems")
def test_interrupted_scoring_leaves_no_files(tmp_path: Path) -> None:
    words = [
        "man",
        "woman",
        "dog",
        "cat",
        "runs",
        "jumps",
        "walks",
        "the",
        "street",
        "ball",
        "plays",
        "music",
        "holding",
        "shown",
    ]
    chance = random.Random(5)
    told, written = {}, {}
    for video in range(2000):
        times = [sorted(chance.uniform(0, 100) for _ in range(2)) for _ in range(150)]
        told[f"v{video}"] = [
            {"sentence": " ".join(chance.choices(words, k=9)), "timestamp": t} for t in times
        ]
        written[f"v{video}"] = {
            "duration": 100,
            "timestamps": times[:8],
            "sentences": [" ".join(chance.choices(words, k=9)) for _ in range(8)],
        }
    (tmp_path / "told.json").write_text(json.dumps({"results": told}))
    (tmp_path / "written.json").write_text(json.dumps(written))
    before = set(tmp_path.iterdir())
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "storymeter",
            "score",
            "told.json",
            "--references",
            "written.json",
            "--metric",
            "soda_c",
            "--per-document",
            "rows.csv",
            "--jobs",
            "1",
        ],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # a background shell hands SIGINT on as ignored
    busy(process, 1.5)
    if process.poll() is not None:
        pytest.skip("the machine was too quick to be interrupted")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert out == ""
    assert "Interrupted" in err
    assert "Traceback" not in err
    assert set(tmp_path.iterdir()) == before
