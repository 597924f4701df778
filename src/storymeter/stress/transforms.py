"""Damage on purpose, and the captions that a system could at best have told.

Each transformation takes a corpus and gives another; its input is never touched.

A transformation has a name that parses and prints (`sample(m=0.5)`), and draws its random numbers from the
seed, its own name and the document's id alone: the order of documents never matters, and the same seed gives
the same bytes.

    sample(m=)     int(m x |G|) captions of a video without replacement, but at least one: at 3.5 reference
                   captions a video, m = .1 would otherwise leave nothing. |G| counts reference captions: the
                   mean over annotators, or all of them where the protocol merges. (Fujita et al., ECCV 2020,
                   section 6.1)
    sample(k=)     k captions of a video, or all where there are fewer (Fujita et al., NLP 2020, table 1)
    oracle         for each reference caption of the first annotator the generated caption with the highest
                   METEOR, under the reference's times (ECCV 2020, tables 2 and 3)
    jitter         every segment moved at random, IoU with the original above `bound`
    swap           one random adjacent pair exchanges its sentences; a document with one caption stays as it
                   is
    shuffle        all sentences in a random order, never the original one where there are two or more
    reverse        the last sentence first
    pad(n=)        redundant captions until there are n: `same` (a sentence again under another segment),
                   `other` (another sentence of the video under the same segment), `foreign` (a sentence of
                   another video under a random segment): the three abuses of section 4; `mixed`, the default,
                   takes them in turn
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

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import msgspec
import numpy as np

from ..captions import Caption, Corpus, Document
from ..errors import UsageError, suggest
from ..options import parse, parse_options
from ..pairs.sentences import pair_table, sentences_for
from ..registry import scorer as get_scorer
from .changes import (
    ORDERS,
    Change,
    Dice,
    Scene,
    Whole,
    drop,
    exchange,
    merge,
    reorder,
    repeat,
    sample,
    synonym,
    truncate,
    typo,
)

KINDS = ("same", "other", "foreign")


def pad(n: int = 200, kind: Literal["mixed", "same", "other", "foreign"] = "mixed") -> Whole:
    if not 1 <= n <= 100_000:
        raise UsageError(
            f"pad cannot make {n} captions.",
            hint="n is the number of captions a video has afterwards, from 1.",
        )

    def choose(corpus: Corpus, scene: Scene, dice: Dice) -> Change:
        pool = [
            (document.id, caption.text)
            for document in sorted(corpus, key=lambda d: d.id)
            for caption in document.captions
        ]

        def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
            captions = list(document.captions)
            if not captions:
                return captions
            own, random_ = list(captions), dice(f"pad {kind}")
            duration = scene.duration(document)
            for number in range(len(captions), n):
                abuse = KINDS[number % 3] if kind == "mixed" else kind
                captions.append(_redundant(abuse, own, pool, document.id, duration, random_))
            return captions

        return change

    return choose


def _redundant(
    abuse: str,
    own: Sequence[Caption],
    pool: Sequence[tuple[str, str]],
    video: str,
    duration: float,
    dice: random.Random,
) -> Caption:
    model = dice.choice(own)
    if abuse == "other":  # another sentence of this video, or of another where it has only one
        texts = [c.text for c in own if c.text != model.text]
        return msgspec.structs.replace(
            model, text=dice.choice(texts) if texts else _foreign(pool, video, dice), meta={}
        )
    start, end = _segment(duration, dice) if model.timed else (None, None)
    text = model.text if abuse == "same" else _foreign(pool, video, dice)
    return msgspec.structs.replace(model, text=text, start=start, end=end, meta={})


def _foreign(pool: Sequence[tuple[str, str]], video: str, dice: random.Random) -> str:
    """A sentence of another video; a corpus of one video has none, and then one of its own."""
    for _ in range(50):
        owner, text = dice.choice(pool)
        if owner != video:
            break
    return text


def _segment(duration: float, dice: random.Random) -> tuple[float, float]:
    """Anywhere in the video, 5 to 100 % of it long."""
    length = dice.uniform(0.05, 1.0) * duration
    start = dice.uniform(0.0, duration - length)
    return start, start + length


def oracle(scorer: str = "meteor") -> Whole:
    def choose(corpus: Corpus, scene: Scene, dice: Dice) -> Change:
        best = _best(corpus, scene, scorer)

        def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
            references = track(document, scene)
            return [
                Caption(document.captions[k].text, r.start, r.end, r.image)
                for r, k in zip(references, best[document.id], strict=True)
            ]

        return change

    return choose


def track(document: Document, scene: Scene) -> tuple[Caption, ...]:
    """The captions that oracle captions are chosen for; none where the system has no caption."""
    return scene.track(document) if document.captions else ()


def _best(corpus: Corpus, scene: Scene, scorer: str) -> dict[str, list[int]]:
    """For each reference caption the number of the generated one that is most like it; ties go to the
    earlier.
    """
    context, compared = scene.run.context, get_scorer(scorer)
    sentences, table = sentences_for(context, compared), pair_table(context, compared)
    found: dict[str, list[int]] = {}
    blocks: list[tuple[str, int, int]] = []
    candidates, references = [], []
    for document in corpus:
        generated = sentences.numbers([c.text for c in document.captions])
        wanted = sentences.numbers([c.text for c in track(document, scene)])
        blocks.append((document.id, len(wanted), len(generated)))
        candidates.append(np.tile(generated, len(wanted)))
        references.append(np.repeat(wanted, len(generated)))
    values = (
        table.values(
            np.concatenate(candidates),
            np.concatenate(references),
            jobs=context.jobs,
            progress=context.progress,
        )
        if blocks
        else np.empty(0)
    )
    begin = 0
    for name, rows, columns in blocks:
        block = values[begin : begin + rows * columns].reshape(rows, columns)
        begin += rows * columns
        found[name] = block.argmax(axis=1).tolist() if columns else []
    return found


MAKERS: dict[str, Callable[..., Any]] = {
    "sample": sample,
    "drop": drop,
    "merge": merge,
    "repeat": repeat,
    **dict.fromkeys(ORDERS, reorder),
    "exchange": exchange,
    "pad": pad,
    "oracle": oracle,
    "truncate": truncate,
    "typo": typo,
    "synonym": synonym,
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
    """From its name; an unknown name or option is a UsageError that says what there is.

    text: a name with its options, as in `drop(share=0.3)`.
    """
    name = parse(text)
    if name.word not in MAKERS:
        raise UsageError(f"There is no transformation {name.word!r}.", hint=suggest(name.word, MAKERS))
    maker, preset = MAKERS[name.word], {"permute": ORDERS[name.word]} if name.word in ORDERS else {}
    made = maker(**parse_options(maker, name, hidden=preset))
    return Transformation(str(name), made, name.word in WHOLE)
