"""Where the material that is not part of the project lies; tests that need it skip with a reason where it is
absent.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# a busy machine makes nothing wrong: only what a test asserts may fail it
settings.register_profile(
    "storymeter", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("storymeter")

ROOT = Path(__file__).resolve().parents[1]


def _folder(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable, ROOT.parent / "shared" / default))


def _need(folder: Path, variable: str) -> Path:
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there (set {variable} to point at it)")
    return folder


@pytest.fixture(scope="session")
def data() -> Path:
    """Real data: `STORYMETER_DATA`, default `../shared/data`."""
    return _need(_folder("STORYMETER_DATA", "data"), "STORYMETER_DATA")


@pytest.fixture(scope="session")
def golden() -> Path:
    """Values made by the original tools: `STORYMETER_GOLDEN`, default `../shared/golden`."""
    return _need(_folder("STORYMETER_GOLDEN", "golden"), "STORYMETER_GOLDEN")


@pytest.fixture(scope="session")
def examples() -> Path:
    return ROOT / "examples"


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Call a verb as a user would: run("score", "a.json") gives the exit code, stdout and stderr. A fault of
    our own fails the test.
    """
    from storymeter.cli import TRACEBACK, main

    monkeypatch.setenv(TRACEBACK, "1")

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return int(left.value.code or 0), captured.out, captured.err

    return call
