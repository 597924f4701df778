"""Packages of optional parts that a test file needs. `pytest.importorskip` imports them while tests are
collected, which every process of a run does for every file: torch and transformers take eight seconds."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest


class Later:
    """A package that is imported when something of it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith(("_", "pytest")):  # pytest looks whether this is a fixture or a test
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)


def need(name: str, reason: str = "") -> Any:
    """The package, imported later; where it is not installed the tests of this file are skipped."""
    if importlib.util.find_spec(name) is None:
        pytest.skip(reason or f"{name} is not installed", allow_module_level=True)
    return Later(name)
