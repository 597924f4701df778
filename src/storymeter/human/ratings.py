"""A table of ratings by column, made for arithmetic: a million ratings are nine arrays, not a million
objects.

Names (raters, systems, items, HITs) are sorted and replaced by whole numbers, so that the order of a file
never changes a number. A rating may be credited to several systems that wrote the same caption. What was
dropped on the way in, and why, stands in `notes`; every report prints them."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import LARGEST, FloatArray, IntArray
from ..captions import Rating
from ..errors import DataError, UsageError, first_few

BoolArray = NDArray[np.bool_]

KINDS = ("system", "repeat", "degraded", "human")
SYSTEM, REPEAT, DEGRADED, HUMAN = range(4)


@dataclass(frozen=True, slots=True)
class Labels:
    """Whole numbers that stand for names: `names[codes[i]]` is the name in row i."""

    codes: IntArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Sequence[str] | Labels) -> Labels:
        if isinstance(values, Labels):
            return values
        numbers = Numbering()
        return numbers.labels([numbers.codes(values)])

    def __len__(self) -> int:
        return len(self.names)

    def to_list(self) -> list[str]:
        """The names, row by row."""
        names: list[str] = np.array(self.names, dtype=object)[self.codes].tolist()
        return names

    def take(self, rows: NDArray[Any]) -> Labels:
        return Labels(self.codes[rows], self.names)

    def drop_unused(self) -> Labels:
        """Without the names that no row has."""
        there, codes = np.unique(self.codes, return_inverse=True)
        return Labels(codes.astype(np.int64), tuple(self.names[k] for k in there))


class Numbering(dict[str, int]):
    """Numbers names as they come, so that a long column can be read piece by piece and is never held as
    text.
    """

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number

    def codes(self, values: Sequence[str]) -> IntArray:
        return np.fromiter(map(self.__getitem__, values), dtype=np.int64, count=len(values))

    def labels(self, pieces: Sequence[IntArray]) -> Labels:
        names = sorted(self)
        place = np.empty(len(self), dtype=np.int64)
        place[[self[name] for name in names]] = np.arange(len(names))
        return Labels(place[np.concatenate(pieces)] if pieces else np.empty(0, dtype=np.int64), tuple(names))


@dataclass(frozen=True, slots=True)
class Ratings:
    rater: Labels
    item: Labels
    hit: Labels
    #: number of the (rater, HIT, pair) that a row belongs to, or -1
    pair: IntArray
    kind: IntArray
    value: FloatArray
    #: place in the HIT and seconds spent on the rating; NaN where nobody wrote them down
    position: FloatArray
    seconds: FloatArray
    #: rating `credit_row[k]` counts for system `credit.codes[k]`
    credit_row: IntArray
    credit: Labels
    notes: tuple[str, ...] = ()
    #: from a campaign of ours, whose HITs hold repeats by design
    ours: bool = True
    #: what must not be analysed together, such as language pairs; None where the file knows of nothing
    stratum: Labels | None = None
    #: why the organiser holds the rater of a row, or nothing; None where nobody is on hold
    held: Labels | None = None
    #: the ends of the scale of raw scores
    bounds: tuple[float, float] = (0.0, 100.0)
    #: the rows are published means of captions: `value` is a z mean, `raw` the raw one (NaN where there is
    #: none), and `count` how many ratings they are means of
    standardised: bool = False
    #: so many rows, the first ones, were given by raters; None: all (`analysis.left_out` adds others)
    given: int | None = None
    raw: FloatArray | None = None
    count: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.value)

    @property
    def total(self) -> int:
        """How many ratings there are, which published means of captions count."""
        return len(self) if self.count is None else int(self.count.sum())

    @property
    def systems(self) -> tuple[str, ...]:
        return self.credit.names

    @property
    def strata(self) -> dict[str, int]:
        """The strata, and how many ratings each has."""
        if self.stratum is None:
            return {}
        count = np.bincount(self.stratum.codes, minlength=len(self.stratum))
        return {name: int(n) for name, n in zip(self.stratum.names, count, strict=True) if n}

    def of_stratum(self, name: str) -> Ratings:
        """One stratum by itself: only its raters, items and systems."""
        if self.stratum is None or name not in self.strata:
            raise UsageError(f"There is no stratum {name!r}.", hint=f"There are: {first_few(self.strata)}.")
        part = self.rows(self.stratum.codes == self.stratum.names.index(name))
        return replace(
            part,
            rater=part.rater.drop_unused(),
            item=part.item.drop_unused(),
            hit=part.hit.drop_unused(),
            credit=part.credit.drop_unused(),
            stratum=None,
        )

    def of_raters(self, keep: BoolArray) -> Ratings:
        """Only the rows of some raters; the lists of names stay as they are."""
        return self.rows(keep[self.rater.codes])

    def rows(self, keep: BoolArray) -> Ratings:
        chosen = keep[self.credit_row]
        place = np.cumsum(keep) - 1
        return replace(
            self,
            rater=self.rater.take(keep),
            item=self.item.take(keep),
            hit=self.hit.take(keep),
            pair=self.pair[keep],
            kind=self.kind[keep],
            value=self.value[keep],
            position=self.position[keep],
            seconds=self.seconds[keep],
            credit_row=place[self.credit_row[chosen]],
            credit=self.credit.take(chosen),
            stratum=self.stratum.take(keep) if self.stratum is not None else None,
            held=self.held.take(keep) if self.held is not None else None,
            raw=self.raw[keep] if self.raw is not None else None,
            count=self.count[keep] if self.count is not None else None,
        )


def from_records(records: Sequence[Rating]) -> Ratings:
    return from_columns(columns_of(records))


def columns_of(records: Sequence[Rating]) -> dict[str, list[Any]]:
    """What `from_columns` takes."""
    own = ("item", "system", "rater", "value", "kind", "hit", "pair", "position", "seconds", "campaign")
    return {
        **{name: list(map(operator.attrgetter(name), records)) for name in own},
        "systems": [r.meta.get("systems") for r in records],
        **{name: [str(r.meta.get(name, "")) for r in records] for name in ("stratum", "held")},
    }


def from_columns(columns: Mapping[str, Any], notes: Sequence[str] = ()) -> Ratings:
    """Lists of equal length (names may come as `Labels`, numbers as arrays) under the names of the fields of
    `Rating`; `item`, `system`, `rater` and `value` are needed. `systems` may hold a list of several systems
    that a rating is credited to, `stratum` what is not to be mixed, `held` why a rater is on hold; HITs of
    different values of `campaign` are different HITs."""
    n = len(columns["value"])
    if not n:
        raise DataError(
            "There is no rating in the file.",
            hint="Check that the campaign has answers, or give another file.",
        )
    said = list(notes)

    def labels(name: str, otherwise: str = "") -> Labels:
        given = columns.get(name)
        return Labels.of(given) if given is not None else Labels(np.zeros(n, dtype=np.int64), (otherwise,))

    kinds = labels("kind", "system")
    unknown = [name for name in kinds.names if name not in KINDS]
    if unknown:
        raise DataError(
            f"Unknown kind of rating: {first_few(unknown)}.",
            hint=f"A rating's kind is one of {', '.join(KINDS)}.",
        )
    value = _numbers(columns["value"], n)
    pair_name, held = labels("pair"), labels("held")
    rater = people(labels("rater"), labels("campaign"), said)
    hit = _of_campaign(labels("hit"), labels("campaign"))
    unpaired = np.array([name == "" for name in pair_name.names])[pair_name.codes]
    _, pair = np.unique(
        (rater.codes * len(hit) + hit.codes) * len(pair_name) + pair_name.codes, return_inverse=True
    )
    table = Ratings(
        rater,
        labels("item"),
        hit,
        np.where(unpaired, -1, pair),
        np.array([KINDS.index(name) for name in kinds.names], dtype=np.int64)[kinds.codes],
        value,
        _numbers(columns.get("position"), n),
        _numbers(columns.get("seconds"), n),
        *_credits(columns, n),
        stratum=labels("stratum") if columns.get("stratum") is not None else None,
        held=held if any(held.names) else None,
        standardised=(published := _all_or_none(columns.get("standardised", []))),
        raw=_numbers(columns["raw"], n) if published else None,
        count=_numbers(columns["count"], n) if published else None,
    )
    usable = np.abs(value) < LARGEST
    if not usable.all():
        said.append(f"{int((~usable).sum()):,} rows have no usable number as their score and were dropped.")
        table = table.rows(usable)
    table = _without_duplicates(table, said)
    if not len(table):
        raise DataError("No row of the file holds a usable rating.", hint="; ".join(said))
    return replace(table, notes=tuple(said))


def _all_or_none(standardised: Sequence[bool | None]) -> bool:
    if any(standardised) and not all(standardised):
        raise DataError(
            "Some of the files have z-scores of captions, the others ratings.",
            hint="Analyse them separately.",
        )
    return any(standardised)


def _of_campaign(hit: Labels, campaign: Labels) -> Labels:
    """HITs named by their campaign, where there is one."""
    if not any(campaign.names):
        return hit
    both, codes = np.unique(campaign.codes * len(hit) + hit.codes, return_inverse=True)
    pairs = [(campaign.names[k // len(hit)], hit.names[k % len(hit)]) for k in both.tolist()]
    return Labels.of([f"{of} {name}" if of else name for of, name in pairs]).take(codes)


#: the names of personal links, which every campaign numbers anew
_LINK = re.compile(r"r\d{3,}\Z")
#: what a source is called whose campaign is not known
SOURCE = "file {}"


def people(rater: Labels, campaign: Labels, notes: list[str]) -> Labels:
    """Raters, where several campaigns stand together: the names of links are those of different people in
    different campaigns, names from platforms are those of one person."""
    known = [not re.match(SOURCE.format(r"\d+\Z"), name) for name in campaign.names]
    if sum(known) < 2:
        return rater
    both, codes = np.unique(rater.codes * len(campaign) + campaign.codes, return_inverse=True)
    pairs = [divmod(k, len(campaign)) for k in both.tolist()]
    several = Counter(who for who, of in pairs if known[of])
    shared = [who for who, count in several.items() if count > 1 and _LINK.match(rater.names[who])]
    if not shared:
        return rater
    notes.append(
        "Personal links of several campaigns have the same names"
        f" ({first_few([rater.names[k] for k in shared])}):"
        " each is counted as another person in each campaign."
    )
    named = [
        f"{rater.names[who]} ({campaign.names[of]})" if who in shared and known[of] else rater.names[who]
        for who, of in pairs
    ]
    return Labels.of(named).take(codes)


def _numbers(values: Any, n: int) -> FloatArray:
    return np.asarray(values, dtype=float) if values is not None else np.full(n, np.nan)  # None becomes NaN


def _credits(columns: Mapping[str, Any], n: int) -> tuple[IntArray, Labels]:
    several, own = columns.get("systems"), Labels.of(columns["system"])
    if several is None or not any(several):
        return np.arange(n, dtype=np.int64), own
    credited = [many or (one,) for one, many in zip(own.to_list(), several, strict=True)]
    rows = np.repeat(np.arange(n, dtype=np.int64), [len(names) for names in credited])
    return rows, Labels.of([str(name) for names in credited for name in names])


def _without_duplicates(table: Ratings, said: list[str]) -> Ratings:
    """One rating per (rater, HIT, place). The same place twice with the same score is one rating: a repeated
    row, or a caption that several systems wrote (then all are credited). With different scores the first
    counts."""
    placed = ~np.isnan(table.position)
    if not placed.any():
        return _without_equal_rows(table, said)
    places, place = np.unique(table.position, return_inverse=True)
    key = (table.rater.codes * len(table.hit) + table.hit.codes) * len(places) + place
    if table.stratum is not None:
        key = key * len(table.stratum) + table.stratum.codes
    key = np.where(placed, key, -1 - np.arange(len(table)))  # rows without a place are all different
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    if len(first) == len(table):
        return table
    original = first[inverse]
    surplus = original != np.arange(len(table))
    differs = surplus & (
        (table.value != table.value[original]) | (table.item.codes != table.item.codes[original])
    )
    credited = np.unique(
        np.stack([original[table.credit_row], table.credit.codes, differs[table.credit_row]]), axis=1
    )
    credited = credited[:, credited[2] == 0]
    extra = credited.shape[1] - int((~surplus).sum())
    repeated = int(surplus.sum()) - int(differs.sum()) - max(extra, 0)
    if repeated > 0:
        said.append(f"{repeated:,} rows repeat another row (same rater, HIT and place) and count once.")
    if differs.any():
        said.append(
            f"{int(differs.sum()):,} rows have the same rater, HIT and position as an earlier row but a"
            " different score or item; the earlier row is used."
        )
    merged = replace(table, credit_row=credited[0], credit=Labels(credited[1], table.credit.names))
    return merged.rows(~surplus)


def _without_equal_rows(table: Ratings, said: list[str]) -> Ratings:
    """Files without places: a row that equals an earlier one in everything is the same rating written
    twice.
    """
    if len(table.credit_row) != len(table):
        return table
    whole = np.column_stack(
        [
            table.rater.codes,
            table.hit.codes,
            table.item.codes,
            table.credit.codes,
            table.kind,
            table.pair,
            table.value,
            np.nan_to_num(table.seconds, nan=-1.0),
            table.stratum.codes if table.stratum is not None else np.zeros(len(table)),
        ]
    )
    order = np.lexsort(whole.T[::-1])
    same = np.zeros(len(table), dtype=bool)
    same[order[1:]] = (whole[order[1:]] == whole[order[:-1]]).all(axis=1)
    if not same.any():
        return table
    said.append(f"{int(same.sum()):,} rows equal another row in every field and count once.")
    return table.rows(~same)


def parts(ratings: Ratings, wanted: str | None = None) -> dict[str, Ratings]:
    """What is to be analysed by itself: every stratum (a language pair, or whatever a file calls so), one of
    them, or everything under the name `all`.

    Item numbers are those of a stratum: where all are mixed knowingly, the items of different strata stay
    apart."""
    strata = ratings.strata
    if wanted is not None and wanted != "all":
        return {wanted: ratings.of_stratum(wanted)}
    if ratings.stratum is None or len(strata) < 2:
        return {"all": ratings}
    if wanted is None:
        return {name: ratings.of_stratum(name) for name in strata}
    names = [f"{s} {i}" for s, i in zip(ratings.stratum.to_list(), ratings.item.to_list(), strict=True)]
    note = f"{len(strata)} strata were mixed: {', '.join(strata)}."
    mixed = replace(ratings, item=Labels.of(names), stratum=None, notes=(*ratings.notes, note))
    return {"all": mixed}
