"""Fields of signatures about the files behind a number, and the check whether numbers of several systems are
comparable.

Scores by two versions of a plug-in, or by two prompts of a judge, have one name and mean two things: to
compare them is refused. Other fields that differ (a model that the server calls otherwise, a version of
Storymeter) are a warning, once. Fields that say something of the captions of one system, or of the days on
which a judge answered, may differ.

Two numbers may depend on the order in which the references of a document were given: METEOR takes the first
of references with equal scores (none matches, say), as the original does, and captions of merged annotators
that start together keep the order of their files. The signature states the order as a hash that depends
neither on the names of files nor on the order of documents, and that adds up over the shards of a corpus."""

import functools
import hashlib
import warnings
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ..captions import Corpus
from ..context import Context
from ..errors import StorymeterError, StorymeterWarning, UsageError
from ..metrics import Metric
from ..scores import Score, Signature
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


_WRAP = (1 << 64) - 1


def order_of_references(references: Sequence[Corpus]) -> int:
    """A sum over the documents that have several references; 0 where none has."""
    groups: dict[str, list[bytes]] = {}
    for corpus in references:
        for document in corpus:
            content = msgspec.msgpack.encode((document.captions, document.duration), order="deterministic")
            groups.setdefault(document.id, []).append(content)
    total = 0
    for id, contents in groups.items():
        if len(contents) > 1:
            rank = {content: k for k, content in enumerate(sorted(set(contents)))}
            data = msgspec.msgpack.encode((id, [rank[content] for content in contents]))
            total += int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
    return total & _WRAP


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
