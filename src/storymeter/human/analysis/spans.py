"""Error span studies (Kocmi et al., WMT 2024): scores, agreement on words, and what each system gets wrong.

- **Raters.** As in Direct Assessment, and beside it a planted wrong word must be found: who marked fewer than
  half of the damaged captions at one of the planted words is not believed.
- **Scores.** The 0-100 values, analysed as Direct Assessment.
- **Agreement.** Over all ordered pairs of raters of a caption, on words: precision of a rater is the share of
  the words the rater marked that the other marked too; recall the share of the other's that the rater marked;
  F1 over all pairs (precision and recall change places with the raters, so both are F1). `f1_severity` counts
  a word that the two call minor and major as half. Alpha is Krippendorff's over words, ordinal (none, minor,
  major).
- **Profile.** Per caption and rater: how many errors, of which severity and kind. Means over the raters of a
  caption, then over captions. `weight` is minor + 5 major, as MQM counts them: lower is better.

What a rater says about the words of a caption: the record of an error span study.

Error Span Annotation (Kocmi et al., WMT 2024, "Error Span Annotation: A Balanced Approach for Human
Evaluation of Machine Translation") asks for the wrong words first and for a score from 0 to 100 after them.
Its judgement is a `Rating` of criterion `spans` whose `value` is the score; `meta` holds the rest:

    text      the caption as it was shown
    spans     [{"start", "end", "severity", "kind"}]: characters start … end - 1 of the text are wrong
    missing   what the caption should have said and does not, in the rater's words
    planted   {"start", "end"}: on controls only, where a wrong word was put in

>>> from storymeter.captions import Rating
>>> one = Rating("v1", "a", "r1", 40.0, criterion="spans", meta={
...     "text": "a dog runs", "spans": [{"start": 2, "end": 5, "severity": "major", "kind": "object"}]})
>>> [one.meta["text"][mark.start : mark.end] for mark in spans_of(one)]
['dog']

Which words of a caption do people call wrong? Labels per word, for metrics to be tested against.

A word is marked by a rater when one of the rater's spans covers one of its characters. `wrong` is the share
of raters who marked it, `major` the share who called it a major error; by `storymeter meta words`, a metric
that points at words can be held against them.

>>> from storymeter.captions import Rating
>>> meta = {"text": "a dog runs", "spans": [{"start": 2, "end": 5, "severity": "major", "kind": "object"}]}
>>> said = [Rating("v", "s", "r1", 40.0, meta=meta),
...         Rating("v", "s", "r2", 90.0, meta={"text": "a dog runs"})]
>>> [(word.text, word.wrong, word.major) for word in word_labels(said)[0].words]
[('a', 0.0, 0.0), ('dog', 0.5, 0.5), ('runs', 0.0, 0.0)]
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from ...arrays import FloatArray, IntArray
from ...captions import Rating
from ...errors import DataError
from ..campaign.money import Pay, of_paper
from ..raters_on_hold import Held, records_without
from ..ratings import from_records
from .assessment import Analysis, analyse
from .reliability import ordinal_alpha
from .scores import t_interval


@dataclass(frozen=True, slots=True)
class Marker:
    """One rater: planted errors shown and found, words marked per hundred, and agreement with others."""

    rater: str
    planted: int
    found: int
    believed: bool
    marked: float
    precision: float | None
    recall: float | None


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    #: captions that two or more raters judged
    captions: int
    f1: float | None
    f1_severity: float | None
    alpha: float | None


@dataclass(frozen=True, slots=True)
class Profile:
    """What raters found wrong in a system's captions, per caption."""

    system: str
    captions: int
    judgements: int
    weight: float
    interval: tuple[float, float] | None
    minor: float
    major: float
    #: share of judgements without any error, and with a remark on what is missing
    clean: float
    missing: float
    #: errors per caption by kind, the most frequent first
    kinds: dict[str, float]


@dataclass(frozen=True, slots=True)
class SpanStudy:
    analysis: Analysis
    raters: tuple[Marker, ...]
    agreement: SpanAgreement
    profiles: tuple[Profile, ...]
    labels: tuple[Labelled, ...]
    notes: tuple[str, ...]


