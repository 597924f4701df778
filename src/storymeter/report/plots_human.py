"""Figures of a human study (after Graham et al. 2018, figure 7 and the tables), as PNG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..human.analysis import Analysis
from ..human.preference import Preference
from ..human.survey import Survey
from .plots import BLUE, beyond, figure, label, png

GREEN, GREY, RED = "#2e9e5b", "#c9ced8", "#c8453b"


def significance_matrix(analysis: Analysis) -> bytes:
    """Green: the system of the row beats the system of the column."""
    from matplotlib.patches import Rectangle

    ranking = analysis.ranking
    names, n = [label(s.name) for s in ranking.systems], len(ranking.systems)
    drawn, axes = figure(2.2 + 0.42 * n + beyond(names), 1.6 + 0.42 * n + beyond(names))
    axes.spines[:].set_visible(False)
    for i in range(n):
        for j in range(n):
            wins = i != j and ranking.p[i, j] < ranking.alpha
            colour = GREEN if wins else "#ffffff" if i == j else "#eef0f4"
            axes.add_patch(Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, facecolor=colour, edgecolor="none"))
    axes.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), xticks=range(n), yticks=range(n), aspect="equal")
    axes.set_xticklabels(names, rotation=90)
    axes.set_yticklabels(names)
    axes.tick_params(length=0)
    position = 0
    for cluster in ranking.clusters[:-1]:
        position += len(cluster)
        axes.axhline(position - 0.5, color="#1d2330", linewidth=1)
    return png(drawn)


def distributions(analysis: Analysis) -> bytes:
    """Caption scores (z) of every system: box, whiskers at 5 and 95 %, and the mean with its interval."""
    ranking, captions = analysis.ranking, analysis.captions
    code = {name: k for k, name in enumerate(analysis.used.systems)}
    values = [captions.z[captions.system == code[s.name]] for s in ranking.systems]
    drawn, axes = figure(7.5, 1.2 + 0.42 * len(values))
    axes.boxplot(
        values,
        orientation="horizontal",
        whis=(5, 95),
        showfliers=False,
        widths=0.55,
        patch_artist=True,
        boxprops={"facecolor": "#e3ecf9", "edgecolor": BLUE},
        medianprops={"color": BLUE},
        whiskerprops={"color": BLUE},
        capprops={"color": BLUE},
    )
    for row, system in enumerate(ranking.systems, 1):
        if system.interval:
            axes.plot(system.interval, [row, row], color="#1d2330", linewidth=3, solid_capstyle="butt")
        axes.plot([system.z], [row], "o", color="#1d2330", markersize=5)
    axes.set_yticks(range(1, len(values) + 1), [label(s.name) for s in ranking.systems])
    axes.invert_yaxis()
    axes.axvline(0, color=GREY, linewidth=1, zorder=0)
    axes.set_xlabel("caption score (z): 0 is a rater's own average")
    return png(drawn)


def workers(analysis: Analysis) -> bytes:
    """Every rater: mean score of undamaged against damaged control captions."""
    drawn, axes = figure(6, 5)
    shown = [w for w in analysis.quality.workers if w.mean_high is not None and w.mean_low is not None]
    for accepted, colour, said in ((True, GREEN, "passed"), (False, RED, "did not pass")):
        chosen = [w for w in shown if w.accepted is accepted]
        axes.scatter(
            [w.mean_low for w in chosen],
            [w.mean_high for w in chosen],
            s=26,
            color=colour,
            alpha=0.75,
            label=f"{said} ({len(chosen)})",
            linewidths=0,
        )
    limits = [*axes.get_xlim(), *axes.get_ylim()]
    axes.plot([min(limits), max(limits)], [min(limits), max(limits)], color=GREY, linewidth=1, zorder=0)
    axes.set(xlabel="mean score of damaged captions", ylabel="mean score of undamaged captions")
    axes.legend(frameon=False)
    return png(drawn)


def score_histograms(analysis: Analysis) -> bytes:
    """How raters used the scale: all raw scores, by kind of caption."""
    from ..human.ratings import KINDS

    drawn, axes = figure(7.5, 3.4)
    low, high = float(analysis.used.value.min()), float(analysis.used.value.max())
    edges = np.linspace(low, high if high > low else low + 1, 41)
    colours: Sequence[str] = (BLUE, "#7d8797", RED, GREEN)
    for code, kind in enumerate(KINDS):
        values = analysis.used.value[analysis.used.kind == code]
        if len(values):
            axes.hist(
                values,
                bins=edges,
                weights=np.full(len(values), 100 / len(values)),
                histtype="step",
                linewidth=1.8,
                color=colours[code],
                label=f"{kind} ({len(values):,})",
            )
    axes.set(xlabel="score", ylabel="% of the scores of this kind")
    axes.legend(frameon=False)
    return png(drawn)


def preference_shares(results: Sequence[Preference]) -> bytes:
    """Per pair of systems, what share of the items each side won."""
    drawn, axes = figure(7.5, 1.2 + 0.5 * len(results))
    for row, result in enumerate(results):
        total, left = max(1, len(result.items)), 0.0
        for count, colour in ((result.wins_a, BLUE), (result.undecided, GREY), (result.wins_b, GREEN)):
            axes.barh(row, 100 * count / total, left=left, color=colour, height=0.6)
            if count:
                axes.text(
                    left + 50 * count / total,
                    row,
                    str(count),
                    ha="center",
                    va="center",
                    color="#ffffff" if colour != GREY else "#1d2330",
                )
            left += 100 * count / total
    axes.set_yticks(range(len(results)), [label(r.a) for r in results])
    right = axes.secondary_yaxis("right")
    right.set_yticks(range(len(results)), [label(r.b) for r in results])
    right.spines[:].set_visible(False)
    axes.invert_yaxis()
    axes.set(xlabel="% of the items: won by the left name, undecided, won by the right name", xlim=(0, 100))
    return png(drawn)


def survey_means(result: Survey) -> bytes:
    """Marks per criterion and system with intervals, on the scale from the lowest mark to the highest."""
    drawn, axes = figure(7.5, 3.6)
    apart = 0.7 / max(1, len(result.systems))
    for k, system in enumerate(result.systems):
        found = {m.criterion: m for m in result.means if m.system == system}
        places = [(place, found[c]) for place, c in enumerate(result.criteria) if c in found]
        axes.errorbar(
            [place + (k - (len(result.systems) - 1) / 2) * apart for place, _ in places],
            [m.mean for _, m in places],
            yerr=[
                [m.mean - m.interval[0] if m.interval else 0 for _, m in places],
                [m.interval[1] - m.mean if m.interval else 0 for _, m in places],
            ],
            fmt="os^DvP*X"[k % 8],
            capsize=3,
            label=label(system),
        )
    axes.set_xticks(range(len(result.criteria)), [label(c.replace("_", " ")) for c in result.criteria])
    axes.set(ylabel="mean mark", ylim=(0.9, 5.1), yticks=range(1, 6))
    drawn.legend(frameon=False, ncols=max(1, len(result.systems)), loc="outside upper center")
    return png(drawn)
