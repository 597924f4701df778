"""Saved runs of earlier versions whose numbers are not those of this one.

Every saved run states the revision of the code that made its numbers (`REVISION`); where nothing is stated it
is 0. A change that can move a number is listed in CHANGELOG.md; where it can be seen in a saved run that the
change concerns it, the run is named when it is loaded: refused where its numbers are wrong beyond use, with a
warning otherwise."""

import warnings
from collections.abc import Mapping, Sequence

from ..errors import DataError, StorymeterError, StorymeterWarning
from ..metrics import Metric
from ..pairs.documents import TextMetric
from ..pairs.model import own_tokenizer
from ..pairs.scorer import PairScorer, Traits
from ..protocol import PAPER, Protocol, get as get_protocol
from ..registry import metric as get_metric
from .results import REVISION, Results


def protocol_as_meant(text: str, revision: int, metrics: Sequence[str]) -> Protocol:
    """The protocol of a saved run in the words of this version: until revision 2 the presets of the papers
    pooled the pairs of the ActivityNet score, as the scripts do. Where the run has no such score, the two
    mean the same.
    """
    protocol = get_protocol(text)
    if revision < 2 and "anet" in metrics and protocol.anet_pairs == "mean":
        return protocol.change(anet_pairs="pooled")
    return protocol


def check_revision(path: str, results: Results) -> None:
    """Name a run whose numbers are not those that this version computes."""
    if results.conditions.revision >= REVISION or not results.systems:
        return
    labels = [score.metric for score in results.systems[0].scores]
    metrics = dict(zip(labels, results.metrics, strict=True))
    protocol = results.conditions.protocol
    if results.in_shards:
        wrong = spoilt_in_shards(metrics, protocol)
        if wrong:
            raise DataError(
                f"{path} was scored in shards by an earlier version, which ignored fields of the protocol"
                f" {protocol} in its workers: {', '.join(wrong)} {'is' if len(wrong) == 1 else 'are'} wrong.",
                hint=f"Score it again: storymeter score … --protocol '{protocol}' --save FOLDER",
            )
    moved = {label: why for label, metric in metrics.items() if (why := _moved(metric, results))}
    if moved:
        said = "; ".join(f"{label} ({why})" for label, why in moved.items())
        warnings.warn(
            f"{path} was scored by an earlier version, and this one computes other numbers of {said}."
            " Score it again before you compare it with newer runs.",
            StorymeterWarning,
            stacklevel=4,
        )


def spoilt_in_shards(metrics: Mapping[str, Metric], protocol: Protocol) -> list[str]:
    """The metrics of a run in shards that revision 0 computed without what they take from the protocol, and
    those listed after one that has another number of columns.
    """
    found, shifted = [], False
    for label, metric in metrics.items():
        try:
            plain = get_metric(metric.name)
        except StorymeterError:
            plain = metric
        bound = plain.under(protocol)
        counted_otherwise = bound.columns != plain.columns
        won_otherwise = protocol.detection_f1 != PAPER.detection_f1 and _detects(metric)
        if shifted or counted_otherwise or won_otherwise:
            found.append(label)
        shifted = shifted or len(bound.columns) != len(plain.columns)
    return found


def _moved(metric: Metric, results: Results) -> str:
    """Why this revision gives another number; '' where it does not, or where only the last bits move."""
    word, _, options = metric.name.partition("(")
    if word in ("rovist", "rovist_vg") and "idf=" not in options:
        return "the default idf was that of each file (idf=corpus), and is now idf=vist"
    return _moved_by_first(metric, results) if results.conditions.revision == 0 else ""


def _moved_by_first(metric: Metric, results: Results) -> str:
    """Why revision 1 gives another number."""
    protocol, scorer = results.conditions.protocol, getattr(metric, "scorer", None)
    traits = (
        scorer.traits if isinstance(scorer, PairScorer) else Traits(learns=metric.name == "paragraph_cider")
    )
    inner = isinstance(scorer, PairScorer) and not isinstance(metric, TextMetric)
    if inner and own_tokenizer(scorer) not in ("run", "none"):
        return "the tokenizer of its scorer was ignored"
    missing = any(system.coverage.sizes[0] for system in results.systems)
    if protocol.missing == "skip" and missing and traits.learns and not traits.fits_per_video:
        return "idf was counted without the documents that a system lacks"
    if _corpus_mean(metric, protocol) and _uneven(results):
        return "alternatives of one file, and videos without reference captions, count for each annotator"
    if _detects(metric) and protocol.detection_tiou == ">=" and 0.0 in protocol.tious:
        return "a threshold of 0 was met by videos without captions"
    return ""


def _detects(metric: Metric) -> bool:
    return metric.name in ("localisation", "start_distance")


def _corpus_mean(metric: Metric, protocol: Protocol) -> bool:
    refs = getattr(metric, "refs", "")
    return refs == "corpus-mean" or (refs == "protocol" and protocol.refs == "corpus-mean")


def _uneven(results: Results) -> bool:
    """Whether a reference file has a document twice or without captions."""
    return any(_is_uneven([d.id for d in c], [len(d.captions) for d in c]) for c in results.references)


def _is_uneven(ids: Sequence[str], captions: Sequence[int]) -> bool:
    return len(set(ids)) < len(ids) or not all(captions)
