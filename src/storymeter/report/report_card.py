"""The report card: every metric on every benchmark at hand, with intervals, as Markdown or JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..meta.comparisons import MetricComparison
from ..meta.statistics import MetricResult
from .agreement import STATISTICS, Agreement, agreement_data, shown_statistics
from .self_agreement import judge_table, judges
from .table import Table, to_json

#: what every other metric is tested against, and with how many permutations at segment level
YARDSTICK, PERMUTATIONS = "meteor", 1000
READING = f"""In brackets: 95 % bootstrap intervals over items. Best first, by the statistic in the first
column of numbers. The last column says whether a metric's correlation with people (Pearson) is higher or
lower than METEOR's, with the one-sided p of Williams' test at system level and of a permutation test
({PERMUTATIONS:,} permutations) at segment level; \\* is below .05 after Holm's correction over the column.
What the statistics mean, and what the benchmarks are, is said in [meta-evaluation](meta-evaluation.md); which
number to trust, in [semantic](semantic.md#which-number-to-trust-and-why)."""
HONESTY = """The encoder of `sts`, `bertscore` and `wmd` was trained on pairs of captions that include
Flickr30k and COCO, so that Flickr8k-Expert (whose images come from the same source) is not unseen; TRECVID is
the clean test. The rules of `spice(engine=rules)` were tuned while looking at Flickr8k-Expert, and the
default layer of `bertscore` was chosen on TRECVID. `cider_d` is `cider` under its second name. `tiger` and
`rovist_vg` look at pictures, which none of these benchmarks has here."""

JUDGES = """A judge is a language model that somebody serves: its numbers hold for the model, the prompt and
the days below, and another day may give others. Whether it says the same twice is for `storymeter meta self`
to say, and whether it can be talked into a mark for `storymeter stress audit`
([judge audit](judge-audit.md))."""


@dataclass(frozen=True, slots=True)
class Card:
    """One benchmark: what was found at each level, and which metrics could not run."""

    benchmark: str
    agreements: Sequence[Agreement]
    skipped: Mapping[str, str] = field(default_factory=dict)


def card_json(cards: Sequence[Card], *, date: str, version: str, seed: int, resamples: int) -> str:
    return to_json(
        {
            "schema": 1,
            "date": date,
            "version": version,
            "seed": seed,
            "resamples": resamples,
            "benchmarks": [
                {
                    "benchmark": card.benchmark,
                    "levels": [agreement_data(a) for a in card.agreements],
                    "skipped": dict(card.skipped),
                }
                for card in cards
            ],
            "judges": judges(
                {r.metric: r.signature for card in cards for a in card.agreements for r in a.results}
            ),
        }
    )


def card_table(agreement: Agreement, headline: str) -> Table:
    """Best first by the benchmark's headline statistic; every number with its interval."""
    keys = [
        key
        for key in (
            headline,
            "pearson",
            "spearman",
            "kendall_b",
            "kendall_c",
            "pearson_by_item",
            "accuracy_calibrated",
            "pairwise_accuracy",
            "soft_pairwise_accuracy",
        )
        if key in shown_statistics(agreement.results)
    ]
    keys = list(dict.fromkeys(keys))
    tested = {name: c for c in agreement.comparisons for name in (c.better, c.worse)}
    rows = [
        [
            r.metric,
            r.n,
            *(_cell(r, key) for key in keys),
            *([_against(tested.get(r.metric), r.metric)] if tested else []),
        ]
        for r in sorted(agreement.results, key=lambda r: _order(r, headline))
    ]
    return Table(
        [
            "metric",
            "n",
            *(STATISTICS[key] for key in keys),
            *([f"against {YARDSTICK.upper()}"] if tested else []),
        ],
        rows,
    )


def _against(comparison: MetricComparison | None, metric: str) -> str:
    if comparison is None or metric == YARDSTICK:
        return ""
    if math.isnan(comparison.p):
        return comparison.reason
    side = "higher" if comparison.better == metric else "lower"
    p = "< 0.0001" if comparison.p < 0.0001 else f"{comparison.p:.4f}"
    return f"{side}, p {p}{'*' if comparison.p_holm < 0.05 else ''}"


def _order(result: MetricResult, headline: str) -> tuple[float, str]:
    value = result.values.get(headline, math.nan)
    return (math.inf if math.isnan(value) else -value, result.metric)


def _cell(result: MetricResult, key: str) -> str:
    value = result.values.get(key, math.nan)
    if math.isnan(value):
        return result.reasons.get(key, "not defined here")
    interval = result.intervals.get(key)
    return f"{value:+.4f} [{interval[0]:+.3f}, {interval[1]:+.3f}]" if interval else f"{value:+.4f}"


def card_markdown(
    cards: Sequence[Card], headlines: Mapping[str, str], *, date: str, version: str, seed: int, resamples: int
) -> str:
    lines = [
        "# Report card",
        "",
        (
            f"Made on {date} by Storymeter {version} with `storymeter meta report-card --data DIR --seed"
            f" {seed} --resamples {resamples}`."
        ),
        "",
        READING,
        "",
        HONESTY,
        "",
    ]
    signatures: dict[str, str] = {}
    for card in cards:
        for agreement in card.agreements:
            lines += [
                f"## {agreement.title}: {agreement.level} level",
                "",
                *agreement.notes,
                "",
                card_table(agreement, headlines[card.benchmark]).render("markdown"),
            ]
            turned = [r.metric for r in agreement.results if not r.higher_is_better]
            if turned:
                lines += [f"Of {', '.join(turned)} less is better; the sign was turned round.", ""]
            signatures |= {r.metric: r.signature for r in agreement.results}
        if card.skipped:
            lines += [
                "Not computed: " + "; ".join(f"{name} ({reason})" for name, reason in card.skipped.items()),
                "",
            ]
    answering = judges(signatures)
    if answering:
        lines += ["## Judges", "", JUDGES, "", judge_table(answering).render("markdown")]
    lines += ["## Signatures", "", "```text", *(text for _, text in sorted(signatures.items())), "```", ""]
    return "\n".join(lines)
