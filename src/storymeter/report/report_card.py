"""The report card: every metric on every benchmark at hand, as Markdown, as a page or as JSON.

First which number to trust, by the rule of `meta.overall_ranking`, then one table and one picture; details
are folded away. How a measure agrees with itself stands here, too, as a table and as JSON."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from markupsafe import Markup, escape

from .. import __version__
from ..meta.agreeing import SelfAgreement
from ..meta.benchmarks import PERMUTATIONS, YARDSTICK, Card
from ..meta.comparisons import MetricComparison
from ..meta.overall_ranking import DETAILS_ONLY, NOT_PEOPLE, Contest, Standing, advice, cost_of, standings
from ..meta.statistics import MetricResult
from ..scores import Signature
from .agreement import STATISTICS, Agreement, agreement_data, choice_data, choice_table, displayed_statistics
from .figures.points import Panel, panels
from .presentation import Presentation, html_page, plain, present_all, shown
from .table import Column, Table, keys, numbers, to_json


@present_all.register(SelfAgreement)
def present_self_agreement(first: SelfAgreement, found: Sequence[SelfAgreement]) -> Presentation:
    return plain("Agreement of a metric with itself", [self_table(found)], json=lambda: self_json(found))


@present_all.register(Card)
def present_cards(first: Card, cards: Sequence[Card], *, figure: str = "", **about: Any) -> Presentation:
    """`figure`: the address of the picture in Markdown; `about`: the date and the command that made it."""
    counted = contests(cards)
    found = standings(counted)
    return Presentation(
        "Report card",
        lambda style, width: [summary_table(found, counted, noticed(cards))],
        lambda: card_json(cards, **about),
        page=lambda: card_page(cards, **about),
        markdown=lambda: card_markdown(cards, figure=figure, **about),
        figures=lambda: {"report-card": picture(found, counted)},
    )


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


RULE = (
    "Rule: metrics are compared pairwise on every benchmark of the table (two-sided permutation tests of"
    f" {PERMUTATIONS:,} permutations; Pearson, or accuracy over pairs), with Benjamini and Hochberg's"
    " correction over the comparisons of the best variants of all families: about one win in twenty is"
    " expected to be chance. Variants of one metric are one family: each metric meets the best variant of"
    " every other family, and is ranked among these; p is multiplied by the number of variants from which the"
    " winner was chosen. A pair that"
    " cannot be tested is no win, and a metric that does not vary is last. A significant difference is a win"
    " of one metric and a loss of the other, unless data of this benchmark, or closely related data, were"
    " used to train or tune the winner: then neither is counted. Ranks are by the benchmark's own statistic,"
    " among the metrics that have not learnt from it; a rank in brackets is that of a metric that has, or"
    " does not state its training data, and does not count in its mean. The metric with the most wins minus"
    " losses is recommended first; the one that wins most often against it is named second. Cost: words are"
    " counted or compared, a model reads every sentence, or requests go to a served model."
    " Benchmarks with one rater per text, and those whose texts also occur in another one, are in the"
    " details only."
)
DETAIL = (
    "The column wrong detail is not a human judgement and is not counted: it is the share of captions, in per"
    " cent, that score higher than the same caption with one detail changed (each kind has the same weight;"
    " shares by kind are in the details; in brackets where a metric was trained on such pairs)."
)
READING = (
    "In brackets: 95 % bootstrap intervals over items; at system level Fisher's intervals (for accuracies a"
    " bootstrap over systems and items), which hold for other systems of the same kind. Best first, by the"
    " statistic in the first column of numbers. The last column says whether a metric's correlation with"
    " people (Pearson) is higher or lower than METEOR's, with the two-sided p of Williams' test at system"
    " level and of a permutation test at segment level; * is below .05 after Holm's correction over the"
    " column."
)
JUDGES = """A judge is a served language model: its numbers hold for the model, the prompt and the
days below, and may differ on another day. `storymeter meta self` measures whether it gives the same mark
twice, and `storymeter stress audit` whether attacks inside captions raise its marks
([judge audit](judge-audit.md))."""


def contests(cards: Sequence[Card]) -> list[Contest]:
    return [card.contest for card in cards if card.contest is not None and card.benchmark not in DETAILS_ONLY]


def noticed(cards: Sequence[Card]) -> dict[str, float]:
    """Metric to the share of wrong details that it notices; empty where none were made."""
    return {
        one.metric: one.accuracy
        for card in cards
        if card.benchmark in NOT_PEOPLE
        for one in card.choices
        if one.category == "mean"
    }


def _rule(cards: Sequence[Card]) -> str:
    return f"{RULE} {DETAIL}" if noticed(cards) else RULE


def summary_table(
    found: Sequence[Standing], counted: Sequence[Contest], details: Mapping[str, float] | None = None
) -> Table:
    rows: list[list[Any]] = [
        [
            s.metric,
            s.mean_rank,
            s.wins,
            s.losses,
            *(_rank(s, contest.benchmark) for contest in counted),
            *([_detail(s, details)] if details else []),
            cost_of(s.metric),
            s.seen.what,
        ]
        for s in found
    ]
    ranks = numbers("g", *(contest.benchmark for contest in counted))
    ranks += [Column("wrong detail", ".1f", 100)] if details else []
    columns = [Column("mean rank", ".1f"), *numbers(",d", "wins", "losses"), *ranks]
    return Table(["metric", *columns, "cost", "training or tuning data"], rows, "Ranks over benchmarks")


def _detail(standing: Standing, details: Mapping[str, float]) -> float | str | None:
    share = details.get(standing.metric)
    learnt = NOT_PEOPLE & {*standing.seen.benchmarks}
    return f"({100 * share:.1f})" if share is not None and learnt else share


def _rank(standing: Standing, benchmark: str) -> float | str | None:
    rank = standing.ranks.get(benchmark)
    return rank if rank is None or benchmark not in standing.learnt else f"({rank:g})"


def picture(found: Sequence[Standing], counted: Sequence[Contest]) -> Markup:
    columns = [
        Panel(
            contest.benchmark,
            STATISTICS.get(contest.statistic, contest.statistic),
            {name: (figure.value, figure.interval) for name, figure in contest.figures.items()},
        )
        for contest in counted
    ]
    names = [s.metric for s in found]
    return panels(names, columns, alternative="Agreement of every metric with people, by benchmark")


def card_json(cards: Sequence[Card], **about: Any) -> str:
    counted = contests(cards)
    found = standings(counted)
    return to_json(
        {
            "schema": 1,
            **about,
            "advice": advice(found, len(counted)),
            "wrong_detail": noticed(cards),
            "standings": [
                {
                    **asdict(s),
                    "learnt": sorted(s.learnt),
                    "mean_rank": s.mean_rank,
                    "cost": cost_of(s.metric),
                    "seen": s.seen._asdict(),
                }
                for s in found
            ],
            "benchmarks": [
                {
                    "benchmark": card.benchmark,
                    "chance": card.chance,
                    "levels": [agreement_data(a) for a in card.agreements],
                    "accuracy": choice_data(card.choices),
                    "skipped": dict(card.skipped),
                }
                for card in cards
            ],
            "judges": judges(_known(cards)),
        }
    )


def card_table(agreement: Agreement, headline: str) -> Table:
    """Best first by the benchmark's headline statistic; every number with its interval."""
    wanted = [headline, "pearson", "spearman", "kendall_b", "kendall_c", "pearson_by_item"]
    wanted += ("accuracy_calibrated", "pairwise_accuracy", "soft_pairwise_accuracy")
    keys = list(dict.fromkeys(key for key in wanted if key in displayed_statistics(agreement.results)))
    tested = {name: c for c in agreement.comparisons for name in (c.better, c.worse)}
    rows = [
        [
            r.metric,
            r.n,
            *(_cell(r, key, agreement.level) for key in keys),
            *([_against(tested.get(r.metric), r.metric)] if tested else []),
        ]
        for r in sorted(agreement.results, key=lambda r: _order(r, headline))
    ]
    last = [f"against {YARDSTICK.upper()}"] if tested else []
    return Table(["metric", "n", *(STATISTICS[key] for key in keys), *last], rows)


