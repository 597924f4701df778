"""Compiling METEOR's source data into the file that `meteor.load` maps.

The file is written beside its place, synced and renamed, under a lock; so a process that dies in between
leaves nothing that is read, and of eight that start at once one compiles. Where the directory cannot be
written, the file goes to the system's temporary directory, and a warning says so.

The source data (function words, abbreviations, WordNet synsets, irregular forms, paraphrases) is no part of
Storymeter: it is read from the installed package `pycocoevalcap`, which is never imported, or from the folder
that `STORYMETER_METEOR_DATA` names. The folder holds either `meteor-1.5.jar` and `data/paraphrase-en.gz`, or
the same files unpacked: `function/english.words`, `nonbreaking/english.prefixes`, `synonym/english.synsets`,
`synonym/english.exceptions` and `data/paraphrase-en.gz`."""

import hashlib
import os
import tempfile
import warnings
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import filelock

from .. import _native
from ..cache import CACHE, METEOR_DATA as DATA
from ..errors import DataError, MissingPartError, StorymeterWarning
from ..files import atomic
from ..progress import Progress, silent

_LOCK_SECONDS = 120.0
#: opens a compiled file; None where it is not sound
Open = Callable[["str | os.PathLike[str]"], "_native.MeteorTables | None"]
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


def compile_into(file: str, mapped: Open, progress: Progress) -> _native.MeteorTables:
    """Compile under a lock; whoever waited for it finds the file ready. The temporary directory is the second
    choice.
    """
    path = Path(file)
    lists_and_paraphrases()  # missing data is reported before anything is written
    user = getattr(os, "getuid", lambda: "user")()
    second = Path(tempfile.gettempdir()) / f"storymeter-{user}" / path.name
    problem: Exception | None = None
    for place in (path, second):
        if place is second and _private(second.parent) and (tables := mapped(second)):
            return tables
        try:
            return _compile_locked(place, mapped, progress)
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


def _compile_locked(path: Path, mapped: Open, progress: Progress) -> _native.MeteorTables:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(str(path) + ".lock", timeout=_LOCK_SECONDS)
    with suppress(filelock.Timeout):  # a stuck neighbour: compile as well; the rename decides
        lock.acquire()
    try:
        ready = mapped(path)
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
    made = mapped(path)
    if made is None:
        raise DataError(f"{path} is not what was just written to it.", hint="Check the disk.")
    return made


def compiled(progress: Progress = silent) -> memoryview:
    """The bytes of the table, made from the source data."""
    read_list, paraphrases = lists_and_paraphrases()
    compiler, digest = _native.MeteorCompiler(), hashlib.sha256()
    unzip, size = zlib.decompressobj(wbits=31), paraphrases.stat().st_size
    try:
        with paraphrases.open("rb") as file:
            while piece := file.read(1 << 18):
                digest.update(piece)
                compiler.paraphrases(unzip.decompress(piece))
                progress("compiling METEOR's tables (once)", file.tell(), size)
        if not unzip.eof:
            raise DataError(f"{paraphrases} is truncated.", hint="Install pycocoevalcap again.")
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
