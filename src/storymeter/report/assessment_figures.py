"""The figures of a human study, for pages (after Graham et al. 2018, figure 7 and the tables)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from ..human.analysis.assessment import Analysis
from ..human.analysis.preference import Preference
from ..human.analysis.survey import Survey
from ..human.ratings import KINDS
from .figures.charts import Tile, heat_map, shares, steps
from .figures.points import Dot, Spread, boxes, dots, scatter

#: the ends of the scale of a survey's marks
MARKS = (1.0, 5.0)


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


def preference_shares(results: Sequence[Preference]) -> Markup:
    return shares(
        [(r.a, r.b, r.wins_a, r.undecided, r.wins_b) for r in results],
        alternative="; ".join(
            f"{r.a} {r.wins_a}, undecided {r.undecided}, {r.b} {r.wins_b}" for r in results
        ),
    )


def survey_means(result: Survey) -> Markup:
    """Marks per criterion and system, from the lowest possible mark to the highest."""
    found = {(m.criterion, m.system): m for m in result.means}
    rows = [
        Dot(
            f"{criterion.replace('_', ' ')}: {system}",
            found[criterion, system].mean,
            found[criterion, system].interval,
            colour=k,
        )
        for criterion in result.criteria
        for k, system in enumerate(result.systems)
        if (criterion, system) in found
    ]
    return dots(
        rows,
        label="mean mark, with its 95 % interval",
        alternative="; ".join(f"{row.name} {row.value:.2f}" for row in rows),
        limits=(MARKS[0], MARKS[1]),
    )
