"""What numbers rest on: fields of signatures about the files, and the checks whether numbers of several
systems, or of an earlier version, are comparable.

Scores by two versions of a plug-in, or by two prompts of a judge, have one name and mean two things: to
compare them is refused. Other fields that differ (a model that the server calls otherwise, a version of
Storymeter) are a warning, once. Fields that say something of the captions of one system, or of the days on
which a judge answered, may differ.

Two numbers may depend on the order in which the references of a document were given: METEOR takes the first
of references with equal scores (none matches, say), as the original does, and captions of merged annotators
that start together keep the order of their files. The signature states the order as a hash that depends
neither on the names of files nor on the order of documents, and that adds up over the shards of a corpus.

Every saved run states the revision of the code that made its numbers (`REVISION`); where nothing is stated it
is 0. A change that can move a number is listed in CHANGELOG.md; where it can be seen in a saved run that the
change concerns it, the run is named when it is loaded: refused where its numbers are wrong beyond use, with a
warning otherwise."""

import functools
import hashlib
import warnings
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ..captions import Corpus
from ..context import Context
from ..errors import DataError, StorymeterError, StorymeterWarning, UsageError
from ..metrics import Metric
from ..pairs import PairScorer, TextMetric, Traits
from ..pairs.model import own_tokenizer
from ..protocol import PAPER, Protocol, get as get_protocol
from ..registry import metric as get_metric
from ..scores import Score, Signature
from .results import REVISION, Results
from .suitability import joins_captions

#: what is computed otherwise
FORMULA = ("plugin", "prompt", "parameters")
#: what follows from the captions of a system, or from the time
OF_SYSTEM = frozenset({"answered", "marks", "repaired", "compares", "learnt", "regions", "vg"})


def check_comparable(scores: Mapping[str, Sequence[Score]]) -> None:
    """Raises where a metric is not the same for all systems; `scores` by system."""
    by_metric: dict[str, dict[str, Signature]] = {}
    for system, listed in scores.items():
        for score in listed:
            by_metric.setdefault(score.metric, {})[system] = score.signature
    for metric, signatures in by_metric.items():
        for field in differing(signatures.values()):
            values = {system: dict(own.fields).get(field, "") for system, own in signatures.items()}
            first = next(iter(values))
            other = next(system for system, value in values.items() if value != values[first])
            seen = (
                f"{metric} was not computed alike for all systems: {field} is {_shown(values[first])} for"
                f" {first} and {_shown(values[other])} for {other}"
            )
            if field in FORMULA:
                raise UsageError(
                    f"{seen}. Their scores cannot be compared.",
                    hint="Score all systems again with what is installed now, or compare other metrics: -m",
                )
            _warn_once(f"{seen}: differences between them may come from that.")


def differing(signatures: Iterable[Signature]) -> list[str]:
    """The fields that are not the same in all, those of the formula first."""
    listed = [dict(signature.fields) for signature in signatures]
    names = dict.fromkeys(name for fields in listed for name in fields if name not in OF_SYSTEM)
    found = [name for name in names if len({fields.get(name, "") for fields in listed}) > 1]
    return sorted(found, key=lambda name: (name not in FORMULA, found.index(name)))


def signed_before(metric: Metric, context: Context) -> list[tuple[str, str]] | None:
    """The fields of the signature that are known before anything is scored (prompt, model, plug-in): kept
    values of other ones are not taken. None where the metric cannot say them yet.
    """
    try:
        fields = metric.signature(context).fields
    except StorymeterError:
        return None
    return [field for field in fields if field[0] not in ("answered", "marks", "judge")]


def _shown(value: str) -> str:
    return repr(value) if value else "not stated"


@functools.cache
def _warn_once(text: str) -> None:
    warnings.warn(text, StorymeterWarning, stacklevel=4)


#: of sums of hashes, which are numbers of 64 bits
WRAP = (1 << 64) - 1


def hash_sum(contents: Iterable[object]) -> int:
    """A sum of hashes: the same in any order of the contents, and additive over the shards of a corpus."""
    total = 0
    for content in contents:
        data = msgspec.msgpack.encode(content, order="deterministic")
        total += int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
    return total & WRAP


def order_of_references(references: Sequence[Corpus]) -> int:
    """A sum over the documents that have several references; 0 where none has."""
    groups: dict[str, list[bytes]] = {}
    for corpus in references:
        for document in corpus:
            content = msgspec.msgpack.encode((document.captions, document.duration), order="deterministic")
            groups.setdefault(document.id, []).append(content)
    orders = []
    for id, contents in groups.items():
        if len(contents) > 1:
            rank = {content: k for k, content in enumerate(sorted(set(contents)))}
            orders.append((id, [rank[content] for content in contents]))
    return hash_sum(orders)


def order_field(total: int) -> str | None:
    """What a signature says of the sum."""
    return f"{total:016x}"[:8] if total else None


def input_fields(corpus: Corpus, references: Sequence[Corpus], metric: Metric) -> dict[str, object]:
    """What the signature says of the files: how many annotators there were, whether anything was repaired,
    and whether timed captions were joined to paragraphs.
    """
    repaired = any("repairs" in c.meta for c in [corpus, *references])
    return {
        # also of a metric that needs none: references say which documents count, and how long they are
        "annotators": len(references) or None,
        "repaired": True if repaired else None,
        "compares": "paragraphs" if joins_captions(metric, [corpus, *references]) else None,
    }


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
        wrong = wrong_in_shards(metrics, protocol)
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


def wrong_in_shards(metrics: Mapping[str, Metric], protocol: Protocol) -> list[str]:
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
    return any(
        len(corpus.by_id()) < len(corpus) or not all(document.captions for document in corpus)
        for corpus in results.references
    )
