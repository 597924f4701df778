"""Benchmarks in one call: metrics against the people of one benchmark, and the report card of many.

found = benchmark("trecvid-2016", "data", ["meteor", "cider"])
cards = report_card("data")
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..engine.run import MetricLike, Run, metric_list
from ..errors import DataError, UsageError
from ..measure import asks_anyone
from ..options import split
from ..progress import Progress, silent
from ..registry import metric as get_metric
from .agreeing import Agreement, SystemValue, measured
from .benchmarks import available, load, suitable
from .choices import ChoiceResult, choice_contest, choice_results, segment_contest
from .overall_ranking import Contest
from .records import Benchmark, sampled
from .run import CurvePoint, benchmark_scores, check_references, reference_curve
from .scores import Scores, join_scores, tabulate, values_of
from .value_cache import kept_values, unkept
from .words import WordResult, occurrence, word_auc, word_measures

#: what every metric of a report card is tested against
YARDSTICK = "meteor"
#: permutations of the tests that count as wins: so many that Holm's correction over several hundred of them
#: can leave some; and of those against the yardstick
PERMUTATIONS, AGAINST = 20_000, 1000
#: metrics of a benchmark that is asked for none, with and without references
USUAL = ("bleu_1", "bleu_4", "rouge_l", "meteor", "cider")
WITHOUT_REFERENCES = ("rovist_nr", "self_bleu", "distinct_2", "words")


@dataclass(frozen=True, slots=True)
class Benchmarked:
    """What a benchmark found: agreements with people, or accuracies over pairs of texts; `words` are results
    by word, over content words and over all.
    """

    name: str
    title: str
    agreements: Sequence[Agreement] = ()
    choices: Sequence[ChoiceResult] = ()
    words: Mapping[str, Sequence[WordResult]] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def benchmark(
    name: str | Path,
    data: str | Path = ".",
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    level: str | None = None,
    curve: str | None = None,
    curve_references: int | None = None,
    sample: int | None = None,
    resamples: int = 500,
    permutations: int = 10_000,
    statistic: str = "pearson",
    unit: str = "both",
    system_value: SystemValue = "published",
    progress: Progress = silent,
    **settings: Any,
) -> Benchmarked:
    """Metrics against the human scores of a benchmark.

    name: a name of `BENCHMARKS`, or a table or folder of your own.
    data: the folder of benchmark data (docs/meta-evaluation.md has its layout).
    metrics: names or objects; default: usual ones, or those that need no references.
    level: `segment` or `system`; default: all that the benchmark has.
    curve: also this coefficient with 1, 2, 3, … references: pearson, spearman, kendall_b or kendall_c.
    curve_references: up to so many; default: the largest number that an item has.
    sample: a number of items (or pairs), drawn by the seed.
    resamples: bootstrap resamples of the intervals; 0: none.
    permutations, statistic: of the permutation test, and what it compares.
    unit: what is resampled at system level: items, systems or both.
    system_value: the value of a system at system level: `published`, the mean over captions for sentence
        metrics (METEOR), with the idf of all systems, as published tables have it, or `own`, each system
        scored by itself, as `score` does.
    settings: those of `Run`: tokenizer, jobs, seed, device, budget.
    progress: called with what is being done, how much is done, and of how much.
    """
    name = str(name)
    found = load(name, Path(data))
    run = Run(progress=progress, **settings)
    seed, jobs = run.context.seed, run.context.jobs
    if sample is not None:
        found = sampled(found, sample, seed)
    usual = USUAL if found.needs_references else WITHOUT_REFERENCES
    names = list(usual) if metrics is None else metric_list(metrics)
    words = _words(found, names, resamples, seed)
    if found.choices:
        check_references(found, names)
        values, _ = values_of(found.task, names, run)
        results = choice_results(found.choices, values, resamples=resamples, seed=seed)
        signatures = {metric: known.signature for metric, known in values.items()}
        return Benchmarked(name, found.title, (), results, words, signatures, found.notes)
    check_references(found, names)

    levels = found.levels if level is None else (level,)
    apart = {one: one == "system" and system_value == "own" for one in levels}

    def ask(run: Run, asked: Sequence[MetricLike]) -> tuple[dict[bool, Scores], dict[str, list[CurvePoint]]]:
        ways = dict.fromkeys(apart.values())
        scores = {way: benchmark_scores(found, asked, run, apart=way)[0] for way in ways}
        if not curve:
            return scores, {}
        points: dict[str, Any] = {"statistic": curve, "up_to": curve_references, "resamples": resamples}
        return scores, reference_curve(found.task, found.judgements, asked, run, **points)

    with run.announced(names, ask):
        scores, drawn = ask(run, names)
    again: dict[str, Any] = {
        "resamples": resamples,
        "permutations": permutations,
        "statistic": statistic,
        "unit": unit,
        "system_value": system_value,
        "seed": seed,
        "jobs": jobs,
    }
    agreements = [
        measured(found.title, one, scores[way], drawn, curve, progress=progress, **again)
        for one, way in apart.items()
    ]
    known = scores[min(scores)]  # all together, where both were asked for
    for criterion, judgements in found.criteria.items():  # the same values beside other human scores
        beside = replace(
            tabulate(judgements),
            metrics=known.metrics,
            signatures=known.signatures,
            lower_is_better=known.lower_is_better,
        )
        agreements.append(measured(f"{found.title}: {criterion}", "segment", beside, **again))
    return Benchmarked(name, found.title, agreements, (), words, known.signatures)


def _words(
    found: Benchmark, names: Sequence[MetricLike], resamples: int, seed: int
) -> dict[str, list[WordResult]]:
    """AUC per word of every metric that says something of words, and of the plainest yardstick."""
    texts = [name for name in names if isinstance(name, str)]
    measures = {"the word is in a reference": occurrence, **word_measures(texts)}
    if not found.words or len(measures) == 1:
        return {}
    return {
        which: word_auc(found.words, measures, content=content, resamples=min(resamples, 200), seed=seed)
        for which, content in (("content words", True), ("all words", False))
    }


@dataclass(frozen=True, slots=True)
class Card:
    """One benchmark: what was found at each level or over its pairs, all metrics beside each other, and which
    could not run.
    """

    benchmark: str
    title: str
    headline: str
    agreements: Sequence[Agreement] = ()
    choices: Sequence[ChoiceResult] = ()
    contest: Contest | None = None
    skipped: Mapping[str, str] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    #: what a metric that knows nothing reaches in the headline
    chance: float = 0.0


def report_card(
    data: str | Path = ".",
    metrics: str | Sequence[str] | None = None,
    benchmarks: str | Path | Sequence[str | Path] = (),
    *,
    resamples: int = 300,
    keep: str | Path | None = None,
    progress: Progress = silent,
    **settings: Any,
) -> list[Card]:
    """All metrics on all benchmarks of a folder: which one to trust.

    data: the folder of benchmark data.
    metrics: names; default: all that suit a benchmark.
    benchmarks: names, or tables and folders of your own; default: all that the folder holds.
    resamples: bootstrap resamples of the intervals.
    keep: a folder in which the values of every metric are stored, and from which they are taken again.
    settings: those of `Run`: jobs, seed, device.
    progress: called with what is being done, how much is done, and of how much.
    """
    data = Path(data)
    named = [benchmarks] if isinstance(benchmarks, str | Path) else benchmarks
    chosen = list(dict.fromkeys(map(str, named))) or available(data)
    if not chosen:
        raise DataError(f"{data} holds no benchmark.", hint="docs/meta-evaluation.md has the layout.")
    asked = split(metrics) if isinstance(metrics, str) else metrics
    for metric in asked or ():
        if not isinstance(metric, str):
            raise UsageError(
                f"A report card takes names of metrics, not {type(metric).__name__}.",
                hint="Install it as a plug-in (docs/plugins.md), or give the object to meta.benchmark.",
            )
    run = Run(progress=progress, **settings)

    folder = None if keep is None else Path(keep)

    def ask(dry: Run, judges: Sequence[MetricLike]) -> None:
        judged = [metric for metric in asked or () if asks_anyone(get_metric(metric))]
        for name in chosen:
            found = load(name, data)
            if waiting := unkept(found, judged, run, folder):
                values_of(found.task, waiting, dry, skip_missing=True)

    cards: list[Card] = []
    with run.announced(asked or (), ask):
        for done, name in enumerate(chosen):
            progress("benchmarks", done, len(chosen))
            found = load(name, data)
            if any(card.benchmark == found.name for card in cards):
                raise UsageError(f"Two benchmarks are called {found.name!r}.", hint=f"Rename {name}.")
            cards.append(_card(found, asked, run, folder, resamples))
    return cards


def _card(found: Benchmark, asked: Sequence[str] | None, run: Run, kept: Path | None, resamples: int) -> Card:
    values, skipped = kept_values(found, asked or suitable(found), run, kept, skip_missing=True)
    signatures = {name: entry.signature for name, entry in values.items()}
    made = _of_choices if found.choices else _of_scores
    results = made(found, values, run, resamples)
    return Card(
        found.name,
        found.title,
        found.headline,
        **results,
        skipped=skipped,
        signatures=signatures,
        notes=found.notes,
        chance=found.chance,
    )


def _of_choices(found: Benchmark, values: Any, run: Run, resamples: int) -> dict[str, Any]:
    seed = run.context.seed
    results = choice_results(found.choices, values, resamples=resamples, seed=seed)
    if not found.needs_references:
        return {"choices": results}
    contest = choice_contest(found, values, results, permutations=PERMUTATIONS, seed=seed)
    return {"choices": results, "contest": contest}


def _of_scores(found: Benchmark, values: Any, run: Run, resamples: int) -> dict[str, Any]:
    human = tabulate(found.judgements, scale=found.scale, notes=found.notes)
    scores = join_scores(human, values)
    seed = run.context.seed
    again: dict[str, Any] = {"permutations": AGAINST, "against": YARDSTICK, "seed": seed}
    levels = {
        level: measured(found.title, level, scores, resamples=resamples, **again) for level in found.levels
    }
    contest = None
    if "segment" in levels and found.needs_references:
        results = levels["segment"].results
        contest = segment_contest(found, scores, results, permutations=PERMUTATIONS, seed=seed)
    return {"agreements": list(levels.values()), "contest": contest}
