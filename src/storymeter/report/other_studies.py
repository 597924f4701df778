"""Preferences and surveys as JSON, as tables, and as pages that explain their numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from markupsafe import Markup

from ..human.preference import MetricAccuracy, Preference
from ..human.survey import Survey
from .table import Column, Table, interval_cell, keys, numbers, to_json
from .templating import render, shown

PREFERENCE_WORDS = {
    "items": "how many videos were compared",
    "A wins": "videos on which the answers were for A on average; likewise for B",
    "undecided": "videos on which the answers cancel out; they are in no share",
    "share B %": "of the decided videos, how many B wins",
    "95 %": "the range in which that share would lie in 95 of 100 studies of the same size",
    "mean": "the mean answer, from -2 (A is much better) to 2 (B is much better)",
    "95 % mean": "where other raters and videos of the same kind would put the mean, in 95 of 100 studies",
    "p": "how likely so large a mean is if both are equally good; raters are random, two-sided",
    "p binomial": "the same for the wins, as in the paper: videos as throws of a coin, for these raters only",
    "alpha": "how far raters agree with each other: 1 is perfectly, 0 is chance (Krippendorff)",
}
CRITERION_WORDS = {
    "grounded": "the story reflects what is in the pictures",
    "coherent": "its sentences belong together",
    "no_repetition": "it does not repeat itself",
}
VOTE_WORDS = {
    "votes": "how often raters called the system's story the best of a sequence",
    "vote share %": "the same, of all votes",
}
RANK_WORDS = {
    "Spearman": (
        "how well a criterion's marks order the stories of one sequence as the votes do: 1 is the same order,"
        " 0 is none, -1 the reverse (mean over sequences)"
    ),
    "Pearson": "the same for the marks themselves, not only their order",
    "Kendall b": "the same by counting pairs of stories that both order alike",
    "sequences": "how many picture sequences the mean is over",
    "dropped": "sequences left out because all stories got the same marks, or the same number of votes",
    "alpha": (
        "how far raters agree with each other on this criterion: 1 is perfectly, 0 is chance (Krippendorff)"
    ),
}


@dataclass(frozen=True, slots=True)
class Study:
    """A preference study or a survey, ready to be shown."""

    title: str
    json: str
    tables: Sequence[Table]
    #: what each number of each table means
    words: Sequence[Mapping[str, str]]
    notes: Sequence[str]
    #: the name of the figure, what it shows, and how it is drawn as PNG and for pages
    figure: str
    figure_note: str
    png: Callable[[], bytes]
    svg: Callable[[], Markup]

    def draw(self) -> dict[str, bytes]:
        return {self.figure: self.png()}

    def page(self) -> str:
        return render(
            "study.html",
            title=self.title,
            notes=self.notes,
            tables=[shown(table, meaning) for table, meaning in zip(self.tables, self.words, strict=True)],
            figures=[{"note": self.figure_note, "drawn": self.svg()}],
        )


@functools.singledispatch
def presented(found: Any) -> Study:
    """The result of a study without scores, ready to be shown."""
    raise TypeError(f"{type(found).__name__} is no result of a study")


@presented.register(list)
def preferences(results: Sequence[Preference]) -> Study:
    from . import human_figures, plots_human

    rows = [
        [
            *(r.a, r.b, len(r.items), r.wins_a, r.wins_b, r.undecided, r.share_b),
            interval_cell(r.interval, "no item decided"),
            r.mean,
            interval_cell(r.mean_interval, "no test over raters"),
            *(r.p, r.p_binomial, r.alpha),
        ]
        for r in results
    ]
    table = Table(
        [
            *keys("A", "B"),
            Column("items", ",d"),
            *numbers("d", "A wins", "B wins", "undecided"),
            *numbers(".1f", "share B %", "95 %", scale=100.0),
            *numbers("+.2f", "mean", "95 % mean"),
            *(*numbers(".4g", "p", "p binomial"), Column("alpha", ".3f")),
        ],
        rows,
        title="Preferences",
        note=(
            "share B: of the decided items, how many B wins, with its interval for these raters; mean:"
            " answers from -2 (A) to 2 (B); its interval and p (two-sided) take raters as random and hold"
            " for other raters; p binomial: the paper's test against 50 %, which holds for these raters;"
            " alpha: Krippendorff's, ordinal (– where no item has two raters or nothing varies)."
        ),
    )
    return Study(
        "Human preferences",
        to_json({"schema": 1, "task": "preference", "pairs": [asdict(result) for result in results]}),
        [table],
        [PREFERENCE_WORDS],
        list(dict.fromkeys(note for r in results for note in r.notes)),
        "preferences",
        "How many items each side won; the grey middle is undecided.",
        lambda: plots_human.preference_shares(results),
        lambda: human_figures.preference_shares(results),
    )


@presented.register
def survey(result: Survey) -> Study:
    from . import human_figures, plots_human

    total = sum(result.votes.values())
    mean = {(m.system, m.criterion): m.mean for m in result.means}
    if not total:
        return _marks(result, mean)
    rows = [
        [
            system,
            *(mean.get((system, c)) for c in result.criteria),
            result.votes[system],
            result.votes[system] / total,
        ]
        for system in result.systems
    ]
    first = Table(
        [
            *keys("system"),
            *numbers(".2f", *result.criteria),
            Column("votes", "d"),
            Column("vote share %", ".1f", 100.0),
        ],
        rows,
        title="Criteria and votes",
        note="Means of story means, 1 to 5.",
    )
    rows = [
        [
            *(c.criterion, c.spearman, c.pearson, c.kendall, c.sequences, c.dropped),
            result.alphas.get(c.criterion),
        ]
        for c in result.correlations
    ]
    second = Table(
        [
            "criterion",
            *numbers(".3f", "Spearman", "Pearson", "Kendall b"),
            *numbers("d", "sequences", "dropped"),
            Column("alpha", ".3f"),
        ],
        rows,
        title="Criteria against the rank by votes",
        note=(
            "Correlated within each sequence, then averaged; dropped: sequences where a side is constant (–"
            " where all are); alpha: agreement of raters (Krippendorff, ordinal; – where no story has two"
            " raters or nothing varies, and for the sum of criteria)."
        ),
    )
    return Study(
        "Human ratings of the stories",
        to_json({"schema": 1, "task": "survey", **asdict(result)}),
        [first, second],
        [
            {
                c: f"the mean mark for this criterion, 1 to 5: {CRITERION_WORDS.get(c, c)}"
                for c in result.criteria
            }
            | VOTE_WORDS,
            RANK_WORDS,
        ],
        result.notes,
        "criteria",
        "Mean mark of each system for each criterion, with its 95 % range.",
        lambda: plots_human.survey_means(result),
        lambda: human_figures.survey_means(result),
    )


def _marks(result: Survey, mean: Mapping[tuple[str, str], float]) -> Study:
    """A survey in which nobody was asked for the best: marks by criterion alone."""
    from . import human_figures, plots_human

    interval = {(m.system, m.criterion): (m.interval, m.n) for m in result.means}
    means = Table(
        [*keys("system"), *numbers(".2f", *result.criteria)],
        [[system, *(mean.get((system, c)) for c in result.criteria)] for system in result.systems],
        title="Criteria",
        note="Means over items of the mean mark of their raters. Nobody voted.",
    )
    details = Table(
        [*keys("criterion", "system"), *numbers(".2f", "mean", "95 %"), Column("marks", ",d")],
        [
            [
                c,
                system,
                mean[system, c],
                interval_cell(interval[system, c][0], "one item"),
                interval[system, c][1],
            ]
            for c in result.criteria
            for system in result.systems
            if (system, c) in mean
        ],
        title="Intervals",
    )
    agreement = Table(
        [*keys("criterion"), Column("alpha", ".3f")],
        [[c, result.alphas.get(c)] for c in result.criteria],
        title="Agreement of raters",
        note="Krippendorff's alpha, ordinal; – where no item has two raters or nothing varies.",
    )
    marks = {c: f"the mean mark for this criterion: {CRITERION_WORDS.get(c, c)}" for c in result.criteria}
    return Study(
        "Human ratings by criterion",
        to_json({"schema": 1, "task": "survey", **asdict(result)}),
        [means, details, agreement],
        [
            marks,
            {"mean": "the mean over items", "marks": "how many marks were given"},
            {"alpha": RANK_WORDS["alpha"]},
        ],
        result.notes,
        "criteria",
        "Mean mark of each system for each criterion, with its 95 % range.",
        lambda: plots_human.survey_means(result),
        lambda: human_figures.survey_means(result),
    )


def accuracy_json(rows: Sequence[tuple[Preference, MetricAccuracy]]) -> str:
    return to_json({"schema": 1, "metrics": [{"a": p.a, "b": p.b, **asdict(m)} for p, m in rows]})


def accuracy_table(rows: Sequence[tuple[Preference, MetricAccuracy]]) -> Table:
    cells = [
        [
            *(p.a, p.b, m.metric, m.accuracy),
            interval_cell(m.interval, "no decided item"),
            *(m.n, m.ties),
        ]
        for p, m in rows
    ]
    rule = rows[0][1].rule if rows else "half"
    meaning = {"half": "counts half", "wrong": "counts as wrong", "drop": "is left out"}[rule]
    return Table(
        [
            *keys("A", "B", "metric"),
            *numbers(".1f", "accuracy %", "95 %", scale=100.0),
            *numbers("d", "items", "metric ties"),
        ],
        cells,
        title="Accuracy against human preferences",
        note=(
            "Share of items on which the metric prefers what people prefer. Items on which people are"
            f" undecided are left out; a tie of the metric {meaning}."
        ),
    )
