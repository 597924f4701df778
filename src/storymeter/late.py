"""Names that load on first use (PEP 562), so that a program pays only for those that it asks for.

__getattr__, __dir__ = late(__name__, {"Bleu": "bleu"})     # in a package: `from package import Bleu` imports
                                                            package.bleu then
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Mapping
from typing import Any


def late(
    package: str, names: Mapping[str, str], rooms: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The two functions for a package whose `names` live in the given modules below it; `rooms` are
    subpackages that need no import of their own. `dir` lists the names alone."""

    def attribute(name: str) -> Any:
        if name in names:
            return getattr(importlib.import_module(f".{names[name]}", package), name)
        if name in rooms:
            return importlib.import_module(f".{name}", package)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return attribute, lambda: sorted(names)
