"""Arguments of `evaluate` and `corpus` as corpora: paths, corpora, lists, dicts, and columns of tables.

    ["a dog runs", …]                    one caption per item; items are numbered from 1, as lines of a file
    [["a dog runs", "a dog"], …]         as references: several per item
    {"v1": "a dog runs"}                 by id; as references also {"v1": ["a dog runs", "a dog"]}
    {"v1": [Caption("a dog", 0, 4.5)]}   timed captions
    "mine.json", Path("mine.json")       files, read as the command line reads them

Columns and tables of pandas, polars, pyarrow, numpy and datasets are recognised by their methods; none of
these packages is imported. Any other value is read as if it were the content of a JSON file.

A list says nothing but an order, so it belongs to the rows of a table in memory in their order, even where
the ids of the table are numbers. The order of a file is its writer's: only lines and items numbered from 1
in order are compared with a list.
"""

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from ..captions import Caption, Corpus, Document
from ..errors import DataError, StorymeterWarning, UsageError, many
from ..formats import examine, read
from ..formats.aliases import IDS, Role, text_tier, tier
from ..formats.ids import bare_ids

#: what `evaluate` takes as candidates or references
Given = Any


def both(candidates: Given, references: Given, *, story: bool = False) -> tuple[list[Corpus], list[Corpus]]:
    """The systems and the annotators; `story`: several sentences of one candidate are a story."""
    kind = "story" if story else None
    ours, theirs = _files(candidates, "candidates", kind), _files(references, "references", kind)
    keyed = _keyed(candidates) and _keyed(references)
    mine = rows_of_columns(as_python(candidates, keyed), "candidates")
    other = rows_of_columns(as_python(references, keyed), "references")
    against = theirs if theirs is not None else _side(other, "references", story)
    if ours is not None:
        if theirs is None and other and _listed(other):
            check_numbered(ours, len(other), "references")
        return bare_ids(ours, against)
    if (named := _systems(mine, against, other)) is not None:
        systems = [
            msgspec.structs.replace(corpus, name=str(name))
            for name, given in named.items()
            for corpus in _files(given, "candidates", kind) or _side(as_python(given), "candidates", story)
        ]
        if theirs is None and other and _listed(other):
            check_numbered(systems, len(other), "references")
        return systems, against
    systems = _side(mine, "candidates", story)
    if theirs is None and against:
        if _listed(mine) and _listed(other):
            _check_lengths(systems[0], other)
        elif _rows(mine) and _listed(other):
            against = by_place(against, systems, len(mine), "references")
        elif _listed(mine) and _rows(other):
            systems = by_place(systems, against, len(other), "candidates")
        elif (_listed(mine) and isinstance(other, Mapping)) or (isinstance(mine, Mapping) and _listed(other)):
            _mixed(mine)
    elif against and _listed(mine):
        check_numbered(against, len(mine), "candidates")
    return systems, against


def as_python(value: Any, keyed: bool = False) -> Any:
    """Columns and tables of other packages as lists and dicts; `keyed`: a column with an index is a dict."""
    if isinstance(value, str | bytes | Mapping | Corpus | Document | Caption | os.PathLike | list):
        return value
    kind = type(value)
    if hasattr(kind, "columns") and hasattr(kind, "reset_index"):  # a data frame of pandas
        frame = value if _is_range(value.index) else value.reset_index()
        return frame.to_dict("records")
    if hasattr(kind, "index") and hasattr(kind, "to_dict"):  # a column of pandas
        return _by_index(value) if keyed and not _is_range(value.index) else value.tolist()
    for method in ("to_dicts", "to_pylist", "to_list", "tolist"):  # polars, pyarrow, datasets, numpy
        if hasattr(kind, method):
            return getattr(value, method)()
    return [*value] if isinstance(value, Iterable) else value


def _is_range(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex"


def _by_index(column: Any) -> dict[Any, Any]:
    if column.index.is_unique:
        return dict(column.to_dict())
    groups: dict[Any, Any] = {}
    for key, value in column.items():
        groups.setdefault(key, []).append(value)
    return groups


def _keyed(value: Any) -> bool:
    """Whether the items have ids of their own: a dict, or a column of pandas with an index."""
    if isinstance(value, Mapping):
        return True
    index = getattr(value, "index", None)
    return not isinstance(value, list | tuple | str) and hasattr(index, "is_unique") and not _is_range(index)


def _listed(value: Any) -> bool:
    """Whether the items are known by their place alone."""
    return isinstance(value, list) and all(isinstance(as_python(each), str | list | tuple) for each in value)


def _rows(value: Any) -> bool:
    """Whether it is a table: a list of records."""
    return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)


