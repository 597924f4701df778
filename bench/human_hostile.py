"""What a hostile crowd costs an honest rater.   python bench/human_hostile.py [--megabytes 300] [--idle 2000]

Beside one honest rater who answers a whole HIT: a body of 300 MB in chunks, again and again, on two
addresses; a hundred bodies that come byte by byte; two thousand connections that send half a head, or
nothing. Wanted: the server's resident memory grows by less than 50 MB, and the honest rater's slowest answers
(p99) stay under a second."""

# ruff: noqa: E402  (the tests' helpers have to be found first)
from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), str(Path(__file__).resolve().parent)]

import human_kit
from human import Rater

from storymeter.human.server.run import start

PIECE = b"10000\r\n" + b"a=1&" * 0x4000 + b"\r\n"


def memory(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


class Crowd:
    def __init__(self, host: str, port: int, link: str) -> None:
        self.host, self.port, self.link = host, port, link
        self.sent = 0
        self.refused = 0

    async def flood(self, path: str, megabytes: int, until: asyncio.Event) -> None:
        """A body without a length, as large as it may be."""
        while not until.is_set():
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(self.host, self.port)
                head = f"POST {path} HTTP/1.1\r\nhost: {self.host}\r\ntransfer-encoding: chunked\r\n\r\n"
                writer.write(head.encode())
                for _ in range(megabytes * 16):
                    writer.write(PIECE)
                    await writer.drain()
                    self.sent += len(PIECE)
                self.refused += (await reader.read(12)).endswith(b"413")
                writer.close()
            await asyncio.sleep(0.05)

    async def drip(self, until: asyncio.Event) -> None:
        """A body that comes one byte at a time."""
        while not until.is_set():
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(self.host, self.port)
                writer.write(
                    f"POST {self.link}/answer HTTP/1.1\r\nhost: {self.host}\r\n"
                    "content-length: 9000\r\n\r\n".encode()
                )
                for _ in range(200):
                    writer.write(b" ")
                    await writer.drain()
                    await asyncio.sleep(0.2)
                    if until.is_set():
                        return

    async def idle(self, number: int, until: asyncio.Event) -> None:
        """A connection that says nothing, or half of something."""
        while not until.is_set():
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(self.host, self.port)
                if number % 2:
                    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\nx-slow: ")
                waiting = asyncio.ensure_future(reader.read(1))
                over = asyncio.ensure_future(until.wait())
                await asyncio.wait({waiting, over}, return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()
                over.cancel()
                writer.close()
            await asyncio.sleep(0.5)


async def run(url: str, links: list[str], pid: int, options: argparse.Namespace) -> None:
    host, _, port = url.removeprefix("http://").partition(":")
    honest = Rater(url, links[0], 0)
    await honest.begin()
    for _ in range(10):  # warm
        await honest.answer(True)
    honest.latencies.clear()
    before = memory(pid)
    crowd, until = Crowd(host, int(port), links[1]), asyncio.Event()
    tasks = [asyncio.create_task(crowd.idle(k, until)) for k in range(options.idle)]
    tasks += [asyncio.create_task(crowd.drip(until)) for _ in range(100)]
    tasks += [
        asyncio.create_task(crowd.flood(path, options.megabytes, until))
        for path in (links[1] + "/answer", "/admin/login")
    ]
    await asyncio.sleep(3)
    most, end = before, time.monotonic() + options.seconds
    while time.monotonic() < end and "go" not in honest.item:
        await honest.answer(True)
        most = max(most, memory(pid))
        await asyncio.sleep(0.1)
    until.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    times = sorted(honest.latencies)
    p99 = times[int(len(times) * 0.99)]
    fine = most - before < 50 and p99 < 1 and not honest.refused
    print(
        f"  {len(times)} honest answers, {honest.refused} refused: p50 {times[len(times) // 2] * 1000:.0f}"
        f" ms, p99 {p99 * 1000:.0f} ms (wanted: < 1000); memory {before:.0f} MB before, {most:.0f} MB at"
        f" most, +{most - before:.0f} (wanted: < 50); {crowd.sent / 1e6:,.0f} MB of bodies sent,"
        f" {crowd.refused} refused in time to hear it: {'ok' if fine else 'MISSED'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--idle", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        clips = human_kit.tiny_clips(Path(home) / "clips", [f"clip{k:02d}" for k in range(50)])
        folder = human_kit.campaign(Path(home) / "study", clips, hits=2, raters=2)
        process, url = start(folder.path, watch=0.0)
        try:
            asyncio.run(run(url, folder.links(), process.pid, options))
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
