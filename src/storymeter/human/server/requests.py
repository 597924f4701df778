"""What is let in, and what goes out: bodies up to a limit (`Connection` limits how long they may take), no
requests from elsewhere, no guessing; the admin's session; the headers of every answer, which deny by default,
with framing rules per route; a route with its description."""

import hmac
import ipaddress
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import SplitResult, parse_qsl, urlsplit

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ... import __version__
from ..campaign.record import Secrets
from ..store import LruCache

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


LOOPBACK = ("127.0.0.1", "::1", "localhost")
COOKIE = "storymeter_admin"
_FIXED = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # the address holds the rater's token: other sites must not see it
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=()"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


def policy(*, frames: str = "'none'", forms: str = "'self'") -> str:
    """The Content-Security-Policy: everything from here, nothing inline, framed by nobody unless the route
    says so.
    """
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self';"
        f" connect-src 'self'; base-uri 'none'; form-action {forms}; frame-ancestors {frames}"
    )


_STRICT = [
    *_FIXED,
    (b"content-security-policy", policy().encode()),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
]


class Headers:
    """Puts the security headers on every answer. A route that may be framed sets its own policy; others get
    the strict one. Where a request was answered before its body was read, the connection is closed after it:
    the rest is not waited for.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        unread = _has_body(scope)

        async def receiving() -> Message:
            nonlocal unread
            message = await receive()
            if not message.get("more_body", False):
                unread = False
            return message

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                present = [name for name, _ in headers]
                strict = b"content-security-policy" not in present
                headers += _FIXED if not strict else _STRICT
                if unread:
                    headers.append((b"connection", b"close"))
                if b"cache-control" not in present:
                    headers.append((b"cache-control", b"no-store"))
            await send(message)

        await self.app(scope, receiving if unread else receive, sending)


def _has_body(scope: Scope) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0 "))
        for name, value in scope["headers"]
    )


def same_origin(request: Request) -> bool:
    """Did this POST come from our own page? Browsers say so; a client that is no browser has nobody's session
    to abuse.
    """
    headers = request.headers
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is None or _split(origin).netloc == headers.get("host")


def local(request: Request) -> bool:
    """Whether the other side is this machine, as far as the connection tells."""
    return request.client is not None and request.client.host in LOOPBACK


def forwarded(request: Request) -> bool:
    """Whether a proxy says that it speaks for somebody else. Who for is believed only where uvicorn was told
    to trust that proxy: then `request.client` is the other side already."""
    return any(name in request.headers for name in ("x-forwarded-for", "forwarded", "x-real-ip", "via"))


def address(request: Request) -> str:
    """Who the other side is, as far as limits go: its address, or the first 64 bits of an IPv6 address, for
    whoever has one has all that begin so. Empty where it is not known, as behind a proxy that is not trusted.
    """
    if local(request) or request.client is None:
        return ""
    host = request.client.host
    if ":" not in host:
        return host
    try:
        found = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    return str(found.ipv4_mapped or ipaddress.IPv6Network((int(found) >> 64 << 64, 64)))


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:  # http://[
        return urlsplit("")


class Limiter:
    """How many events of one sort (wrong tokens, new raters) an address may have in a while before it has to
    wait.
    """

    def __init__(self, most: int = 30, window: float = 60.0) -> None:
        self.most, self.window = most, window
        self._times: LruCache[str, list[float]] = LruCache(10_000)

    def blocked(self, who: str) -> bool:
        times = self._times.get(who)
        if times is None:
            return False
        edge = time.monotonic() - self.window
        times[:] = [t for t in times if t > edge]
        if not times:
            self._times.forget(who)
        return len(times) >= self.most

    def count(self, who: str) -> None:
        times = self._times.get(who) or self._times.put(who, [])
        if len(times) < self.most:
            times.append(time.monotonic())


class AdminGate:
    """The organiser's door: the token, a cookie of twelve hours, and by default only this machine.

    A reverse proxy on the same machine looks like this machine. So the dashboard is refused under any name
    but a local one, to anything that says it was forwarded, and to HTTP/1.0, which proxies speak and browsers
    do not; and where the server is told of a proxy or of a public address, the dashboard has a port of its
    own that no proxy leads to."""

    HOURS = 12

    def __init__(
        self,
        secrets: Secrets,
        *,
        anywhere: bool = False,
        port: int | None = None,
    ) -> None:
        self._secrets, self._anywhere, self._port = secrets, anywhere, port

    def near(self, request: Request) -> bool:
        """On this machine, under a local name (so that neither a proxy nor another site's name leads
        here).
        """
        if self._anywhere:
            return True
        server = request.scope.get("server")
        if self._port is not None and (not server or server[1] != self._port):
            return False
        try:
            host = _split("//" + request.headers.get("host", "")).hostname or ""
        except ValueError:
            return False
        return (
            local(request)
            and host in LOOPBACK
            and not forwarded(request)
            and request.scope.get("http_version") != "1.0"
        )

    def matches(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._secrets.admin_token.encode())

    def cookie(self) -> str:
        until = str(int(time.time()) + self.HOURS * 3600)
        return f"{until}.{self._secrets.token('admin', until)}"

    def inside(self, request: Request) -> bool:
        until, _, mark = request.cookies.get(COOKIE, "").partition(".")
        if not (until.isdecimal() and until.isascii() and len(until) < 15):
            return False
        return (
            hmac.compare_digest(mark.encode(), self._secrets.token("admin", until).encode())
            and int(until) > time.time()
        )

    def form_token(self, request: Request) -> str:
        return self._secrets.token("form", request.cookies.get(COOKIE, ""))

    def form_fits(self, request: Request, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self.form_token(request).encode())
