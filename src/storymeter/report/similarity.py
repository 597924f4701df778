"""Similarity between sources of captions as tables, JSON, figures and a page (after Graham et al. 2018, table
1 and figures 4-5).
"""

import math

import numpy as np
from markupsafe import Markup

from ..arrays import FloatArray
from ..meta.similarities import KINDS, Mean, Similarity
from .agreement_page import correlation_figure
from .figures.charts import steps
from .figures.points import Spread, boxes
from .presentation import Presentation, html_page, present, shown
from .table import Table, keys, numbers, to_json

QUANTILES = {"5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95}
_BARS = " ▁▂▃▄▅▆▇█"
WORDS = {
    "to all others": (
        "the mean similarity of this source's captions to those of every other source, of the same items"
    ),
    "to people, to systems": "the same, only against human captions, or only against systems",
    "interval": "the range in which the mean falls in 95 of 100 draws of other items (bootstrap)",
    "5 %, 25 %, median, 75 %, 95 %": "so many of the single similarities lie below the value",
    "≤ 0 … 1": (
        "how the single similarities are spread, in twenty steps from 0 to 1; the first step also holds all"
        " that lie below 0"
    ),
}


@present.register(Similarity)
def present_similarity(found: Similarity) -> Presentation:
    return Presentation(
        "Similarity between sources",
        lambda style, width: [source_table(found), kind_table(found), matrix_table(found)],
        lambda: similarity_json(found),
        found.notes,
        page=lambda: similarity_page(found),
        figures=lambda: {f"similarity-{name}": drawn for name, drawn in draw(found).items()},
    )


def bars(values: FloatArray, bins: int = 20) -> str:
    """A histogram from 0 to 1 in one line; what lies below 0 stands in the first bin.

    >>> bars(np.array([0.02, 0.02, 0.99]), 4)
    '█  ▄'
    """
    counts = np.histogram(np.clip(values, 0.0, 1.0), bins, (0.0, 1.0))[0]
    top = max(int(counts.max()), 1)
    return "".join(_BARS[math.ceil(8 * count / top)] for count in counts.tolist())


def _source_means(found: Similarity) -> list[tuple[int, Mean | None, Mean | None, Mean | None]]:
    """(source, to all others, to people, to systems), who is nearest to all the others first."""
    sources = range(len(found.names))
    every, people, systems = (
        found.means([found.of_source(k, human=human) for k in sources]) for human in (None, True, False)
    )
    return sorted(zip(sources, every, people, systems, strict=True), key=lambda row: -_value(row[1]))


def _kind_means(found: Similarity) -> list[tuple[str, FloatArray, Mean | None]]:
    groups = [found.of_kind(kind) for kind in KINDS]
    return [row for row in zip(KINDS, groups, found.means(groups), strict=True) if row[1].size]


def source_table(found: Similarity) -> Table:
    """Table 1."""
    rows = [
        [
            found.names[k],
            _kind(found, k),
            _value(every),
            _interval(every),
            _value(people),
            _value(systems),
            bars(found.of_source(k)),
        ]
        for k, every, people, systems in _source_means(found)
    ]
    return Table(
        [
            *keys("source"),
            "kind",
            *numbers(".3f", "to all others", "interval", "to people", "to systems"),
            "≤ 0 … 1",
        ],
        rows,
        title=f"Mean similarity to the other sources ({found.scorer}, {len(found.items):,} items)",
        note="–: there is no such source, or no interval was asked for.",
    )


def kind_table(found: Similarity) -> Table:
    rows = [
        [
            kind,
            len(values),
            values.size,
            _value(mean),
            _interval(mean),
            *np.quantile(values, list(QUANTILES.values())).tolist(),
            bars(values),
        ]
        for kind, values, mean in _kind_means(found)
    ]
    return Table(
        [
            "between",
            *numbers(",d", "pairs of sources", "similarities"),
            *numbers(".3f", "mean", "interval", *QUANTILES),
            "≤ 0 … 1",
        ],
        rows,
        title="By kind of pair",
    )


def matrix_table(found: Similarity) -> Table:
    rows = [
        [str(k), name, *row]
        for k, (name, row) in enumerate(zip(found.names, found.matrix().tolist(), strict=True), 1)
    ]
    return Table(
        ["", "source", *numbers(".3f", *map(str, range(1, len(rows) + 1)))],
        rows,
        title="Mean similarity of every source to every other",
    )


def similarity_json(found: Similarity) -> str:
    edges = _edges(found)
    sources = [
        {
            "source": found.names[k],
            "kind": _kind(found, k),
            "to_all": _value(every),
            "interval": every and every.interval,
            "to_people": _value(people),
            "to_systems": _value(systems),
        }
        for k, every, people, systems in _source_means(found)
    ]
    kinds = [
        {
            "between": kind,
            "pairs": len(values),
            "similarities": values.size,
            "mean": _value(mean),
            "interval": mean and mean.interval,
            "quantiles": {str(q): float(np.quantile(values, q)) for q in QUANTILES.values()},
            "histogram": np.histogram(values, edges)[0],
        }
        for kind, values, mean in _kind_means(found)
    ]
    content = {
        "schema": 1,
        "scorer": found.scorer,
        "signature": found.signature,
        "items": len(found.items),
        "resamples": found.resamples,
        "seed": found.seed,
        "sources": sources,
        "kinds": kinds,
        "bins": edges,
        "matrix": {
            name: dict(zip(found.names, row, strict=True))
            for name, row in zip(found.names, found.matrix().tolist(), strict=True)
        },
        "notes": list(found.notes),
    }
    return to_json(content)


def draw(found: Similarity) -> dict[str, Markup]:
    """After Graham et al. 2018, figures 4 and 5, and who says the same as whom."""
    kinds = {kind: values.ravel() for kind in KINDS if (values := found.of_kind(kind)).size}
    return {
        "kinds": steps(
            {f"{kind} (median {np.median(values):.2f})": values for kind, values in kinds.items()},
            _edges(found),
            labels=(found.scorer, "% of the similarities"),
            alternative="How the similarities are distributed, by kind of pair.",
            medians=True,
        ),
        "sources": boxes(
            [
                Spread(
                    found.names[k],
                    found.of_source(k).ravel(),
                    _value(mean),
                    _interval(mean),
                    int(found.human[k]),
                )
                for k, mean, *_ in _source_means(found)
                if found.of_source(k).size
            ],
            label=found.scorer,
            alternative="How each source's similarities to all others are distributed.",
        ),
        "matrix": correlation_figure(
            found.names, found.matrix(), "Mean similarity of every source to every other."
        ),
    }


def similarity_page(found: Similarity) -> str:
    drawn = draw(found)
    return html_page(
        "similarity.html",
        title="Similarity between sources",
        notes=found.notes,
        sources=shown(source_table(found), WORDS),
        kinds=shown(kind_table(found)),
        histograms=drawn["kinds"],
        people=bool(found.of_kind("human-human").size),
        spreads=drawn["sources"],
        matrix=drawn["matrix"],
        table=shown(matrix_table(found)),
        signature=found.signature,
    )


def _edges(found: Similarity) -> FloatArray:
    """Forty bins from 0, or the least similarity, to 1, or the largest."""
    return np.linspace(min(0.0, found.values.min()), max(1.0, found.values.max()), 41)


def _value(mean: Mean | None) -> float:
    return math.nan if mean is None else mean.value


def _interval(mean: Mean | None) -> tuple[float, float] | None:
    return None if mean is None or mean.interval is None else (mean.interval[0], mean.interval[1])


def _kind(found: Similarity, source: int) -> str:
    return "human" if found.human[source] else "system"
