"""Rooms have public doors: `dir()` lists the exports and nothing else, each is documented, and no module of a
room bears the name of an export (a submodule of that name would replace it when it is imported).
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import pytest

ROOMS = (
    "dense",
    "engine",
    "formats",
    "human",
    "judge",
    "meta",
    "models",
    "pairs",
    "report",
    "stats",
    "story",
    "stress",
    "text",
)
#: rooms whose docstring has an example that test_doctests.py runs
EXAMPLES = ("dense", "engine", "formats", "human", "meta", "models", "report", "story", "stress", "text")


@pytest.mark.parametrize("room", ROOMS)
def test_door(room: str) -> None:
    package = importlib.import_module(f"storymeter.{room}")
    assert dir(package) == sorted(package.__all__)
    for name in package.__all__:
        assert (getattr(package, name).__doc__ or "").strip(), f"{room}.{name} has no docstring"


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_bears_the_name_of_an_export(room: str) -> None:
    package = importlib.import_module(f"storymeter.{room}")
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)


@pytest.mark.parametrize("room", EXAMPLES)
def test_the_room_shows_an_example(room: str) -> None:
    assert ">>> " in (importlib.import_module(f"storymeter.{room}").__doc__ or "")


def test_no_module_of_the_package_bears_the_name_of_its_exports() -> None:
    package = importlib.import_module("storymeter")
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)


@pytest.mark.parametrize(
    ("old", "name"),
    [
        ("storymeter.dense.matching", "match"),
        ("storymeter.human.degrade", "degrade"),
        ("storymeter.report.full.data", "data"),
    ],
)
def test_paths_that_documents_named_before_still_work(old: str, name: str) -> None:
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=f"{old} is storymeter"):
        module = importlib.import_module(old)
    assert callable(getattr(module, name))
