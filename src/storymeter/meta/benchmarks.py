"""Benchmarks in one call: metrics against the people of one benchmark, and the report card of many.

found = benchmark("trecvid-2016", "data", ["meteor", "cider"])
cards = report_card("data")

The benchmarks are real judgements that anyone can check a metric against; the data folder is laid out as
docs/meta-evaluation.md says. What each of them holds is said where it is read: captions in `benchmark_files`,
stories and paragraphs in `story_benchmarks`, pairs made by rules in `minimal_pairs`, tables of one's own in
`own_benchmarks`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ..engine.run import MetricLike, Run, metric_list
from ..errors import DataError, StorymeterError, UsageError, suggest
from ..measure import asks_anyone
from ..options import parse, split
from ..progress import Progress, silent
from ..registry import MEASURES, metric as get_metric
from .agreeing import Agreement, CurvePoint, SystemValue, measured, reference_curve
from .benchmark_files import (
    TRECVID,
    flickr8k,
    foil,
    hat,
    msvd,
    nebula,
    pascal50s,
    sick,
    thumb,
    trecvid,
    trecvid_name,
    vidhal,
)
from .choices import ChoiceResult, choice_contest, choice_results, segment_contest
from .minimal_pairs import FOLDER as ANET, NAME as WRONG_DETAIL, wrong_detail
from .overall_ranking import Contest
from .own_benchmarks import own_benchmark
from .records import Benchmark, benchmark_scores, check_references, kept_values, sampled, unkept
from .scores import Scores, join_scores, tabulate, values_of
from .story_benchmarks import CLOZE, UNION, VIST_EDIT, factvc, rated_stories, story_cloze, vist_edit
from .words import WordResult, occurrence, word_auc, word_measures


def load(name: str, data: Path) -> Benchmark:
    if name not in BENCHMARKS:
        if Path(name).exists():
            return own_benchmark(Path(name))
        raise UsageError(
            f"There is no benchmark {name!r}, and no such file or folder.", hint=suggest(name, BENCHMARKS)
        )
    here = available(data)
    place = FOLDERS[SAME_FILES.get(name, name)]
    if not (data / place).exists():
        raise DataError(
            f"{data} holds no {name}: there is no {place} in it.",
            hint=f"It holds {', '.join(here) or 'no benchmark'}; docs/meta-evaluation.md has the layout.",
        )
    found = BENCHMARKS[name](data)
    if not found.judgements and not found.choices:
        raise DataError(f"{data / place} holds no judgement.", hint="Check the download.")
    return found


def available(data: Path) -> list[str]:
    if not data.is_dir():
        raise DataError(f"{data} is not a folder.", hint="Give the folder of benchmark data with --data.")
    return [name for name, place in FOLDERS.items() if (data / place).exists()]


BENCHMARKS: dict[str, Callable[[Path], Benchmark]] = {
    "flickr8k-expert": flickr8k,
    "flickr8k-expert-all": lambda data: flickr8k(data, without_references=False),
    **{
        trecvid_name(annotators, year): partial(trecvid, annotators=annotators, year=year)
        for annotators, year in TRECVID
    },
    "stories-roc": rated_stories,
    "story-cloze": story_cloze,
    "vist-edit": vist_edit,
    "factvc-activitynet": lambda data: factvc(data, "activitynet"),
    "factvc-activitynet-paper": lambda data: factvc(data, "activitynet", paper=True),
    "factvc-youcook2": lambda data: factvc(data, "youcook2"),
    "pascal-50s": pascal50s,
    WRONG_DETAIL: wrong_detail,
    "foil": foil,
    "nebula": nebula,
    "thumb": thumb,
    "thumb-machines": lambda data: thumb(data, machines=True),
    "msvd-eval": msvd,
    "hat": hat,
    "vidhal": vidhal,
    "sick": sick,
}
FOLDERS = {
    "flickr8k-expert": "metaeval/flickr8k_expert",
    "flickr8k-expert-all": "metaeval/flickr8k_expert",
    **{trecvid_name(*which): folder for which, folder in TRECVID.items()},
    "stories-roc": UNION,
    "story-cloze": CLOZE,
    "vist-edit": VIST_EDIT,
    "factvc-activitynet": "metaeval/factvc_activitynet/paragraphs.jsonl",
    "factvc-youcook2": "metaeval/factvc_youcook2/paragraphs.jsonl",
    "pascal-50s": "metaeval/pascal50s/pairs.jsonl",
    WRONG_DETAIL: f"{ANET}/val_2.json",
    "foil": "metaeval/foil/nocaps-val-foil.json",
    "nebula": "metaeval/nebula/nebula_test.json",
    "thumb": "metaeval/thumb/mscoco_THumB-1.0.jsonl",
    "msvd-eval": "metaeval/msvd_eval/MSVD-Eval.json",
    "hat": "metaeval/hat/hat-trainval.json",
    "vidhal": "metaeval/vidhal/annotations.json",
    "sick": "metaeval/sick/SICK.txt",
}
#: other readings of the same files
SAME_FILES = {"factvc-activitynet-paper": "factvc-activitynet", "thumb-machines": "thumb"}


#: metrics with an option that makes another measure of them
_VARIANTS = ("sts(engine=align)",)


def suitable(benchmark: Benchmark) -> list[str]:
    """Every metric of the registry that can say something here: single captions with references want sentence
    measures, stories without references want measures of a story by itself; the number of words is there as
    the yardstick of "no idea at all"."""
    rooms = ("pairs.",) if benchmark.needs_references else ("pairs.", "story.")
    found = []
    for name in [*MEASURES, *_VARIANTS]:
        if MEASURES[parse(name).word].startswith(rooms):
            try:
                known = get_metric(name)
            except StorymeterError:
                found.append(name)  # its optional part is not installed: the card says so
                continue
            if known.needs_references == benchmark.needs_references:
                found.append(str(known))  # `spice(engine=rules)`, not `spice`: tables say which engine
    return [*found, "words"]


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
    check_references(found, names)
    if found.choices:
        values, _ = values_of(found.task, names, run)
        results = choice_results(found.choices, values, resamples=resamples, seed=seed)
        signatures = {metric: known.signature for metric, known in values.items()}
        return Benchmarked(name, found.title, (), results, words, signatures, found.notes)

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
    agreements, choices, contest, seed = [], [], None, run.context.seed
    if found.choices:
        choices = choice_results(found.choices, values, resamples=resamples, seed=seed)
        if found.needs_references:
            contest = choice_contest(found, values, choices, permutations=PERMUTATIONS, seed=seed)
    else:
        human = tabulate(found.judgements, scale=found.scale, notes=found.notes)
        scores = join_scores(human, values)
        again: dict[str, Any] = {"permutations": AGAINST, "against": YARDSTICK, "seed": seed}
        for level in found.levels:
            agreement = measured(found.title, level, scores, resamples=resamples, **again)
            agreements.append(agreement)
            if level == "segment" and found.needs_references:
                results = agreement.results
                contest = segment_contest(found, scores, results, permutations=PERMUTATIONS, seed=seed)
    return Card(
        found.name,
        found.title,
        found.headline,
        agreements,
        choices,
        contest,
        skipped,
        {name: entry.signature for name, entry in values.items()},
        found.notes,
        found.chance,
    )
