"""Texts of the pages, in one file per language: `languages/<code>.json`. A new language is a new file with
the same keys.
"""

import functools
from pathlib import Path
from typing import Any

import msgspec

from ...errors import UsageError

FOLDER = Path(__file__).parent / "languages"


def languages() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json"))


@functools.cache
def words(language: str) -> dict[str, Any]:
    if language not in languages():
        raise UsageError(
            f"There are no pages in the language {language!r}.",
            hint=f"There are: {', '.join(languages())}.",
        )
    english, own = (msgspec.json.decode((FOLDER / f"{name}.json").read_bytes()) for name in ("en", language))
    return {**english, **own}
