"""Install the core of Storymeter from this folder into a virtual environment, and say what took how long.

    python tools/install_core.py .venv

Nothing but the core's dependencies, scikit-build-core and nanobind is downloaded; CMake and Ninja too where
they are not installed. `make demo` calls it; `make test` installs the rest on top of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from test_core import dependencies

ROOT = Path(__file__).resolve().parents[1]
BUILD = ["scikit-build-core>=0.10", "nanobind>=2.4"]


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def main(folder: str) -> None:
    parts: list[tuple[str, float]] = []
    python = str(Path(folder) / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    tools = [name for name in ("cmake", "ninja") if shutil.which(name) is None]

    def part(name: str, *commands: list[str]) -> None:
        say(f"{name} ...")
        begin = time.monotonic()
        for command in commands:
            subprocess.run(command, check=True)
        parts.append((name, time.monotonic() - begin))

    if not Path(python).exists():
        part("environment", [sys.executable, "-m", "venv", folder])
    part("download", [*pip, *constraints, *BUILD, *tools, *dependencies()])
    part("compile", [*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)])
    total = sum(seconds for _, seconds in parts)
    listed = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in parts)
    say(f"Installed in {total:.0f} s: {listed}.")


if __name__ == "__main__":
    os.environ["PATH"] = f"{Path(sys.argv[1]).resolve() / 'bin'}{os.pathsep}{os.environ['PATH']}"
    main(sys.argv[1])
