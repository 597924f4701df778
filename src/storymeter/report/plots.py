"""What figures for files share: PNG and SVG bytes, no display, no global state."""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ..human.analysis.assessment import Analysis
from ..human.analysis.preference import Preference
from ..human.analysis.survey import Survey
from ..meta.scores import Scores
from .agreement import system_points
from .fitting import escape_controls

BLUE = "#1b66c9"


def figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return drawn, axes


#: fonts with the letters that matplotlib's own lacks, the usual ones of each system
_MORE_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "IPAexGothic",
    "IPAGothic",
    "Hiragino Sans",
    "Yu Gothic",
    "Meiryo",
    "PingFang SC",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
)


@functools.cache
def fonts() -> list[str]:
    """The families to look for a letter in, one after the other: matplotlib's own, then those that are
    here.
    """
    from matplotlib.font_manager import get_font_names

    here = set(get_font_names())
    return ["DejaVu Sans", *(name for name in _MORE_FONTS if name in here)]


def png(drawn: Any) -> bytes:
    from matplotlib.text import Text

    for text in drawn.findobj(Text):
        text.set_fontfamily(fonts())
    dpi = min(130, 12_000 / max(drawn.get_size_inches()))
    return _saved(drawn, format="png", dpi=dpi, metadata={"Software": None})


def svg(drawn: Any) -> bytes:
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": "storymeter", "svg.fonttype": "none"}):  # same input, same bytes
        return _saved(drawn, format="svg", metadata={"Date": None})


def _saved(drawn: Any, **how: Any) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a letter that the font lacks is drawn as a box
        drawn.savefig(out, **how)
    return out.getvalue()


def beyond(labels: Sequence[str]) -> float:
    """Inches that long names need beside a figure, more than ordinary ones."""
    return 0.09 * max(0, max(map(len, labels), default=0) - 16)


def label(name: str) -> str:
    """A name as the figures may write it: a dollar sign begins no formula, and no name fills the picture."""
    return (escape_controls(name) if len(name) <= 60 else escape_controls(name[:59]) + "…").replace(
        "$", r"\$"
    )


# Figures of a human study (after Graham et al. 2018, figure 7 and the tables), as PNG.


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


def rating_distributions(analysis: Analysis) -> bytes:
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


# Figures of a meta-evaluation: scatter of metric against human per system, metric-by-metric heat map,
# number of references, distributions.


def scatter(scores: Scores, metric: str) -> bytes:
    """One point per system, the least-squares line and r (after Graham et al. 2018, figures 8-10)."""
    x, y, names, title, line = system_points(scores, metric)
    drawn, axes = figure(5.2, 4.2)
    axes.scatter(x, y, color=BLUE, s=30, zorder=3)
    for a, b, name in zip(x, y, names, strict=True):
        axes.annotate(label(name), (a, b), xytext=(4, 4), textcoords="offset points", fontsize=8)
    if line is not None:
        ends = np.array([x.min(), x.max()])
        axes.plot(ends, line[0] * ends + line[1], color="#7d8797", linewidth=1)
    axes.set(xlabel=label(metric), ylabel="human score", title=title)
    axes.margins(0.12)
    return png(drawn)


def heat_map(names: Sequence[str], r: np.ndarray) -> bytes:
    """Correlation of every metric with every other, and with people; or how alike any sources are."""
    shown = [label(name) for name in names]
    drawn, axes = figure(2.6 + 0.55 * len(names) + beyond(shown), 1.8 + 0.55 * len(names) + beyond(shown))
    axes.spines[:].set_visible(False)
    axes.imshow(r, vmin=-1, vmax=1, cmap="RdBu")
    for i in range(len(names)):
        for j in range(len(names)):
            text = "–" if np.isnan(r[i, j]) else f"{r[i, j]:.2f}"
            axes.text(
                j,
                i,
                text,
                ha="center",
                va="center",
                fontsize=8,
                color="white" if abs(np.nan_to_num(r[i, j])) > 0.65 else "#1d2330",
            )
    axes.set_xticks(range(len(names)), shown, rotation=90)
    axes.set_yticks(range(len(names)), shown)
    axes.tick_params(length=0)
    return png(drawn)


def reference_curve(curve: Mapping[str, Sequence[float]], statistic: str) -> bytes:
    """The same correlation with 1, 2, 3, … references (after Wang et al., RoViST, figure 4)."""
    drawn, axes = figure(6, 3.8)
    for name, values in curve.items():
        axes.plot(range(1, len(values) + 1), values, "o-", markersize=4, label=label(name))
    longest = max((len(v) for v in curve.values()), default=1)
    axes.set(xlabel="number of references", ylabel=statistic, xticks=range(1, longest + 1))
    axes.legend(frameon=False, fontsize=8)
    return png(drawn)


def metric_distributions(groups: Mapping[str, np.ndarray], scorer: str) -> bytes:
    """The share of values in each of forty bins, one line per group (after Graham et al. 2018, figure 4)."""
    drawn, axes = figure(7, 3.8)
    edges = _edges(groups)
    for name, values in groups.items():
        shares = np.histogram(values, edges)[0] / values.size
        line = axes.stairs(
            shares, edges, label=f"{label(name)} (median {np.median(values):.2f})", linewidth=1.6
        )
        axes.axvline(float(np.median(values)), color=line.get_edgecolor(), linewidth=0.8, linestyle=":")
    axes.set(xlabel=scorer, ylabel="share", ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)
    return png(drawn)


def hills(groups: Mapping[str, np.ndarray], scorer: str, special: Collection[str] = ()) -> bytes:
    """The same with one group above the other, the first on top (figure 5): many lines in one place hide each
    other. The `special` groups have another colour.
    """
    drawn, axes = figure(7, 1.1 + 0.38 * len(groups))
    edges = _edges(groups)
    shares = {name: np.histogram(values, edges)[0] / values.size for name, values in groups.items()}
    scale = 0.85 / max(share.max() for share in shares.values())
    upwards = list(groups.items())[::-1]
    for row, (name, values) in enumerate(upwards):
        axes.stairs(
            row + scale * shares[name],
            edges,
            baseline=row,
            fill=True,
            color="#d9822b" if name in special else "#4a7fb5",
        )
        axes.plot([np.median(values)] * 2, [row, row + 0.85], color="#1d2330", linewidth=1.2)
    axes.set_yticks(
        range(len(groups)),
        [f"{label(name)} ({np.median(values):.2f})" for name, values in upwards],
        va="bottom",
    )
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel=scorer, ylim=(0, len(groups)))
    return png(drawn)


def _edges(groups: Mapping[str, np.ndarray]) -> np.ndarray:
    """Forty bins from 0, or the least value, to 1, or the largest."""
    every = np.concatenate([values.ravel() for values in groups.values()])
    return np.linspace(min(float(every.min()), 0.0), max(float(every.max()), 1.0), 41)
