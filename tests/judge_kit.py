"""Endpoints for tests of judges: a real HTTP server on 127.0.0.1, in a thread, that answers as a test
says."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

#: what a test makes of a request: its body, and which request it is (from 0)
Handler = Callable[[web.Request, dict[str, Any], int], Awaitable[web.StreamResponse]]


def completion(text: str, **more: Any) -> dict[str, Any]:
    """A chat completion as servers send it."""
    return {
        "id": "x",
        "object": "chat.completion",
        "model": "served-model",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 2},
        **more,
    }


def question(body: dict[str, Any]) -> tuple[str, list[str]]:
    """The candidate and the references of the last turn, as they were sent."""
    last = next(turn for turn in reversed(body["messages"]) if "<candidate>" in str(turn["content"]))
    content = last["content"]
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    (candidate,) = re.findall(r"<candidate>(.*?)</candidate>", text)
    return candidate, re.findall(r"<reference>(.*?)</reference>", text)


def overlap(body: dict[str, Any]) -> int:
    """A judge that can be worked out by hand: tenths of the candidate's words that a reference has."""
    candidate, references = question(body)
    words, known = set(candidate.split()), {word for each in references for word in each.split()}
    return round(10 * len(words & known) / len(words))


class Server:
    """`bodies` are the requests so far, `headers` theirs."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def judge(self, **options: Any) -> str:
        given = "".join(f",{key}={value}" for key, value in options.items())
        return f"judge(model=small,endpoint={self.url}{given})"

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        return await self.handler(request, body, len(self.bodies) - 1)


@contextmanager
def serving(handler: Handler) -> Iterator[Server]:
    server = Server(handler)
    loop, ready = asyncio.new_event_loop(), threading.Event()

    async def main() -> None:
        app = web.Application(client_max_size=1 << 28)
        app.router.add_post("/{path:.*}", server._answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server.port = runner.addresses[0][1]
        ready.set()
        await over.wait()
        await runner.cleanup()

    over = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(main()), daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(30)


async def by_overlap(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
    return web.json_response(completion(str(overlap(body))))
