"""Damage on purpose: each transformation takes a corpus and gives another; its input is never touched.

A transformation has a name that parses and prints (`sample(m=0.5)`), and draws its random numbers from the
seed, its own name and the document's id alone: the order of documents never matters, and the same seed gives
the same bytes.

    sample(m=)     int(m x |G|) captions of a video without replacement, but at least one: at 3.5 reference
                   captions a
                   video, m = .1 would otherwise leave nothing. |G| counts reference captions: the mean over
                   annotators, or all of them where the protocol merges. (Fujita et al., ECCV 2020, section
                   6.1)
    sample(k=)     k captions of a video, or all where there are fewer (Fujita et al., NLP 2020, table 1)
    oracle         for each reference caption of the first annotator the generated caption with the highest
                   METEOR, under the
                   reference's times (ECCV 2020, tables 2 and 3)
    jitter         every segment moved at random, IoU with the original above `bound`
    swap           one random adjacent pair exchanges its sentences; a document with one caption stays as it
                   is
    shuffle        all sentences in a random order, never the original one where there are two or more
    reverse        the last sentence first
    pad(n=)        redundant captions until there are n: `same` (a sentence again under another segment),
                   `other` (another
                   sentence of the video under the same segment), `foreign` (a sentence of another video under
                   a random segment): the three abuses of section 4; `mixed`, the default, takes them in turn
    merge          one random adjacent pair becomes one caption
    drop           captions left out with probability `share`, but one always stays
    truncate       the first `keep` of each caption's words
    typo           a letter exchanged, doubled or lost in a share `rate` of the words
    synonym        a share `rate` of the words replaced by a WordNet synonym
    repeat         the last sentence of a document says what the first one said
    exchange       documents exchange their sentences; segments and pictures stay: the wrong story for every
                   video

swap, shuffle and reverse move sentences, not segments, and jitter the segments (`bound=0.7`; 1 keeps them).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import msgspec

from ..captions import Corpus, Document
from ..errors import UsageError, closest
from ..options import parse, parse_options
from . import changes, padding
from .changes import Change, Scene, Whole

MAKERS: dict[str, Callable[..., Any]] = {
    "sample": changes.sample,
    "drop": changes.drop,
    "merge": changes.merge,
    "repeat": changes.repeat,
    "swap": changes.swap,
    "shuffle": changes.shuffle,
    "reverse": changes.reverse,
    "jitter": changes.jitter,
    "exchange": changes.exchange,
    "pad": padding.pad,
    "oracle": padding.oracle,
    "truncate": changes.truncate,
    "typo": changes.typo,
    "synonym": changes.synonym,
}
#: those that look at the whole corpus before they change a document
WHOLE = {"exchange", "pad", "oracle"}


@dataclass(frozen=True, slots=True)
class Transformation:
    name: str
    made: Change | Whole
    whole: bool

    def __call__(self, corpus: Corpus, scene: Scene, *, seed: int = 0) -> Corpus:
        def corpus_dice(purpose: str) -> random.Random:
            return random.Random(f"{seed}|{purpose}")

        change = cast(Whole, self.made)(corpus, scene, corpus_dice) if self.whole else cast(Change, self.made)

        def changed(document: Document) -> Document:
            def dice(purpose: str) -> random.Random:
                return random.Random(f"{seed}|{purpose}|{document.id}")

            return msgspec.structs.replace(document, captions=tuple(change(document, scene, dice)))

        history = [*corpus.meta.get("stress", []), f"{self.name}@{seed}"]
        return msgspec.structs.replace(
            corpus,
            documents=tuple(map(changed, corpus)),
            name=f"{corpus.name}+{self.name}",
            meta={**corpus.meta, "stress": history},
        )


def transformation(text: str) -> Transformation:
    """From its name; an unknown name or option is a UsageError that says what there is."""
    name = parse(text)
    if name.word not in MAKERS:
        raise UsageError(f"There is no transformation {name.word!r}.", hint=closest(name.word, MAKERS))
    maker = MAKERS[name.word]
    return Transformation(str(name), maker(**parse_options(maker, name)), name.word in WHOLE)
