"""Does the wheel hold what it should, and does it work where there is no compiler?

    python tools/check_wheel.py dist/storymeter-*.whl [--python /path/to/python]

Prints the size, checks the names of the files inside, installs the wheel into an empty virtual environment
without any extra and with no compiler on the path, runs `storymeter demo` there, and then the exactness tests
of `tests/golden` on the installed package."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
TESTS = ["test_figures.py", "test_figures_by_command.py"]
NEEDED = ["storymeter/py.typed", "storymeter/_native.pyi", "storymeter/examples/videos/good.json"]
KINDS = {
    *(".py", ".pyi", ".typed", ".so", ".pyd", ".json", ".jsonl", ".csv", ".tsv", ".txt", ".srt", ".vtt"),
    *(".png", ".webm", ".html", ".css", ".js", ".svg", ".ico", ".safetensors", ".md"),
    *(".mako", ".jinja", ".ini"),
}
LARGEST = 16 * 2**20


def contents(wheel: Path) -> list[str]:
    """Everything that is wrong with the files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    inside = [name for name in names if ".dist-info/" not in name and ".libs/" not in name]
    wrong = [f"{name} is missing" for name in NEEDED if name not in names]
    wrong += [f"{name} does not belong here" for name in inside if not name.startswith("storymeter/")]
    wrong += [f"{name} is of an unknown kind" for name in inside if PurePosixPath(name).suffix not in KINDS]
    if sum("/_native." in name and name.endswith((".so", ".pyd")) for name in inside) != 1:
        wrong.append("there is not exactly one native module")
    wrong += [f"{name} is not for users" for name in inside if "/tests/" in name or "/make_" in name]
    size = wheel.stat().st_size
    sys.stdout.write(f"{wheel.name}: {size / 2**20:.1f} MB, {len(names)} files\n")
    if size > LARGEST:
        wrong.append(f"it is larger than {LARGEST >> 20} MB")
    return wrong


def works(wheel: Path, python: str) -> None:
    """Install into an empty environment, run the demo and the exactness tests."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        subprocess.run([python, "-m", "venv", str(place / "venv")], check=True)
        programs = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
        # nothing but the environment's own programs on the path: no compiler, no CMake
        environment = {**os.environ, "PATH": str(programs), "STORYMETER_CACHE": str(place / "cache")}
        environment |= {"CC": "none", "CXX": "none", "PYTHONPATH": "", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

        def run(*arguments: str) -> None:
            subprocess.run(
                [str(programs / arguments[0]), *arguments[1:]], env=environment, check=True, cwd=place
            )

        pip = ["python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
        run(*pip, str(wheel.resolve()))
        run("storymeter", "info")
        run("storymeter", "demo", "--out", str(place / "demo"))
        run(*pip, "pytest", "pytest-timeout", "hypothesis")
        options = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", "no:cacheprovider"]
        tests = [str(ROOT / "tests" / "golden" / name) for name in TESTS]
        run("python", "-m", "pytest", *options, *tests)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", default=sys.executable, help="the Python to install it for")
    given = parser.parse_args()
    wrong = contents(given.wheel)
    if wrong:
        sys.exit("\n".join(wrong))
    works(given.wheel, given.python)
    sys.stdout.write(f"{given.wheel.name} works under {given.python}\n")


if __name__ == "__main__":
    main()
