"""constraints.txt with the hashes of all files of each version, as the package index states them.

    python tools/lock.py [--index URL]

Writes constraints.lock, for `pip install --require-hashes --no-deps --requirement constraints.lock`: pip then
installs no file whose bytes are not those that were published when the lock was written. Files for all
platforms and versions of Python are listed. Run it after every change of constraints.txt."""

from __future__ import annotations

import argparse
import re
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r'href="[^"#]*/([^"#/]+)#sha256=([0-9a-f]{64})"')
_HEAD = "# written by tools/lock.py from constraints.txt and the package index: do not edit\n"


def plain(name: str) -> str:
    """The name as indexes write it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def hashes(page: str, name: str, version: str) -> list[str]:
    """Of all files of this version: wheels, and the source where there is no wheel."""
    wheels, sources = set(), set()
    for file, digest in _LINK.findall(page):
        stem = unquote(file)
        if stem.endswith(".whl"):
            found, its, *_ = stem.split("-")
            if (plain(found), its) == (plain(name), version):
                wheels.add(digest)
        elif stem.endswith((".tar.gz", ".zip")):
            found, _, its = re.sub(r"\.(tar\.gz|zip)$", "", stem).rpartition("-")
            if (plain(found), its) == (plain(name), version):
                sources.add(digest)
    return sorted(wheels or sources)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--index", default="https://pypi.org/simple", help="address of the package index")
    index = parser.parse_args().index.rstrip("/")
    pins = re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)

    def locked(pin: tuple[str, str]) -> str:
        name, version = pin
        request = urllib.request.Request(f"{index}/{plain(name)}/", headers={"Accept": "text/html"})
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                found = hashes(reply.read().decode(), name, version)
        except urllib.error.URLError as error:
            raise SystemExit(f"{index}/{plain(name)}/ cannot be read: {error}") from None
        if not found:
            raise SystemExit(f"{index} has no file of {name} {version}.")
        return f"{name}=={version}" + "".join(f" \\\n    --hash=sha256:{one}" for one in found) + "\n"

    with ThreadPoolExecutor(8) as pool:
        lines = list(pool.map(locked, pins))
    (ROOT / "constraints.lock").write_text(_HEAD + "".join(lines))
    sys.stderr.write(f"constraints.lock: {len(lines)} packages\n")


if __name__ == "__main__":
    main()
