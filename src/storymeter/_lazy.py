"""Names that load on first use (PEP 562), so that a program pays only for those that it asks for.

__getattr__, __dir__ = late(__name__, {"Bleu": "bleu"})     # in a package: `from package import Bleu` imports
                                                            package.bleu then
"""

import importlib
import sys
import warnings
from collections.abc import Callable, Collection, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def late(
    package: str,
    names: Mapping[str, str],
    rooms: Collection[str] = (),
    renamed: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The two functions for a package whose `names` live in the given modules below it; `rooms` are
    subpackages that need no import of their own, `renamed` the names of the release before, with those of
    today. `dir` lists the names alone."""

    def attribute(name: str) -> Any:
        if renamed and name in renamed:
            warnings.warn(f"{package}.{name} is {renamed[name]} now.", DeprecationWarning, stacklevel=2)
            name = renamed[name]
        if name in names:
            return getattr(importlib.import_module(f".{names[name]}", package), name)
        if name in rooms:
            return importlib.import_module(f".{name}", package)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return attribute, lambda: sorted(names)


class Moved:
    """Imports of modules that documents named by another path in the release before: they still work."""

    def __init__(self, moved: Mapping[str, str]) -> None:
        self.moved = moved

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in self.moved else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        new = self.moved[module.__name__]
        warnings.warn(f"{module.__name__} is {new} now.", DeprecationWarning, stacklevel=2)
        module.__dict__.update(vars(importlib.import_module(new)) | {"__name__": module.__name__})


def moved(modules: Mapping[str, str]) -> None:
    """Let these modules be imported by their old path, too, with a DeprecationWarning."""
    sys.meta_path.insert(0, Moved(modules))
