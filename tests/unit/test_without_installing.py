"""`uvx` and `pipx run` with the built wheel; needs one of them, and a wheel made by `make wheel`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import storymeter

ROOT = Path(__file__).resolve().parents[2]
WHEELS = sorted((ROOT / "dist" / "repaired").glob("*.whl")) or sorted((ROOT / "dist").glob("*.whl"))


@pytest.mark.parametrize("program", ["uvx", "pipx"])
def test_the_command_runs_from_the_wheel(program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if not WHEELS:
        pytest.skip("no wheel in dist; make wheel builds one")
    how = ["uvx", "--from"] if program == "uvx" else ["pipx", "run", "--spec"]
    command = [*how, str(WHEELS[-1]), "storymeter", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert storymeter.__version__ in done.stdout
