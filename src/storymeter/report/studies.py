"""Surveys and error spans as JSON, as tables, and as pages that explain their numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from markupsafe import Markup

from ..human.analysis.spans import SpanStudy
from ..human.analysis.story_raters import StoryQuality
from ..human.analysis.survey import Survey
from .assessment_data import analysis_data
from .figures import points
from .presentation import Presentation, html_page, plain, present, shown
from .table import Column, Table, interval_cell, keys, numbers, to_json

CRITERION_WORDS = {
    "grounded": "the story reflects what is in the pictures",
    "coherent": "its sentences belong together",
    "no_repetition": "it does not repeat itself",
}
VOTE_WORDS = {
    "votes": "how often raters called the system's story the best of a sequence",
    "vote share %": "the same, of all votes",
    "95 %": "where other raters and stories of the same kind would put that share, in 95 of 100 studies",
}
DETAIL_WORDS = {
    "mean": "the mean over items of the mean mark of their raters",
    "95 %": "where other raters and items of the same kind would put the mean, in 95 of 100 studies",
    "marks": "how many marks were given",
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


STORY_RATER_WORDS = {
    "used": "whether the rater's answers are in the results, and why",
    "r others": "agreement with the other raters, within systems: 1 is perfect, 0 is chance",
    "p": "of so low an r, for a rater who agrees half as well as is usual; r near 0 and p < .05: left out",
    "alike": "how far the answers to items that came twice are alike: 1 is the same, 0 is chance",
    "p alike": "how likely answers so much alike are by chance",
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
    #: the name of the figure, what it shows, and how it is drawn
    figure: str
    figure_note: str
    draw: Callable[[], Markup]

    def page(self) -> str:
        return html_page(
            "study.html",
            title=self.title,
            notes=self.notes,
            tables=[shown(table, meaning) for table, meaning in zip(self.tables, self.words, strict=True)],
            figures=[{"note": self.figure_note, "drawn": self.draw()}],
        )

    def presentation(self) -> Presentation:
        return plain(
            self.title,
            self.tables,
            json=lambda: self.json,
            notes=self.notes,
            page=self.page,
            figures=lambda: {self.figure: self.draw()},
        )


@present.register(Survey)
def present_survey(result: Survey) -> Presentation:
    return survey(result).presentation()


def survey(result: Survey) -> Study:
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
            interval_cell(result.vote_intervals[system], "no interval"),
        ]
        for system in result.systems
    ]
    first = Table(
        [
            *keys("system"),
            *numbers(".2f", *result.criteria),
            Column("votes", "d"),
            *numbers(".1f", "vote share %", "95 %", scale=100.0),
        ],
        rows,
        title="Criteria and votes",
        note="Means of story means, 1 to 5. The interval of the vote share takes raters as random.",
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
    raters = story_rater_tables(result.quality)
    return Study(
        "Human ratings of the stories",
        to_json({"schema": 1, "task": "survey", **asdict(result)}),
        [first, second, _details(result), *raters],
        [
            {
                c: f"the mean mark for this criterion, 1 to 5: {CRITERION_WORDS.get(c, c)}"
                for c in result.criteria
            }
            | VOTE_WORDS,
            RANK_WORDS,
            DETAIL_WORDS,
            *(STORY_RATER_WORDS for _ in raters),
        ],
        result.notes,
        "criteria",
        "Mean mark of each system for each criterion, with its 95 % range.",
        lambda: survey_means(result),
    )


def story_rater_tables(quality: StoryQuality) -> list[Table]:
    """The evidence on each rater; no table where there is none."""
    if not any(one.tests or one.repeats for one in quality.workers):
        return []
    rows = [
        [
            one.id,
            one.accepted is not False,
            one.reason,
            *(one.items, one.seconds, one.agreement, one.agreement_p),
            *(one.repeats, one.consistency, one.consistency_p),
        ]
        for one in quality.workers
    ]
    usual = "" if quality.usual is None else f" (usual: {quality.usual:.2f})"
    columns: list[Column | str] = [
        *keys("rater"),
        "used",
        "because",
        Column("items", ",d"),
        Column("s/item", ".1f"),
        Column("r others", ".2f"),
        Column("p", ".3g"),
        Column("repeats", "d"),
        Column("alike", ".2f"),
        Column("p alike", ".3g"),
    ]
    note = (
        f"r others: agreement with the other raters, within systems{usual}; p: of so low an r, for half of"
        " the usual one; alike: answers to repeated items (1: the same, 0: chance)."
    )
    return [Table(columns, rows, title="Raters", note=note)]


def _details(result: Survey) -> Table:
    """Every mean with its interval."""
    return Table(
        [*keys("criterion", "system"), *numbers(".2f", "mean", "95 %"), Column("marks", ",d")],
        [
            [one.criterion, one.system, one.mean, interval_cell(one.interval, "no interval"), one.n]
            for one in result.means
        ],
        title="Means with intervals",
        note=(
            "95 %: where other raters and items of the same kind would put the mean; no interval: one rater,"
            " one item, or marks that are all equal."
        ),
    )


def _marks(result: Survey, mean: Mapping[tuple[str, str], float]) -> Study:
    """A survey in which nobody was asked for the best: marks by criterion alone."""
    means = Table(
        [*keys("system"), *numbers(".2f", *result.criteria)],
        [[system, *(mean.get((system, c)) for c in result.criteria)] for system in result.systems],
        title="Criteria",
        note="Means over items of the mean mark of their raters. Nobody voted.",
    )
    agreement = Table(
        [*keys("criterion"), Column("alpha", ".3f")],
        [[c, result.alphas.get(c)] for c in result.criteria],
        title="Agreement of raters",
        note="Krippendorff's alpha, ordinal; – where no item has two raters or nothing varies.",
    )
    marks = {c: f"the mean mark for this criterion: {CRITERION_WORDS.get(c, c)}" for c in result.criteria}
    raters = story_rater_tables(result.quality)
    return Study(
        "Human ratings by criterion",
        to_json({"schema": 1, "task": "survey", **asdict(result)}),
        [means, _details(result), agreement, *raters],
        [
            marks,
            DETAIL_WORDS,
            {"alpha": RANK_WORDS["alpha"]},
            *(STORY_RATER_WORDS for _ in raters),
        ],
        result.notes,
        "criteria",
        "Mean mark of each system for each criterion, with its 95 % range.",
        lambda: survey_means(result),
    )


def survey_means(result: Survey) -> Markup:
    """Marks per criterion and system, on the scale from the lowest possible mark to the highest."""
    found = {(m.criterion, m.system): m for m in result.means}
    rows = [
        points.Dot(
            f"{criterion.replace('_', ' ')}: {system}",
            found[criterion, system].mean,
            found[criterion, system].interval,
            colour=k,
        )
        for criterion in result.criteria
        for k, system in enumerate(result.systems)
        if (criterion, system) in found
    ]
    return points.dots(
        rows,
        label="mean mark, with its 95 % interval",
        alternative="; ".join(f"{row.name} {row.value:.2f}" for row in rows),
        limits=(1.0, 5.0),
    )


# Error span studies as JSON, as tables, and in words; the scores beside them are those of Direct
# Assessment.


PROFILE_WORDS = {
    "weight": (
        "errors per caption, a major one counted five times (lower is better); this column decides the order"
    ),
    "95 %": "the range in which it would lie in 95 of 100 studies of the same size",
    "minor, major": "errors of each severity per caption",
    "clean %": "of the judgements, how many found nothing wrong",
    "missing %": "of the judgements, how many said that something is missing",
}
KIND_WORDS = {
    "the columns": "errors per caption about an object, an action and so on, whatever their severity"
}
RATER_WORDS = {
    "planted": (
        "damaged captions that the rater saw, and how many were marked where the damage is; half must be"
    ),
    "marked %": "of the words of other captions, how many the rater marked",
    "precision": (
        "of the words the rater marked, how many another rater of the caption marked too, on average"
    ),
    "recall": "of the words another rater marked, how many this rater marked too",
}


def span_data(study: SpanStudy, **more: Any) -> dict[str, Any]:
    """The data of Direct Assessment, with the spans beside it."""
    base = analysis_data(study.analysis, **more)
    base["notes"] = [*study.notes, *base["notes"]]
    base["task"] = "spans"
    base["spans"] = {
        "agreement": asdict(study.agreement),
        "profiles": [asdict(one) for one in study.profiles],
        "raters": [asdict(one) for one in study.raters],
    }
    return base


def profile_table(study: SpanStudy) -> Table:
    return Table(
        [
            *keys("system"),
            *numbers(".2f", "weight", "95 %", "minor", "major"),
            *numbers(".1f", "clean %", "missing %", scale=100.0),
            *numbers(",d", "captions", "judgements"),
        ],
        [
            [
                p.system,
                p.weight,
                tuple(p.interval) if p.interval else None,
                p.minor,
                p.major,
                p.clean,
                p.missing,
                p.captions,
                p.judgements,
            ]
            for p in study.profiles
        ],
        title="Errors per caption: what is wrong",
        note="weight: minor errors + 5 x major errors per caption, lower is better.",
    )


def kind_table(study: SpanStudy) -> Table:
    kinds = sorted(
        {kind for p in study.profiles for kind in p.kinds},
        key=lambda kind: (-sum(p.kinds.get(kind, 0.0) for p in study.profiles), kind),
    )
    return Table(
        [*keys("system"), *numbers(".2f", *kinds)],
        [[p.system, *(p.kinds.get(kind, 0.0) for kind in kinds)] for p in study.profiles],
        title="Kinds of errors, per caption",
    )


def rater_table(study: SpanStudy) -> Table:
    return Table(
        [
            *keys("rater"),
            "planted",
            "believed",
            Column("marked %", ".1f"),
            *numbers(".2f", "precision", "recall"),
        ],
        [
            [
                one.rater,
                f"{one.found} of {one.planted}",
                one.believed if one.planted else None,
                one.marked,
                one.precision,
                one.recall,
            ]
            for one in study.raters
        ],
        title="Raters: controls and agreement on words",
    )


def agreement_line(study: SpanStudy) -> str:
    found = study.agreement
    if found.f1 is None:
        return "Agreement on words cannot be computed: no caption has marks of two raters."
    alpha = f"{found.alpha:.3f}" if found.alpha is not None else "unknown"
    return (
        f"Agreement on the words of {found.captions:,} captions that two or more raters judged: F1"
        f" {found.f1:.3f} ({found.f1_severity:.3f} where a different severity counts half), Krippendorff's"
        f" alpha {alpha}."
    )
