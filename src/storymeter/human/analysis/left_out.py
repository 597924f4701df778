"""Answers of raters on hold, and captions that a system lacks: left out, unless somebody asks for them.

**On hold.** An organiser holds a rater on the dashboard, with a reason; it stands in each of the rater's
records (`meta.held`). Every analysis leaves these records out (`held="leave-out"`), says how many there were
and why, or counts them like all others and says that (`held="include"`).

**Missing.** A mean over the 25 easiest of 60 items is not the mean of a system that described all of them:
systems without a caption for some of the items are named. What a campaign knows (`Campaign.lacking`) is
exact; in files, an item of which others have ratings and a system has none counts as missing, which is said
only where a system has fewer than nine tenths of the items that the best provided one has. Captions by people
who set the standard (kind `human`) are never missing. With `missing="worst"` every rater of an item has given
each missing caption the lowest score of the scale (survey: mark 1 and no vote; preference: much worse than
the other system).

>>> said(["too fast", "", "too fast"], ["w1", "w2", "w1"], "leave-out")
'1 rater is on hold: w1 (too fast; 2 ratings); left out (--held include counts them).'
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import msgspec
import numpy as np

from ...captions import Rating
from ...errors import DataError, first_few, many
from ..ratings import DEGRADED, HUMAN, SYSTEM, Labels, Ratings

Held: TypeAlias = Literal["leave-out", "include"]
Missing: TypeAlias = Literal["leave-out", "worst"]
#: where it is not known which captions there are: a share of the items, below which some are missing
ENOUGH = 0.9


def said(reasons: Sequence[str], raters: Sequence[str], held: Held) -> str:
    """Who is on hold and why; nothing where nobody is. A reason and a rater for each rating."""
    found = [(rater, reason) for rater, reason in zip(raters, reasons, strict=True) if reason]
    if not found:
        return ""
    listed = [f"{rater} ({reason}; {n:,} ratings)" for (rater, reason), n in sorted(Counter(found).items())]
    count = len({rater for rater, _ in found})
    what = "left out (--held include counts them)" if held == "leave-out" else "counted all the same"
    return f"{count:,} {'rater is' if count == 1 else 'raters are'} on hold: {first_few(listed)}; {what}."


def records_without(records: Sequence[Rating], held: Held = "leave-out") -> tuple[list[Rating], list[str]]:
    """The records that count, and what is to be said about the others."""
    reasons = [str(one.meta.get("held", "")) for one in records]
    note = said(reasons, [one.rater for one in records], held)
    if not note or held == "include":
        return list(records), [note] if note else []
    kept = [one for one, reason in zip(records, reasons, strict=True) if not reason]
    if not kept:
        raise _nobody(note)
    return kept, [note]


def table_without(ratings: Ratings, held: Held = "leave-out") -> Ratings:
    """The same for a table; what is to be said goes into its notes."""
    if ratings.held is None:
        return ratings
    note = said(ratings.held.to_list(), ratings.rater.to_list(), held)
    if not note:
        return ratings
    noted = replace(ratings, notes=(*ratings.notes, note))
    if held == "include":
        return noted
    free = np.array([not reason for reason in ratings.held.names])[ratings.held.codes]
    if not free.any():
        raise _nobody(note)
    kept = noted.rows(free)
    return replace(kept, rater=kept.rater.drop_unused(), hit=kept.hit.drop_unused(), held=None)


def _nobody(note: str) -> DataError:
    return DataError(
        f"Nobody's ratings are left: {note}", hint="Release raters on the dashboard, or use --held include."
    )


@dataclass(frozen=True, slots=True)
class Lacking:
    """All items of a study, and by system those that it has no caption of."""

    items: Collection[str]
    systems: Mapping[str, Collection[str]]

    def sentences(self, missing: Missing) -> list[str]:
        """What is to be said of each system that lacks captions."""
        counted = (
            "the others count as the worst."
            if missing == "worst"
            else "its scores are of these alone (--missing worst counts the others as the worst)."
        )
        total = len(self.items)
        return [
            f"{name} has captions of {total - len(items):,} of {many(total, 'item')}: {counted}"
            for name, items in sorted(self.systems.items())
            if items
        ]


def pooled(parts: Iterable[Lacking | None]) -> Lacking | None:
    """What several campaigns say together; None unless all do."""
    found: dict[str, set[str]] = {}
    items: set[str] = set()
    for part in parts:
        if part is None:
            return None
        items.update(part.items)
        for name, those in part.systems.items():
            found.setdefault(name, set()).update(those)
    return Lacking(items, found)


def of_table(table: Ratings, known: Lacking | None) -> Lacking:
    """What systems lack in a table of scores."""
    kind, row = table.kind[table.credit_row], table.credit_row
    rated: dict[str, set[str]] = {}
    for code, name in enumerate(table.systems):
        mine = (table.credit.codes == code) & (kind != DEGRADED)
        if name and mine.any() and not (kind[mine] == HUMAN).all():
            rated[name] = {table.item.names[k] for k in np.unique(table.item.codes[row[mine]]).tolist()}
    return _known_or(known, rated)


def of_records(records: Iterable[Rating], known: Lacking | None) -> Lacking:
    """The same of answers about stories."""
    rated: dict[str, set[str]] = {}
    for one in records:
        for name in (one.system, str(one.meta.get("against", ""))):
            if name:
                rated.setdefault(name, set()).add(one.item)
    return _known_or(known, rated)


def _known_or(known: Lacking | None, rated: Mapping[str, set[str]]) -> Lacking:
    if known is not None:
        # what has ratings after all came with another campaign
        left = {name: set(items) - rated.get(name, set()) for name, items in known.systems.items()}
        return Lacking(known.items, {name: left[name] for name in left if left[name] and name in rated})
    items = set().union(*rated.values()) if rated else set()
    most = max(map(len, rated.values()), default=0)
    return Lacking(items, {name: items - own for name, own in rated.items() if len(own) < ENOUGH * most})


def table_with_worst(table: Ratings, lacking: Lacking, worst: float) -> Ratings:
    """With a row of the worst score for each missing caption and each rater of its item. What raters gave
    stays what they are standardised by."""
    undamaged = np.flatnonzero(table.kind != DEGRADED)
    who = table.rater.codes[undamaged] * len(table.item) + table.item.codes[undamaged]
    first = undamaged[np.unique(who, return_index=True)[1]]  # a row of each rater and item
    rows, systems = [], []
    for name, items in lacking.systems.items():
        wanted = [k for k, item in enumerate(table.item.names) if item in items]
        mine = first[np.isin(table.item.codes[first], wanted)]
        rows.append(mine)
        systems.append(np.full(len(mine), table.systems.index(name), dtype=np.int64))
    extra = np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)
    order = np.concatenate([np.arange(len(table)), extra])
    blank, count = np.full(len(extra), np.nan), len(extra)

    return replace(
        table,
        rater=table.rater.take(order),
        item=table.item.take(order),
        hit=table.hit.take(order),
        pair=np.concatenate([table.pair, np.full(count, -1, dtype=np.int64)]),
        kind=np.concatenate([table.kind, np.full(count, SYSTEM, dtype=np.int64)]),
        value=np.concatenate([table.value, np.full(count, worst)]),
        position=np.concatenate([table.position, blank]),
        seconds=np.concatenate([table.seconds, blank]),
        credit_row=np.concatenate([table.credit_row, len(table) + np.arange(count)]),
        credit=Labels(np.concatenate([table.credit.codes, *systems]), table.systems),
        stratum=table.stratum.take(order) if table.stratum is not None else None,
        held=table.held.take(order) if table.held is not None else None,
        given=len(table),
    )


def records_with_worst(records: Sequence[Rating], lacking: Lacking) -> list[Rating]:
    """With an answer of each rater of an item about each story that is missing."""
    out = list(records)
    gone = {(name, item) for name, items in lacking.systems.items() for item in items}
    seen: set[tuple[str, ...]] = set()
    for one in records:
        if one.kind in ("test", "repeat") or not one.system:
            continue
        compared = str(one.meta.get("against", ""))
        for name in sorted(lacking.systems):
            for other in {one.system, compared} - {"", name} if compared else {""}:
                key = (name, other, one.item, one.rater, one.criterion)
                if (name, one.item) not in gone or (other, one.item) in gone or key in seen:
                    continue
                seen.add(key)
                meta = {**one.meta, "assumed": True}  # nobody's judgement
                if compared:
                    meta["against"] = other
                    out.append(msgspec.structs.replace(one, system=name, value=2.0, meta=meta))
                else:
                    worst = 0.0 if one.criterion == "vote" else 1.0
                    out.append(msgspec.structs.replace(one, system=name, value=worst, meta=meta))
    return out
