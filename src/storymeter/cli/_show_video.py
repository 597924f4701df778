"""`storymeter show` for a video: its captions and references on a time axis."""

from __future__ import annotations

from collections.abc import Sequence

from ..captions import Corpus
from ..errors import DataError, UsageError, closest
from ..report.timeline import Timeline


def pick(name: str, corpus: Corpus) -> Corpus:
    """The corpus with that one document only."""
    import msgspec

    documents = tuple(document for document in corpus if document.id == name)
    if not documents:
        known = corpus.by_id()
        hint = (
            closest(name, known)
            if len(known) <= 50
            else closest(name, known).partition("Known:")[0]
            or f"It has {len(known):,} documents, such as {next(iter(known))}."
        )
        raise DataError(f"{corpus.name!r} has no document {name!r}.", hint=hint)
    return msgspec.structs.replace(corpus, documents=documents)


def video_timeline(
    video: str,
    system: Corpus,
    references: Sequence[Corpus],
    *,
    metric: str = "soda_c",
    protocol: str = "paper",
    jobs: int = 1,
) -> Timeline:
    from ..dense.links import links
    from ..dense.soda import Soda
    from ..join import join
    from ..metric import Setting
    from ..protocol import get as get_protocol
    from ..registry import metric as get_metric
    from ..report.timeline import timeline_of

    if not references:
        raise UsageError("A video is shown beside its references.", hint="Give them with --references FILE.")
    soda = get_metric(metric)
    if not isinstance(soda, Soda):
        raise UsageError(
            f"{metric} has no matching to show.",
            hint="Show soda_c, soda_b or soda_d, perhaps with a scorer: soda_c(scorer=cider).",
        )
    setting = Setting(protocol=get_protocol(protocol), jobs=jobs)
    candidate = pick(video, system)
    annotators = [corpus for corpus in references if any(document.id == video for document in corpus)]
    task = join(
        candidates=candidate,
        references=[pick(video, corpus) for corpus in annotators or references],
        protocol=setting.protocol,
    )
    durations = [
        document.duration for document in (*task.candidates, *task.references[0]) if document.duration
    ]
    return timeline_of(
        links(task, setting, soda)[0],
        system=system.name,
        annotators=annotators,
        scorer=soda.scorer.name,
        metric=soda.name,
        duration=max(durations, default=None),
    )
