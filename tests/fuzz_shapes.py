"""Structural mutations of `shape_files`: every caption that is still whole comes out, or an error.

    python tests/fuzz_shapes.py 100000 [SEED]

A mutation drops, renames, doubles or retypes a key, cuts a row or nests a container. A fault is an outcome
without an error in which a text that stands in the file as a caption is missing, another text is a
caption, or a caption that the mutation did not touch has another id or other times.
"""

from __future__ import annotations

import copy
import csv
import gzip
import io
import json
import lzma
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from shape_files import GOLD, Shape, shapes, workbook

from storymeter.errors import StorymeterError
from storymeter.formats import Problem, examine
from storymeter.formats.zipped import sheet_rows

Step = str | int
WORDS = ("zz", "caption", "gt", "text", "foo_bar", "video_id", "start", "answer", "")
PACKED: dict[str, Any] = {".gz": gzip, ".xz": lzma}
GOLDEN = frozenset(GOLD.values())


def _paths(value: Any, at: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in items:
        yield from _paths(child, (*at, step))


def _get(value: Any, at: tuple[Step, ...]) -> Any:
    for step in at:
        value = value[step]
    return value


def mutate(value: Any, draw: random.Random) -> tuple[Any, str, set[str]]:
    """A changed copy, what was done, and the texts of the part that was touched."""
    value = copy.deepcopy(value)
    paths = list(_paths(value))
    at = draw.choice(paths)
    node = _get(value, at)
    kind = draw.choice(("drop", "rename", "retype", "nest", "cut"))
    if not at:
        kind = "nest"
    parent = _get(value, at[:-1]) if at else None
    around = next((n for n in range(len(at) - 1, -1, -1) if any(texts_of(_get(value, at[:n])))), 0)
    touched = set(texts_of(_get(value, at[: min(around, max(0, len(at) - 2))])))
    if kind == "drop":
        del parent[at[-1]]
    elif kind == "rename" and isinstance(parent, dict):
        name = draw.choice((*WORDS, f"{at[-1]}x"))
        if name in parent:
            return value, "nothing", set()
        renamed = {(name if key == at[-1] else key): child for key, child in parent.items()}
        parent.clear()
        parent.update(renamed)
    elif kind == "cut" and isinstance(node, list) and node:
        touched |= set(texts_of(node))
        del node[draw.randrange(len(node)) :]
    elif kind == "nest":
        nested = draw.choice(([node], {"zz": node}, {"results": node}, [[node]]))
        if not at:
            return nested, f"nest {type(nested).__name__} at the top", touched
        parent[at[-1]] = nested
    else:
        parent[at[-1]] = draw.choice((7, None, True, "MUTANT", 3.5, [], {}, ["MUTANT"], [1, 2]))
    return value, f"{kind} at {at}", touched


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(child)


def mutate_all(value: Any, draw: random.Random) -> tuple[Any, str]:
    """A changed copy in which a field is renamed or dropped in every record."""
    value = copy.deepcopy(value)
    objects = [node for at in _paths(value) if isinstance(node := _get(value, at), dict)]
    counts = Counter(name for each in objects for name in each)
    names = [name for name, count in counts.items() if count > 1]
    if not names:
        return value, "nothing"
    old, new = draw.choice(names), draw.choice((*WORDS, None))
    if new in counts:
        return value, "nothing"
    for each in objects:
        if old in each:
            renamed = {(new if key == old else key): child for key, child in each.items()}
            each.clear()
            each.update({key: child for key, child in renamed.items() if key is not None})
    return value, f"{'rename' if new is not None else 'drop'} {old!r} everywhere"


def mutate_table(rows: list[list[Any]], draw: random.Random) -> tuple[list[list[Any]], str, set[str]]:
    rows = copy.deepcopy(rows)
    n = draw.randrange(len(rows))
    row = rows[n]
    k = draw.randrange(len(row))
    kind = draw.choice(("cell", "rename", "cut", "drop", "double", "column"))
    touched = {str(cell) for cell in row} if n else {str(cell) for each in rows for cell in each}
    if kind == "cell":
        del row[k]
    elif kind == "rename":
        row[k] = draw.choice((*WORDS, f"{row[k]}x"))
        touched.add(row[k])
    elif kind == "cut":
        del row[k:]
    elif kind == "drop":
        del rows[n]
        touched = {str(cell) for each in rows for cell in each} if n == 0 else touched
    elif kind == "double":
        rows.insert(n, list(row))
    elif all(len(each) > k for each in rows):
        for each in rows:
            del each[k]
        return rows, f"drop column {k}, row 0", touched
    return rows, f"{kind} at row {n}, cell {k}", touched


def mutate_lines(text: str, draw: random.Random) -> tuple[str, str, set[str]]:
    """Lines of a text: one dropped, doubled, cut, joined with the next, or led by another sign."""
    lines = text.splitlines()
    n = draw.randrange(len(lines))
    old = lines[n]
    kind = draw.choice(("drop", "double", "cut", "join", "sign", "blank", "indent", "remark", "ends"))
    if kind == "drop":
        del lines[n]
    elif kind == "double":
        lines.insert(n, old)
    elif kind == "cut":
        lines[n] = old[: draw.randrange(len(old) + 1)]
    elif kind == "join" and n + 1 < len(lines):
        lines[n : n + 2] = [old + " " + lines[n + 1]]
        old += "\n" + "\n".join(text.splitlines()[n + 1 : n + 2])
    elif kind == "sign":
        lines[n] = re.sub(r"\t|: |, |\| ?| ", draw.choice(("\t", " ", ", ", ": ", "|", "")), old, count=1)
    elif kind == "blank":
        lines.insert(n, "")
    elif kind == "indent":
        lines[n] = "  " + old
    elif kind == "remark":
        lines.insert(n, "# made by zz")
    end = "\r\n" if kind == "ends" else "\n"
    return end.join(lines) + end, f"{kind} at line {n + 1}", {old, lines[n] if n < len(lines) else ""}


def double_key(text: str, draw: random.Random) -> str:
    """A key of some object twice, with another value the first time."""
    places = [i for i, char in enumerate(text) if char == "{" and text[i + 1 : i + 2] == '"']
    if not places:
        return text
    at = draw.choice(places)
    key = text[at + 1 : text.index('"', at + 2) + 1]
    return f"{text[: at + 1]}{key}: 7, {text[at + 1 :]}"


Variant = tuple[bytes, str, set[str], list[str]]


def variants(shape: Shape, draw: random.Random) -> Variant | None:
    """A mutated file: its bytes, what was done, what was touched, and all texts that stand in it."""
    packed = next((module for end, module in PACKED.items() if shape.name.endswith(end)), None)
    if packed is None:
        return _variant(shape.name, shape.data, draw)
    made = _variant(shape.name.rpartition(".")[0], packed.decompress(shape.data), draw)
    return made and (packed.compress(made[0]), *made[1:])


def _variant(name: str, data: bytes, draw: random.Random) -> Variant | None:
    if name.endswith(".xlsx"):
        cells, done, touched = mutate_table(sheet_rows(data), draw)
        return workbook(cells), done, touched, [str(cell) for row in cells for cell in row]
    text = data.decode("utf-8-sig")
    if name.endswith((".json", ".jsonl")):
        return _variant_of_json(text, name.endswith(".jsonl"), draw)
    if name.endswith((".csv", ".tsv")):
        return _variant_of_table(text, _delimiter(name), draw)
    text, done, touched = mutate_lines(text, draw)
    return text.encode(), done, touched, text.splitlines()


def _variant_of_json(text: str, lines: bool, draw: random.Random) -> Variant | None:
    value = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    if (way := draw.random()) < 0.05:
        return double_key(text, draw).encode(), "double a key", set(), list(texts_of(value))
    if way < 0.3:
        value, done = mutate_all(value, draw)
        touched = set(texts_of(value))
    else:
        value, done, touched = mutate(value, draw)
    if lines and not (isinstance(value, list) and all(isinstance(each, dict | list) for each in value)):
        return None
    data = "".join(json.dumps(each) + "\n" for each in value) if lines else json.dumps(value)
    return data.encode(), done, touched, list(texts_of(value))


def _variant_of_table(text: str, delimiter: str, draw: random.Random) -> Variant:
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    if draw.random() < 0.3:  # the same cells between other signs
        done, touched = "other signs", set[str]()
    else:
        rows, done, touched = mutate_table(rows, draw)
    if draw.random() < 0.3:
        delimiter = draw.choice(",;\t|")
    end = draw.choice(("\n", "\r\n"))
    quoting = draw.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    listed = [cell for row in rows for cell in row]
    return out.getvalue().encode(), f"{done}, {delimiter!r}, {end!r}", touched, listed


def texts_in(shape: Shape) -> list[str]:
    """The texts of a file before it was changed."""
    return _texts_in(shape.name, shape.data)


@cache
def _texts_in(name: str, data: bytes) -> list[str]:
    for end, module in PACKED.items():
        if name.endswith(end):
            data, name = module.decompress(data), name.removesuffix(end)
    if name.endswith(".xlsx"):
        return [str(cell) for row in sheet_rows(data) for cell in row]
    text = data.decode("utf-8-sig")
    if name.endswith(".jsonl"):
        return [each for line in text.splitlines() for each in texts_of(json.loads(line))]
    if name.endswith(".json"):
        return list(texts_of(json.loads(text)))
    if name.endswith((".csv", ".tsv")):
        return [cell for row in csv.reader(io.StringIO(text), delimiter=_delimiter(name)) for cell in row]
    return text.splitlines()


def _delimiter(name: str) -> str:
    return ";" if "semicolon" in name else "\t" if name.endswith(".tsv") else ","


def blind(problem: Problem) -> bool:
    """Does an error name neither a place, nor what was found, nor a way out?"""
    return (
        problem.code not in ("empty-file", "reversed")
        and problem.where == "$"
        and not any(sign in problem.text for sign in ("'", '"', "`", "--", "found"))
    )


def fault(path: Path, shape: Shape, done: str, touched: set[str], listed: list[str]) -> str:
    """What is wrong with the outcome; nothing where all is well."""
    try:
        reading = examine(path, role=shape.role, kind=shape.kind)
    except StorymeterError as error:
        return "" if path.name in f"{error} {error.hint}" else f"names no file: {error}"
    if reading.errors:
        dark = [problem.text for problem in reading.errors if blind(problem)]
        return f"a bare error: {dark[0]}" if dark else ""
    found = [(d.id, c.text, c.start, c.end) for d in reading.corpus for c in d.captions]
    texts = [caption[1] for caption in found]
    made = ("MUTANT", "x", *WORDS)
    if isinstance(shape.expected, str):
        known = {*texts_in(shape), *listed, *made}
        strange = [t for t in texts if t not in known and not any(t in each for each in texts_in(shape))]
        return f"no text of the file: {strange[0]!r}" if strange else ""
    expected = {(id, *caption) for id, captions in shape.expected for caption in captions}
    words = {caption[1] for caption in expected}
    wide = "everywhere" in done or "row 0" in done
    if wide and texts and all(not text or (" " in text and text in texts_in(shape)) for text in texts):
        return ""  # another field may be the text now, or the id
    shifted = {
        text for text in touched if reading.problems
    }  # a cell less in a row of a sheet, with a warning
    for text in sorted(words - shifted if shape.name.endswith(".xlsx") else words):
        if not any(text in each for each in texts) and _whole(text, listed, shape):
            return f"lost: {text!r}"
    for caption in found:
        if caption[1] in made or any(
            caption[1] in text or (len(text) > 5 and text in caption[1]) for text in touched if text
        ):
            continue
        if caption[1] not in words:
            return f"not a caption: {caption[1]!r}"
        if caption not in expected:
            return f"changed: {caption}"
    for caption in found:
        strange = not wide and caption[1] not in (*words, *made)
        if strange and not any(
            caption[1].startswith(w)
            or w.startswith(caption[1].strip())
            or ("sign" in done and w.endswith(caption[1]))  # `b2Two men …`
            for w in words
        ):
            return f"not a caption, though near: {caption[1]!r}"
    return ""


def _whole(text: str, listed: list[str], shape: Shape) -> bool:
    """Does a text stand in the changed file as often as before?"""
    if shape.name.endswith(".txt"):
        lines = [line for line in texts_in(shape) if text in line]
        return bool(lines) and all(line in listed for line in lines)
    return text in listed and listed.count(text) >= texts_in(shape).count(text)


def run(count: int, seed: int = 0) -> list[str]:
    """The faults of so many mutations."""
    draw = random.Random(seed)
    usable = shapes()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            shape = draw.choice(usable)
            variant = variants(shape, draw)
            if variant is None:
                continue
            data, done, touched, listed = variant
            path = Path(folder) / shape.name
            path.write_bytes(data)
            try:
                wrong = fault(path, shape, done, touched, listed)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                shown = repr(listed if data.startswith((b"PK", b"\x1f", b"\xfd")) else data)
                faults.append(f"{shape.name}: {done}: {wrong}\n    {shown[:1500]}")
    return faults


if __name__ == "__main__":
    number, start = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    problems = run(number, start)
    sys.stdout.write("\n".join([*problems[:60], f"{len(problems):,} faults in {number:,} mutations", ""]))
    raise SystemExit(bool(problems))
