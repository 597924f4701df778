"""The original SPICE, where the user has it: its jar run once for a whole batch of captions.

`spice(engine=java)` looks for the jars in the folder that `jars=` or the variable STORYMETER_SPICE names:
`spice-*.jar` and, beside it in `lib`, what it needs, above all Stanford CoreNLP 3.6.0 with its models.
Nothing of it is shipped here, and nothing is downloaded. The program reads `[{"image_id", "test", "refs"}]`
and writes `[{"image_id", "scores": {"All": {"f"}, "Object": …}}]`; both go through files of a temporary
folder. It runs in a process group of its own: when `deadline` seconds have passed, or the user stops us, the
whole group is ended."""

import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..errors import DataError, MissingPartError, StorymeterError
from ..models.checkpoints import weights_hash

VARIABLE = "STORYMETER_SPICE"
#: seconds
DEADLINE = 3600.0
#: our names of the categories, and the program's
NAMES = {
    "all": "All",
    "object": "Object",
    "attribute": "Attribute",
    "relation": "Relation",
    "colour": "Color",
    "size": "Size",
    "cardinality": "Cardinality",
}
#: the program serialises parses by reflection, which Java forbids since version 16; older ones do not read
#: this variable
_OPEN = " ".join(
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in ("java.lang", "java.math", "java.net", "java.text", "java.util", "java.util.concurrent")
)
_HINT = (
    f"Point {VARIABLE} (or jars=) at the folder with spice-1.0.jar and its lib; spice(engine=rules) needs no"
    " Java."
)


class Item(NamedTuple):
    candidate: str
    references: tuple[str, ...]


class OriginalSpice:
    """The program, found and checked; `score` runs it."""

    def __init__(self, jars: str = "", deadline: float = DEADLINE) -> None:
        self.deadline = deadline
        java = shutil.which("java")
        if java is None:
            raise MissingPartError(
                "spice(engine=java) needs Java, and there is no `java` on the path.",
                hint="Install a Java runtime (8 or newer), or use spice(engine=rules).",
            )
        self.java = java
        self.jar = find_jar(jars or os.environ.get(VARIABLE, ""))

    @property
    def label(self) -> str:
        return f"{self.jar.name}#{weights_hash(self.jar)[:8]}"

    def score(self, items: Sequence[Item], jobs: int = 1) -> FloatArray:
        """(items, categories): F1 in the order of `NAMES`; NaN where neither side has a fact of that
        category.
        """
        if not items:
            return np.empty((0, len(NAMES)))
        with tempfile.TemporaryDirectory(prefix="storymeter-spice-") as folder:
            source, target = Path(folder, "in.json"), Path(folder, "out.json")
            source.write_text(
                json.dumps(
                    [
                        {"image_id": k, "test": item.candidate, "refs": list(item.references)}
                        for k, item in enumerate(items)
                    ]
                ),
                encoding="utf-8",
            )
            said = self._run(
                [
                    self.java,
                    "-Xmx8G",
                    "-jar",
                    str(self.jar),
                    str(source),
                    "-out",
                    str(target),
                    "-threads",
                    str(jobs),
                    "-subset",
                    "-silent",
                ],
                folder,
            )
            if not target.is_file():
                raise DataError("SPICE ended without a message and wrote no scores." + said, hint=_HINT)
            return _parsed(target, len(items))

    def _run(self, command: Sequence[str], folder: str) -> str:
        """Runs to the end, or to the deadline; what it said, for messages."""
        log = Path(folder, "log")
        surroundings = {
            **os.environ,
            "JDK_JAVA_OPTIONS": f"{os.environ.get('JDK_JAVA_OPTIONS', '')} {_OPEN}".strip(),
        }
        with log.open("wb") as file:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                cwd=self.jar.parent,
                env=surroundings,
                start_new_session=True,
            )
            try:
                code = process.wait(self.deadline)
            except subprocess.TimeoutExpired:
                raise StorymeterError(
                    f"SPICE was stopped after {self.deadline:,.0f} seconds without a result.",
                    hint="Give it longer (deadline=7200), or fewer captions.",
                ) from None
            finally:
                _end(process)
        said = _last_words(log)
        if "edu/stanford/nlp" in said or "edu.stanford.nlp" in said:
            raise MissingPartError(
                "SPICE cannot find Stanford CoreNLP 3.6.0 or its models." + said,
                hint=(
                    "Put stanford-corenlp-3.6.0.jar and stanford-corenlp-3.6.0-models.jar into"
                    f" {self.jar.parent / 'lib'}."
                ),
            )
        if code:
            raise DataError(f"SPICE failed (exit code {code})." + said, hint=_HINT)
        return said


def find_jar(folder: str) -> Path:
    if not folder:
        raise MissingPartError(
            "spice(engine=java) runs the original program, which is not part of Storymeter.", hint=_HINT
        )
    place = Path(folder).expanduser()
    found = sorted(place.glob("spice-*.jar")) if place.is_dir() else []
    if not found:
        raise MissingPartError(f"There is no spice-*.jar in {folder!r}.", hint=_HINT)
    return found[-1].resolve()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Nothing of the process group is left behind, and it is waited for."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()


def _last_words(log: Path, most: int = 300) -> str:
    """The line that says what went wrong, for a message: the first that names an exception or error, else the
    last.
    """
    lines = [
        line.strip()
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip() and not line.startswith("NOTE: Picked up")
    ]
    told = next(
        (line for line in lines if "Exception" in line or "Error" in line), lines[-1] if lines else ""
    )
    return f" It said: {told[:most]}" if told else ""


def _parsed(target: Path, count: int) -> FloatArray:
    out = np.full((count, len(NAMES)), np.nan)
    try:
        seen = set()
        for row in json.loads(target.read_text(encoding="utf-8")):
            seen.add(number := int(row["image_id"]))
            if not 0 <= number < count:
                raise ValueError(f"image_id {number}")
            for column, name in enumerate(NAMES.values()):
                out[number, column] = _f(row["scores"], name)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"What SPICE wrote cannot be read ({type(error).__name__}: {error}).",
            hint="Is it the original spice-1.0.jar?",
        ) from None
    if len(seen) != count:
        raise DataError(
            f"SPICE was asked for {count:,} captions and answered for {len(seen):,}.",
            hint="Is it the original spice-1.0.jar?",
        )
    out[:, 0] = np.nan_to_num(out[:, 0], nan=0.0)
    return out


def _f(scores: Mapping[str, Mapping[str, Any]], name: str) -> float:
    """The program writes null or NaN where there was nothing to compare; only `All` must be there."""
    value = scores["All"]["f"] if name == "All" else scores.get(name, {}).get("f")
    number = math.nan if value is None else float(value)
    if not (math.isnan(number) or 0 <= number <= 1):
        raise ValueError(f"{name} is {number}")
    return number
