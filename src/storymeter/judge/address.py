"""Where a judge answers, and the key that opens it: from the environment alone, and only to that host.

`STORYMETER_JUDGE_KEY` is sent to the endpoint that was named, whichever it is; `OPENAI_API_KEY` only to
api.openai.com. A key never travels unencrypted to another machine, is never sent on to where a server
redirects, and is cut out of everything a server says before anybody reads or keeps it."""

from __future__ import annotations

import ipaddress
import os
import urllib.request
from urllib.parse import urlsplit

from ..errors import UsageError

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
