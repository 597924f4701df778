"""A benchmark of one's own: a table of captions, references and human scores, or a folder with such a table
and a `benchmark.toml` that names its columns.

    storymeter meta benchmark ratings.csv -m meteor,mymetric

The table (CSV, TSV, JSON, JSON Lines, Parquet, xlsx) has a row per judgement: the caption, its references
(one column or several, a cell being one reference or a JSON list), the human score, and optionally system,
item and rater. In the file `benchmark.toml` of a folder all is optional but `table`:

    table = "ratings.csv"
    title = "Clips of cooking"
    headline = "kendall_c"              # pearson, spearman, kendall_b or kendall_c

    [columns]
    caption = "output"
    references = ["gold_1", "gold_2"]
    score = "adequacy"
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import DataError, MissingPartError, UsageError, first_few, many
from ..files import content
from ..human.tables.scales import number
from ..human.tables.sheets import sheet_of, unpacked
from ..stats.correlation import COEFFICIENTS
from .compute import Key, pooled
from .records import Benchmark
from .scores import Judgement

FILE = "benchmark.toml"
#: what a column may be called, without case, blanks, dashes and underscores
ROLES = {
    "caption": "caption candidate text prediction pred hypothesis hyp output generated sentence description"
    " response answer modeloutput",
    "score": "score human rating mos da judgement judgment mark grade humanscore zscr zscore",
    "system": "system model sys modelid systemid",
    "item": "item id video videoid vid imageid image clip sid docid",
    "rater": "rater worker annotator workerid raterid annotatorid",
}
_REFERENCE = re.compile(r"(references?|refs?|groundtruths?|gts?|targets?)\d*")


def is_own(name: str) -> bool:
    """Whether a benchmark is named by a path."""
    return Path(name).exists()


def own_benchmark(path: Path) -> Benchmark:
    if path.is_dir():
        stated = _toml(path / FILE)
        if "table" not in stated:
            raise DataError(f"{path / FILE} names no table.", hint='Write table = "ratings.csv" in it.')
        return _read(path / str(stated["table"]), stated, path.name)
    return _read(path, {}, path.stem)


def _toml(path: Path) -> dict[str, Any]:
    try:
        library = importlib.import_module("tomllib")  # from Python 3.11 on
    except ImportError:
        try:
            library = importlib.import_module("tomli")
        except ImportError:
            raise MissingPartError(
                "benchmark.toml needs tomli under Python 3.10.", hint="pip install tomli"
            ) from None
    try:
        found: dict[str, Any] = library.loads(content(path, f"A folder needs a {FILE}.").decode())
    except ValueError as error:
        raise DataError(
            f"{path} is no TOML: {error}.", hint="docs/meta-evaluation.md has an example."
        ) from None
    return found


def _read(path: Path, stated: Mapping[str, Any], name: str) -> Benchmark:
    sheet = sheet_of(unpacked(content(path, "Give a table."), path.name), path.name)
    named = dict(stated.get("columns", {}))
    columns = {role: _column(role, sheet.heads, named.get(role), path.name) for role in ROLES}
    references = _references(sheet.heads, named.get("references"), path.name)
    for role in ("caption", "score"):
        if columns[role] is None:
            raise DataError(
                f"{path.name} has the columns {first_few(sheet.heads, limit=20)}; none is the {role}.",
                hint=f'Name it {role}, or name it in {FILE}: [columns] {role} = "…"',
            )
    captions: dict[Key, str] = {}
    told: dict[Key, list[str]] = {}
    judgements, problems = [], []
    for line, row in enumerate(sheet.rows, 2):
        system = _cell(row, columns["system"]) or "system"
        item = _cell(row, columns["item"]) or str(line - 1)
        key = (system, item)
        caption = _cell(row, columns["caption"])
        value = number(row.get(columns["score"] or ""))
        if value is None:
            problems.append(f"line {line}: {row.get(columns['score'] or '')!r}")
            continue
        if captions.setdefault(key, caption) != caption:
            raise DataError(
                f"{path.name}, line {line}: {system}, {item} has another caption before.",
                hint="Give each caption an item of its own, or name the column of the system.",
            )
        told.setdefault(key, [text for head in references for text in _texts(row.get(head))])
        judgements.append(Judgement(system, item, float(value)))
    if problems:
        raise DataError(
            f"{path.name}: {len(problems):,} scores are not numbers: {first_few(problems, limit=3)}.",
            hint="Correct these lines, or remove them.",
        )
    if not judgements:
        raise DataError(f"{path.name} holds no judgement.", hint="Give a row for each.")
    headline = str(stated.get("headline", "pearson"))
    if headline not in COEFFICIENTS:
        raise UsageError(f"headline cannot be {headline!r}.", hint=f"It is one of {', '.join(COEFFICIENTS)}.")
    systems = {system for system, _ in captions}
    levels = ("segment", "system") if len(systems) > 2 else ("segment",)
    raters = len({_cell(row, columns["rater"]) for row in sheet.rows}) if columns["rater"] else 0
    note = f"{len(judgements):,} judgements of {len(captions):,} captions" + (
        f" by {many(raters, 'rater')}" if raters else ""
    )
    return Benchmark(
        name,
        str(stated.get("title", name)),
        pooled(captions, told),
        tuple(judgements),
        "",
        levels,
        (f"{note}, from {path.name}.",),
        headline,
        needs_references=any(told.values()),
    )


def _plain(head: str) -> str:
    return re.sub(r"[\W_]+", "", head).lower()


def _column(role: str, heads: Sequence[str], named: object, file: str) -> str | None:
    if named is not None:
        if named not in heads:
            raise DataError(f"{file} has no column {named!r}.", hint=f"It has {first_few(heads, limit=20)}.")
        return str(named)
    words = ROLES[role].split()
    fits = [head for word in words for head in heads if _plain(head) == word]
    if len(fits) > 1 and role in ("caption", "score"):
        raise UsageError(
            f"{file}: {' and '.join(map(repr, fits))} could both be the {role}.",
            hint=f'Put it into a folder with a {FILE}: table = "{file}", [columns] {role} = "{fits[0]}"',
        )
    return fits[0] if fits else None


def _references(heads: Sequence[str], named: object, file: str) -> list[str]:
    if named is None:
        return [head for head in heads if _REFERENCE.fullmatch(_plain(head))]
    listed = [named] if isinstance(named, str) else list(named)  # type: ignore[call-overload]
    lacking = [head for head in listed if head not in heads]
    if lacking:
        raise DataError(
            f"{file} has no column {first_few(lacking)}.", hint=f"It has {first_few(heads, limit=20)}."
        )
    return listed


def _cell(row: Mapping[str, Any], head: str | None) -> str:
    value = row.get(head) if head else None
    return "" if value is None else str(value).strip()


def _texts(value: object) -> list[str]:
    """One reference, or several in a list (also one that is written as JSON)."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            return [str(value)]
    listed = value if isinstance(value, list | tuple) else [value]
    return [str(text) for text in listed if text is not None and str(text).strip()]