def _files(given: Given, role: Role, kind: str | None) -> list[Corpus] | None:
    """Corpora and paths, one or several; None where it is anything else."""
    if given is None:
        return []
    if isinstance(given, Corpus):
        return [given]
    if isinstance(given, str | os.PathLike):
        return [_read(given, role, kind)]
    if not isinstance(given, list | tuple):
        return None
    if all(isinstance(each, Corpus | os.PathLike) for each in given):
        return [each if isinstance(each, Corpus) else read(each, role=role, kind=kind) for each in given]
    if all(isinstance(each, str) and _is_file(each) for each in given):
        return [read(each, role=role, kind=kind) for each in given]
    if any(isinstance(each, Corpus | os.PathLike) for each in given):
        wrong = next(type(each).__name__ for each in given if not isinstance(each, Corpus | os.PathLike))
        raise UsageError(
            f"A list of files or corpora also holds a {wrong}.",
            hint="Give files and corpora alone, or texts alone.",
        )
    return None


def _is_file(text: str) -> bool:
    try:
        return "." in text and Path(text).is_file()
    except (OSError, ValueError):  # a sentence may be too long for a name, or hold a NUL
        return False


def _read(path: str | os.PathLike[str], role: Role, kind: str | None) -> Corpus:
    text = os.fspath(path)
    if isinstance(path, str) and not _is_file(path) and (" " in path.strip() and not Path(path).suffix):
        raise UsageError(
            f"{text[:60]!r} is one string: a path is expected, or a list of texts.",
            hint="Write [text], a list.",
        )
    return read(path, role=role, kind=kind)


def _side(plain: Any, role: Role, story: bool) -> list[Corpus]:
    """Texts, lists and dicts of one role as one corpus."""
    if isinstance(plain, Mapping):
        items = [(str(key), value, f"{role}[{key!r}]") for key, value in plain.items()]
    elif isinstance(plain, list):
        items = [(str(k + 1), value, f"{role}[{k}]") for k, value in enumerate(plain)]
    else:
        raise UsageError(
            f"{role} cannot be {_a(plain)}.",
            hint=f"Give a path, a corpus, a list of texts or a dict {{id: text}}: {role}=[text, …].",
        )
    if not items:
        if role == "references":
            return []
        raise UsageError("There is nothing to score.", hint="Give at least one candidate.")
    if len({id for id, _, _ in items}) < len(items):
        raise DataError(f"Two ids of the {role} are written alike.", hint="Ids are compared as text.")
    found = [_documents(id, as_python(value), role, where, story) for id, value, where in items]
    if any(documents is None for documents in found):
        return [_as_file(plain, role, story)]
    return [Corpus(tuple(document for documents in found for document in documents or ()), role)]


def _documents(id: str, value: Any, role: Role, where: str, story: bool) -> list[Document] | None:
    """The documents of one item; None where only the readers of files know what this is."""
    if isinstance(value, Document):
        return [msgspec.structs.replace(value, id=id)]
    if isinstance(value, str | Caption):
        return [Document(id, (_caption(value),))]
    if value is None or value != value:
        raise DataError(
            f"{where} is missing ({value}).", hint="Leave the item out, or write an empty text for it: ''."
        )
    if isinstance(value, tuple):
        value = [*value]
    if not isinstance(value, list):
        if isinstance(value, Mapping):
            return None
        raise UsageError(f"{where} is {_a(value)}, not a text.", hint="Captions are strings.")
    parts = [as_python(part) for part in value]
    if not parts:
        return [Document(id)]
    if all(isinstance(part, Document) for part in parts):
        return [msgspec.structs.replace(part, id=id) for part in parts]
    if all(isinstance(part, Caption) for part in parts):
        return [Document(id, tuple(parts))]
    if all(isinstance(part, str) for part in parts):
        if len(parts) > 1 and role == "candidates":
            return [_story(id, parts, where, story)]
        return [Document(id, (Caption(str(part)),)) for part in parts]
    if role == "references" and all(
        isinstance(part, list) and part and all(isinstance(text, str) for text in part) for part in parts
    ):
        return [Document(id, tuple(map(_caption, part))) for part in parts]
    if any(part is None or part != part for part in parts):
        raise DataError(f"{where} holds a missing text.", hint="Leave it out, or write an empty text: ''.")
    return None


def _caption(value: str | Caption) -> Caption:
    return value if isinstance(value, Caption) else Caption(str(value))


def _story(id: str, sentences: Sequence[str], where: str, story: bool) -> Document:
    if story:
        return Document(id, tuple(map(_caption, sentences)))
    raise UsageError(
        f"{where} holds {len(sentences)} texts, and a candidate has one.",
        hint=(
            "Sentences of one story: name a story metric (metrics=['rovist_nr']), or give captions"
            " ([storymeter.Caption(text), …]). Several systems: {name: [texts]}. References are the second"
            " argument."
        ),
    )


def _as_file(value: Any, role: Role, story: bool) -> Corpus:
    """What the readers of files make of the same content."""
    try:
        data = msgspec.json.encode(_encodable(value))
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise UsageError(
            f"{role} cannot be read: {error}.", hint="Give texts, captions or records."
        ) from None
    return examine(role, data=data, role=role, kind="story" if story else None).require()


