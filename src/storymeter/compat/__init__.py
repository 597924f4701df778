"""Drop-in replacements for the scripts that captioning is evaluated with: change one line, keep the code.

    import storymeter.compat
    storymeter.compat.install()                     # from here on `import pycocoevalcap` means ours

    from pycocoevalcap.eval import COCOEvalCap      # no Java, no subprocess, the same numbers

`python -m storymeter.compat script.py …` does the same for a script that stays as it is. Without `install`
the modules can be named: `from storymeter.compat.pycocoevalcap.meteor.meteor import Meteor`. Beside them
stand `storymeter.compat.densevid` (the ActivityNet scripts, PDVC's and VidChapters' calls) and
`storymeter.compat.soda`.

>>> from storymeter.compat import installed
>>> installed()
False
"""

import importlib
import pkgutil
import sys
import warnings
from types import ModuleType

from ..errors import StorymeterWarning

#: what is replaced, and by which package below this one
REPLACED = {"pycocoevalcap": f"{__name__}.pycocoevalcap"}
_before: dict[str, ModuleType] = {}

__all__ = ["install", "installed", "uninstall"]


def __dir__() -> list[str]:
    return __all__


def install() -> None:
    """From here on, in this process, `import pycocoevalcap` (and every module below it) means ours.

    Names that were imported from the original before stay the original's; a warning says so.
    """
    for theirs, ours in REPLACED.items():
        loaded = {name: module for name, module in sys.modules.items() if _below(name, theirs)}
        if loaded.get(theirs) is sys.modules.get(ours, loaded):
            continue  # installed already
        if any(hasattr(module, "__file__") and module.__file__ for module in loaded.values()):
            warnings.warn(
                f"{theirs} was imported before storymeter.compat.install(); objects that were imported from"
                " it before are still the original ones. Call install() first.",
                StorymeterWarning,
                stacklevel=2,
            )
        _before.update(loaded)
        for name in loaded:
            del sys.modules[name]
        for module in _package(ours):
            sys.modules[theirs + module.__name__.removeprefix(ours)] = module


def uninstall() -> None:
    """`import pycocoevalcap` means the original again."""
    for theirs, ours in REPLACED.items():
        for name in [name for name in sys.modules if _below(name, theirs)]:
            if sys.modules[name].__name__.startswith(ours):
                del sys.modules[name]
    sys.modules.update(_before)
    _before.clear()


def installed() -> bool:
    """Whether `import pycocoevalcap` means ours."""
    return all(
        theirs in sys.modules and sys.modules[theirs].__name__ == ours for theirs, ours in REPLACED.items()
    )


def _below(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _package(name: str) -> list[ModuleType]:
    """The package and every module below it, imported."""
    package = importlib.import_module(name)
    found = pkgutil.walk_packages(package.__path__, f"{name}.")
    return [package, *(importlib.import_module(module.name) for module in found)]
