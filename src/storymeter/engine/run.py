"""A run binds once what all its numbers share, and scores any number of systems with any number of metrics.

    run = Run(references=[first, second], protocol="paper", jobs=2)
    results = run.score([mine, yours], ["soda_c", "meteor"])

References, protocol, tokenizer, device, threads and seed are bound here; the context keeps what metrics
share. There is no other engine: `score`, `compare`, `show`, `stress`, `meta` and the cluster all score
through `Run`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Protocol as Interface

from ..captions import Corpus
from ..context import Budget, Context, Settings
from ..errors import StorymeterError, UsageError
from ..join import Task, join
from ..measure import asks_anyone
from ..metrics import Metric
from ..options import Tokenizer, split
from ..pairs.scorer import PairScorer
from ..plugins import failures_named, name_of, warn_of_device, warn_of_names
from ..progress import Progress, silent
from ..protocol import Protocol, get as get_protocol
from ..registry import MEASURES, as_metric, metric as get_metric, read_name, warn_of_shadowed
from ..scores import Score
from ..stats.resampling import bootstrap_interval
from .inputs import Given, both
from .provenance import input_fields, order_field, order_of_references
from .results import AUTO, INTERVALS, MOST_RESAMPLES, Conditions, Resamples, Results, SystemResult, value_of
from .suitability import (
    captions_without_words,
    cautions,
    choose_metrics,
    own_tokenizer,
    tells_stories,
    warn,
)
from .units import found_unit, with_unit

#: a metric, by name or as an object
MetricLike = str | Metric | PairScorer


class Journal(Interface):
    """Where finished scores are kept, so that a run that was killed goes on where it stopped."""

    def get(self, candidates: Corpus, name: str, metric: Metric) -> Score | None: ...

    def put(self, candidates: Corpus, name: str, metric: Metric, score: Score) -> None: ...


class Run:
    """References, protocol and settings, bound once to score any number of systems; see the module.

    `jobs=None` uses all cores that this process may use; `language` (an ISO 639-1 code) says what the
    captions are written in, where their script does not (see `languages`)."""

    def __init__(
        self,
        references: Corpus | Sequence[Corpus] = (),
        *,
        protocol: str | Protocol = "paper",
        tokenizer: Tokenizer = "ptb",
        language: str | None = None,
        jobs: int | None = None,
        device: str = "cpu",
        seed: int = 0,
        images: str | None = None,
        videos: str | None = None,
        budget: Budget | None = None,
        progress: Progress = silent,
    ) -> None:
        self.references = corpora(references, "references")
        self.language = language
        protocol = get_protocol(protocol) if isinstance(protocol, str) else protocol
        self.context = Context(
            protocol=protocol,
            tokenizer=tokenizer if protocol.tokenizer == "run" else protocol.tokenizer,
            jobs=cores() if jobs is None else jobs,
            seed=seed,
            device=device,
            images=images,
            videos=videos,
            budget=budget or Budget(),
            progress=progress,
        )

    def score(
        self,
        candidates: Corpus | Sequence[Corpus],
        metrics: MetricLike | Sequence[MetricLike] | Mapping[str, Metric],
        resamples: Resamples = AUTO,
        *,
        unit: str = "",
        cluster: str | None = None,
        journal: Journal | None = None,
        each: Callable[[str, Score], None] | None = None,
    ) -> Results:
        """Every system under every metric. `resamples=0` leaves the intervals out; `each(system, score)`
        is called with every score as it is there; `cluster` spreads the systems (see `engine.cluster`).
        """
        systems = corpora(candidates, "candidates")
        if not systems:
            raise UsageError("There is nothing to score.", hint="Give at least one file of candidates.")
        names = [corpus.name for corpus in systems]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            hint = "Name each one: Corpus(documents, name)."
            raise UsageError(f"Several systems are called {twice!r}.", hint=hint)
        resamples = INTERVALS if resamples == AUTO else resamples
        if type(resamples) is not int or not 0 <= resamples <= MOST_RESAMPLES:
            hint = f'It is "auto" or a whole number from 0 to {MOST_RESAMPLES}; 0 leaves the intervals out.'
            raise UsageError(f"resamples cannot be {resamples!r}.", hint=hint)
        wanted = resamples
        unit = unit or found_unit(self.references, systems)
        if unit:
            resamples = 0  # intervals over documents are not wanted
        built = self.resolve_metrics(metrics)
        given, tokenizer = (systems, self.references, built), self.context.tokenizer
        warn(cautions(*given, tokenizer=tokenizer, language=self.language))
        warn_of_device(built, self.context.device)
        warn(captions_without_words(*given, protocol=self.context.protocol, tokenizer=tokenizer))

        def rehearse(run: Run, judges: Sequence[Metric]) -> object:
            return run._systems(systems, {metric.name: metric for metric in judges}, 0)

        with self.announced([*built.values()], rehearse):
            if cluster is None:
                scored = self._systems(systems, built, resamples, journal, each)
            else:
                from .cluster import score_systems

                scored = score_systems(cluster, systems, built, self, resamples)
        context = self.context
        conditions = Conditions(context.protocol, context.tokenizer, context.seed, resamples)
        results = Results(tuple(scored), tuple(built.values()), tuple(self.references), conditions)
        return with_unit(results, unit, wanted) if unit else results

    def against(self, references: Corpus | Sequence[Corpus]) -> Run:
        """A run with the same settings and these references, which remembers nothing of this one."""
        other = Run(references, language=self.language)
        other.context = Context(**self.context.settings())
        return other

    def announced(
        self, metrics: Sequence[MetricLike], work: Callable[[Run, Sequence[Metric]], object]
    ) -> contextlib.AbstractContextManager[None]:
        """One estimate of what the judges among the metrics will be asked in all that happens within: `work`
        is done once with them alone, and with a run whose judges count requests and send none.
        """
        judges = [metric for metric in parse_metrics(metrics).values() if asks_anyone(metric)]
        if not judges:
            return contextlib.nullcontext()

        def rehearse() -> object:
            quiet = self.against(self.references)
            quiet.context = Context(**{**self.context.settings(), "progress": silent})
            return work(quiet, judges)

        return self.context.budget.announced(rehearse)

    def score_task(self, task: Task, metrics: MetricLike | Sequence[MetricLike]) -> list[Score]:
        """Documents that stand beside their references already; no intervals."""
        built = self.resolve_metrics(metrics, task=task)
        with self.announced([*built.values()], lambda run, judges: run.score_task(task, judges)):
            return [self._score(task, name, metric, 0) for name, metric in built.items()]

    def task(self, candidates: Corpus) -> Task:
        return join(candidates=candidates, references=self.references, protocol=self.context.protocol)

    def resolve_metrics(
        self,
        metrics: MetricLike | Sequence[MetricLike] | Mapping[str, Metric],
        *,
        task: Task | None = None,
        referenced: bool | None = None,
    ) -> dict[str, Metric]:
        """The metrics asked for, each under the name it was asked by; all that are wrong are named at once.
        `referenced`: whether there are references, where they lie elsewhere. Metrics that were parsed have
        their names.
        """
        parsed = metrics if isinstance(metrics, Mapping) else parse_metrics(metric_list(metrics))
        built = {label: metric.under(self.context.protocol) for label, metric in parsed.items()}
        for metric in built.values():  # raises where the protocol strips what its tokenizer is for
            Settings(protocol=self.context.protocol, tokenizer=own_tokenizer(metric))
        against = any(task.references) if task is not None else bool(self.references)
        against = against if referenced is None else referenced
        lacking = [label for label, metric in built.items() if metric.needs_references and not against]
        if lacking:
            raise UsageError(
                f"{', '.join(lacking)} need{'s' if len(lacking) == 1 else ''} references.",
                hint="Give them with --references FILE (references= in Python).",
            )
        return built

    def system(self, corpus: Corpus, metrics: dict[str, Metric], resamples: int) -> SystemResult:
        """One system under metrics that were built."""
        return self._systems([corpus], metrics, resamples)[0]

    def _systems(
        self,
        systems: Sequence[Corpus],
        metrics: dict[str, Metric],
        resamples: int,
        journal: Journal | None = None,
        each: Callable[[str, Score], None] | None = None,
    ) -> list[SystemResult]:
        """All systems under the quick metrics, then all under those that take minutes: what is quick is known
        (and kept by the journal) for every system before the first long wait."""
        tasks = [self.task(corpus) for corpus in systems]
        found: dict[tuple[int, str], Score] = {}
        for long in (False, True):
            chosen = {name: metric for name, metric in metrics.items() if metric.slow == long}
            for k, (corpus, task) in enumerate(zip(systems, tasks, strict=True)):
                for name, metric in chosen.items():
                    score = found[k, name] = self._kept(corpus, task, name, metric, resamples, journal)
                    if each:
                        each(corpus.name, score)
        return [
            SystemResult(corpus.name, tuple(found[k, name] for name in metrics), task.coverage, corpus)
            for k, (corpus, task) in enumerate(zip(systems, tasks, strict=True))
        ]

    def _kept(
        self, corpus: Corpus, task: Task, name: str, metric: Metric, resamples: int, journal: Journal | None
    ) -> Score:
        """The score of a system under a metric: the journal's, or a new one that the journal then keeps."""
        score = journal.get(corpus, name, metric) if journal else None
        if score is not None:
            return score
        score = self._score(task, name, metric, resamples)
        score = replace(score, signature=score.signature.add(**input_fields(corpus, self.references, metric)))
        if metric.ordered:
            score = replace(score, signature=score.signature.add(order=order_field(self._order)))
        if journal:
            journal.put(corpus, name, metric, score)
        return score

    @cached_property
    def _order(self) -> int:
        return order_of_references(self.references)

    def _score(self, task: Task, name: str, metric: Metric, resamples: int) -> Score:
        with failures_named(name, metric):
            score = replace(metric.score(task, self.context), metric=name)
        if not resamples or score.rows is None:
            return score
        value = partial(value_of, metric)
        interval = bootstrap_interval(score.rows, value, resamples=resamples, seed=self.context.seed)
        return replace(score, interval=interval)


