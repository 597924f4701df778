"""Bodies of requests, read in pieces and up to a limit; `Connection` limits how long it may take."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ... import __version__
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
        raise PageError(413, "too_large")
    found = bytearray()
    try:
        async for piece in request.stream():
            found += piece
            if len(found) > LIMIT:  # chunked bodies announce no length
                raise PageError(413, "too_large")
    except ClientDisconnect:
        raise CutOffError from None
    return bytes(found)


# A route and its description in one: what Starlette needs to serve it, and what OpenAPI says of it.


Handler = Callable[[Request], Awaitable[Response]]
#: answers that any route may give
_ALWAYS = (404, 429, 503, 507)


class Endpoint(NamedTuple):
    method: str
    path: str
    handle: Handler
    summary: str
    #: the struct that its JSON body must fit
    body: type | None = None
    #: whether it takes a form
    form: bool = False
    #: statuses beside 200 and those that any route may give
    replies: tuple[int, ...] = ()
    #: whether its errors are JSON, for the script of the task page
    json: bool = False

    @property
    def route(self) -> Route:
        return Route(self.path, self.handle, methods=[self.method])


def description(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """The OpenAPI description; the schemas of the bodies are generated from their structs."""
    bodies = [one.body for one in endpoints if one.body is not None]
    schemas, components = msgspec.json.schema_components(bodies, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(bodies, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for one in endpoints:
        content: dict[str, Any] = {}
        if one.body is not None:
            content = {"application/json": {"schema": schema_of[one.body]}}
        elif one.form:
            content = {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}
        paths.setdefault(one.path, {})[one.method.lower()] = {
            "summary": one.summary,
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in re.findall(r"\{(\w+)\}", one.path)
            ],
            **({"requestBody": {"required": one.body is not None, "content": content}} if content else {}),
            "responses": {
                str(status): {"description": ""} for status in sorted({200, *_ALWAYS, *one.replies})
            },
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Storymeter human study", "version": __version__},
        "paths": paths,
        "components": {"schemas": components},
    }


# What a handler may raise instead of an answer.


class PageError(Exception):
    """An answer that is an error page: `name` picks its words from the catalogue."""

    def __init__(self, status: int, name: str) -> None:
        super().__init__(name)
        self.status, self.name = status, name


class RefusedError(Exception):
    """A body that the script of no page of ours sends: answered in JSON."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class GoneError(Exception):
    """There is no work at hand any more; `go` is where the rater is told why."""

    def __init__(self, go: str) -> None:
        super().__init__(go)
        self.go = go


class CutOffError(Exception):
    """The other side hung up in the middle of its request: there is nobody to answer."""
