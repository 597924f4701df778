"""`storymeter.stats` is a door: a few names that load on first use."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import storymeter.stats as stats

NAMES = {"bootstrap_interval", "holm", "paired_bootstraps", "paired_permutations", "pearson", "williams"}


def test_the_door_shows_what_it_exports() -> None:
    assert set(stats.__all__) == NAMES
    assert dir(stats) == list(stats.__all__)
    for name in stats.__all__:
        assert callable(getattr(stats, name))


def test_no_module_bears_an_exported_name() -> None:
    assert not NAMES & {module.name for module in pkgutil.iter_modules(stats.__path__)}


def test_williams_comes_through_the_door() -> None:
    from storymeter.stats import williams

    assert round(williams(0.9, 0.8, 0.7, 20).p, 12) == 0.093898339429


def test_nothing_loads_before_it_is_used() -> None:
    code = (
        "import sys, storymeter.stats; print([m for m in sys.modules if m.startswith('storymeter.stats.')])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
