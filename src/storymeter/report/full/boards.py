"""The leaderboard and the tests between systems, ready for the template."""

from __future__ import annotations

import math
from dataclasses import dataclass

from markupsafe import Markup

from ..comparison import SIGNIFICANT, win_tie_loss
from ..figures.bars import bar_and_whisker
from ..figures.intervals import Dot, both_names, dots
from .findings import Findings


@dataclass(frozen=True, slots=True)
class BoardCell:
    text: str
    range: str
    figure: Markup
    best: bool
    near: bool
    #: what the column is sorted by
    value: float


def board(findings: Findings) -> list[list[BoardCell]]:
    """[system][metric]"""
    columns = [_column(findings, m) for m in range(len(findings.metrics))]
    return [[column[k] for column in columns] for k in range(len(findings.systems))]


def _column(findings: Findings, metric: int) -> list[BoardCell]:
    scores = findings.scores(metric)
    ends = [end for score in scores for end in (score.value, *(score.interval or ())) if math.isfinite(end)]
    limits = (min([0.0, *ends]), max([0.0, *ends]) * 1.02 or 1.0)
    best, near = findings.best(metric), findings.near(metric)
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
        single = len(scores) == 1
        cells.append(BoardCell(text, around, figure, k in best and not single, k in near, score.value))
    return cells


@dataclass(frozen=True, slots=True)
class Test:
    """System of the row against that of the column."""

    text: str
    title: str
    outcome: str


def matrix(findings: Findings, metric: int) -> list[list[Test | None]]:
    sign = findings.direction(metric) or 1.0
    scale = findings.scores(metric)[0].scale
    rows: list[list[Test | None]] = []
    for a in range(len(findings.systems)):
        row: list[Test | None] = []
        for b in range(len(findings.systems)):
            found = findings.comparison(metric, a, b) if a != b else None
            if found is None:
                row.append(None)
                continue
            c, turn = found
            clear = c.p_holm < SIGNIFICANT
            outcome = "" if not clear else "wins" if turn * sign * c.difference > 0 else "loses"
            sentence = {"wins": "better", "loses": "worse", "": "no significant difference"}[outcome]
            row.append(
                Test(
                    _signed(turn * c.difference * scale),
                    f"{findings.systems[a]} against {findings.systems[b]}: {sentence}, p = {c.p_holm:.4f}",
                    outcome,
                )
            )
        rows.append(row)
    return rows


def forest(findings: Findings, metric: int) -> Markup:
    """A row per pair: the difference with its interval, hollow where it may be luck."""
    name, scale = findings.metrics[metric], findings.scores(metric)[0].scale
    rows = [
        Dot(
            f"{c.a} – {c.b}",
            c.difference * scale,
            (c.interval[0] * scale, c.interval[1] * scale) if not math.isnan(c.interval[0]) else None,
            f"p {_p(c.p_holm)} · {win_tie_loss(c)}",
            findings.systems.index(c.a) % 8,
            hollow=c.p_holm >= SIGNIFICANT,
            short=both_names(c.a, c.b),
        )
        for c in findings.comparisons
        if c.metric == name
    ]
    return dots(
        rows,
        label=f"difference in {name}, with its 95 % interval",
        alternative=f"Differences between systems under {name}: "
        + "; ".join(f"{row.name} {row.value:+.2f}" for row in rows),
        zero=True,
    )


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