def _encodable(value: Any) -> Any:
    plain = as_python(value)
    if isinstance(plain, Caption):
        timed = {"start": plain.start, "end": plain.end} if plain.timed else {}
        return {"caption": plain.text, **timed}
    if isinstance(plain, Mapping):
        return {str(key): _encodable(each) for key, each in plain.items()}
    if isinstance(plain, list | tuple):
        return [_encodable(each) for each in plain]
    return plain


def _systems(candidates: Given, against: list[Corpus], references: Any) -> Mapping[Any, Any] | None:
    """The systems of a dict {name: candidates}, where it cannot be one {id: caption}."""
    if not isinstance(candidates, Mapping) or not candidates:
        return None
    values = [as_python(value) for value in candidates.values()]
    if all(isinstance(value, Corpus | os.PathLike) for value in values):
        return candidates
    if isinstance(references, list) and all(
        isinstance(value, list) and len(value) == len(references) for value in values
    ):
        return candidates
    known = {document.id for corpus in against for document in corpus}
    if all(isinstance(value, Mapping) and value for value in values) and not known & {
        str(key) for key in candidates
    }:
        inner = [{str(key) for key in value} for value in values]
        return candidates if all(keys & known for keys in inner) else None
    return None


def _check_lengths(system: Corpus, given: list[Any]) -> None:
    """As many lists of references as candidates; sacrebleu's order of the two is recognised."""
    references = [as_python(each) for each in given]
    n, m = len(system), len(references)
    if n == m:
        return
    lengths = {len(each) for each in references}
    if lengths == {n} and not any(isinstance(each, str) for each in references):
        raise UsageError(
            f"The references are {many(m, 'list')} of {n:,} texts: sacrebleu's order, a list per annotator.",
            hint="Here each candidate has its own list: references=[list(each) for each in zip(*references)]",
        )
    raise UsageError(
        f"There are {n:,} candidates but references for {m:,}.",
        hint="Give each candidate a text or a list of texts, in the same order; or give both as dicts by id.",
    )


def _mixed(candidates: Any) -> NoReturn:
    first, second = ("list", "dict") if _listed(candidates) else ("dict", "list")
    raise UsageError(
        f"The candidates are a {first} and the references a {second}: which belongs to which is not said.",
        hint="Give both as lists in the same order, or both as dicts {id: text}.",
    )


def _a(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def rows_of_columns(value: Any, role: Role) -> Any:
    """A dict of columns, `{"id": […], "caption": […]}`, as rows; any other value as it is."""
    if not isinstance(value, Mapping) or len(value) < 2 or not all(isinstance(name, str) for name in value):
        return value
    columns = [column for column in value.values() if isinstance(column, list)]
    if len(columns) < len(value) or len({len(column) for column in columns}) > 1:
        return value
    if not any(tier(name, IDS) for name in value) or not any(text_tier(name, role) for name in value):
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]


def by_place(listed: Sequence[Corpus], table: Sequence[Corpus], rows: int, role: Role) -> list[Corpus]:
    """`listed`, the `role`, with the ids of the `rows` of a table, in order; a warning says so."""
    ids = [*dict.fromkeys(document.id for corpus in table for document in corpus)]
    numbers = [*dict.fromkeys(document.id for corpus in listed for document in corpus)]
    other = _other(role)
    if not len(ids) == len(numbers) == rows:
        raise UsageError(
            f"The {role} are a list of {len(numbers):,} items, and the {other} are {rows:,} rows with"
            f" {len(ids):,} ids ({_few(ids)}): which belongs to which is not known.",
            hint=f"Give the {role} by id as well: {role}={{id: text or [texts]}}.",
        )
    if ids == numbers:
        return [*listed]
    warnings.warn(
        f"The {role} are a list without ids: they are compared with the {other} in order"
        f" (1 = {ids[0]!r}{f', {rows:,} = {ids[-1]!r}' if rows > 1 else ''}).",
        StorymeterWarning,
        stacklevel=4,
    )
    renamed = dict(zip(numbers, ids, strict=True))
    return [
        msgspec.structs.replace(
            corpus,
            documents=tuple(msgspec.structs.replace(each, id=renamed[each.id]) for each in corpus),
        )
        for corpus in listed
    ]


def check_numbered(files: Sequence[Corpus], count: int, role: Role) -> None:
    """Raise where files with ids of their own would be compared with the `role`, a list of `count` items."""
    numbers = [str(k + 1) for k in range(count)]
    for corpus in files:
        ids = [*dict.fromkeys(document.id for document in corpus)]
        if ids != numbers:
            raise UsageError(
                f"The {role} are a list of {count:,} items, and {corpus.name!r} has {len(ids):,} ids of its"
                f" own ({_few(ids)}): which belongs to which is not known.",
                hint=f"Give the {role} by id as well, {role}={{id: text or [texts]}}, or as a file.",
            )


def _other(role: Role) -> Role:
    return "references" if role == "candidates" else "candidates"


def _few(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
