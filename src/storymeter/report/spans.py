"""Error span studies as JSON, as tables, and in words; the scores beside them are those of Direct
Assessment.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..human.span_analysis import SpanStudy
from .human_json import analysis_data
from .table import Column, Table, keys, numbers

PROFILE_WORDS = {
    "weight": (
        "errors per caption, a major one counted five times (lower is better); this column decides the order"
    ),
    "95 %": "the range in which it would lie in 95 of 100 studies of the same size",
    "minor, major": "errors of each severity per caption",
    "clean %": "of the judgements, how many found nothing wrong",
    "missing %": "of the judgements, how many said that something is missing",
}
KIND_WORDS = {
    "the columns": "errors per caption about an object, an action and so on, whatever their severity"
}
RATER_WORDS = {
    "planted": (
        "damaged captions that the rater saw, and how many were marked where the damage is; half must be"
    ),
    "marked %": "of the words of other captions, how many the rater marked",
    "precision": (
        "of the words the rater marked, how many another rater of the caption marked too, on average"
    ),
    "recall": "of the words another rater marked, how many this rater marked too",
}


def span_data(study: SpanStudy, **more: Any) -> dict[str, Any]:
    """The data of Direct Assessment, with the spans beside it."""
    base = analysis_data(study.analysis, **more)
    base["notes"] = [*study.notes, *base["notes"]]
    base["task"] = "spans"
    base["spans"] = {
        "agreement": asdict(study.agreement),
        "profiles": [asdict(one) for one in study.profiles],
        "raters": [asdict(one) for one in study.raters],
    }
    return base


def profile_table(study: SpanStudy) -> Table:
    return Table(
        [
            *keys("system"),
            *numbers(".2f", "weight", "95 %", "minor", "major"),
            *numbers(".1f", "clean %", "missing %", scale=100.0),
            *numbers(",d", "captions", "judgements"),
        ],
        [
            [
                p.system,
                p.weight,
                tuple(p.interval) if p.interval else None,
                p.minor,
                p.major,
                p.clean,
                p.missing,
                p.captions,
                p.judgements,
            ]
            for p in study.profiles
        ],
        title="Errors per caption: what is wrong",
        note="weight: minor errors + 5 x major errors per caption, lower is better.",
    )


def kind_table(study: SpanStudy) -> Table:
    kinds = sorted(
        {kind for p in study.profiles for kind in p.kinds},
        key=lambda kind: (-sum(p.kinds.get(kind, 0.0) for p in study.profiles), kind),
    )
    return Table(
        [*keys("system"), *numbers(".2f", *kinds)],
        [[p.system, *(p.kinds.get(kind, 0.0) for kind in kinds)] for p in study.profiles],
        title="Kinds of errors, per caption",
    )


def rater_table(study: SpanStudy) -> Table:
    return Table(
        [
            *keys("rater"),
            "planted",
            "believed",
            Column("marked %", ".1f"),
            *numbers(".2f", "precision", "recall"),
        ],
        [
            [
                one.rater,
                f"{one.found} of {one.planted}",
                one.believed if one.planted else None,
                one.marked,
                one.precision,
                one.recall,
            ]
            for one in study.raters
        ],
        title="Raters: controls and agreement on words",
    )


def agreement_line(study: SpanStudy) -> str:
    found = study.agreement
    if found.f1 is None:
        return "Agreement on words cannot be computed: no caption has marks of two raters."
    alpha = f"{found.alpha:.3f}" if found.alpha is not None else "unknown"
    return (
        f"Agreement on the words of {found.captions:,} captions that two or more raters judged: F1"
        f" {found.f1:.3f} ({found.f1_severity:.3f} where a different severity counts half), Krippendorff's"
        f" alpha {alpha}."
    )
