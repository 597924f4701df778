"""What is lost on bad days?   python bench/human_faults.py [--raters 130] [--idle 2000]

A crowd answers a campaign through the real server while the clock jumps a day ahead and two days back, the
file system turns read-only for some seconds, 2,000 connections send half a head byte by byte or nothing, and
the power fails five times. A library before the server's calls (tests/faults/human/lying_disk.c, LD_PRELOAD)
makes the clock and the file system, and copies what is synced: at a power failure the server is killed and
its files become what had been synced. On PostgreSQL the server and a process of the database are killed at
once, so that the database recovers from its log. For every acknowledged answer the database is asked
afterwards; also printed is how large the write-ahead log of SQLite grew.
As a control, a disk that lies (it says that it has synced, and has not) must lose answers."""

# ruff: noqa: E402  (the tests' helpers have to be found first)
from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests")]

import human_kit
from faults_kit import DAY, BadDay, loris, share


async def bad(day: BadDay, idle: int) -> int:
    """All faults in turn; the largest log."""
    until, log = asyncio.Event(), 0
    await share(day, 0.1)
    day.set(clock=DAY)
    await share(day, 0.2)
    day.set(clock=-DAY)
    await share(day, 0.3)
    day.set(readonly=True)
    await asyncio.sleep(3)
    day.set()
    crowd = asyncio.ensure_future(loris(day.url, idle, until))
    await share(day, 0.5)
    until.set()
    await crowd
    for part in (0.55, 0.6, 0.7, 0.8, 0.9):
        await share(day, part)
        log = max([log, *(path.stat().st_size for path in day.folder.path.glob("campaign.db-wal"))])
        await asyncio.to_thread(day.power_loss)
    return log


async def one_failure(day: BadDay) -> None:
    await share(day, 0.5)
    day.process.kill()
    await asyncio.to_thread(day.power_loss)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--raters", type=int, default=130)
    parser.add_argument("--idle", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, human_kit.postgres() as database:
        home = Path(name)
        clips = human_kit.tiny_clips(home / "clips", [f"qclip{k:02d}" for k in range(20)])
        for kind in ("SQLite", "PostgreSQL"):
            (home / kind).mkdir()
            address = None if kind == "SQLite" else database("faults")
            day, logs = BadDay(home / kind, clips, raters=options.raters, blocks=8, database=address), [0]

            async def faults(day: BadDay, logs: list[int] = logs) -> None:
                logs[0] = await bad(day, options.idle)

            begin = time.monotonic()
            day.run(faults, 400)
            print(
                f"{kind}: {day.acknowledged:,} answers acknowledged, {day.lost()} lost; log"
                f" {logs[0] / 1e6:.1f} MB at most; {time.monotonic() - begin:.0f} s",
                flush=True,
            )
        (home / "lies").mkdir()
        day = BadDay(home / "lies", clips, raters=20, lies=True)
        day.run(one_failure, 15)
        print(f"SQLite on a disk that lies: {day.acknowledged:,} acknowledged, {day.lost()} lost")


if __name__ == "__main__":
    main()
