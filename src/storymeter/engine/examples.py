"""Where the packaged examples lie: inside the installed package, or beside the sources of a checkout."""

from __future__ import annotations

from pathlib import Path

from ..errors import DataError


def example_folder() -> Path:
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "examples", package.parents[1] / "examples"):
        if (folder / "videos" / "good.json").is_file():
            return folder
    raise DataError("The packaged examples are missing.", hint="Reinstall storymeter.")
