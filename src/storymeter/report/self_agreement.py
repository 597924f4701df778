"""How a measure agrees with itself, as a table and as JSON; what is known of a judge, by its signature."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..meta.self_agreeing import SelfAgreement
from ..scores import Signature
from .presentation import Presentation, plain, present_all
from .table import Table, keys, to_json


@present_all.register(SelfAgreement)
def present_self_agreement(first: SelfAgreement, found: Sequence[SelfAgreement]) -> Presentation:
    return plain("Agreement of a metric with itself", [self_table(found)], json=lambda: self_json(found))


def self_table(found: Sequence[SelfAgreement]) -> Table:
    rows = [
        [
            one.metric,
            "asked anew" if one.asked else "computed again",
            one.documents,
            " ".join(f"{mean:.4f}" for mean in one.means),
            f"{one.difference:.4f}",
            f"{one.largest:.4f}",
            f"{100 * one.equal:.1f} %",
            _with_interval(one.pearson, one.interval),
            _number(one.kendall_b),
        ]
        for one in found
    ]
    heads = ["trials", "documents", "means", "mean difference", "largest", "equal", "Pearson r", "tau-b"]
    return Table(
        [*keys("metric"), *heads],
        rows,
        title="Agreement of a metric with itself",
        note=(
            "Values of each document in one trial beside those in another, over all pairs of trials. In"
            " brackets: 95 % bootstrap interval over documents. –: every document has the same value."
        ),
        signatures=[one.signature for one in found],
    )


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.4f}"


def _with_interval(value: float, interval: tuple[float, float] | None) -> str:
    return _number(value) + (f" [{interval[0]:+.3f}, {interval[1]:+.3f}]" if interval else "")


def self_json(found: Sequence[SelfAgreement]) -> str:
    return to_json(
        {
            "schema": 1,
            "metrics": [
                {
                    "metric": one.metric,
                    "asked_anew": one.asked,
                    "trials": len(one.values),
                    "documents": one.documents,
                    "means": list(one.means),
                    "difference": one.difference,
                    "largest": one.largest,
                    "equal": one.equal,
                    "pearson": one.pearson,
                    "pearson_interval": list(one.interval) if one.interval else None,
                    "kendall_b": one.kendall_b,
                    "signature": one.signature,
                }
                for one in found
            ],
        }
    )


#: heading -> field of the signature
_JUDGE_FIELDS = {
    "model, as its server names it": "judge",
    "answered": "answered",
    "prompt": "prompt",
    "parameters": "parameters",
    "marks": "marks",
    "engine": "engine",
}


def judges(signatures: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Of every metric in which a judge answered, what its signature says of it."""
    parsed = {metric: Signature.parse(text) for metric, text in signatures.items() if text}
    return {
        metric: {name: signature.get(name) for name in _JUDGE_FIELDS.values()}
        for metric, signature in parsed.items()
        if signature.get("judge")
    }


def judge_table(found: Mapping[str, Mapping[str, str]]) -> Table:
    rows: Iterable[list[Any]] = ([metric, *fields.values()] for metric, fields in found.items())
    return Table([*keys("metric"), *_JUDGE_FIELDS], list(rows))
