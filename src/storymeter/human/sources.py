"""Opens what is to be analysed: a campaign, files of ratings, tables of other people, rows, data frames.

A campaign states its kind in campaign.json, our exports and tables show it by what they hold. Everything is
read once; what stands in several sources counts once. `read` reads files of ratings of known formats alone.
"""

import contextlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from ..captions import Rating
from ..errors import DataError, UsageError
from ..files import content
from . import imports
from .analysis.left_out import Lacking, pooled as pooled_lacking
from .campaign import export
from .campaign.money import Pay, pooled as pooled_pay
from .campaign.record import Facts, Folder
from .rating_files import studies
from .ratings import SOURCE, Labels, Ratings, columns_of, from_columns, people
from .study import STUDIES, Study, of_criterion, of_records
from .tables import read_tables
from .tables.roles import stated_scale

HINT = "Give a campaign, or a file of ratings."
#: formats that `origin` may name; `table` is any table
ORIGINS = (*imports.READERS, "table")
#: so large a share of the answers that two sources have to the same questions are equal: it is one campaign
SAME_CAMPAIGN = 0.9
_OTHERWISE = {"kind": "system", "hit": "", "pair": "", "stratum": "", "held": "", "campaign": ""}
_EMPTY = "Give a file of ratings: a Storymeter export, a WMT table, MTurk batch results or an Appraise CSV."


@dataclass(frozen=True, slots=True)
class OpenedRatings:
    """The answers of one study: a table of scores where the study is nothing else, otherwise its records."""

    kind: Study
    table: Ratings | None
    records: tuple[Rating, ...]
    #: what was assumed of the files and left out of them; those of a table of scores are in the table
    notes: tuple[str, ...] = ()
    #: what the organiser of a campaign should know
    about: tuple[str, ...] = ()
    #: what campaigns among the sources have paid for: all finished HITs, also of raters who do not pass
    pay: Pay | None = None
    #: what systems of the campaigns have no caption of; None: not known
    lacking: Lacking | None = None

    def __len__(self) -> int:
        return len(self.records) if self.table is None else len(self.table)


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    kind: Study
    columns: dict[str, Any] | None = None
    records: Sequence[Rating] | None = None
    ours: bool = False
    #: of each campaign whose answers it holds; empty: not known
    facts: tuple[Facts, ...] = ()


def open_ratings(
    sources: Any,
    origin: str | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    scale: str | None = None,
    answers: Mapping[str, str] | None = None,
) -> OpenedRatings:
    """The ratings of one source or several: a path of a campaign or file, a list of records, a data frame.

    `origin` names the format where it is not to be found out; `columns`, `scale` and `answers` are for
    tables (see `storymeter.human.tables.read_tables`)."""
    given = _listed(sources)
    notes: list[str] = []
    about: list[str] = []
    parts: list[_Part] = []
    tables: list[Any] = []
    for source in given:
        if isinstance(source, Path) and source.is_dir():
            parts.append(_campaign(source, about))
        elif _are_records(source):
            parts.append(_Part("the records", of_records(source), records=source, ours=True))
        elif not isinstance(source, Path):
            tables.append(source)
        else:
            raw = content(source, HINT)
            if _is_table(raw, origin, columns):
                tables.append(source)
            else:
                parts.append(_file(raw, source, origin, notes, about))
    said: tuple[str, ...] = ()
    bounds = None
    if tables:
        found = read_tables(tables, columns, scale, answers)
        said, bounds = found.notes, found.bounds
        parts.append(_Part(_name(tables[0]), STUDIES[found.kind], records=found.records))
    elif columns or answers:
        raise UsageError(
            "--columns and --answers are for tables of other tools.", hint=f"{_name(given[0])} needs neither."
        )
    elif scale is not None:
        bounds = stated_scale(scale)
    together = _together(parts, [*said, *notes], bounds)
    # of a campaign that stands in several sources, what the latest of them says
    known = {one.campaign: one for one in sorted(_facts(parts), key=lambda one: one.pay.hits)}.values()
    return replace(
        together,
        about=tuple(dict.fromkeys(about)),
        pay=pooled_pay(one.pay for one in known),
        lacking=pooled_lacking(
            None if one.lacking is None else Lacking(one.items, one.lacking) for one in known
        )
        if known
        else None,
    )


def _facts(parts: Sequence[_Part]) -> list[Facts]:
    """What is known of all campaigns; nothing where one of the sources does not say it."""
    return [one for part in parts for one in part.facts] if all(part.facts for part in parts) else []


