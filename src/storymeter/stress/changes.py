"""Transformations of captions, and the data that they may look at."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import Literal

import msgspec

from ..captions import Caption, Corpus, Document
from ..engine.run import Run
from ..errors import UsageError
from ..pairs.lexicon import synonyms


@dataclass(frozen=True, slots=True)
class Scene:
    """What a transformation may look at besides the corpus: the references by id, and the run."""

    references: Mapping[str, Sequence[Document]]
    run: Run

    @classmethod
    def of(cls, run: Run) -> Scene:
        return cls(Corpus(tuple(chain.from_iterable(run.references))).by_id(), run)

    def size(self, document: Document) -> float:
        """|G|: how many captions people wrote for this document."""
        counts = [len(reference.captions) for reference in self.references.get(document.id, ())]
        return (
            0.0
            if not counts
            else float(sum(counts))
            if self.run.context.protocol.refs == "merge"
            else sum(counts) / len(counts)
        )

    def track(self, document: Document) -> tuple[Caption, ...]:
        """The captions of people that the oracle and the order of captions are about: of the first annotator,
        or of all in one track where the protocol merges them (sorted by start unless it takes the
        references as written).
        """
        references = self.references.get(document.id, ())
        if self.run.context.protocol.refs != "merge":
            return references[0].captions if references else ()
        captions = [caption for reference in references for caption in reference.captions]
        if self.run.context.protocol.reference_order != "file":
            captions.sort(key=_start)
        return tuple(captions)

    def duration(self, document: Document) -> float:
        """Of the video: as stated anywhere, else the latest end of any caption."""
        sides = (document, *self.references.get(document.id, ()))
        ends = [c.end for d in sides for c in d.captions if c.end is not None]
        return max([d.duration for d in sides if d.duration] or ends, default=0.0)


#: random numbers for a purpose: the same seed, purpose and document give the same numbers
Dice = Callable[[str], random.Random]
#: captions of one document to other captions
Change = Callable[[Document, Scene, Dice], Sequence[Caption]]
#: the same for changes that look at the whole corpus first
Whole = Callable[[Corpus, Scene, Dice], Change]


# The right sentences in the wrong order, or under the wrong video; segments stay, but for a little jitter.


Permute = Callable[[int, random.Random], list[int]]
#: what a caption in the wrong order loses: its sentence goes elsewhere, or its segment
Move = Literal["texts", "times"]


def _swapped(n: int, dice: random.Random) -> list[int]:
    order = list(range(n))
    if n > 1:
        k = dice.randrange(n - 1)
        order[k], order[k + 1] = order[k + 1], order[k]
    return order


def _shuffled(n: int, dice: random.Random) -> list[int]:
    order = list(range(n))
    while n > 1 and order == sorted(order):
        dice.shuffle(order)
    return order


#: how the changes of order permute captions
ORDERS: dict[str, Permute] = {
    "swap": _swapped,
    "shuffle": _shuffled,
    "reverse": lambda n, dice: list(range(n))[::-1],
    "jitter": lambda n, dice: list(range(n)),
}


def reorder(permute: Permute, bound: float = 0.7, move: Move = "texts") -> Change:
    """Sentences take the places of others, or segments those of others, in the order of time (of the file
    where the protocol does not sort); each segment moves a little, under the same dice for every kind of
    order, so that swap, shuffle and jitter of one seed differ in the order alone."""
    if not 0 <= bound <= 1:
        raise UsageError(
            f"The bound on IoU cannot be {bound}.", hint="It lies between 0 and 1; 1 keeps the segments."
        )

    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        captions = list(document.captions)
        if scene.run.context.protocol.order != "file":
            captions.sort(key=_start)
        moving, duration = dice(f"jitter {bound}"), scene.duration(document)
        segments = [moved(c.start, c.end, bound, duration, moving) for c in captions]
        order = permute(len(captions), dice("order"))
        if move == "times":
            return [
                msgspec.structs.replace(c, start=segments[source][0], end=segments[source][1])
                for c, source in zip(captions, order, strict=True)
            ]
        return [
            msgspec.structs.replace(c, text=captions[source].text, start=s, end=e)
            for c, source, (s, e) in zip(captions, order, segments, strict=True)
        ]

    return change


def _start(caption: Caption) -> tuple[bool, float]:
    return caption.start is None, caption.start or 0.0


def moved(
    start: float | None, end: float | None, bound: float, duration: float, dice: random.Random
) -> tuple[float | None, float | None]:
    """Another segment whose IoU with this one is above `bound` (at 1: this one), inside the video where this
    one is.

    Both ends move by up to (1 - bound) of the length, and what falls below the bound is drawn again.
    """
    if start is None or end is None or not end > start or bound >= 1:
        return start, end
    reach = (1 - bound) * (end - start)
    while True:
        s, e = start + dice.uniform(-reach, reach), end + dice.uniform(-reach, reach)
        s, e = max(s, min(start, 0.0)), min(e, max(end, duration))
        shared, hull = min(e, end) - max(s, start), max(e, end) - min(s, start)
        if e > s and shared / hull > bound:
            return s, e


def exchange() -> Whole:
    """Every document gets the sentences of the next one, in a random ring of all documents: none keeps its
    own.
    """

    def choose(corpus: Corpus, scene: Scene, dice: Dice) -> Change:
        ring = sorted(corpus.documents, key=lambda d: d.id)
        dice("exchange").shuffle(ring)
        givers = {d.id: ring[(k + 1) % len(ring)] for k, d in enumerate(ring)}

        def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
            texts = [c.text for c in givers[document.id].captions] or [""]
            return [
                msgspec.structs.replace(c, text=texts[k % len(texts)])
                for k, c in enumerate(document.captions)
            ]

        return change

    return choose


# Fewer captions: sampled, dropped, merged, or one said twice; and fewer documents.


def fewer_documents(
    systems: Sequence[Corpus], references: Sequence[Corpus], count: int, seed: int
) -> tuple[list[Corpus], list[Corpus]]:
    """`count` documents that all systems have, with a reference (where there are any), drawn once by `seed`,
    and nothing else on either side. Where there is none, all stay as they are: whoever joins them says so."""
    known = {document.id for one in references for document in one}
    common = set[str].intersection(*({document.id for document in corpus} for corpus in systems))
    ids = sorted(common & known if known else common)
    if not ids:
        return list(systems), list(references)
    kept = set(random.Random(seed).sample(ids, min(count, len(ids))))

    def of(one: Corpus) -> Corpus:
        return msgspec.structs.replace(
            one, documents=tuple(document for document in one if document.id in kept)
        )

    return [of(one) for one in systems], [of(one) for one in references]


#: how m times the reference captions becomes a whole number
Rounding = Literal["least-one", "int", "up"]


def sample(m: float | None = None, k: int | None = None, rounding: Rounding = "least-one") -> Change:
    """`rounding`: int(m |G|), at least one caption; int(m |G|) alone, which leaves videos empty; or m |G|
    rounded up (to nine digits, so that 0.1 times 10 is one).
    """
    if (m is None) == (k is None):
        raise UsageError("sample takes either m or k.", hint="Write sample(m=0.5) or sample(k=7).")
    if (m is not None and not 0 < m < 1e6) or (k is not None and k < 1):
        raise UsageError(
            f"sample cannot take {m if k is None else k} captions.",
            hint="m is a positive multiple of the reference captions, k a count from 1.",
        )

    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        exact = (m or 0) * scene.size(document)
        least = 0 if rounding == "int" else 1
        wanted = k if k is not None else max(least, ceil(exact - 1e-9) if rounding == "up" else int(exact))
        if wanted >= len(document.captions):
            return document.captions
        return [
            document.captions[i] for i in sorted(dice("sample").sample(range(len(document.captions)), wanted))
        ]

    return change


def drop(share: float = 0.5) -> Change:
    if not 0 <= share <= 1:
        raise UsageError(f"drop cannot leave out a share of {share}.", hint="share lies between 0 and 1.")

    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        random = dice("drop")
        kept = [caption for caption in document.captions if random.random() >= share]
        return kept or list(document.captions[:1])

    return change


def merge() -> Change:
    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        captions = list(document.captions)
        if len(captions) < 2:
            return captions
        k = dice("merge").randrange(len(captions) - 1)
        a, b = captions[k], captions[k + 1]
        starts, ends = (
            [t for t in (a.start, b.start) if t is not None],
            [t for t in (a.end, b.end) if t is not None],
        )
        both = msgspec.structs.replace(
            a, text=f"{a.text} {b.text}", start=min(starts, default=None), end=max(ends, default=None)
        )
        return [*captions[:k], both, *captions[k + 2 :]]

    return change


def repeat() -> Change:
    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        if len(document.captions) < 2:
            return document.captions
        return [
            *document.captions[:-1],
            msgspec.structs.replace(document.captions[-1], text=document.captions[0].text),
        ]

    return change


# The same captions in other words: cut short, misspelt, or with synonyms.


def truncate(keep: float = 0.5) -> Change:
    _check("keep", keep)
    return _reword("truncate", lambda words, random: words[: max(1, int(keep * len(words)))])


def typo(rate: float = 0.1) -> Change:
    _check("rate", rate)
    return _reword(
        "typo", lambda words, random: [_misspelt(w, random) if random.random() < rate else w for w in words]
    )


def synonym(rate: float = 0.3) -> Change:
    _check("rate", rate)

    def replaced(word: str, random: random.Random) -> str:
        known = synonyms(word.lower())
        return random.choice(known) if known else word

    return _reword(
        "synonym", lambda words, random: [replaced(w, random) if random.random() < rate else w for w in words]
    )


def _check(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise UsageError(f"{name} cannot be {value}.", hint="It is a share between 0 and 1.")


def _reword(purpose: str, change_words: Callable[[list[str], random.Random], list[str]]) -> Change:
    def change(document: Document, scene: Scene, dice: Dice) -> Sequence[Caption]:
        numbers = dice(purpose)
        return [
            msgspec.structs.replace(c, text=" ".join(change_words(c.text.split(), numbers)))
            for c in document.captions
        ]

    return change


def _misspelt(word: str, dice: random.Random) -> str:
    """One slip of the fingers: two letters exchanged, one doubled, or one lost. A word of one letter is left
    alone.
    """
    if len(word) < 2:
        return word
    k = dice.randrange(len(word) - 1)
    slip = dice.choice(("exchange", "double", "lose"))
    if slip == "exchange" and word[k] != word[k + 1]:
        return word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    return word[:k] + word[k] + word[k:] if slip == "double" else word[:k] + word[k + 1 :]
