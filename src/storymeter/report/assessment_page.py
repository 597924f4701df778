"""A human study as a page that explains every number it shows."""

from __future__ import annotations

from ..human.analysis.assessment import CAPTION_MINIMUM, Analysis
from ..human.analysis.quality import FLAGS
from ..human.analysis.reliability import Replication, cost
from ..human.analysis.spans import SpanStudy
from .assessment import (
    TEST_NAMES,
    evidence_table,
    pair_table,
    replication_line,
    summary_lines,
    system_table,
    worker_table,
)
from .assessment_data import EVIDENCE_WORDS, PAIR_WORDS, SECOND_GATE, SYSTEM_WORDS, WORKER_WORDS
from .assessment_figures import distributions, score_histograms, significance, workers
from .influence import WORDS as INFLUENCE_WORDS
from .influence import influence_table
from .studies import (
    KIND_WORDS,
    PROFILE_WORDS,
    RATER_WORDS,
    agreement_line,
    kind_table,
    profile_table,
    rater_table,
)
from .templating import render, shown


def analysis_page(
    analysis: Analysis,
    *,
    price: float = 0.99,
    fee: float = 0.20,
    currency: str = "USD",
    repeated: Replication | None = None,
    spans: SpanStudy | None = None,
) -> str:
    """`spans`: what an error span study adds."""
    spent = cost(analysis.hits, len(analysis.ranking.systems), price=price, fee=fee)
    thin = int((analysis.captions.n < CAPTION_MINIMUM).sum())
    flags = {flag: f"(flag) {meaning}" for flag, meaning in FLAGS.items()}
    return render(
        "human.html",
        title="Results of the human study",
        summary=summary_lines(analysis),
        replication=replication_line(repeated) if repeated else "",
        systems=shown(system_table(analysis), SYSTEM_WORDS),
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
        workers=shown(worker_table(analysis), {**WORKER_WORDS, **flags}),
        evidence=shown(evidence_table(analysis), EVIDENCE_WORDS),
        influence=shown(influence_table(analysis.influence), INFLUENCE_WORDS),
        scale=score_histograms(analysis),
        cost=(
            f"{analysis.hits:,} HITs at {price:.2f} {currency} plus {fee:.0%} fee: {spent.total:,.2f}"
            f" {currency}, which is {spent.per_system:,.2f} {currency} per system."
        ),
        thin=(
            f"{thin:,} of {len(analysis.captions.z):,} captions have fewer than {CAPTION_MINIMUM} ratings,"
            " the minimum that the method's authors recommend for the score of a single caption;"
            " scores of systems need less."
        ),
        notes=analysis.notes,
    )
