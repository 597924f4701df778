"""The package as it was at an earlier commit, built beside the present one, so that a benchmark can run both
by turns.

    command, environment = python(built("HEAD~1"))
    subprocess.run([*command, "-c", "import storymeter; ..."], env=environment)
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def built(revision: str) -> Path:
    """The folder that the commit's package was installed into; built on first use, kept in build/before."""
    commit = _git("rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
    folder = ROOT / "build" / "before" / commit
    if not folder.is_dir():
        print(f"building {commit[:7]} beside this one ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as source:
            with tarfile.open(fileobj=BytesIO(_git("archive", commit))) as archive:
                archive.extractall(source, filter="data")
            made = folder.with_suffix(".part")
            install = ["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade"]
            subprocess.run([sys.executable, *install, "--target", str(made), source], check=True)
            made.rename(folder)
    return folder


def python(folder: Path | None) -> tuple[list[str], dict[str, str]]:
    """Command and environment of a Python that imports the package from there (None: the present one)."""
    paths = [path for path in sys.path if path and Path(path) != Path(__file__).parent]
    if folder is None:
        return [sys.executable], {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    # without site, where an editable installation of the present one would come first
    return [sys.executable, "-S"], {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *paths])}


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True).stdout