def _listed(sources: Any) -> list[Any]:
    if isinstance(sources, str | Path):
        return [Path(sources)]
    if isinstance(sources, list | tuple) and sources and all(isinstance(one, str | Path) for one in sources):
        return [Path(one) for one in sources]
    return [sources]


def _are_records(source: Any) -> bool:
    return isinstance(source, list | tuple) and {*map(type, source)} == {Rating}


def _name(source: Any) -> str:
    return source.name if isinstance(source, Path) else "the table"


def _is_table(raw: bytes, origin: str | None, columns: Mapping[str, str] | None) -> bool:
    if origin is not None and origin not in ORIGINS:
        raise UsageError(
            f"There is no format of ratings called {origin!r}.", hint=f"Known: {', '.join(ORIGINS)}."
        )
    if origin is not None or columns:
        return origin in (None, "table")
    return not imports.is_known(raw) or imports.is_plain_table(raw)


def _campaign(folder: Path, notes: list[str]) -> _Part:
    from .store import Store

    home = Folder(folder)
    notes += campaign_notes(home)
    with contextlib.closing(Store(home.database)) as store:
        store.check(home.campaign.id)
        found = export.ratings(home, store)
        known = export.facts(home, store, found)
    notes += known.sentences()
    if not found:
        raise DataError(
            f"The {home.campaign.task} campaign in {folder} has no answer yet.",
            hint=f"Serve it to raters (storymeter human serve {folder}), or try it: storymeter human simulate"
            f" {folder}",
        )
    return _Part(str(folder), home.study, records=found, ours=True, facts=(known,))


def campaign_notes(home: Folder) -> list[str]:
    """What makes the private key of a campaign less than private."""
    notes = []
    if exposed := home.exposed():
        names = " ".join(str(home.path / name) for name in exposed)
        notes.append(
            f"note: other users of this machine can read private files. Restrict access: chmod 600 {names}"
        )
    if home.rehearsal:
        notes.append(
            "note: this campaign was drawn from a chosen --seed, from which others may reconstruct the"
            " private key: use it for rehearsals only."
        )
    platform = home.campaign.platform
    if platform.name == "prolific" and not platform.completion_code:
        notes.append(
            "note: this Prolific study has no completion code, so that raters cannot return and be paid:"
            " write it into campaign.json (platform, completion_code)."
        )
    return notes


def _file(raw: bytes, path: Path, origin: str | None, notes: list[str], about: list[str]) -> _Part:
    known = _known(raw) if origin in (None, "storymeter") else ()
    about += [line for one in known for line in one.sentences()]
    criterion = imports.first_criterion(raw, path.name) if origin in (None, "storymeter") else None
    kind = of_criterion(criterion or "")
    if kind.plain:
        format, found = imports.columns_in(raw, path, origin, notes)
        return _Part(path.name, kind, columns=found, ours=format == "storymeter", facts=known)
    return _Part(path.name, kind, records=imports.records_in(raw, path), ours=True, facts=known)


def _known(raw: bytes) -> tuple[Facts, ...]:
    """What an export, or several one after another, say of their campaigns."""
    found = []
    for said in studies(raw):
        with contextlib.suppress(msgspec.ValidationError):  # not ours
            found.append(msgspec.convert(said, Facts))
    return tuple(found)


def _together(parts: Sequence[_Part], notes: list[str], bounds: tuple[float, float] | None) -> OpenedRatings:
    kinds = {part.kind.name: part.kind for part in parts}
    if len(kinds) > 1:
        listed = ", ".join(f"{part.name} ({part.kind.name})" for part in parts)
        raise DataError(
            f"The sources are of different kinds of study: {listed}.", hint="Analyse them one by one."
        )
    kind = parts[0].kind
    if kind.plain:
        tables = [part.columns or columns_of(part.records or ()) for part in parts]
        ours = all(part.ours for part in parts)
        table = pooled_tables(tables, [part.name for part in parts], notes, ours=ours)
        return OpenedRatings(kind, replace(table, bounds=bounds or table.bounds), ())
    records, doubles = _pooled_records(parts)
    campaigns = Labels.of([one.campaign for one in records])
    raters = people(Labels.of([one.rater for one in records]), campaigns, doubles).to_list()
    renamed = tuple(
        one if one.rater == name else msgspec.structs.replace(one, rater=name)
        for one, name in zip(records, raters, strict=True)
    )
    return OpenedRatings(kind, None, renamed, (*notes, *doubles))


