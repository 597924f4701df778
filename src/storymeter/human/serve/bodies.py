"""Reading what a request brings: in pieces, and up to a limit. `connection` limits
how long it may take."""

from __future__ import annotations

from typing import TypeVar
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import ClientDisconnect, Request

from .errors import CutOffError, PageError, RefusedError
from .security import same_origin

#: the largest body of any request, in bytes
LIMIT = 16_384
#: the most fields of a form
FIELDS = 20
T = TypeVar("T")


async def json_body(request: Request, decoder: msgspec.json.Decoder[T]) -> T:
    """The body of a request from our own page, decoded and checked."""
    raw = await _whole(request)
    try:
        return decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise RefusedError(422, "The request cannot be read.") from None


async def form_body(request: Request) -> dict[str, str]:
    """The fields of one of our own forms."""
    raw = await _whole(request)
    try:
        return dict(parse_qsl(raw.decode(), max_num_fields=FIELDS))
    except ValueError:
        raise PageError(403, "forbidden") from None


async def _whole(request: Request) -> bytes:
    if not same_origin(request):
        raise PageError(403, "forbidden")
    size = request.headers.get("content-length", "0")
    if not (size.isascii() and size.isdecimal()) or len(size) > 12 or int(size) > LIMIT:
        raise RefusedError(413, "The request is too large.")
    found = bytearray()
    try:
        async for piece in request.stream():
            found += piece
            if len(found) > LIMIT:  # chunked bodies announce no length
                raise RefusedError(413, "The request is too large.")
    except ClientDisconnect:
        raise CutOffError from None
    return bytes(found)
