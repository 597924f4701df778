"""Captions of which no word is left after stripping and tokenising: they match nothing, and are counted."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence

from ..captions import Corpus
from ..errors import StorymeterWarning, some
from ..metric import Metric
from ..options import Tokenizer
from ..pairs.base import PairScorer
from ..protocol import Protocol
from ..text.tokens import ascii_only, has_words, tokenize

#: a letter or a digit that every tokenizer and every protocol keeps
_KEPT = re.compile("[0-9A-Za-z]")


def warn_of_wordless(
    systems: Sequence[Corpus],
    references: Sequence[Corpus],
    metrics: Mapping[str, Metric],
    *,
    protocol: Protocol,
    tokenizer: Tokenizer,
    glance: bool = False,
) -> None:
    """A StorymeterWarning that counts the captions without words, where a metric compares texts; `glance`:
    the corpora hold only the first captions of each."""
    compared = [scorer for metric in metrics.values() if (scorer := _compares(metric)) is not None]
    if not compared:
        return
    if all(scorer.raw_text for scorer in compared):
        tokenizer = "none"
    strip = protocol.ascii == "strip"
    said = []
    which = "the first " if glance else ""
    for kind, corpora in (("captions", systems), ("reference captions", references)):
        for corpus in corpora:
            total, found = _wordless(corpus, tokenizer, strip=strip)
            if found:
                name = f" of {corpus.name!r}" if corpus.name else ""
                count = sum(found.values())
                said.append(f"{count:,} of {which}{total:,} {kind}{name} ({some(list(found))})")
    if said:
        why = f"the protocol {protocol} replaces characters above U+007F by spaces, and " if strip else ""
        how = "only punctuation" if tokenizer == "none" else f"no words under the tokenizer {tokenizer}"
        warnings.warn(
            f"Captions without words match nothing: {', '.join(said)}; {why}there is {how} in them.",
            StorymeterWarning,
            stacklevel=3,
        )


def _compares(metric: Metric) -> PairScorer | None:
    """The scorer of sentences that a metric uses, or None where texts do not matter to it."""
    if getattr(metric, "variant", "") == "d":
        return None
    inner = getattr(metric, "scorer", None) or getattr(metric, "metric", metric)
    return inner if isinstance(inner, PairScorer) and inner.needs_references else None


def _wordless(corpus: Corpus, tokenizer: Tokenizer, *, strip: bool) -> tuple[int, dict[str, int]]:
    """How many captions there are, and how many without words, by document."""
    suspects: list[tuple[str, str]] = []
    total = 0
    for document in corpus:
        total += len(document.captions)
        suspects += [(document.id, c.text) for c in document.captions if not _KEPT.search(c.text)]
    if not suspects:
        return total, {}
    texts = [ascii_only(text) if strip else text for _, text in suspects]
    empty = (
        [not has_words(text) for text in texts]
        if tokenizer == "none"
        else [not tokens.strip() for tokens in tokenize(texts, tokenizer)]
    )
    found: dict[str, int] = {}
    for (id, _), bare in zip(suspects, empty, strict=True):
        if bare:
            found[id] = found.get(id, 0) + 1
    return total, found
