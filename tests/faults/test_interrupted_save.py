"""A run that was killed in the middle goes on where it stopped, and ends in the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

METRICS = "captions,words,soda_d,soda_c,bleu_4,meteor"
#: as the real thing, but each score takes a little while, and says when it is computed
SLOW = """
import sys, time
from storymeter.engine.run import Run
real = Run._score
def slow(self, task, name, *rest):
    found = real(self, task, name, *rest)
    print(task.name, name, file=sys.stderr, flush=True)
    time.sleep(float(sys.argv[1]))
    return found
Run._score = slow
from storymeter.cli import main
main(sys.argv[2:])
"""


def command(examples: Path, target: Path, pause: float) -> list[str]:
    videos = examples / "videos"
    systems = [str(videos / f"{name}.json") for name in ("good", "padded", "disordered")]
    options = [
        "-r",
        str(videos / "reference_1.json"),
        "-m",
        METRICS,
        "--save",
        str(target),
        "--format",
        "json",
    ]
    return [sys.executable, "-c", SLOW, str(pause), "score", *systems, *options]


def computed(stderr: str) -> list[str]:
    return [
        line
        for line in stderr.splitlines()
        if line.split(" ")[0] in ("good", "padded", "disordered") and ":" not in line
    ]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_killed_in_the_middle(examples: Path, tmp_path: Path) -> None:
    quiet = {**os.environ, "NO_COLOR": "1"}
    whole = subprocess.run(
        command(examples, tmp_path / "whole.smr", 0), capture_output=True, text=True, env=quiet, check=True
    )
    target = tmp_path / "run.smr"
    killed = subprocess.Popen(
        command(examples, target, 0.3), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert killed.stderr is not None
    first: list[str] = []
    while len(first) < 8:
        first += computed(killed.stderr.readline())
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert not target.exists()
    kept = len(list((tmp_path / "run.smr.partial").glob("*.smr")))
    assert 7 <= kept <= 9
    again = subprocess.run(
        command(examples, target, 0), capture_output=True, text=True, env=quiet, check=True
    )
    assert len(computed(again.stderr)) == 18 - kept, "nothing that was finished is scored twice"
    assert set(first[:7]).isdisjoint(computed(again.stderr))
    assert f"{kept} scores were read from an interrupted run" in again.stderr
    assert target.read_bytes() == (tmp_path / "whole.smr").read_bytes()
    assert again.stdout == whole.stdout
    assert not (tmp_path / "run.smr.partial").exists()


def test_other_conditions_start_anew(examples: Path, tmp_path: Path) -> None:
    target = tmp_path / "run.smr"
    killed = subprocess.Popen(
        command(examples, target, 0.3), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert killed.stderr is not None
    for _ in range(4):
        killed.stderr.readline()
    killed.kill()
    killed.wait()
    time.sleep(0)
    other = [*command(examples, target, 0), "--seed", "7"]
    again = subprocess.run(other, capture_output=True, text=True, check=True)
    assert len(computed(again.stderr)) == 18
    assert not (tmp_path / "run.smr.partial").exists()
