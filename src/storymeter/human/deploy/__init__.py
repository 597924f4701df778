"""A campaign on a server of its own: files for a container, a PostgreSQL and a proxy with automatic HTTPS.

The folder holds a backup of the campaign. When the containers start for the first time, the campaign is
restored from it into PostgreSQL; afterwards it lives there, and `human backup` inside the container copies it
out."""

import os
import re
import secrets
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ... import __version__
from ...errors import UsageError
from ..campaign.backup import backup
from ..campaign.record import Folder, private

FILES = ("Containerfile", "compose.yaml", "Caddyfile", "nginx.conf")
#: the user of the containers where the backup was made by root
USER = 10001
_HOST = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+\Z")


def deploy(folder: Folder, out: Path, host: str, *, admin: bool = False) -> list[Path]:
    """Write the files for a server that the world knows as `host`; gives what was written."""
    if not _HOST.match(host):
        raise UsageError(
            f"{host!r} is not the name of a server.", hint="Give the name alone: --host study.example.org"
        )
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty.", hint="Give a new folder; nothing is overwritten.")
    out.mkdir(parents=True, exist_ok=True)
    backup(folder, out / "backup")
    pages = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 (no markup, and every value is checked above)
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    values = {"host": host, "clips": str(folder.clips), "version": __version__, "admin": admin}
    for name in FILES:
        private(out / name, pages.get_template(f"{name}.jinja").render(values).encode(), mode=0o644)
    owner = _owner(out / "backup")
    private(out / ".env", f"POSTGRES_PASSWORD={secrets.token_hex(24)}\nOWNER={owner}\n".encode())
    return [out / name for name in (*FILES, ".env")]


def _owner(folder: Path) -> int:
    """The user who may read the backup, and as whom the containers run: its owner. Root gives it away: then
    no container runs as root, either.
    """
    if not hasattr(os, "getuid"):  # Windows: files in a container have no owner
        return USER
    if os.getuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, USER, USER)
        return USER
    return os.getuid()
