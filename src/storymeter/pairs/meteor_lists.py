"""METEOR's source data: function words, abbreviations, WordNet synsets, irregular forms, paraphrases.

The lists are no part of Storymeter: they are read from the installed package `pycocoevalcap`, which is never
imported, or from the folder that `STORYMETER_METEOR_DATA` names. The folder holds either `meteor-1.5.jar` and
`data/paraphrase-en.gz`, or the same files unpacked: `function/english.words`, `nonbreaking/english.prefixes`,
`synonym/english.synsets`, `synonym/english.exceptions` and `data/paraphrase-en.gz`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from ..errors import DataError, MissingPartError
from .meteor_tables import DATA

JAR = "meteor-1.5.jar"
PARAPHRASES = "data/paraphrase-en.gz"
#: inside the jar, with the compiler's method that reads each
LISTS = {
    "function/english.words": "function_words",
    "nonbreaking/english.prefixes": "prefixes",
    "synonym/english.synsets": "synsets",
    "synonym/english.exceptions": "exceptions",
}
_HINT = (
    f"Install it: pip install pycocoevalcap (or let {DATA} name a folder that holds {JAR} and {PARAPHRASES})."
)


def fingerprint() -> str:
    """Changes when a file of the source data changes."""
    folder = _source_folder()
    facts = [str(folder.resolve())]
    for name in (JAR, PARAPHRASES, *LISTS):
        path = folder / name
        if path.is_file():
            facts.append(f"{name} {path.stat().st_size} {path.stat().st_mtime_ns}")
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]


def word_list(name: str) -> bytes:
    """One of METEOR's small lists as it lies in its data: `synonym/english.synsets`, say."""
    return lists_and_paraphrases()[0](name)


def lists_and_paraphrases() -> tuple[Callable[[str], bytes], Path]:
    """A reader of the small lists, and where the paraphrases lie."""
    folder = _source_folder()
    paraphrases, jar = folder / PARAPHRASES, folder / JAR
    unpacked = all((folder / name).is_file() for name in LISTS)
    if not paraphrases.is_file() or not (unpacked or jar.is_file()):
        lacking = PARAPHRASES if jar.is_file() or unpacked else JAR
        raise MissingPartError(f"METEOR's data is not complete: {folder} lacks {lacking}.", hint=_HINT)
    if unpacked:
        return lambda name: (folder / name).read_bytes(), paraphrases
    return lambda name: _from_jar(jar, name), paraphrases


def _from_jar(jar: Path, name: str) -> bytes:
    import zipfile

    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.read(name)
    except (zipfile.BadZipFile, KeyError) as error:
        raise DataError(f"{jar} holds no {name}: {error}.", hint="Install pycocoevalcap again.") from None


def _source_folder() -> Path:
    chosen = os.environ.get(DATA)
    if chosen:
        return Path(chosen)
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution("pycocoevalcap")
    except PackageNotFoundError:
        raise MissingPartError(
            "METEOR needs the word lists of the package pycocoevalcap, which is not installed.", hint=_HINT
        ) from None
    return Path(str(found.locate_file("pycocoevalcap/meteor")))
