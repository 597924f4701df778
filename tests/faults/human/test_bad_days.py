"""A clock that jumps, a file system that turns read-only, slow connections and a power failure: nothing that
was acknowledged is lost. bench/human_faults.py does the same with thousands of answers.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from faults_kit import DAY, BadDay, loris, share

RATERS = 4
pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="no C compiler (cc), which makes the library that fails calls"
)


async def _bad(day: BadDay) -> None:
    until = asyncio.Event()
    crowd = asyncio.ensure_future(loris(day.url, 50, until))
    await share(day, 0.1)
    day.set(clock=DAY)
    await share(day, 0.3)
    day.set(clock=-DAY, readonly=True)
    await asyncio.sleep(0.5)
    day.set()
    await share(day, 0.6)
    until.set()
    await crowd
    await asyncio.to_thread(day.power_loss)


def test_nothing_acknowledged_is_lost(tmp_path: Path, clips: Path, database: str | None) -> None:
    day = BadDay(tmp_path, clips, raters=RATERS, database=database)
    day.run(_bad)
    assert {visitor.tally.ended for visitor in day.visitors} == {"done"}
    assert day.acknowledged >= RATERS * day.folder.campaign.hit_size and day.lost() == 0


def test_a_disk_that_lies_loses_answers(tmp_path: Path, clips: Path) -> None:
    """Otherwise the test above could not fail."""

    async def fail(day: BadDay) -> None:
        await share(day, 0.5)
        await asyncio.to_thread(day.power_loss)

    day = BadDay(tmp_path, clips, raters=RATERS, lies=True)
    day.run(fail, 3)
    assert day.lost() > 0
