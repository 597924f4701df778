"""Any OpenAI-compatible chat endpoint: vLLM, llama.cpp, Ollama, `transformers serve`, a company's own.

A request is tried again, with growing pauses (or the one that `Retry-After` asks for), after 429, 5xx, a
broken connection, a reply that is cut, too long or no JSON; what is wrong with the request or the key is
said at once. Redirects are never followed, and a reply is read up to `LONGEST_REPLY` bytes and no further.
What a server says of its tokens is shown, and decides nothing.

The key comes from the environment alone. `STORYMETER_JUDGE_KEY` is sent to the endpoint that was named,
whichever it is; `OPENAI_API_KEY` only to api.openai.com. A key never travels unencrypted to another machine,
is never sent on to where a server redirects, and is cut out of everything a server says before anybody reads
or keeps it. A chat completion is believed only as far as it fits."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import random
import re
import urllib.request
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from ..context import Budget
from ..errors import DataError, MissingPartError, UsageError
from .prompt import Token

#: no request has more tokens; what a server claims beyond is left out of what is shown
MOST_TOKENS = 10_000_000


class UnusableError(Exception):
    """A reply that is no chat completion; the message says what it is instead."""


class Reply(NamedTuple):
    text: str
    tokens: tuple[Token, ...]
    #: as the server names it
    model: str
    tokens_in: int
    tokens_out: int


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    logprobs: Any = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: Any = None


class _Likely(msgspec.Struct):
    token: str
    logprob: float


class _Place(msgspec.Struct):
    token: str
    logprob: float
    top_logprobs: list[_Likely] = []


class _Probabilities(msgspec.Struct):
    content: list[_Place]


def read_reply(data: bytes, address: Address) -> Reply:
    try:
        found = msgspec.json.decode(data, type=_Completion)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnusableError(_instead(data)) from None
    if not found.choices:
        raise UnusableError("its reply holds no choice")
    choice = found.choices[0]
    model = " ".join(address.without_key(found.model or "").split())[:200]
    text = address.without_key(choice.message.content or "")
    return Reply(
        text,
        _tokens(choice.logprobs),
        model if model.isprintable() else "",
        _count(found.usage, "prompt_tokens"),
        _count(found.usage, "completion_tokens"),
    )


def _tokens(given: Any) -> tuple[Token, ...]:
    if given is None:
        return ()
    try:
        places = msgspec.convert(given, _Probabilities).content
    except msgspec.ValidationError:
        return ()
    return tuple(
        Token(
            place.token,
            [(place.token, place.logprob), *((each.token, each.logprob) for each in place.top_logprobs)],
        )
        for place in places
    )


def _count(usage: Any, key: str) -> int:
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and 0 <= value <= MOST_TOKENS else 0


def _instead(data: bytes) -> str:
    if not data.strip():
        return "its reply is empty"
    if data.lstrip()[:1] == b"<":
        return "its reply is a page of HTML, not JSON; an endpoint usually ends in /v1"
    return "its reply is not a chat completion in JSON"


KEY = "STORYMETER_JUDGE_KEY"
EXAMPLE = "judge(model=NAME,endpoint=http://127.0.0.1:8000/v1)"


class Address:
    def __init__(self, endpoint: str) -> None:
        if not endpoint:
            raise UsageError("The judge has no endpoint.", hint=f"Write it like {EXAMPLE}.")
        try:
            parts = urlsplit(endpoint)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            host, port, parts = "", None, urlsplit("")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise UsageError(
                "The judge's endpoint must not contain a user name, a password or a query: it is printed with"
                " scores.",
                hint=f"Set the key in the environment: {KEY}.",
            )
        if parts.scheme not in ("http", "https") or not host:
            raise UsageError(f"{endpoint[:80]!r} is not an endpoint.", hint=f"Write it like {EXAMPLE}.")
        path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
        self.host = host if port is None else f"{host}:{port}"
        bracketed = f"[{host}]" if ":" in host else host
        where = bracketed if port is None else f"{bracketed}:{port}"
        self.base = f"{parts.scheme}://{where}{path}"
        self.local = _is_local(host)
        self.key = os.environ.get(KEY, "").strip()
        if not self.key and host == "api.openai.com":
            self.key = os.environ.get("OPENAI_API_KEY", "").strip()
        if self.key and parts.scheme == "http" and not self.local:
            raise UsageError(
                f"The key in {KEY} would be sent unencrypted to {host}.",
                hint="Use https, a tunnel to 127.0.0.1, or unset the key.",
            )
        if not self.key.isascii() or not self.key.isprintable():
            raise UsageError(f"The key in {KEY} holds characters that no key has.", hint="Set it again.")

    @property
    def proxy(self) -> str | None:
        """The proxy of the environment (HTTPS_PROXY, NO_PROXY), never for this machine."""
        if self.local or urllib.request.proxy_bypass(self.host):
            return None
        return urllib.request.getproxies().get(urlsplit(self.base).scheme)

    def headers(self) -> dict[str, str]:
        """Replies are asked for as they are: a compressed one could be any size."""
        fixed = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        return {**fixed, "Authorization": f"Bearer {self.key}"} if self.key else fixed

    def without_key(self, text: str) -> str:
        return text.replace(self.key, "(key)") if self.key else text


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


ATTEMPTS = 6
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 60.0
LONGEST_REPLY = 1 << 20
#: words of a refusal, and the parameters that are called otherwise or left out after it
_OTHERWISE = {
    b"logprob": {"logprobs": "", "top_logprobs": ""},
    b"max_completion_tokens": {"max_tokens": "max_completion_tokens"},
}
_AGAIN = frozenset({408, 409, 425, 429, *range(500, 600)})


class RefusedError(Exception):
    """The endpoint does not take this one request (400, 413, 422)."""


class Endpoint:
    """Open within `async with`."""

    name = "endpoint"

    def __init__(
        self, address: Address, model: str, *, parallel: int, timeout: float, budget: Budget
    ) -> None:
        try:
            import aiohttp
        except ImportError:
            raise MissingPartError.extra("A judge at an endpoint", "judge") from None
        self._http = aiohttp
        self.address, self.model, self.budget = address, model, budget
        self.parallel, self.timeout = parallel, timeout
        #: parameters that the endpoint has refused, and what they are called there; "" leaves them out
        self.renamed: dict[str, str] = {}
        #: whether anything was ever answered
        self.answered = False
        #: set when the run ends early: what is under way is finished, nothing is tried again
        self.ending = False

    async def __aenter__(self) -> Endpoint:
        connector = self._http.TCPConnector(limit=self.parallel)
        self._session = self._http.ClientSession(
            connector=connector,
            headers=self.address.headers(),
            auto_decompress=False,
            cookie_jar=self._http.DummyCookieJar(),
        )
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._session.close()

    async def ask(self, messages: Sequence[dict[str, Any]], parameters: dict[str, Any]) -> Reply:
        """The reply to a conversation; raises `RefusedError`, or a DataError that ends the run."""
        trouble = ""
        for attempt in range(ATTEMPTS):
            taken = {self.renamed.get(key, key): value for key, value in parameters.items()}
            body: dict[str, Any] = {"model": self.model, "messages": messages, **taken}
            body.pop("", None)
            self.budget.spend()
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt) * random.uniform(0.75, 1.25)
            try:
                status, headers, data = await self._post(msgspec.json.encode(body))
                if 200 <= status < 300:
                    reply = read_reply(data, self.address)
                    self.answered = True
                    return reply
                if status in (400, 422) and self._learns(data):
                    continue
                trouble = self._said(status, headers, data)
                pause = _retry_after(headers, pause)
            except UnusableError as error:
                trouble = str(error)
            except asyncio.TimeoutError:
                trouble = f"it did not answer within {self.timeout:g} s"
            except (self._http.ClientError, OSError) as error:
                trouble = self._unreachable(error)
            if self.ending:
                break
            if attempt + 1 < ATTEMPTS:
                await self._wait(pause)
        raise DataError(
            f"The judge at {self.address.host} failed {attempt + 1} times for one request: {trouble}.",
            hint="Answers received so far are kept; run the same command again to continue.",
        )

    def _learns(self, data: bytes) -> bool:
        """Whether a refusal names a parameter that can be left out or called otherwise."""
        for word, names in _OTHERWISE.items():
            if word in data and not names.keys() <= self.renamed.keys():
                self.renamed.update(names)
                return True
        return False

    async def _post(self, body: bytes) -> tuple[int, Any, bytes]:
        url = f"{self.address.base}/chat/completions"
        limit = self._http.ClientTimeout(total=max(0.001, min(self.timeout, self.budget.left())))
        async with self._session.post(
            url, data=body, allow_redirects=False, proxy=self.address.proxy, timeout=limit
        ) as response:
            data = bytearray()
            async for block in response.content.iter_chunked(1 << 16):
                data += block
                if len(data) > LONGEST_REPLY:
                    response.close()
                    raise UnusableError(f"its reply is longer than {LONGEST_REPLY >> 20} MB")
            return response.status, response.headers, bytes(data)

    def _said(self, status: int, headers: Any, data: bytes) -> str:
        """What a status that is no success means: the trouble where it may pass, else an error."""
        if status in _AGAIN:
            return f"it answered {status}"
        host, words = self.address.host, self._words(data)
        if 300 <= status < 400:
            target = re.sub(r"[?#].*", "", self.address.without_key(str(headers.get("Location", ""))))[:100]
            raise DataError(
                f"The judge at {host} redirects to {target or 'nowhere'}; the request was not sent on.",
                hint="If you trust that address, give it as the endpoint.",
            )
        if status in (401, 403):
            have = f"refuses the key in {KEY}" if self.address.key else "asks for a key"
            raise DataError(f"The judge at {host} {have} ({status}).", hint=f"Set {KEY} in the environment.")
        if status in (404, 405):
            raise DataError(
                f"The judge at {host} has no {self.address.base}/chat/completions, or no model"
                f" {self.model!r} ({status}{words}).",
                hint="An endpoint usually ends in /v1; its models are listed at /v1/models.",
            )
        raise RefusedError(f"{status}{words}")

    def _words(self, data: bytes) -> str:
        """The message of an error, where it is one; never a page of HTML, never the key."""
        try:
            found = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return ""
        while isinstance(found, dict):
            found = found.get("error") or found.get("message") or found.get("detail")
        if not isinstance(found, str):
            return ""
        text = " ".join(self.address.without_key(found).split())
        return f": {text[:200]}" if text.isprintable() else ""

    def _unreachable(self, error: BaseException) -> str:
        if not self.answered and isinstance(error, self._http.ClientConnectorError):
            raise DataError(
                f"No server answers at {self.address.base}: is the judge's server running, and the network"
                " reachable?",
                hint="Start it, or give another endpoint; earlier answers are kept.",
            ) from None
        return f"the connection broke ({type(error).__name__})"

    async def _wait(self, pause: float) -> None:
        """Sleeps, but not past the deadline or the end of the run."""
        if pause >= self.budget.left():
            raise self.budget.late()
        while pause > 0 and not self.ending:
            await asyncio.sleep(min(pause, 0.25))
            pause -= 0.25


def _retry_after(headers: Any, pause: float) -> float:
    try:
        return min(LONGEST_PAUSE, max(0.0, float(headers.get("Retry-After", ""))))
    except ValueError:
        return pause
