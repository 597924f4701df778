"""A human study as a page that explains every number it shows, with its figures (after Graham et al. 2018,
figure 7 and the tables).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from markupsafe import Markup

from ..human.analysis.assessment import CAPTION_MINIMUM, Analysis
from ..human.analysis.quality import FLAGS
from ..human.analysis.reliability import Replication
from ..human.analysis.spans import SpanStudy
from ..human.campaign.money import Pay, stated
from ..human.ratings import KINDS
from .assessment import (
    TEST_NAMES,
    evidence_table,
    known,
    pair_table,
    replication_line,
    summary_lines,
    system_table,
    worker_table,
)
from .assessment_data import (
    EVIDENCE_WORDS,
    PAIR_WORDS,
    ROBUST_WORDS,
    SECOND_GATE,
    SYSTEM_WORDS,
    WORDS as INFLUENCE_WORDS,
    WORKER_WORDS,
    analysis_data,
    cost_line,
    influence_table,
    robust_table,
)
from .figures.charts import Tile, heat_map, steps
from .figures.points import Spread, boxes, scatter
from .presentation import Presentation, html_page, present, present_all, shown
from .studies import (
    KIND_WORDS,
    PROFILE_WORDS,
    RATER_WORDS,
    agreement_line,
    kind_table,
    profile_table,
    rater_table,
    span_data,
)
from .table import Table, to_json


def distributions(analysis: Analysis) -> Markup:
    captions = analysis.captions
    code = {name: k for k, name in enumerate(analysis.used.systems)}
    rows = [
        Spread(s.name, captions.z[captions.system == code[s.name]], s.z, s.interval, k)
        for k, s in enumerate(analysis.ranking.systems)
    ]
    return boxes(
        rows,
        label="caption score (z): 0 is a rater's own average",
        alternative="Box plot of caption scores per system, best system on top.",
        zero=True,
    )


def significance(analysis: Analysis) -> Markup:
    """✓: the system of the row beats the system of the column."""
    ranking = analysis.ranking
    names = [s.name for s in ranking.systems]
    tiles = [
        [
            Tile("✓", 0.6, f"{a} beats {b}, p = {ranking.p[i, j]:.4g}")
            if i != j and ranking.p[i, j] < ranking.alpha
            else Tile("", None if i == j else 0.0)
            for j, b in enumerate(names)
        ]
        for i, a in enumerate(names)
    ]
    return heat_map(names, names, tiles, alternative="Which system of a row beats the system of a column.")


def workers(analysis: Analysis) -> Markup:
    """Every rater: mean score of undamaged against damaged control captions."""
    shown = [w for w in analysis.quality.workers if w.mean_high is not None and w.mean_low is not None]
    return scatter(
        [w.mean_low or 0.0 for w in shown],
        [w.mean_high or 0.0 for w in shown],
        [w.id if len(shown) <= 30 else "" for w in shown],
        labels=("mean score of damaged captions", "mean score of undamaged captions"),
        alternative="Every rater: mean score of damaged captions against that of undamaged ones.",
        title="● passed   ■ did not pass",
        diagonal=True,
        colours=[0 if w.accepted else 1 for w in shown],
    )


def score_histograms(analysis: Analysis) -> Markup:
    """How raters used the scale: all raw scores, by kind of caption."""
    used = analysis.used
    low, high = float(used.value.min()), float(used.value.max())
    groups = {
        f"{kind} ({int((used.kind == code).sum()):,})": used.value[used.kind == code]
        for code, kind in enumerate(KINDS)
        if (used.kind == code).any()
    }
    return steps(
        groups,
        np.linspace(low, high if high > low else low + 1, 41),
        labels=("score", "% of the scores of this kind"),
        alternative="How the scale was used, by kind of caption.",
    )


@present.register(Analysis)
def present_analysis(
    analysis: Analysis,
    *,
    price: float | None = None,
    fee: float | None = None,
    currency: str | None = None,
    repeated: Replication | None = None,
    spans: SpanStudy | None = None,
) -> Presentation:
    """`price`, `fee`, `currency`: where another pay than the campaign's is to be shown; `repeated`: how a
    second run agreed; `spans`: what an error span study adds."""
    pay = stated(analysis.pay, analysis.hits, price=price, fee=fee, currency=currency)
    more: dict[str, Any] = {"pay": pay, "repeated": repeated}
    people = not analysis.ratings.standardised  # published means of captions say nothing of raters

    def tables(style: str, width: int | None) -> list[Table]:
        listed = [system_table(analysis)]
        if style == "csv":
            return listed
        listed += [robust_table(analysis.robust)] if analysis.robust else []
        listed += [profile_table(spans), kind_table(spans)] if spans else []
        if style == "table":
            listed += [pair_table(analysis)] if several(analysis) else []
            listed += [worker_table(analysis)] if people else []
            listed += [evidence_table(analysis)] if checked(analysis) else []
            listed += [rater_table(spans)] if spans else []
            listed += [influence_table(analysis.influence)] if people else []
        return listed

    return Presentation(
        "Results of the human study",
        tables,
        lambda: to_json(study_data(spans or analysis, **more)),
        # how a table was read is said in every style
        [note for note in analysis.notes if note.startswith("read ")],
        (
            *summary_lines(analysis),
            *analysis.notes,
            *((agreement_line(spans), *spans.notes) if spans else ()),
        ),
        lambda: analysis_page(analysis, spans=spans, **more),
        lambda: {
            "significance": significance(analysis),
            "distributions": distributions(analysis),
            "workers": workers(analysis),
            "scores": score_histograms(analysis),
        },
    )


@present.register(SpanStudy)
def present_spans(study: SpanStudy, **more: Any) -> Presentation:
    return present_analysis(study.analysis, spans=study, **more)


@present_all.register(Analysis)
@present_all.register(SpanStudy)
def present_strata(
    first: Analysis | SpanStudy,
    results: Mapping[str, Analysis | SpanStudy],
    *,
    repeated: Mapping[str, Replication] | None = None,
    **pay: Any,
) -> Presentation:
    """Several strata: in CSV a column names them, in JSON a level."""
    again = repeated or {}
    parts = {name: present(one, repeated=again.get(name), **pay) for name, one in results.items()}

    def tables(style: str, width: int | None) -> list[Table]:
        each = [(name, part.tables("csv", None)[0]) for name, part in parts.items()]
        rows = [[name, *row] for name, table in each for row in table.rows]
        return [replace(each[0][1], columns=["stratum", *each[0][1].columns], rows=rows)]

    def json() -> str:
        data = {}
        for name, one in results.items():
            scores = one if isinstance(one, Analysis) else one.analysis
            paid = stated(scores.pay, scores.hits, **pay)
            data[name] = study_data(one, pay=paid, repeated=again.get(name))
        return to_json({"schema": 1, "strata": data})

    return Presentation("Results of the human study", tables, json, parts=parts)


def several(analysis: Analysis) -> bool:
    """Whether there are differences between systems to show."""
    return len(analysis.ranking.systems) > 1


def checked(analysis: Analysis) -> bool:
    """Whether the evidence on any rater holds a number: a control pair, a repeat, agreement with others."""
    workers = analysis.quality.workers
    return any(w.pairs or w.repeats or known(w.agreement) is not None for w in workers)


def study_data(found: Analysis | SpanStudy, **more: Any) -> dict[str, Any]:
    """What the JSON output of one study holds."""
    return analysis_data(found, **more) if isinstance(found, Analysis) else span_data(found, **more)


def analysis_page(
    analysis: Analysis,
    *,
    pay: Pay | None = None,
    repeated: Replication | None = None,
    spans: SpanStudy | None = None,
) -> str:
    """`pay`: what the study paid; `spans`: what an error span study adds."""
    thin = int((analysis.captions.n < CAPTION_MINIMUM).sum())
    flags = {flag: f"(flag) {meaning}" for flag, meaning in FLAGS.items()}
    return html_page(
        "human.html",
        title="Results of the human study",
        summary=summary_lines(analysis),
        replication=replication_line(repeated) if repeated else "",
        # what raters of another tool were asked is not known
        ours=analysis.ratings.ours,
        people=not analysis.ratings.standardised,
        tested=analysis.tested,
        several=several(analysis),
        systems=shown(system_table(analysis), SYSTEM_WORDS),
        robust=shown(robust_table(analysis.robust), ROBUST_WORDS) if analysis.robust else None,
        distributions=distributions(analysis),
        significance=significance(analysis),
        spans=spans
        and {
            "lines": (agreement_line(spans), *spans.notes),
            "tables": (
                shown(profile_table(spans), PROFILE_WORDS),
                shown(kind_table(spans), KIND_WORDS),
                shown(rater_table(spans), RATER_WORDS),
            ),
        },
        alpha=f"{analysis.ranking.alpha:g}",
        pairs=shown(pair_table(analysis), PAIR_WORDS),
        test=TEST_NAMES[analysis.quality.test],
        second_gate=SECOND_GATE[analysis.quality.second],
        raters=workers(analysis),
        workers=shown(replace(worker_table(analysis), note=""), {**WORKER_WORDS, **flags}),
        evidence=shown(evidence_table(analysis), EVIDENCE_WORDS) if checked(analysis) else None,
        influence=shown(influence_table(analysis.influence), INFLUENCE_WORDS),
        scale=score_histograms(analysis),
        cost=cost_line(analysis, pay),
        thin=(
            f"{thin:,} of {len(analysis.captions.z):,} captions have fewer than {CAPTION_MINIMUM} ratings,"
            " the minimum that the method's authors recommend for the score of a single caption;"
            " scores of systems need less."
        ),
        notes=analysis.notes,
    )
