"""A system that grants fewer threads than were asked for: the same numbers, by those that run."""

from __future__ import annotations

import subprocess
import sys

import pytest

STARVED = """
import resource, numpy as np
from storymeter import _native

random = np.random.default_rng(0)
fixed = random.integers(0, 9, 4000).astype(np.int32)
columns = random.integers(0, 9, (512, 4000)).astype(np.int32)
one, many = np.zeros((512, 4), np.int64), np.zeros((512, 4), np.int64)
_native.concordance(fixed, 9, columns, 9, one, 1)
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + (40 << 20)  # for the stacks of a few threads, not of 64
resource.setrlimit(resource.RLIMIT_AS, (room, room))
_native.concordance(fixed, 9, columns, 9, many, 64)
print((one == many).all())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory by Linux's means")
def test_fewer_threads_than_asked_for() -> None:
    done = subprocess.run([sys.executable, "-c", STARVED], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "True"), done.stderr[-500:]
