"""The proxy files of `human deploy` in the real programs: they are read, and raters come through."""

from __future__ import annotations

import contextlib
import http.client
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from human_kit import Folder, start

from storymeter.human.deploy import deploy
from storymeter.human.server.run import listen

HOST = "study.example.org"
Ask = Callable[..., tuple[int, bytes]]


def free_port() -> int:
    with listen("127.0.0.1", 0) as probe:
        return int(probe.getsockname()[1])


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@pytest.fixture
def caddy() -> str:
    return program("caddy")


@pytest.fixture
def nginx() -> tuple[str, str]:
    return program("nginx"), program("openssl")


class _Connection(http.client.HTTPSConnection):
    """HTTPS to this machine under the study's name; who signed the certificate does not matter here."""

    def connect(self) -> None:
        context = ssl._create_unverified_context()
        plain = socket.create_connection(("127.0.0.1", self.port), 30)
        self.sock = context.wrap_socket(plain, server_hostname=HOST)


def asker(port: int) -> Ask:
    def ask(method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        connection = _Connection(HOST, port)
        try:
            connection.request(method, path, body, {"Host": HOST})
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    return ask


@pytest.fixture
def site(tmp_path: Path, study: Folder) -> Iterator[tuple[Path, int]]:
    """The files, and the port of a study that is served as they ask for."""
    deploy(study, tmp_path / "out", HOST)
    port = free_port()
    more = ["--public-url", f"https://{HOST}", "--proxy", "127.0.0.1", "--admin-port", str(free_port())]
    process, _ = start(study.path, port=port, more=more)
    try:
        yield tmp_path / "out", port
    finally:
        process.kill()
        process.wait()


def visited(command: list[str], port: int, links: list[str], log: Path) -> None:
    """Run the proxy and look at the study through it."""
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file)
    ask = asker(port)
    try:
        for _ in range(600):
            assert process.poll() is None, log.read_text()
            try:
                ask("GET", "/")
                break
            except OSError:
                time.sleep(0.1)
        assert ask("GET", "/")[0] == 200
        status, page = ask("GET", links[0])
        assert status == 200 and b"<form" in page, "a rater gets through"
        assert ask("POST", links[0] + "/begin")[0] == 303
        assert b'"next"' in ask("GET", links[0] + "/item")[1]
        for path in ("/admin", "/admin/login", "/admin/export/jsonl"):
            assert ask("GET", path)[0] == 404, "the dashboard is not for the world"
        # cut off by the proxy or by the server, whichever is first to have enough; then it goes on
        with contextlib.suppress(OSError):
            assert ask("POST", links[0] + "/answer", bytes(80_000))[0] in (413, 502)
        assert ask("GET", links[0])[0] == 303
    finally:
        process.kill()
        process.wait()


def test_caddy(caddy: str, site: tuple[Path, int], tmp_path: Path, links: list[str]) -> None:
    folder, server = site
    written, port = (folder / "Caddyfile").read_text(), free_port()
    assert f"{HOST} {{\n" in written and "reverse_proxy server:8000" in written
    # the study's file as it is, but on ports of this test and with a certificate of its own
    own = written.replace(f"{HOST} {{\n", f"https://{HOST}:{port} {{\n\ttls internal\n")
    own = own.replace("server:8000", f"127.0.0.1:{server}")
    options = ("admin off", "skip_install_trust", "auto_https disable_redirects")
    options = (*options, f"storage file_system {tmp_path}/ca")
    (tmp_path / "Caddyfile").write_text("{\n" + "".join(f"\t{one}\n" for one in options) + "}\n" + own)
    for path in (folder / "Caddyfile", tmp_path / "Caddyfile"):
        checked = subprocess.run(
            [caddy, "adapt", "--validate", "--adapter", "caddyfile", "--config", str(path)],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert checked.returncode == 0, checked.stderr
    command = [caddy, "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    visited(command, port, links, tmp_path / "caddy.log")


def test_nginx(nginx: tuple[str, str], site: tuple[Path, int], tmp_path: Path, links: list[str]) -> None:
    (proxy, openssl), (folder, server) = nginx, site
    written, port = (folder / "nginx.conf").read_text(), free_port()
    key = ["-keyout", str(tmp_path / "privkey.pem"), "-out", str(tmp_path / "fullchain.pem")]
    request = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}"]
    subprocess.run([*request, *key], check=True, capture_output=True, timeout=120)
    own = written.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    own = own.replace(f"/etc/letsencrypt/live/{HOST}/", f"{tmp_path}/").replace(
        "127.0.0.1:8000", f"127.0.0.1:{server}"
    )
    assert own.count(str(tmp_path)) == 2 and str(server) in own
    temporary = "".join(
        f"{name}_temp_path {tmp_path}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; pid {tmp_path}/nginx.pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; {temporary}\n{own}\n}}\n"
    )
    command = [proxy, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, timeout=120)
    assert checked.returncode == 0, checked.stderr
    visited(command, port, links, tmp_path / "nginx.log")


@pytest.mark.parametrize("trusted", [True, False])
def test_forwarding_headers_are_believed_only_from_a_proxy_that_was_named(
    study: Folder, trusted: bool
) -> None:
    """Behind it, one rater's guesses slow down nobody else; without it, invented addresses help nobody."""
    process, url = start(study.path, more=["--proxy", "127.0.0.1"] if trusted else [])
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)

    def guess(number: int, address: str) -> int:
        connection.request("GET", f"/r/{number:032d}", headers={"X-Forwarded-For": address})
        reply = connection.getresponse()
        reply.read()
        return reply.status

    try:
        codes = [guess(k, "192.0.2.1" if trusted else f"192.0.2.{k}") for k in range(40)]
        assert codes[0] == 404 and codes[-1] == 429
        assert guess(99, "192.0.2.99") == (404 if trusted else 429)
    finally:
        connection.close()
        process.kill()
        process.wait()
