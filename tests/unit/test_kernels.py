"""The C++ unit tests (native/test), built without optimisation and run by ctest."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "tests"  # kept: the next build compiles only what changed


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def built() -> Path:
    if not (shutil.which("cmake") and shutil.which("ctest")):
        pytest.skip("needs CMake and ctest")
    configured = _run(
        *("cmake", "-S", str(ROOT), "-B", str(BUILD), "-DSTORYMETER_TESTS=ON", "-DCMAKE_BUILD_TYPE=Debug")
    )
    if "doctestConfig.cmake" in configured.stderr:
        pytest.skip("needs doctest (Debian: apt-get install doctest-dev)")
    if "No CMAKE_CXX_COMPILER" in configured.stderr:
        pytest.skip("needs a C++ compiler")
    assert configured.returncode == 0, configured.stderr
    made = _run("cmake", "--build", str(BUILD))
    assert made.returncode == 0, made.stdout + made.stderr
    return BUILD


def test_every_kernel_passes_its_tests(built: Path) -> None:
    done = _run("ctest", "--test-dir", str(built), "--output-on-failure", "--no-tests=error")
    assert done.returncode == 0, done.stdout


def test_every_test_suite_is_run(built: Path) -> None:
    listed = _run(str(built / "unit_tests"), "--list-test-suites").stdout
    written = {line for line in listed.splitlines() if line and not line.startswith(("[doctest]", "="))}
    run = {
        line.split(": ")[1]
        for line in _run("ctest", "--test-dir", str(built), "-N").stdout.splitlines()
        if "#" in line
    }
    assert written and run == written
