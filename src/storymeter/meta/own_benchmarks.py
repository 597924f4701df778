"""A benchmark of one's own: a table of captions, references and human scores, or a folder with such a table
and a `benchmark.toml` that names its columns.

    storymeter meta benchmark ratings.csv -m meteor,mymetric

The table (CSV, TSV, JSON, JSON Lines, Parquet, xlsx) has a caption in each row, its references (one column or
several, a cell being one reference or a list), and human scores as in the tables that `meta --human` reads: a
row per judgement, a column per rater, or a column per criterion; optionally system, item and rater. In the
file `benchmark.toml` of a folder all is optional but `table`:

    table = "ratings.csv"
    title = "Clips of cooking"
    headline = "kendall_c"              # pearson, spearman, kendall_b or kendall_c

    [columns]
    caption = "output"
    references = ["gold_1", "gold_2"]
    score = "adequacy"                  # or several: criteria
"""

import ast
import importlib
import io
import json
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..captions import Rating
from ..errors import DataError, MissingPartError, UsageError, first_few, many, suggest
from ..files import content
from ..formats.aliases import is_reference_name, text_tier
from ..human.tables.roles import Given, numeric, plain
from ..human.tables.scored import is_scores, lay_out, name as name_of_cell, named_columns, ratings
from ..human.tables.sheets import Sheet, sheet_of, unpacked
from ..stats.correlation import COEFFICIENTS
from .records import Benchmark
from .scores import Judgement, Key, pooled

FILE = "benchmark.toml"
_KEYS = ("table", "title", "headline", "columns")
_ROLES = ("caption", "references", "score", "system", "item", "rater")
#: the columns of names as the tables of ratings are read with them, and where the file names none
_ITEM, _SYSTEM, _NO_SYSTEM, _NOBODY = "item", "system", "system", "all"
#: of `text_tier`: names of texts that are references only where a caption stands beside them
_TEXT = 10
#: criteria that stand for all of them
_OVERALL = frozenset({"overall", "quality", "score"})


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
    for key in stated.keys() - {*_KEYS}:
        raise DataError(f"{FILE} cannot have {key!r}.", hint=suggest(key, _KEYS))
    headline = str(stated.get("headline", "pearson"))
    if headline not in COEFFICIENTS:
        raise UsageError(f"headline cannot be {headline!r}.", hint=f"It is one of {', '.join(COEFFICIENTS)}.")
    sheet = sheet_of(unpacked(content(path, "Give a table."), path.name), path.name)
    named = _named(stated.get("columns", {}), sheet)
    caption = _caption(sheet, named)
    references = named.get("references") or _references(sheet, caption)
    table = _Table(sheet, caption, references, named)
    try:
        judged = table.judged()
    except DataError as error:
        ours = _hint(path.name, "score", "…") if "--columns" in error.hint else error.hint
        raise DataError(error.message, hint=ours) from None
    judgements, criteria = _by_criterion(judged)
    raters = {rating.rater for rating in judged} - {_NOBODY}
    said = f"{len(judged):,} judgements of {len(table.captions):,} captions"
    said += f" by {many(len(raters), 'rater')}" if raters else ""
    said += f", from {path.name}: caption = {caption}, references = {', '.join(references) or 'none'}"
    return Benchmark(
        name,
        str(stated.get("title", name)),
        pooled(table.captions, table.references),
        judgements,
        "",
        ("segment", "system") if len({system for system, _ in table.captions}) > 2 else ("segment",),
        (f"{said}, {table.notes[0]}.", *table.notes[1:]),
        headline,
        needs_references=any(table.references.values()),
        criteria=criteria,
    )


def _named(columns: object, sheet: Sheet) -> dict[str, tuple[str, ...]]:
    """The columns that the file of a folder names, by role."""
    found: dict[str, tuple[str, ...]] = {}
    for role, given in (columns if isinstance(columns, dict) else {"columns": columns}).items():
        if role not in _ROLES:
            raise DataError(f"[columns] of {FILE} cannot have {role!r}.", hint=suggest(role, _ROLES))
        listed: list[str] = [*map(str, given)] if isinstance(given, list) else [str(given)]
        lacking = [head for head in listed if head not in sheet.heads]
        if lacking:
            raise DataError(
                f"{sheet.name} has no column {', '.join(map(repr, lacking))}.",
                hint=f"It has {first_few(sheet.heads, limit=20)}.",
            )
        found[role] = tuple(listed)
    return found


def _caption(sheet: Sheet, named: Mapping[str, tuple[str, ...]]) -> str:
    if "caption" in named:
        return named["caption"][0]
    tiers = {
        head: tier
        for head in sheet.heads
        if (tier := text_tier(head, "candidates")) is not None and not numeric(sheet.column(head))
    }
    fits = [head for head, tier in tiers.items() if tier == min(tiers.values())]
    if not fits:
        raise DataError(
            f"{sheet.name} has the columns {first_few(sheet.heads, limit=20)}; none is the caption.",
            hint=_hint(sheet.name, "caption", "…"),
        )
    if len(fits) > 1:
        raise UsageError(
            f"{sheet.name}: {' and '.join(map(repr, fits))} could both be the caption.",
            hint=_hint(sheet.name, "caption", fits[0]),
        )
    return fits[0]


def _references(sheet: Sheet, caption: str) -> tuple[str, ...]:
    """Columns that can be nothing else; else those that are references beside a prediction: `answer`."""
    others = [head for head in sheet.heads if head != caption and not numeric(sheet.column(head))]
    certain = [head for head in others if is_reference_name(head.rstrip("0123456789 _-"))]
    tiers = {head: text_tier(head, "references") for head in others}
    return tuple(certain or [head for head, tier in tiers.items() if tier is not None and tier < _TEXT])


