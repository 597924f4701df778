"""The leaderboard and the tests between systems, ready for the template."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup

from ...engine.results import Comparison
from ...stats.multiple import SIGNIFICANT
from ..comparison import win_tie_loss
from ..figures.bars import bar_and_whisker
from ..figures.intervals import Dot, both_names, dots
from .findings import Findings


def board(findings: Findings) -> list[tuple[dict[str, Any], ...]]:
    """[system][metric]"""
    return list(zip(*(_column(findings, m) for m in range(len(findings.metrics))), strict=True))


def _column(findings: Findings, metric: int) -> list[dict[str, Any]]:
    scores = findings.scores(metric)
    ends = [end for score in scores for end in (score.value, *(score.interval or ())) if math.isfinite(end)]
    limits = (min([0.0, *ends]), max([0.0, *ends]) * 1.02 or 1.0)
    best, near, unknown = findings.best(metric), findings.near(metric), findings.unknown(metric)
    cells = []
    for k, score in enumerate(scores):
        text, around = f"{score.value * score.scale:.2f}", ""
        if score.interval is not None:
            around = f"{score.interval[0] * score.scale:.2f} – {score.interval[1] * score.scale:.2f}"
        figure = bar_and_whisker(
            score.value,
            score.interval,
            limits,
            colour=k % 8,
            alternative=f"{findings.systems[k]}, {findings.metrics[metric]}: {text}"
            + (f", 95 %: {around}" if around else ""),
        )
        leads = k in best and len(scores) > 1
        cells.append(
            {
                "text": text,
                "range": around,
                "figure": figure,
                "best": leads,
                "near": k in near,
                "unknown": k in unknown,
            }
        )
    return cells


def matrix(findings: Findings, metric: int) -> list[list[dict[str, str] | None]]:
    """The system of the row against that of the column."""
    systems = range(len(findings.systems))
    return [[_test(findings, metric, a, b) for b in systems] for a in systems]


def _test(findings: Findings, metric: int, a: int, b: int) -> dict[str, str] | None:
    found = findings.comparison(metric, a, b) if a != b else None
    if found is None:
        return None
    c, turn = found
    lead = turn * c.difference
    wins = (findings.direction(metric) or 1.0) * lead > 0
    outcome = "" if not c.p_holm < SIGNIFICANT else "wins" if wins else "loses"
    nothing = "no significant difference" if c.testable else "too few documents to tell"
    sentence = {"wins": "better", "loses": "worse", "": nothing}[outcome]
    return {
        "text": _signed(lead * findings.scores(metric)[0].scale),
        "title": f"{findings.systems[a]} against {findings.systems[b]}: {sentence},"
        f" p = {c.p:.4f}, after Holm {c.p_holm:.4f}",
        "outcome": outcome,
    }


def forest(findings: Findings, metric: int) -> Markup:
    """A row per pair: the difference with its interval, hollow where it may be luck."""
    name, scale = findings.metrics[metric], findings.scores(metric)[0].scale
    rows = [
        Dot(
            f"{c.a} – {c.b}",
            c.difference * scale,
            (c.interval[0] * scale, c.interval[1] * scale) if not math.isnan(c.interval[0]) else None,
            f"{_both(c)} · {win_tie_loss(c)}",
            findings.systems.index(c.a) % 8,
            hollow=c.p_holm >= SIGNIFICANT,
            short=both_names(c.a, c.b),
        )
        for c in findings.comparisons
        if c.metric == name
    ]
    return dots(
        rows,
        label=f"difference in {name}, with its 95 % interval" + (" (simultaneous)" if len(rows) > 1 else ""),
        alternative=f"Differences between systems under {name}: "
        + "; ".join(f"{row.name} {row.value:+.2f}" for row in rows),
        zero=True,
    )


def _both(c: Comparison) -> str:
    """p as it is, and after the correction where there are several tests."""
    return f"p {_p(c.p)}" + (f", Holm {_p(c.p_holm)}" if c.tests > 1 else "")


def _signed(difference: float) -> str:
    """
    >>> _signed(0.126), _signed(-0.001)
    ('+0.13', '0.00')
    """
    text = f"{difference:+.2f}"
    return text if float(text) else "0.00"


def _p(p: float) -> str:
    """
    >>> _p(0.0496), _p(0.05), _p(0.0002)
    ('.0496', '.050', '< .001')
    """
    digits = 4 if p < SIGNIFICANT <= round(p, 3) else 3  # what is below the threshold also reads so
    return "< .001" if p < 0.001 else f"{p:.{digits}f}".replace("0.", ".", 1)
