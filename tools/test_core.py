"""The test suite on the core alone: no torch, no Starlette, no Ray, no other extra.

    python tools/test_core.py [--dependencies newest|oldest] [pytest options]

Makes an empty virtual environment, installs the project without extras and what the tests need, and runs the
tests; those of optional parts are not selected. `oldest` takes the lowest version that pyproject.toml
allows of every dependency."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = [
    "pytest>=8",
    "pytest-timeout>=2.3",
    "pytest-xdist>=3.7",
    "hypothesis>=6.100",
    "setuptools>=70.1",
    "snowballstemmer==2.2.0",
]


def dependencies() -> list[str]:
    """The core's requirements, as pyproject.toml lists them."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    if block is None:
        raise SystemExit("pyproject.toml has no list of dependencies.")
    return re.findall(r'"([^"]+)"', block[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--dependencies", choices=["newest", "oldest"], default="newest")
    given, options = parser.parse_known_args()
    wanted = dependencies()
    if given.dependencies == "oldest":
        wanted = [name.replace(">=", "==") for name in wanted]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = str(Path(folder) / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted, *TESTS], check=True)
        subprocess.run([*pip, "--no-deps", str(ROOT)], check=True)
        subprocess.run([python, "-m", "pip", "list", "--format", "freeze"], check=True)
        tests = [python, "-m", "pytest", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
        sys.exit(subprocess.run([*tests, *options], cwd=ROOT).returncode)


if __name__ == "__main__":
    main()