def analyse_spans(
    records: Sequence[Rating],
    *,
    accept: Literal["passed", "all"] = "passed",
    held: Held = "leave-out",
    pay: Pay | None = None,
    **options: Any,
) -> SpanStudy:
    # all work is paid, also that of raters whom the marks speak against
    pay = pay or of_paper(len({(one.campaign, one.rater, one.hit) for one in records}))
    records, notes = records_without(records, held)
    planted = planted_found(records)
    if any(one.kind == "degraded" for one in records) and not any(planted.values()):
        notes.append(
            "These files do not say which words were planted: raters are tested by the scores of their"
            " control pairs alone. Export the campaign again."
        )
    blind = {rater for rater, found in planted.items() if sum(found) < FOUND * len(found)}
    if blind:
        listed = ", ".join(
            f"{rater} ({sum(planted[rater])} of {len(planted[rater])})" for rater in sorted(blind)
        )
        notes.append(
            f"{len(blind):,} {'rater' if len(blind) == 1 else 'raters'} marked fewer than half of the planted"
            f" errors: {listed}; "
            + ("their ratings are not used." if accept == "passed" else "they are used all the same.")
        )
    kept = [one for one in records if accept == "all" or one.rater not in blind]
    if not kept:
        raise DataError(
            "No rater marked half of the planted errors.",
            hint="Use --accept all to analyse the answers of every rater.",
        )
    analysis = analyse(from_records(kept), accept=accept, held=held, **options)
    trusted = {w.id for w, used in zip(analysis.quality.workers, analysis.kept, strict=True) if used}
    used = [one for one in kept if one.rater in trusted]
    agreement, pairs = _agreement(used)
    return SpanStudy(
        replace(analysis, pay=pay),
        tuple(_markers(records, planted, blind, pairs)),
        agreement,
        tuple(_profiles(used)),
        tuple(word_labels(used)),
        tuple(notes),
    )


def _agreement(records: Sequence[Rating]) -> tuple[SpanAgreement, dict[str, list[float]]]:
    """Agreement over all, and per rater [words both marked, words the rater marked, words others marked]."""
    per: dict[str, list[float]] = {}
    both = alike = total = 0.0
    words: list[tuple[float, ...]] = []
    shared = [said for said in by_caption(records).values() if len(said) > 1]
    for said in shared:
        levels = {rater: marks(one) for rater, one in said.items()}
        words += zip(*levels.values(), strict=True)
        for (first, a), (second, b) in itertools.combinations(levels.items(), 2):
            common = float(((a > 0) & (b > 0)).sum())
            half = float(((a > 0) & (b > 0) & (a != b)).sum()) / 2
            sizes = float((a > 0).sum()), float((b > 0).sum())
            both, alike, total = both + common, alike + common - half, total + sum(sizes)
            for rater, own, other in ((first, *sizes), (second, *sizes[::-1])):
                sums = per.setdefault(rater, [0.0, 0.0, 0.0])
                for k, value in enumerate((common, own, other)):
                    sums[k] += value
    alpha = ordinal_alpha(words)
    return (
        SpanAgreement(
            len(shared),
            2 * both / total if total else None,
            2 * alike / total if total else None,
            None if np.isnan(alpha) else float(alpha),
        ),
        per,
    )


def _markers(
    records: Sequence[Rating],
    planted: dict[str, list[bool]],
    blind: set[str],
    pairs: dict[str, list[float]],
) -> list[Marker]:
    words: Counter[str] = Counter()
    marked: Counter[str] = Counter()
    for one in records:
        if one.kind != "degraded":
            levels = marks(one)
            words[one.rater] += len(levels)
            marked[one.rater] += int((levels > 0).sum())
    out = []
    for rater, found in sorted(planted.items()):
        common, own, other = pairs.get(rater, (0.0, 0.0, 0.0))
        out.append(
            Marker(
                rater,
                len(found),
                sum(found),
                rater not in blind,
                100 * marked[rater] / max(1, words[rater]),
                common / own if own else None,
                common / other if other else None,
            )
        )
    return out


def _profiles(records: Sequence[Rating]) -> list[Profile]:
    captions: dict[str, list[FloatArray]] = defaultdict(list)
    judgements: Counter[str] = Counter()
    kinds: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (_, system, _), said in by_caption(records).items():
        if not system:
            continue
        rows = np.zeros((len(said), 4))
        for row, one in zip(rows, said.values(), strict=True):
            spans = spans_of(one)
            mild = sum(mark.severity == "minor" for mark in spans)
            row[:] = mild, len(spans) - mild, not spans, bool(str(one.meta.get("missing", "")).strip())
            for mark in spans:
                kinds[system][mark.kind] += 1 / len(said)
        judgements[system] += len(said)
        captions[system].append(rows.mean(axis=0))
    out = []
    for system, means in captions.items():
        table = np.stack(means)
        weight = table[:, 0] + MAJOR * table[:, 1]
        minor, major, clean, missing = table.mean(axis=0).tolist()
        found = sorted(kinds[system].items(), key=lambda one: (-one[1], one[0]))
        out.append(
            Profile(
                system,
                len(table),
                judgements[system],
                float(weight.mean()),
                t_interval(weight),
                minor,
                major,
                clean,
                missing,
                {kind: count / len(table) for kind, count in found},
            )
        )
    return sorted(out, key=lambda one: (one.weight, one.system))


