"""Where the material that is not part of the project lies, and which tests can run here.

Tests on real data ask for the fixtures `data` and `golden`, tests in a browser for `browser`; tests that need
another program are marked `needs("java")` or `needs("postgresql")`. Where one of these is absent, one of its
tests skips and says how many others were left out and how to run them. Tests of optional parts name the
packages they need in `PARTS`; where a part is not installed its tests are not collected, and a line says so.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# a busy machine makes nothing wrong: only what a test asserts may fail it
settings.register_profile(
    "storymeter", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("storymeter")

# Ray runs its workers at nice 15, so that on a busy machine a run of seconds takes minutes
os.environ.setdefault("RAY_worker_niceness", "0")

ROOT = Path(__file__).resolve().parents[1]


#: fixture -> (environment variable, what lies there)
REAL = {
    "data": ("STORYMETER_DATA", "real captions, stories and ratings"),
    "golden": ("STORYMETER_GOLDEN", "values that the original tools gave for them"),
}
#: what a test needs -> the programs of which one must be on the path or in a folder, and Debian's package
PROGRAMS = {
    "browser": (("chromium", "chromium-browser", "google-chrome"), "chromium"),
    "java": (("java",), "default-jre-headless"),
    "postgresql": (("/usr/lib/postgresql",), "postgresql"),
}
#: optional part -> a package of it, and the tests that are about that part alone
PARTS = {
    "neural": ("torch", ["unit/models/test_encoder.py", "unit/models/test_packed.py"]),
    "human": (
        "starlette",
        ["browser", "faults/human", "unit/human", "unit/cli/test_thin_verbs.py", "unit/meta/test_words.py"],
    ),
    "judge": (
        "aiohttp",
        ["unit/judge", "faults/test_judge_endpoint.py", "unit/stress/test_oath.py"],
    ),
    "ray": (
        "ray",
        ["unit/engine/test_cluster.py", "unit/engine/test_shards.py", "faults/test_shards_killed.py"],
    ),
}
#: the files that take longest are begun first, so that no process is left with one of them at the end
LONGEST = [
    "browser/test_human.py",
    "unit/test_docs.py",
    "unit/story/test_training.py",  # and all of NEURAL
    "faults/test_shards_killed.py",
    "unit/engine/test_shards.py",
    "faults/human/test_kill.py",
    "unit/judge/test_real_server.py",
    "compat/test_pycocoevalcap.py",
    "unit/human/test_verbs.py",
    "unit/test_site.py",
]
#: tests that load torch and transformers, which takes seconds: one process runs them all
NEURAL = (
    "compat/test_harnesses.py",
    "golden/test_figures.py",
    "golden/test_semantic_pins.py",
    "unit/engine/test_languages.py",
    "unit/judge/test_local.py",
    "unit/pairs/test_align.py",
    "unit/pairs/test_facts.py",
    "unit/pairs/test_semantic.py",
    "unit/story/",
    "unit/test_doctests.py",
    "unit/models/",
    "unit/text/",
)
MISSING = [part for part, (package, _) in PARTS.items() if importlib.util.find_spec(package) is None]
collect_ignore = [name for part in MISSING for name in PARTS[part][1]]


def _folder(name: str) -> Path:
    return Path(os.environ.get(REAL[name][0], ROOT.parent / "shared" / name))


def _absent() -> dict[str, str]:
    """What tests need and is not here, and what to do about it."""
    folders = {
        name: f"on {what}: {_folder(name)} is not there; set {variable} to the folder"
        for name, (variable, what) in REAL.items()
        if not _folder(name).is_dir()
    }
    programs = {
        name: f"that need {package}: it is not installed; apt-get install {package}"
        for name, (commands, package) in PROGRAMS.items()
        if not any(shutil.which(command) or Path(command).is_dir() for command in commands)
    }
    return folders | programs


def pytest_report_header() -> list[str]:
    return [
        f"part {part!r} is not installed: no tests of it (pip install 'storymeter[{part}]')"
        for part in MISSING
    ]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"needs(name): another program, one of {', '.join(PROGRAMS)}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of several processes each runs whole files, and one of them all of `NEURAL`."""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            inside = nodeid.removeprefix("tests/").startswith(NEURAL)
            return "neural" if inside else super()._split_scope(nodeid)

    return Together(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest files first; of the tests that need what is not here, all but the first are left out."""
    first = {ROOT / "tests" / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: first.get(item.path, len(first)))
    for name, reason in _absent().items():
        needy = [
            item
            for item in items
            if name in getattr(item, "fixturenames", ())
            or any(name in mark.args for mark in item.iter_markers("needs"))
        ]
        for item in needy[:1]:
            item.add_marker(pytest.mark.skip(f"{len(needy)} tests {reason} to run them"))
        config.hook.pytest_deselected(items=needy[1:])
        out = set(needy[1:])
        items[:] = [item for item in items if item not in out]


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: looking through them again and again for garbage is in vain."""
    gc.freeze()
    gc.set_threshold(10_000)


@pytest.fixture(scope="session")
def data() -> Path:
    """Real data: `STORYMETER_DATA`, default `../shared/data`."""
    return _folder("data")


@pytest.fixture(scope="session")
def golden() -> Path:
    """Values made by the original tools: `STORYMETER_GOLDEN`, default `../shared/golden`."""
    return _folder("golden")


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