def _against(comparison: MetricComparison | None, metric: str) -> str:
    if comparison is None or metric == YARDSTICK:
        return ""
    if math.isnan(comparison.p):
        return comparison.reason
    direction = "higher" if comparison.better == metric else "lower"
    p = "< 0.0001" if comparison.p < 0.0001 else f"{comparison.p:.4f}"
    return f"{direction}, p {p}{'*' if comparison.p_holm < 0.05 else ''}"


def _order(result: MetricResult, headline: str) -> tuple[float, str]:
    value = result.values.get(headline, math.nan)
    return (math.inf if math.isnan(value) else -value, result.metric)


def _cell(result: MetricResult, key: str, level: str) -> str:
    value = result.values.get(key, math.nan)
    if math.isnan(value):
        return result.reasons.get(key, "not defined here")
    interval = result.intervals.get(key)
    if level == "system" and f"{key}_fisher" in result.intervals:
        interval = result.intervals[f"{key}_fisher"]
    return f"{value:+.4f} [{interval[0]:+.3f}, {interval[1]:+.3f}]" if interval else f"{value:+.4f}"


def _details(cards: Sequence[Card]) -> Iterator[tuple[str, list[str], Table]]:
    """Heading, notes and table of every benchmark and level."""
    for card in cards:
        chance = f"A metric that knows nothing reaches {_chance(card)}."
        missing = "; ".join(f"{name} ({reason})" for name, reason in card.skipped.items())
        lacking = [f"Not computed: {missing}"] if missing else []
        for agreement in card.agreements:
            turned = [r.metric for r in agreement.results if not r.higher_is_better]
            said = (
                [f"For {', '.join(turned)} a lower value is better; the sign was reversed."] if turned else []
            )
            notes = [*agreement.notes, *said, *lacking, chance]
            title = f"{agreement.title}: {agreement.level} level"
            yield title, notes, card_table(agreement, card.headline)
        if card.choices:
            yield card.title, [*card.notes, *lacking, chance], choice_table(card.choices, "")