def evaluate(
    candidates: Given,
    references: Given = None,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    protocol: str | Protocol = "paper",
    tokenizer: Tokenizer = "ptb",
    language: str | None = None,
    jobs: int | None = None,
    seed: int = 0,
    resamples: Resamples = AUTO,
    unit: str = "",
    device: str = "cpu",
    images: str | None = None,
    videos: str | None = None,
    budget: Budget | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Results:
    """evaluate(candidates, references): score what a system wrote against what people wrote.

    results = storymeter.evaluate(["a dog runs"], [["the dog runs", "a dog is running"]], "meteor")
    results = storymeter.evaluate("mine.json", ["annotator_1.json", "annotator_2.json"])

    candidates: texts in a list, or by id in a dict; a path, a corpus, a column or table of pandas or
        datasets; several systems as a list of paths or corpora, or as a dict {name: candidates}.
    references: the same; several for one candidate as a list: [[first, second], …], {id: [first, second]}.
    metrics: names such as "meteor,cider" or ["soda_c", "meteor"], or objects; default: those that fit the
        candidates (single captions, timed captions, stories).
    protocol, tokenizer, language, seed, unit, images, videos, device, budget, cluster: as the options of
        `storymeter score`.
    jobs, resamples: threads (None: all cores); bootstrap resamples of the intervals (0: none).
    progress: called with what is being done, how much is done, and of how much.

    The numbers are those of `storymeter score` on the same content, bit by bit.
    """
    wanted = {} if metrics is None else parse_metrics(metric_list(metrics))
    story = images is not None or tells_stories(wanted.values())
    systems, against = both(candidates, references, story=story)
    asked = wanted or choose_metrics(systems[0], references=bool(against), images=images is not None)
    run = Run(
        against,
        protocol=protocol,
        tokenizer=tokenizer,
        language=language,
        jobs=jobs,
        device=device,
        seed=seed,
        images=images,
        videos=videos,
        budget=budget,
        progress=progress or silent,
    )
    return run.score(systems, asked, resamples, unit=unit, cluster=cluster)


def metric_list(metrics: MetricLike | Sequence[MetricLike]) -> list[MetricLike]:
    """A list of names and objects; one text may hold several names, as on the command line."""
    if isinstance(metrics, str):
        return [*split(metrics)]
    hint = 'Write it like metrics=["soda_c", "meteor"].'
    if isinstance(metrics, Mapping):
        raise UsageError(
            f"metrics cannot be a {type(metrics).__name__}: metrics have their own names.", hint=hint
        )
    asked: list[Any] = [*metrics] if isinstance(metrics, Iterable) else [metrics]
    if not asked:
        raise UsageError("There is no metric to score by.", hint=hint)
    for each in asked:
        if isinstance(each, type):
            raise UsageError(f"{each.__name__} is a class.", hint=f"Write {each.__name__}(), an object.")
        if not isinstance(each, str | Metric | PairScorer):
            raise UsageError(f"A metric cannot be {type(each).__name__}.", hint=hint)
    return asked


def parse_metrics(metrics: Sequence[MetricLike]) -> dict[str, Metric]:
    """Each metric under the name it was asked by; names that mean nothing are reported together."""
    found: dict[str, Metric] = {}
    errors: list[StorymeterError] = []
    for metric in metrics:
        try:
            built = get_metric(metric) if isinstance(metric, str) else as_metric(metric)
            label = str(read_name(metric)) if isinstance(metric, str) else name_of(built)
            if label in found and not _alike(found[label], built):
                hint = "Give your own metric another name."
                errors.append(UsageError(f"Two metrics are called {label!r}.", hint=hint))
            found[label] = built
        except UsageError as error:
            errors.append(error)
    if len(errors) > 1:
        listed = "\n".join(str(error) for error in errors)
        raise UsageError(
            f"{len(errors)} metrics are not known:\n{listed}", hint="See storymeter info --metrics."
        )
    if errors:
        raise errors[0]
    warn_of_names(found, MEASURES)
    for measure in found.values():
        for word in {measure.name.partition("(")[0]} & MEASURES.keys():
            warn_of_shadowed(word)
    return found


def _alike(a: Metric, b: Metric) -> bool:
    """Whether two metrics of one name are the same; a class of the user's own need not define `==`."""
    one, other = a._named_measure, b._named_measure
    return one == other or (type(one) is type(other) and not vars(one) and not vars(other))


def corpora(given: Corpus | Sequence[Corpus] | None, role: str) -> list[Corpus]:
    single = isinstance(given, Corpus | str | os.PathLike) or not isinstance(given, Iterable)
    listed: list[Any] = [] if given is None else [given] if single else [*given]
    wrong = next((type(each).__name__ for each in listed if not isinstance(each, Corpus)), None)
    if wrong is not None:
        hint = f"Read the file first: {role}=storymeter.read(path)"
        raise UsageError(f"{role} must be corpora, not {wrong}.", hint=hint)
    return listed


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
