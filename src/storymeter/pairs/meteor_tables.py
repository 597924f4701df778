"""METEOR's word lists, compiled once into one file that every later start maps into memory.

The lists (function words, abbreviations, WordNet synsets, irregular forms, paraphrases) are no part of
Storymeter: they are read from the installed package `pycocoevalcap`, which is never imported, or from the
folder that `STORYMETER_METEOR_DATA` names. The folder holds either `meteor-1.5.jar` and
`data/paraphrase-en.gz`, or the same files unpacked: `function/english.words`, `nonbreaking/english.prefixes`,
`synonym/english.synsets`, `synonym/english.exceptions` and `data/paraphrase-en.gz`.

The compiled file (55 MB) lies in `STORYMETER_CACHE`, by default the user's cache directory. It is written
beside its place, synced and renamed, under a lock; so a process that dies in between leaves nothing that is
read, and of eight that start at once one compiles. Every start checks version, size and a checksum of all
bytes, which takes some milliseconds; a file that fails is made anew. Where the directory cannot be written,
the file goes to the system's temporary directory, and a warning says so."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _native
from ..errors import DataError, MissingPartError, StorymeterWarning
from ..files import cache_folder

if TYPE_CHECKING:
    from ..metric import Progress

DATA = "STORYMETER_METEOR_DATA"
CACHE = "STORYMETER_CACHE"
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
_LOCK_SECONDS = 120.0

_loaded: dict[tuple[str, str], _native.MeteorTables] = {}


def load(progress: Progress | None = None) -> _native.MeteorTables:
    """The tables, mapped; compiled first where there is no sound file yet. Once per process."""
    key = os.environ.get(DATA, ""), os.environ.get(CACHE, "")
    if key not in _loaded:
        _loaded[key] = _find(progress or _silent)
    return _loaded[key]


def _silent(what: str, done: int, total: int) -> None: ...


def _find(progress: Progress) -> _native.MeteorTables:
    name = f"meteor-{_native.METEOR_TABLE_VERSION}{_source_key()}.table"
    path = cache_folder() / name
    return _mapped(path) or _compile_into(path, progress)


def _source_key() -> str:
    """Data from a folder of the user's gets a file of its own, and another one when it changes."""
    folder = os.environ.get(DATA)
    if not folder:
        return ""
    import hashlib

    facts = [str(Path(folder).resolve())]
    for name in (JAR, PARAPHRASES, *LISTS):
        path = Path(folder) / name
        if path.is_file():
            facts.append(f"{name} {path.stat().st_size} {path.stat().st_mtime_ns}")
    return "-" + hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]


def _mapped(path: Path) -> _native.MeteorTables | None:
    """The tables in this file, or None where it is absent or not sound."""
    import mmap

    try:
        with path.open("rb") as file:
            return _native.MeteorTables(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):  # TableError and an empty file are ValueErrors
        return None


def _compile_into(path: Path, progress: Progress) -> _native.MeteorTables:
    """Compile under a lock; whoever waited for it finds the file ready. The temporary directory is the second
    choice.
    """
    import tempfile
    import warnings

    _lists_and_paraphrases()  # missing data is reported before anything is written
    user = getattr(os, "getuid", lambda: "user")()
    second = Path(tempfile.gettempdir()) / f"storymeter-{user}" / path.name
    problem: Exception | None = None
    for place in (path, second):
        if place is second and _private(second.parent) and (tables := _mapped(second)):
            return tables
        try:
            return _compile_locked(place, progress)
        except (OSError, DataError) as error:
            problem = problem or error
            if place is path:
                warnings.warn(
                    f"METEOR's compiled tables cannot be kept in {path.parent} ({error}); using"
                    f" {second.parent} instead. Set {CACHE} to a folder that can be written.",
                    StorymeterWarning,
                    stacklevel=2,
                )
    raise DataError(
        f"METEOR's compiled tables can be kept neither in {path.parent} nor in {second.parent}: {problem}",
        hint=f"Set {CACHE} to a folder with 60 MB of free space that can be written.",
    )


def _private(folder: Path) -> bool:
    """Whether the folder is ours alone, so that nobody else can put a file under the name we read."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
    except OSError:
        return False
    return (
        folder.is_dir()
        and not folder.is_symlink()
        and facts.st_uid == getattr(os, "getuid", lambda: facts.st_uid)()
    )


def _compile_locked(path: Path, progress: Progress) -> _native.MeteorTables:
    from contextlib import suppress

    import filelock

    from ..files import atomic

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(str(path) + ".lock", timeout=_LOCK_SECONDS)
    with suppress(filelock.Timeout):  # a stuck neighbour: compile as well; the rename decides
        lock.acquire()
    try:
        ready = _mapped(path)
        if ready:
            return ready
        for abandoned in path.parent.glob(f".{path.name}.*"):  # of a process that was killed
            with suppress(OSError):
                abandoned.unlink()
        with atomic(path) as file:
            file.write(compiled(progress))
    finally:
        with suppress(OSError):
            Path(lock.lock_file).unlink()
        lock.release()
    made = _mapped(path)
    if made is None:
        raise DataError(f"{path} is not what was just written to it.", hint="Check the disk.")
    return made


def compiled(progress: Progress = _silent) -> memoryview:
    """The bytes of the table, made from the source data."""
    import hashlib
    import zlib

    read_list, paraphrases = _lists_and_paraphrases()
    compiler, digest = _native.MeteorCompiler(), hashlib.sha256()
    unzip = zlib.decompressobj(wbits=31)
    try:
        for piece, done, total in _pieces(paraphrases):
            digest.update(piece)
            compiler.paraphrases(unzip.decompress(piece))
            progress("compiling METEOR's tables (once)", done, total)
        if not unzip.eof:
            raise DataError(f"{paraphrases} is cut short.", hint="Install pycocoevalcap again.")
        for name, method in LISTS.items():
            content = read_list(name)
            digest.update(content)
            getattr(compiler, method)(content)
        return compiler.finish(digest.hexdigest()).data
    except (zlib.error, _native.SourceError) as error:
        raise DataError(
            f"METEOR's data in {paraphrases.parents[1]} cannot be used: {error}.",
            hint="Install pycocoevalcap again.",
        ) from None


def word_list(name: str) -> bytes:
    """One of METEOR's small lists as it lies in its data: `synonym/english.synsets`, say."""
    return _lists_and_paraphrases()[0](name)


def _pieces(path: Path, size: int = 1 << 18) -> Iterator[tuple[bytes, int, int]]:
    total, done = path.stat().st_size, 0
    with path.open("rb") as file:
        while piece := file.read(size):
            done += len(piece)
            yield piece, done, total


def _lists_and_paraphrases() -> tuple[Callable[[str], bytes], Path]:
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
