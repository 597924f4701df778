"""Deny by default: response headers, framing rules per route, requests from elsewhere, guessing, and the
admin's session.
"""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..campaign import Secrets

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "::1", "localhost", "testclient")
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


_DEFAULT = policy().encode()


class Headers:
    """Puts the security headers on every answer. A route that may be framed sets its own policy; others get
    the strict one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                extra = list(_FIXED)
                if b"content-security-policy" not in present:
                    extra += [
                        (b"content-security-policy", _DEFAULT),
                        (b"x-frame-options", b"DENY"),
                        (b"cross-origin-opener-policy", b"same-origin"),
                    ]
                if b"cache-control" not in present:
                    extra.append((b"cache-control", b"no-store"))
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        await self.app(scope, receive, sending)


def same_origin(request: Request) -> bool:
    """Did this POST come from our own page? Browsers say so; a client that is no browser has nobody's session
    to abuse.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


class Limiter:
    """How many failures an address may have per minute before it has to wait: guessing tokens does not
    pay.
    """

    def __init__(self, most: int = 30, window: float = 60.0) -> None:
        self.most, self.window = most, window
        self._failures: OrderedDict[str, list[float]] = OrderedDict()

    def blocked(self, who: str) -> bool:
        times = self._failures.get(who)
        if times is None:
            return False
        edge = time.monotonic() - self.window
        times[:] = [t for t in times if t > edge]
        if not times:
            self._failures.pop(who, None)
        return len(times) >= self.most

    def failed(self, who: str) -> None:
        self._failures.setdefault(who, []).append(time.monotonic())
        self._failures.move_to_end(who)
        while len(self._failures) > 10_000:
            self._failures.popitem(last=False)


class AdminGate:
    """The organiser's door: the token, a cookie of twelve hours, and by default only this machine."""

    HOURS = 12

    def __init__(self, secrets: Secrets, *, anywhere: bool = False, hosts: Iterable[str] = LOOPBACK) -> None:
        self._secrets, self._anywhere, self._hosts = secrets, anywhere, tuple(hosts)

    def near(self, request: Request) -> bool:
        """On this machine, under a local name (so that neither a proxy nor another site's name leads
        here).
        """
        if self._anywhere:
            return True
        client = request.client.host if request.client else ""
        host = urlsplit("//" + request.headers.get("host", "")).hostname or ""
        forwarded = any(name in request.headers for name in ("x-forwarded-for", "forwarded", "x-real-ip"))
        return client in self._hosts and host in (*self._hosts, "testserver") and not forwarded

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
