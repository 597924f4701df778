"""The worked example in a module's docstring is its specification, and runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import storymeter
from storymeter.errors import MissingPartError

#: programs, the compiled module, and what stands in for a package only on another path
NO_MODULES = ("__main__", "._native", ".migrations", ".compat.children.")


def _modules() -> list[str]:
    found = pkgutil.walk_packages(storymeter.__path__, "storymeter.", onerror=lambda name: None)
    return sorted(m.name for m in found if not any(part in m.name for part in NO_MODULES))


@pytest.mark.parametrize("name", _modules())
def test_docstring(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except (ImportError, MissingPartError) as error:
        pytest.skip(f"an optional part is not installed: {error}")
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
