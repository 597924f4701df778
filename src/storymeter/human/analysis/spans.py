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
  caption, then over captions. `weight` is minor + 5 major, as MQM counts them: lower is better."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...arrays import FloatArray
from ...captions import Rating
from ...errors import DataError, many
from ..campaign.money import Pay, of_paper
from ..ratings import from_records
from .assessment import Analysis, analyse
from .left_out import Held, records_without
from .reliability import ordinal_alpha
from .scores import t_interval
from .span_records import (
    MAJOR,
    Labelled,
    by_caption,
    marks,
    not_believed,
    planted_found,
    spans_of,
    word_labels,
)


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
    #: share of judgements without any error, and that say that something is missing
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
    blind = not_believed(planted)
    if blind:
        listed = ", ".join(
            f"{rater} ({sum(planted[rater])} of {len(planted[rater])})" for rater in sorted(blind)
        )
        notes.append(
            f"{many(len(blind), 'rater')} marked fewer than half of the planted errors: {listed}; "
            + ("their ratings are not used." if accept == "passed" else "they are used all the same.")
        )
    if accept == "passed" and len(blind) == len(planted):
        raise DataError(
            "No rater marked half of the planted errors.",
            hint="Use --accept all to analyse the answers of every rater.",
        )
    analysis = analyse(from_records(records), accept=accept, held=held, doubted=blind, **options)
    trusted = {w.id for w, used in zip(analysis.quality.workers, analysis.kept, strict=True) if used}
    used = [one for one in records if one.rater in trusted]
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
    blind: Mapping[str, str],
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
            said_so = bool(str(one.meta.get("missing", "")).strip())
            lacking = said_so or any(mark.omission for mark in spans)
            row[:] = mild, len(spans) - mild, not spans, lacking
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