def _chance(card: Card) -> str:
    """Accuracies over pairs are printed in per cent."""
    if card.choices:
        return f"{100 * card.chance:g} %"
    return f"{card.chance:g} ({STATISTICS.get(card.headline, card.headline)})"


def _known(cards: Sequence[Card]) -> dict[str, str]:
    """The signature of every metric."""
    return {metric: text for card in cards for metric, text in card.signatures.items()}


def _signatures(cards: Sequence[Card]) -> list[str]:
    return [text for _, text in sorted(_known(cards).items())]


def _made(version: str = __version__, date: str = "", command: str = "", **_: Any) -> str:
    on, by = f" on {date}" if date else "", f" with `{command}`" if command else ""
    return f"Made{on} by Storymeter {version}{by}."


def card_markdown(cards: Sequence[Card], *, figure: str = "", **about: Any) -> str:
    """`figure` is the address of the picture, if it lies somewhere."""
    counted = contests(cards)
    found = standings(counted)
    drawn = [f"![Agreement of every metric with people, by benchmark]({figure})", ""] if figure else []
    lines = [
        *("# Report card", "", _made(**about), "", "## Which metric to trust", ""),
        *(advice(found, len(counted)), "", _rule(cards).replace("*", "\\*"), ""),
        *(summary_table(found, counted, noticed(cards)).render("markdown"), *drawn, "## Details", ""),
        *(READING.replace("*", "\\*"), "", "The benchmarks are described in"),
        *("[meta-evaluation](meta-evaluation.md).", ""),
    ]
    for title, notes, table in _details(cards):
        lines += ['<details markdown="1">', f"<summary>{escape(title)}</summary>", "", *notes, ""]
        lines += [table.render("markdown"), "</details>", ""]
    answering = judges(_known(cards))
    if answering:
        table = Table(
            [*keys("metric"), *_JUDGE_FIELDS],
            [[metric, *said.values()] for metric, said in answering.items()],
        )
        lines += ["## Judges", "", JUDGES, "", table.render("markdown")]
    lines += ["## Signatures", "", "```text", *_signatures(cards), "```", ""]
    return "\n".join(lines)


def card_page(cards: Sequence[Card], **about: Any) -> str:
    """A self-contained page."""
    counted = contests(cards)
    found = standings(counted)
    return html_page(
        "report_card.html",
        title="Report card",
        made=_made(**about).replace("`", ""),
        advice=advice(found, len(counted)).replace("`", ""),
        rule=_rule(cards),
        reading=READING,
        summary=shown(summary_table(found, counted, noticed(cards))),
        picture=picture(found, counted),
        details=[(title, notes, shown(table)) for title, notes, table in _details(cards)],
        signatures=_signatures(cards),
    )
