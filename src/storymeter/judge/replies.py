"""A chat completion as it comes over the wire, believed only as far as it fits."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from .address import Address
from .scales import Token

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