def _pooled_records(parts: Sequence[_Part]) -> tuple[tuple[Rating, ...], list[str]]:
    """All records; what stands in two sources counts once, and is named with them."""
    if len(parts) == 1:
        return tuple(parts[0].records or ()), []
    listed = [(k, record) for k, part in enumerate(parts) for record in part.records or ()]
    notes: list[str] = []
    again, of = repeated_rows(
        [k for k, _ in listed],
        [(r.campaign, r.rater, r.hit, r.position, r.item, r.system, r.kind, r.criterion) for _, r in listed],
        [(record.value, record.time) for _, record in listed],
        [part.name for part in parts],
        notes,
    )
    kept = [
        record if record.campaign else msgspec.structs.replace(record, campaign=SOURCE.format(of[k] + 1))
        for row, (k, record) in enumerate(listed)
        if row not in again
    ]
    return tuple(kept), notes


def read(paths: Sequence[Path] | Path, format: str | None = None) -> Ratings:
    """One or more files of ratings of known formats; several are read as one table."""
    notes: list[str] = []
    files = [paths] if isinstance(paths, Path) else paths
    formats, tables = zip(
        *(imports.columns_in(content(path, _EMPTY), path, format, notes) for path in files), strict=True
    )
    return pooled_tables(tables, [path.name for path in files], notes, ours=set(formats) == {"storymeter"})


def pooled_tables(
    tables: Sequence[dict[str, Any]], names: Sequence[str], notes: list[str], *, ours: bool
) -> Ratings:
    """Tables of several sources as one. A rating that stands in two of them counts once, and is named with
    its sources. HITs of different campaigns are different HITs; where a source does not name its campaign,
    it is one of its own."""
    if len(tables) == 1:
        return replace(from_columns(tables[0], notes), ours=ours)
    whole = _joined(tables)
    source = [k for k, table in enumerate(tables) for _ in range(len(table["value"]))]
    campaign = whole.get("campaign") or [""] * len(source)
    where, what = (
        list(zip(*([_comparable(cell) for cell in whole[key]] for key in keys if key in whole), strict=True))
        for keys in (("campaign", "rater", "hit", "position", "item", "system", "kind"), ("value", "seconds"))
    )
    again, of = repeated_rows(source, where, what, names, notes)
    whole["campaign"] = [name or SOURCE.format(of[k] + 1) for name, k in zip(campaign, source, strict=True)]
    if again:
        whole = {
            key: [c for row, c in enumerate(column) if row not in again] for key, column in whole.items()
        }
    return replace(from_columns(whole, notes), ours=ours)


def _comparable(cell: Any) -> Any:
    """NaN is no number, and equal to another NaN."""
    return None if cell != cell else cell


def repeated_rows(
    source: Sequence[int],
    where: Sequence[Any],
    what: Sequence[Any],
    names: Sequence[str],
    notes: list[str],
) -> tuple[set[int], dict[int, int]]:
    """Rows that stand in an earlier source, too, and the source whose campaign each source belongs to.

    `where` names the place of each answer (rater, HIT, position, item), `what` the answer. Two sources are
    exports of one campaign where nearly all places that both have hold the same answer; by chance only some
    do. What stands in both counts once, and is said with the names of the sources."""
    rows: dict[int, dict[Any, int]] = {}
    for row, (k, place) in enumerate(zip(source, where, strict=True)):
        rows.setdefault(k, {}).setdefault(place, row)
    again: set[int] = set()
    of = {k: k for k in range(len(names))}
    for k, other in itertools.combinations(sorted(rows), 2):
        shared = rows[k].keys() & rows[other].keys()
        same = {rows[other][place] for place in shared if what[rows[k][place]] == what[rows[other][place]]}
        if shared and len(same) >= SAME_CAMPAIGN * len(shared):
            of[other] = min(of[other], of[k])
            if fresh := same - again:
                notes.append(
                    f"{len(fresh):,} answers stand both in {names[k]} and in {names[other]}; each counts"
                    " once."
                )
            again |= fresh
    return again, of


def _joined(tables: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """One below the other; a column that only some have is filled up."""
    out: dict[str, list[Any]] = {key: [] for table in tables for key in table}
    for table in tables:
        for key, column in out.items():
            found = table[key] if key in table else [_OTHERWISE.get(key)] * len(table["value"])
            column += found.to_list() if isinstance(found, Labels) else list(found)
    return out
