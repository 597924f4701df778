"""METEOR reads the texts of a list without a copy; they live as long as the call, whatever the list does."""

from __future__ import annotations

import threading
import time

import numpy as np

from storymeter import _native
from storymeter.pairs import meteor


def test_lists_may_change_while_their_texts_are_compared() -> None:
    count = 8000

    def texts() -> tuple[list[str], list[str]]:
        candidates = [f"a man {k} walks to the car number {k * 7}" for k in range(count)]
        return candidates, [f"the man {k} goes to the auto number {k * 3}" for k in range(count)]

    tables, every = meteor.load(), np.arange(count)
    candidates, references = texts()

    def compare() -> np.ndarray:
        return _native.meteor_compare(tables, candidates, references, every, every, "rank", True, 1, False)[0]

    expected = compare()
    started = threading.Event()

    def clear() -> None:
        started.wait()
        time.sleep(0.003)  # the call has released the interpreter's lock
        candidates.clear()
        references.clear()
        junk = [f"x{k}" * 9 for k in range(2 * count)]  # takes the memory of the texts
        time.sleep(0.03)
        del junk

    thread = threading.Thread(target=clear)
    thread.start()
    started.set()
    try:
        found = compare()
    except IndexError:  # the lists were empty before the call read them
        found = expected
    thread.join()
    assert np.array_equal(found, expected)
