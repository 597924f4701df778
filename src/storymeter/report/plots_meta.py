"""Figures of a meta-evaluation: scatter of metric against human per system, metric-by-metric heat map, number
of references, distributions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ..meta.scores import Scores
from .agreement import system_points
from .plots import BLUE, beyond, figure, label, png


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


def distributions(groups: Mapping[str, np.ndarray], scorer: str) -> bytes:
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
