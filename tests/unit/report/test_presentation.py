"""Every kind of result finds its presenter, also as the first result of a process."""

from __future__ import annotations

from importlib import import_module

import pytest

from storymeter.report import present, render
from storymeter.report.presentation import _MODULES, present_all


@pytest.mark.parametrize(("kind", "module"), _MODULES.items())
def test_the_module_of_a_kind_presents_it(kind: str, module: str) -> None:
    """Importing this module alone is what a fresh process does."""
    name = f"storymeter.report.{module}"
    import_module(name)
    known = [*present.registry.items(), *present_all.registry.items()]
    assert any(one.__name__ == kind and found.__module__ == name for one, found in known)


@pytest.mark.parametrize("nothing", [[], (), {}])
def test_no_results_are_presented_as_nothing(nothing: object) -> None:
    shown = present(nothing)
    assert shown.title == "Nothing" and render(shown) == "\n"
