"""Structural mutations of `shape_files`: every caption that is still whole comes out, or an error.

    python tests/fuzz_shapes.py 100000 [SEED]

A mutation drops, renames, doubles or retypes a key, cuts a row or nests a container. A fault is an outcome
without an error in which a text that stands in the file as a caption is missing, another text is a
caption, or a caption that the mutation did not touch has another id or other times.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from shape_files import Shape, shapes

from storymeter.errors import StorymeterError
from storymeter.formats import examine

Step = str | int
WORDS = ("zz", "caption", "gt", "text", "foo_bar", "video_id", "start", "answer", "")


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


def mutate_table(rows: list[list[str]], draw: random.Random) -> tuple[list[list[str]], str, set[str]]:
    rows = copy.deepcopy(rows)
    n = draw.randrange(len(rows))
    row = rows[n]
    k = draw.randrange(len(row))
    kind = draw.choice(("cell", "rename", "cut", "drop", "double"))
    touched = set(row) if n else {cell for each in rows for cell in each}
    if kind == "cell":
        del row[k]
    elif kind == "rename":
        row[k] = draw.choice((*WORDS, f"{row[k]}x"))
    elif kind == "cut":
        del row[k:]
    elif kind == "drop":
        del rows[n]
        touched = {cell for each in rows for cell in each} if n == 0 else touched
    else:
        rows.insert(n, list(row))
    return rows, f"{kind} at row {n}, cell {k}", touched


def double_key(text: str, draw: random.Random) -> str:
    """A key of some object twice, with another value the first time."""
    places = [i for i, char in enumerate(text) if char == "{" and text[i + 1 : i + 2] == '"']
    if not places:
        return text
    at = draw.choice(places)
    key = text[at + 1 : text.index('"', at + 2) + 1]
    return f"{text[: at + 1]}{key}: 7, {text[at + 1 :]}"


def variants(shape: Shape, draw: random.Random) -> tuple[bytes, str, set[str], list[str]] | None:
    """A mutated file: its bytes, what was done, what was touched, and all texts that stand in it."""
    lines = shape.name.endswith(".jsonl")
    try:
        text = shape.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if lines or shape.name.endswith(".json"):
        value = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
        if draw.random() < 0.05:
            return double_key(text, draw).encode(), "double a key", set(texts_of(value)), []
        value, done, touched = mutate(value, draw)
        if lines and not (isinstance(value, list) and all(isinstance(each, dict) for each in value)):
            return None
        listed = list(texts_of(value))
        data = "".join(json.dumps(each) + "\n" for each in value) if lines else json.dumps(value)
        return data.encode(), done, touched, listed
    if shape.name.endswith((".csv", ".tsv")):
        delimiter = _delimiter(shape)
        rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
        rows, done, touched = mutate_table(rows, draw)
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
        return out.getvalue().encode(), done, touched, [cell for row in rows for cell in row]
    return None


def texts_in(shape: Shape) -> list[str]:
    """The texts of a file before it was changed."""
    text = shape.data.decode("utf-8-sig")
    if shape.name.endswith(".jsonl"):
        return [each for line in text.splitlines() for each in texts_of(json.loads(line))]
    if shape.name.endswith(".json"):
        return list(texts_of(json.loads(text)))
    return [cell for row in csv.reader(io.StringIO(text), delimiter=_delimiter(shape)) for cell in row]


def _delimiter(shape: Shape) -> str:
    return ";" if "semicolon" in shape.name else "\t" if shape.name.endswith(".tsv") else ","


def fault(path: Path, shape: Shape, done: str, touched: set[str], listed: list[str]) -> str:
    """What is wrong with the outcome; nothing where all is well."""
    try:
        reading = examine(path, role=shape.role, kind=shape.kind)
    except StorymeterError:
        return ""
    if reading.errors or isinstance(shape.expected, str):
        return ""
    expected = {(id, *caption) for id, captions in shape.expected for caption in captions}
    words = {caption[1] for caption in expected}
    found = [(d.id, c.text, c.start, c.end) for d in reading.corpus for c in d.captions]
    texts = [caption[1] for caption in found]
    before = texts_in(shape)
    for text in words & set(listed):
        if text not in texts and listed.count(text) >= before.count(text) and "row 0" not in done:
            return f"lost: {text!r}"
    for caption in found:
        if caption[1] in ("MUTANT", *WORDS) or any(
            caption[1] in text or (len(text) > 5 and text in caption[1]) for text in touched if text
        ):
            continue
        if caption[1] not in words:
            return f"not a caption: {caption[1]!r}"
        if caption not in expected:
            return f"changed: {caption}"
    for caption in found:
        strange = "row 0" not in done and caption[1] not in words and caption[1] not in ("MUTANT", *WORDS)
        if strange and not any(caption[1].startswith(word) for word in words):
            return f"not a caption, though near: {caption[1]!r}"
    return ""


def run(count: int, seed: int = 0) -> list[str]:
    """The faults of so many mutations."""
    draw = random.Random(seed)
    usable = [
        shape for shape in shapes() if shape.read and not shape.name.endswith((".gz", ".xz", ".xlsx", ".txt"))
    ]
    faults = []
    made = 0
    with tempfile.TemporaryDirectory() as folder:
        while made < count:
            shape = draw.choice(usable)
            variant = variants(shape, draw)
            if variant is None:
                made += 1
                continue
            made += 1
            data, done, touched, listed = variant
            path = Path(folder) / shape.name
            path.write_bytes(data)
            try:
                wrong = fault(path, shape, done, touched, listed)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                faults.append(f"{shape.name}: {done}: {wrong}\n    {data[:1500]!r}")
    return faults


if __name__ == "__main__":
    number, start = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    problems = run(number, start)
    sys.stdout.write("\n".join([*problems[:60], f"{len(problems):,} faults in {number:,} mutations", ""]))
    raise SystemExit(bool(problems))