def _hint(file: str, role: str, head: str) -> str:
    return f'Put it into a folder with a {FILE}: table = "{file}", [columns] {role} = "{head}"'


class _Table:
    """The captions of a table by system and item, their references, and what people said of them."""

    def __init__(
        self, sheet: Sheet, caption: str, references: Sequence[str], named: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.captions: dict[Key, str] = {}
        self.references: dict[Key, list[str]] = {}
        self.notes: list[str] = []
        texts = {caption, *references}
        given = {role: heads for role, heads in named.items() if role not in ("caption", "references")}
        heads = [head for head in sheet.heads if head not in texts]
        roles = named_columns(replace(sheet, heads=tuple(heads)), Given(given))
        item, system = roles.get("item"), roles.get("system")
        rows = []
        for line, row in enumerate(sheet.rows, 2):
            text = _cell(row, caption)
            key = self._key(_cell(row, system), _cell(row, item) or str(line - 1), text, bool(system))
            if self.captions.setdefault(key, text) != text:
                raise DataError(
                    f"{sheet.name}, line {line}: {key[0]}, {key[1]} has another caption before.",
                    hint="Give each caption an item of its own.",
                )
            against = [one for head in references for one in _texts(row.get(head))]
            listed = self.references.setdefault(key, against)  # further ones may stand in further rows
            listed += [one for one in dict.fromkeys(against) if one not in listed]
            rows.append({**row, _ITEM: key[1], _SYSTEM: key[0]})
        empty = sum(not text for text in self.captions.values())
        self._empty = [f"{many(empty, 'caption')} of {sheet.name} {'is' if empty == 1 else 'are'} empty."]
        self._empty *= bool(empty)
        # other columns of text are neither names nor scores
        known = {*roles.values(), *given.get("score", ())} - {item, system}
        kept = [head for head in heads if head in known or _scored(head) or is_scores(sheet.column(head))]
        kept = [head for head in kept if head not in (item, system)]
        self._columns = first_few(sheet.heads, limit=20)
        self._sheet = replace(sheet, heads=(_ITEM, _SYSTEM, *kept), rows=tuple(rows))
        self._given = Given({**given, "item": (_ITEM,), "system": (_SYSTEM,)})

    def _key(self, system: str, item: str, text: str, several: bool) -> Key:
        """Where no column names a system, an item may have several captions."""
        number, name = 1, item
        while not several and self.captions.get((_NO_SYSTEM, name), text) != text:
            number += 1
            name = f"{item} ({number})"
        return (system or _NO_SYSTEM, name)

    def judged(self) -> list[Rating]:
        if len(self._sheet.heads) == 2:
            raise DataError(
                f"{self._sheet.name} has the columns {self._columns}; none holds human scores.",
                hint=_hint(self._sheet.name, "score", "…"),
            )
        laid = lay_out(self._sheet, self._given, rater=_NOBODY, system=_NO_SYSTEM)
        found = ratings(self._sheet, laid, self.notes)
        scores = first_few(laid.columns, limit=6)
        if laid.across == "criterion" and not any(plain(head) in _OVERALL for head in laid.columns):
            scores = f"the mean of {scores}"
        self.notes = [f"score = {scores}", *self.notes, *self._empty]
        return found


def _scored(head: str) -> bool:
    """A column of this name is read as scores although some cells are none: they are reported."""
    return plain(head) in ("score", "rating", "human", "value")


def _by_criterion(
    judged: Sequence[Rating],
) -> tuple[tuple[Judgement, ...], dict[str, tuple[Judgement, ...]]]:
    """The human score, and each criterion by itself; several criteria without one of their whole are averaged
    by caption and rater.
    """
    names = list(dict.fromkeys(rating.criterion for rating in judged))
    by_name = {
        name: tuple(Judgement(r.system, r.item, r.value) for r in judged if r.criterion == name)
        for name in names
    }
    whole = [name for name in names if not name or plain(name) in _OVERALL]
    if whole:
        return by_name.pop(whole[0]), by_name
    together: dict[tuple[str, str, str], list[float]] = {}
    for rating in judged:
        together.setdefault((rating.system, rating.item, rating.rater), []).append(rating.value)
    means = (Judgement(s, i, sum(each) / len(each)) for (s, i, _), each in together.items())
    return tuple(means), by_name


def _cell(row: Mapping[str, Any], head: str | None) -> str:
    value = row.get(head) if head else None
    return "" if value is None else " ".join(name_of_cell(value).split("\t")).strip()


def _texts(value: object) -> list[str]:
    """One reference, or several in a list, also one that was written as JSON or as Python prints it."""
    if isinstance(value, str) and value.strip()[:1] + value.strip()[-1:] == "[]":
        value = _listed(value.strip()) or value
    listed = value if isinstance(value, list | tuple) else [value]
    return [str(text) for text in listed if text is not None and str(text).strip()]


def _listed(text: str) -> list[str]:
    """The texts of a printed list; none where it is no list: `[male] is going home [location]`.

    >>> _listed('["a dog", "a cat"]'), _listed("['a dog' 'a cat']"), _listed("[male] runs")
    (['a dog', 'a cat'], ['a dog', 'a cat'], [])
    """
    try:
        found = json.loads(text)
        return [str(each) for each in found if each is not None] if isinstance(found, list) else []
    except ValueError:
        pass
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(text.replace("\n", " ")).readline)]
        texts = [str(ast.literal_eval(each.string)) for each in tokens if each.type == tokenize.STRING]
    except (tokenize.TokenError, SyntaxError, ValueError):
        return []
    others = {each.string for each in tokens if each.type != tokenize.STRING and each.string.strip()}
    return texts if others <= {"[", "]", ",", "None", "nan"} else []