CRITERION = "spans"
#: the share of planted errors that an attentive rater marks
FOUND = 0.5
SEVERITIES = ("minor", "major")
#: what a major error weighs beside a minor one
MAJOR = 5.0
#: what an error is about, unless the organiser has an own list
KINDS = ("object", "action", "place", "person", "number", "order", "other")


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Characters `start` … `end` - 1 of a caption are wrong."""

    start: int
    end: int
    severity: Literal["minor", "major"]
    kind: str


def spans_of(rating: Rating) -> list[Span]:
    """The marked words of one judgement, from left to right."""
    return sorted(msgspec.convert(rating.meta.get("spans", []), list[Span]), key=_place)


def planted_found(records: Iterable[Rating]) -> dict[str, list[bool]]:
    """Per rater, whether each of the planted errors shown was marked."""
    found: dict[str, list[bool]] = {}
    for one in records:
        shown = found.setdefault(one.rater, [])
        place = one.meta.get("planted")
        if place is not None:
            shown.append(
                any(mark.start < place["end"] and place["start"] < mark.end for mark in spans_of(one))
            )
    return found


def meta_of(text: str, spans: Sequence[Span], missing: str) -> dict[str, object]:
    """The `meta` of a judgement."""
    return {"text": text, "spans": msgspec.to_builtins(sorted(spans, key=_place)), "missing": missing}


def _place(mark: Span) -> tuple[int, int]:
    return mark.start, mark.end


def words_at(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end.

    >>> words_at("a dog  runs")
    [(0, 1), (2, 5), (7, 11)]
    """
    found, at = [], 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        found.append((start, at))
    return found


class Word(msgspec.Struct, frozen=True):
    text: str
    start: int
    end: int
    #: shares of raters
    wrong: float
    major: float


class Labelled(msgspec.Struct, frozen=True):
    """A caption and what its raters said of each word."""

    item: str
    system: str
    text: str
    raters: int
    words: tuple[Word, ...]


def marks(rating: Rating) -> IntArray:
    """For each word of the caption 0 (not marked), 1 (minor) or 2 (major)."""
    words, spans = words_at(str(rating.meta.get("text", ""))), spans_of(rating)
    level = {"minor": 1, "major": 2}
    return np.array(
        [
            max((level[one.severity] for one in spans if one.start < end and start < one.end), default=0)
            for start, end in words
        ],
        dtype=np.int64,
    )


def by_caption(records: Iterable[Rating]) -> dict[tuple[str, str, str], dict[str, Rating]]:
    """The first judgement of each rater on each caption (item, system, text); damaged captions are no
    captions.
    """
    found: dict[tuple[str, str, str], dict[str, Rating]] = {}
    for one in records:
        if one.kind != "degraded":
            key = one.item, one.system, str(one.meta.get("text", ""))
            found.setdefault(key, {}).setdefault(one.rater, one)
    return found


def word_labels(records: Iterable[Rating]) -> list[Labelled]:
    out = []
    for (item, system, text), said in by_caption(records).items():
        levels = np.stack([marks(one) for one in said.values()])
        wrong, major = (levels > 0).mean(axis=0).tolist(), (levels > 1).mean(axis=0).tolist()
        words = tuple(
            Word(text[start:end], start, end, w, m)
            for (start, end), w, m in zip(words_at(text), wrong, major, strict=True)
        )
        out.append(Labelled(item, system, text, len(said), words))
    return out


def to_jsonl(labels: Sequence[Labelled]) -> str:
    return "".join(msgspec.json.encode(one).decode() + "\n" for one in labels)


def read_labels(path: Path) -> list[Labelled]:
    decoder = msgspec.json.Decoder(Labelled)
    found: list[Labelled] = []
    try:
        content = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.", hint="Check the name.") from None
    for number, line in enumerate(content, 1):
        try:
            if line.strip():
                found.append(decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise DataError(
                f"{path}, line {number}: {error}",
                hint="Word labels are written by: storymeter human analyse CAMPAIGN --words FILE",
            ) from None
    return found
