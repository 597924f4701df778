"""A judge whose endpoint answers at once: verdicts a second, and memory over a long run.

    python bench/judge.py [--verdicts 100000]

The endpoint is a process of its own on 127.0.0.1 that sends the same chat completion to whatever it reads,
so that what is measured is ours: prompts, keys, requests, parsing, and an answer on the disk for every
verdict."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from multiprocessing import Process, Queue
from pathlib import Path

import numpy as np

CHUNK = 10_000


class Instant(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, as much of it as a POST with a length needs."""

    body = json.dumps(
        {
            "model": "instant",
            "choices": [{"message": {"role": "assistant", "content": "7"}}],
            "usage": {"prompt_tokens": 300, "completion_tokens": 1},
        }
    ).encode()
    reply = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.data = transport, b""

    def data_received(self, data: bytes) -> None:
        self.data += data
        while (end := self.data.find(b"\r\n\r\n")) >= 0:
            head = self.data[:end].lower()
            length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
            if len(self.data) < end + 4 + length:
                return
            self.data = self.data[end + 4 + length :]
            self.transport.write(self.reply)  # type: ignore[attr-defined]


def endpoint(port: Queue[int]) -> None:
    async def main() -> None:
        server = await asyncio.get_running_loop().create_server(Instant, "127.0.0.1", 0)
        port.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def resident() -> float:
    """MB of memory in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", type=int, default=100_000)
    verdicts = parser.parse_args().verdicts
    port: Queue[int] = Queue()
    process = Process(target=endpoint, args=(port,), daemon=True)
    process.start()
    url = f"http://127.0.0.1:{port.get()}/v1"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["STORYMETER_CACHE"] = folder
        from storymeter.context import Settings
        from storymeter.registry import scorer

        seen: list[tuple[int, float]] = []
        judge = scorer(f"judge(model=instant,endpoint={url},parallel=32)").open(
            Settings(progress=lambda what, done, total: seen.append((done, resident())))
        )
        print(f"{os.cpu_count()} cores, {verdicts:,} verdicts, one distinct pair each")
        candidates = [
            f"a man in a red shirt number {k} rides a bicycle along the river" for k in range(verdicts)
        ]
        index, zeros = np.arange(verdicts), np.zeros(verdicts, dtype=np.int64)
        for what in ("asked", "from the disk"):
            begin, processor = time.perf_counter(), time.process_time()
            values = judge.score_indexed(
                candidates=candidates,
                references=["a cyclist passes a river"],
                candidate_index=index,
                reference_index=zeros,
            )
            seconds, used = time.perf_counter() - begin, time.process_time() - processor
            assert np.allclose(values, 0.7)
            print(
                f"{what:>14}: {verdicts / seconds:8,.0f} a second ({seconds:.1f} s,"
                f" {used:.1f} s of processor)"
            )
        for share in (0.1, 0.25, 0.5, 0.75, 1.0):
            done, memory = next(each for each in seen if each[0] >= share * verdicts)
            print(f"memory after {done:8,} verdicts: {memory:6.1f} MB")
        print(f"threads at the end: {threading.active_count()}")
    process.terminate()
    process.join(10)


if __name__ == "__main__":
    sys.exit(main())
