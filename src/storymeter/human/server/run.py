"""Start the real server: in the foreground for `serve`, in a process of its own for rehearsals."""

import contextlib
import gc
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from ...errors import MissingPartError, StorymeterError, UsageError
from ..campaign.record import Folder


def listen(host: str, port: int) -> socket.socket:
    """A bound socket, so that the address is known (port 0: any free one) before anything is said."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(2048)
    except OSError as error:
        sock.close()
        raise UsageError(
            f"Cannot listen on {host}:{port}: {error.strerror}.",
            hint="Choose another --port (0 takes any free one).",
        ) from None
    return sock


def where_token(folder: Folder) -> str:
    """The admin token for a person at a terminal. For anything else, such as the log of a container, the file
    that holds it, which its owner alone can read.
    """
    if all(stream is not None and stream.isatty() for stream in (sys.stdout, sys.stderr)):
        return folder.secrets.admin_token
    return f"in {folder.token_file()}"


def need_server() -> None:
    """Whether the parts that serve a campaign are installed; said before anything else is."""
    try:
        import uvicorn  # noqa: F401

        from . import app  # noqa: F401
    except ImportError:
        raise MissingPartError.extra("Serving a campaign", "human") from None


def serve(
    folder: Folder,
    sock: socket.socket,
    *,
    admin_anywhere: bool = False,
    admin: socket.socket | None = None,
    proxies: Sequence[str] = (),
    watch: float | None = None,
) -> None:
    """Serve until interrupted. `admin` is a second, local socket to which the dashboard is then confined;
    forwarding headers are believed only when they come from `proxies`."""
    need_server()
    import uvicorn

    from .app import Connection, create_app, make_room

    if watch is not None:
        folder.campaign = msgspec.structs.replace(folder.campaign, watch=watch)
    port = None if admin is None else int(admin.getsockname()[1])
    app = create_app(folder, admin_anywhere=admin_anywhere, admin_port=port)
    make_room()
    # what is here now stays: the collector need not look through it again and again while raters wait
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_keep_alive=75,
        timeout_graceful_shutdown=5,
    )
    with contextlib.suppress(
        KeyboardInterrupt
    ):  # Ctrl-C is how a server is stopped; it has finished what it was at
        uvicorn.Server(config).run(sockets=[sock] if admin is None else [sock, admin])


@contextlib.contextmanager
def in_background(folder: Path, *, port: int = 0, watch: float | None = None) -> Iterator[str]:
    """The same server in its own process, on 127.0.0.1; gives its address and ends it afterwards."""
    process, url = start(folder, port=port, watch=watch)
    try:
        yield url
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def start(
    folder: Path, *, port: int = 0, watch: float | None = None, more: Sequence[str] = ()
) -> tuple[subprocess.Popen[bytes], str]:
    """Start `storymeter human serve` and wait until it answers."""
    if not port:
        with listen("127.0.0.1", 0) as probe:
            port = int(probe.getsockname()[1])
    command = [
        sys.executable,
        "-m",
        "storymeter",
        "human",
        "serve",
        str(folder),
        "--port",
        str(port),
        "--quiet",
        *more,
    ]
    command += [] if watch is None else ["--watch", str(watch)]
    url = f"http://127.0.0.1:{port}"
    # a file, not a pipe: nobody reads on, and a server that fills a pipe waits for ever
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        try:
            _wait(process, url, said)
        except BaseException:
            process.kill()
            process.wait()
            raise
    return process, url


def _wait(process: subprocess.Popen[bytes], url: str, said: BinaryIO) -> None:
    """Until the server answers; an error with what it said where it does not."""
    for _ in range(2400):
        if process.poll() is not None:
            said.seek(0)
            hint = said.read().decode(errors="replace").strip()
            raise StorymeterError(f"The server did not start (exit {process.returncode}).", hint=hint)
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(url + "/", timeout=5).close()  # noqa: S310  (our own address)
            return
        time.sleep(0.05)
    raise StorymeterError(
        "The server did not answer within two minutes.", hint="Start it by hand: storymeter human serve DIR"
    )
