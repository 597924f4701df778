"""Endpoints that are slow, broken, lying or hostile: a correct result or a clear message, no key leaves, and
what was answered is never asked again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import judge_kit
import pytest
from aiohttp import web

from storymeter.context import Settings
from storymeter.errors import DataError, MissingPartError, StorymeterError, UsageError
from storymeter.judge import Budget, Judge
from storymeter.registry import scorer

SECRET = "sk-secret-0123456789"
CANDIDATES = [f"a dog number{k} runs" for k in range(20)]
REFERENCES = [["a dog runs"]] * 20
VALUES = [0.8] * 20  # 3 of 4 words


@pytest.fixture(autouse=True)
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storymeter.judge.endpoint.FIRST_PAUSE", 0.001)
    monkeypatch.setattr("storymeter.judge.endpoint.ATTEMPTS", 3)
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("STORYMETER_JUDGE_KEY", SECRET)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture(autouse=True)
def no_key_on_disk(quick: None, tmp_path: Path) -> Any:
    yield
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def ask(name: str, **run: Any) -> list[float]:
    judge = scorer(name).open(Settings(budget=Budget(**run)))
    values: list[float] = judge.pairs(candidates=CANDIDATES, references=REFERENCES).tolist()
    return values


def failing(name: str, **run: Any) -> StorymeterError:
    with pytest.raises(StorymeterError) as caught:
        ask(name, **run)
    assert SECRET not in str(caught.value)
    assert caught.value.hint
    return caught.value


async def right(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
    return await judge_kit.by_overlap(request, body, number)


Broken = Callable[[web.Request], Any]


async def _too_many(request: web.Request) -> web.StreamResponse:
    return web.Response(status=429, headers={"Retry-After": "0"}, text="slow down")


async def _fails(request: web.Request) -> web.StreamResponse:
    return web.Response(status=500, text="<html>oops</html>")


async def _cut(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "5000", "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    assert request.transport is not None
    request.transport.close()
    return response


async def _html(request: web.Request) -> web.StreamResponse:
    return web.Response(text="<!doctype html><title>Welcome</title>", content_type="text/html")


async def _slow(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(30)
    return web.Response()


async def _empty(request: web.Request) -> web.StreamResponse:
    return web.Response(text="")


async def _nothing(request: web.Request) -> web.StreamResponse:
    return web.json_response({"choices": []})


async def _deep(request: web.Request) -> web.StreamResponse:
    return web.Response(text='{"choices": ' + "[" * 100_000, content_type="application/json")


async def _bomb(request: web.Request) -> web.StreamResponse:
    import gzip

    data = gzip.compress(b" " * 50_000_000)
    return web.Response(body=data, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})


TROUBLES: dict[str, tuple[Broken, str]] = {
    "429": (_too_many, "answered 429"),
    "500": (_fails, "answered 500"),
    "cut": (_cut, "the connection broke"),
    "html": (_html, "a page of HTML, not JSON"),
    "slow": (_slow, "did not answer within 3 s"),
    "empty": (_empty, "reply is empty"),
    "no choice": (_nothing, "holds no choice"),
    "deep": (_deep, "not a chat completion in JSON"),
    "gzip bomb": (_bomb, "not a chat completion in JSON"),
}


@pytest.mark.parametrize("kind", TROUBLES)
def test_trouble_that_passes_changes_nothing(kind: str) -> None:
    broken, _ = TROUBLES[kind]

    async def at_first(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return await (broken(request) if number in (0, 1, 7) else right(request, body, number))

    with judge_kit.serving(at_first) as server:
        assert ask(server.judge(parallel=4, timeout=3 if kind == "slow" else 60)) == VALUES
        assert len(server.bodies) >= 23


@pytest.mark.parametrize("kind", TROUBLES)
def test_trouble_that_stays_is_said_and_what_was_answered_is_kept(kind: str) -> None:
    broken, words = TROUBLES[kind]
    healthy = 8

    async def later(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return await (right(request, body, number) if number < healthy else broken(request))

    with judge_kit.serving(later) as server:
        name = server.judge(parallel=2, timeout=3 if kind == "slow" else 60)
        error = failing(name)
        assert words in error.message
        assert "8 of 20 new answers were received" in error.message
        healthy, before = 10**9, len(server.bodies)
        assert ask(name) == VALUES
        assert len(server.bodies) - before == 12, "only what was missing is sent"


def test_a_reply_of_100_mb_is_not_read() -> None:
    sent = 0

    async def endless(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        try:
            for _ in range(100):
                await response.write(b" " * 1_000_000)
                sent += 1
        except (ConnectionError, asyncio.CancelledError):
            pass
        return response

    with judge_kit.serving(endless) as server:
        error = failing(server.judge(parallel=1))
        assert "longer than 1 MB" in error.message
        assert sent < 100 * len(server.bodies)


def test_lies_about_tokens_change_nothing() -> None:
    lies: list[Any] = [
        {"prompt_tokens": -5},
        {"prompt_tokens": 10**30},
        {"completion_tokens": "many"},
        [],
        "x",
        None,
    ]

    async def lying(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        usage = lies[number % len(lies)]
        odd = {"logprobs": {"content": [{"token": 5}]}} if number % 2 else {"logprobs": "none"}
        reply = judge_kit.completion(str(judge_kit.overlap(body)), usage=usage)
        reply["choices"][0].update(odd)
        return web.json_response(reply)

    with judge_kit.serving(lying) as server:
        assert ask(server.judge()) == VALUES


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed_and_take_no_key(status: int) -> None:
    with judge_kit.serving(right) as thief:

        async def away(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
            target = f"http://localhost:{thief.port}/v1/chat/completions?key={SECRET}"
            return web.Response(status=status, headers={"Location": target})

        with judge_kit.serving(away) as server:
            error = failing(server.judge())
        assert f"redirects to http://localhost:{thief.port}" in error.message
        assert not thief.bodies


def test_a_key_goes_where_it_belongs_and_into_nothing_else(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """The server repeats the key in everything that it says."""

    async def parrot(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        said = request.headers["Authorization"]
        return web.json_response(judge_kit.completion(f"8 {said}", model=f"model {said}"))

    async def refuses(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        said = request.headers["Authorization"]
        return web.json_response({"error": {"message": f"wrong key {said}"}}, status=401 if number else 400)

    (tmp_path / "a.txt").write_text("a dog runs\n")
    with judge_kit.serving(parrot) as server:
        arguments = ["score", str(tmp_path / "a.txt"), "-r", str(tmp_path / "a.txt")]
        code, out, err = run(*arguments, "-m", server.judge(), "--save", str(tmp_path / "run.smr"))
        assert code == 0
        assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"
        assert SECRET not in out + err
        assert "judge:model Bearer (key)" in err
    with judge_kit.serving(refuses) as server:
        code, out, err = run(*arguments, "-m", server.judge())
        assert code == 1
        assert "The judge refuses every request: 400: wrong key Bearer (key)" in err
        error = failing(server.judge())
        assert error.message.startswith("The judge at 127.0.0.1")
        assert "refuses the key in STORYMETER_JUDGE_KEY (401)" in error.message
        assert SECRET not in out + err


def test_keys_that_would_go_to_the_wrong_place_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"would be sent unencrypted to example\.org"):
        ask("judge(model=m,endpoint=http://example.org/v1)")
    for address in ("https://me:word@example.org/v1", "https://example.org/v1?api_key=word"):
        with pytest.raises(UsageError, match="must not contain") as caught:
            ask(f"judge(model=m,endpoint={address})")
        assert "word" not in caught.value.message.replace("password", "")
    monkeypatch.delenv("STORYMETER_JUDGE_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with judge_kit.serving(right) as server:
        assert ask(server.judge()) == VALUES
        assert "Authorization" not in server.headers[0], "that key is for api.openai.com alone"


def test_an_endpoint_that_asks_for_a_key_names_where_to_put_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def closed(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return web.json_response({"error": {"message": "no key"}}, status=401)

    monkeypatch.delenv("STORYMETER_JUDGE_KEY")
    with judge_kit.serving(closed) as server:
        error = failing(server.judge())
    assert "asks for a key (401)" in error.message
    assert "STORYMETER_JUDGE_KEY" in (error.hint or "")


def test_a_request_that_is_refused_is_missing_and_all_refused_is_an_error() -> None:
    async def some(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        if "number3" in str(body["messages"][-1]):
            return web.json_response({"error": "too long for me"}, status=413)
        return await right(request, body, number)

    async def none(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return web.json_response({"detail": "no such parameter"}, status=422)

    with judge_kit.serving(some) as server, pytest.warns(match=r"1 of 20 .*413: too long for me"):
        values = ask(server.judge())
        assert [k for k, value in enumerate(values) if value != value] == [3]
    with judge_kit.serving(none) as server:
        assert "refuses every request: 422: no such parameter" in failing(server.judge()).message


def test_a_budget_is_kept() -> None:
    with judge_kit.serving(right) as server:
        error = failing(server.judge(), max_requests=19)
        assert "needs 20 more requests after 0" in error.message
        assert not server.bodies, "nothing is sent that cannot be finished"
        assert ask(server.judge(), max_requests=20) == VALUES

    async def stumbles(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return await (_fails(request) if number == 5 else right(request, body, number))

    with judge_kit.serving(stumbles) as server:
        error = failing(server.judge(parallel=1), max_requests=20)
        assert "--max-requests 20 is used up" in error.message
        assert len(server.bodies) == 20
        assert ask(server.judge(parallel=1), max_requests=1) == VALUES
        assert len(server.bodies) == 21


def test_a_deadline_is_kept() -> None:
    async def never(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return await (right(request, body, number) if number < 5 else _too_many(request))

    async def asleep(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        return await _slow(request)

    for handler, seconds in ((never, 1e-9), (asleep, 0.5)):
        with judge_kit.serving(handler) as server:
            error = failing(server.judge(parallel=1, timeout=600), deadline=seconds)
            assert f"The deadline of {seconds:g} s has passed" in error.message


def test_somebody_may_say_no() -> None:
    heard = []
    with judge_kit.serving(right) as server:
        error = failing(server.judge(), ask=lambda estimate: bool(heard.append(estimate)), price=(1.0, 2.0))
        assert "Nothing was sent" in error.message
        assert not server.bodies
    (estimate,) = heard
    assert (estimate.requests, estimate.tokens_out) == (20, 320)
    assert 1_000 < estimate.tokens_in < 50_000
    assert estimate.cost == pytest.approx((estimate.tokens_in + 2 * 320) / 1e6)


def test_one_sentence_for_whatever_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STORYMETER_JUDGE_KEY")
    with pytest.raises(UsageError, match="The judge has no endpoint"):
        ask("judge(model=m)")
    with pytest.raises(UsageError, match="The judge has no model"):
        ask("judge(endpoint=http://127.0.0.1:1/v1)")
    with pytest.raises(UsageError, match="is not an endpoint"):
        ask("judge(model=m,endpoint=127.0.0.1)")
    with pytest.raises(DataError, match=r"No server answers at http://127.0.0.1:1/v1"):
        ask("judge(model=m,endpoint=http://127.0.0.1:1/v1)")
    with pytest.raises(DataError, match=r"No server answers at https://nowhere.invalid/v1"):
        ask("judge(model=m,endpoint=https://nowhere.invalid/v1)")
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with pytest.raises(MissingPartError, match="needs the optional part 'judge'"):
        ask("judge(model=m,endpoint=http://127.0.0.1:1/v1)")


def test_answers_that_cannot_be_kept_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache" / "judge"
    folder.mkdir(parents=True)
    (folder / "answers-1.sqlite").write_bytes(b"no database at all" * 100)
    with judge_kit.serving(right) as server:
        assert "cannot be used: file is not a database" in failing(server.judge()).message
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "file"))
        assert "cannot be kept in" in failing(server.judge()).message


def test_a_run_that_was_killed_sends_only_what_was_not_answered(tmp_path: Path) -> None:
    answered: list[str] = []

    async def noting(request: web.Request, body: dict[str, Any], number: int) -> web.StreamResponse:
        if number < 300:
            await asyncio.sleep(0.002)
        response = await right(request, body, number)
        answered.append(judge_kit.question(body)[0])
        return response

    lines = [f"a dog number{k} runs" for k in range(300)]
    (tmp_path / "c.txt").write_text("\n".join(lines))
    (tmp_path / "r.txt").write_text("a dog runs\n" * 300)
    with judge_kit.serving(noting) as server:
        command = [
            sys.executable,
            "-m",
            "storymeter",
            "score",
            "c.txt",
            "-r",
            "r.txt",
            "-m",
            server.judge(parallel=4),
        ]
        process = subprocess.Popen(command, cwd=tmp_path, env=os.environ, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 120
        while len(answered) < 60 and time.monotonic() < until and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        first = len(answered)
        assert 60 <= first < 300
        subprocess.run(command, cwd=tmp_path, env=os.environ, check=True, capture_output=True, timeout=120)
    assert set(answered) == set(lines)
    assert len(answered) - 300 <= 4, "asked twice: at most what was under way"


def test_judges_survive_a_notebook() -> None:
    """A notebook has an event loop running already."""

    async def cell(name: str) -> list[float]:
        return ask(name)

    with judge_kit.serving(right) as server:
        assert asyncio.run(cell(server.judge())) == VALUES
    assert Judge("m", "http://127.0.0.1:1/v1") == Judge("m", "http://127.0.0.1:1/v1")
