"""Score any number of systems with any number of metrics: join once, share the work, and put an interval on
each number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..captions import Corpus
from ..errors import UsageError
from ..join import Coverage, Task, join
from ..metric import Metric, Progress, Score, Setting, Tokenizer, silent
from ..protocol import Protocol
from ..protocol import get as get_protocol
from ..registry import metric as get_metric
from ..stats.resampling import bootstrap_interval


@dataclass(frozen=True, slots=True)
class SystemReport:
    name: str
    scores: tuple[Score, ...]
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Report:
    """What `evaluate` gives back: systems in the order given, each with its scores in the order of
    `metrics`.
    """

    systems: tuple[SystemReport, ...]
    metrics: tuple[Metric, ...]

    def only(self, *names: str) -> Report:
        """The same report with some of its metrics."""
        kept = [k for k, metric in enumerate(self.metrics) if metric.name in names]
        return Report(
            tuple(replace(s, scores=tuple(s.scores[k] for k in kept)) for s in self.systems),
            tuple(self.metrics[k] for k in kept),
        )

    def __getitem__(self, key: tuple[str, str]) -> Score:
        """`report["system", "metric"]`"""
        system, metric = key
        for candidate in self.systems:
            for score in candidate.scores:
                if candidate.name == system and score.metric == metric:
                    return score
        raise KeyError(key)


def evaluate(
    *,
    candidates: Corpus | Sequence[Corpus],
    references: Corpus | Sequence[Corpus] = (),
    metrics: str | Metric | Sequence[str | Metric],
    protocol: str | Protocol = "paper",
    tokenizer: Tokenizer = "ptb",
    jobs: int = 1,
    seed: int = 0,
    resamples: int = 1000,
    device: str = "cpu",
    images: str | None = None,
    cluster: str | None = None,
    progress: Progress = silent,
) -> Report:
    """Score `candidates` against `references`. `resamples=0` leaves the intervals out; `cluster` spreads the
    systems (see `engine.cluster`).
    """
    systems = [candidates] if isinstance(candidates, Corpus) else list(candidates)
    against = [references] if isinstance(references, Corpus) else list(references)
    metrics = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    _check_arguments(systems, against, metrics, seed, resamples)
    setting = Setting(
        protocol=get_protocol(protocol) if isinstance(protocol, str) else protocol,
        tokenizer=tokenizer,
        jobs=jobs,
        seed=seed,
        device=device,
        images=images,
        progress=progress,
    )
    asked = _built(metrics, setting)
    lacking = [m.name for m in asked if m.needs_references] if not against else []
    if lacking:
        raise UsageError(
            f"{', '.join(lacking)} need{'s' if len(lacking) == 1 else ''} references.",
            hint="Give them with --references FILE (references= in Python).",
        )
    if not systems:
        raise UsageError("There is nothing to score.", hint="Give at least one file of candidates.")
    if cluster is not None:
        from . import cluster as clusters

        reports = clusters.each(
            cluster,
            _elsewhere,
            systems,
            against,
            metrics,
            replace(setting, progress=silent),
            resamples,
            progress=progress,
        )
    else:
        reports = [_system(corpus, against, asked, setting, resamples) for corpus in systems]
    return Report(tuple(reports), tuple(asked))


def _check_arguments(
    systems: Sequence[object],
    references: Sequence[object],
    metrics: Sequence[object],
    seed: int,
    resamples: int,
) -> None:
    for role, given in (("candidates", systems), ("references", references)):
        wrong = [type(each).__name__ for each in given if not isinstance(each, Corpus)]
        if wrong:
            raise UsageError(
                f"{role} must be corpora, not {wrong[0]}.",
                hint=f"Read the file first: {role}=storymeter.read(path)",
            )
    if not metrics or not all(isinstance(metric, str | Metric) for metric in metrics):
        raise UsageError(
            "metrics must be names of metrics.", hint='Write it like metrics=["soda_c", "meteor"].'
        )
    if seed < 0 or resamples < 0:
        raise UsageError(
            f"Neither seed ({seed}) nor resamples ({resamples}) may be negative.",
            hint="resamples=0 leaves the intervals out.",
        )


def _system(
    corpus: Corpus, references: Sequence[Corpus], metrics: Sequence[Metric], setting: Setting, resamples: int
) -> SystemReport:
    task: Task = join(candidates=corpus, references=references, protocol=setting.protocol)
    scores = []
    for metric in metrics:
        score = metric.score(task, setting)
        if resamples and score.rows is not None:
            interval = bootstrap_interval(
                score.rows,
                lambda sums, m=metric: m.combine(sums)["value"],  # type: ignore[misc]
                resamples=resamples,
                seed=setting.seed,
            )
            score = replace(score, interval=interval)
        scores.append(replace(score, signature=score.signature.add(**_inputs(corpus, references, metric))))
    return SystemReport(corpus.name, tuple(scores), task.coverage)


def _built(metrics: Sequence[str | Metric], setting: Setting) -> list[Metric]:
    return [
        (get_metric(metric) if isinstance(metric, str) else metric).under(setting.protocol)
        for metric in metrics
    ]


def _elsewhere(
    corpus: Corpus,
    references: Sequence[Corpus],
    metrics: Sequence[str | Metric],
    setting: Setting,
    resamples: int,
) -> SystemReport:
    """`_system` on another machine, where metrics that were named (their tables, their models) are loaded
    anew.
    """
    return _system(corpus, references, _built(metrics, setting), setting, resamples)


def _inputs(corpus: Corpus, references: Sequence[Corpus], metric: Metric) -> dict[str, object]:
    """What the signature says of the files: how many annotators there were, and whether anything was
    repaired.
    """
    repaired = any("repairs" in c.meta for c in [corpus, *references])
    return {
        "annotators": len(references) if metric.needs_references else None,
        "repaired": True if repaired else None,
    }
