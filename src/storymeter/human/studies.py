"""The two other studies: which of two stories of a video is better (SODA, ECCV 2020, section 6.3), and a
survey of several stories of one picture sequence (RoViST, figure 7).

**Preference.** One slot shows a clip and the caption sets of two systems; the sides are drawn by lot and the
answer is -2 (left is better) … 2. A test question that only a viewer can answer may stand beside any clip;
who answers those is believed. **Survey.** One slot shows the pictures and every system's story in an order
drawn by lot; each story gets three marks from 1 to 5 (visually grounded, coherent, without repetition), and
one story the vote for the best.

Both deal their slots in rounds: every (video, pair of systems) once before any comes twice.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from ..captions import Corpus
from ..errors import DataError, UsageError, some
from .lots import drawn

T = TypeVar("T")
CRITERIA = ("grounded", "coherent", "no_repetition")


class Question(msgspec.Struct, frozen=True):
    """A test question about a clip: `answer` counts the options from 0."""

    item: str
    question: str
    options: tuple[str, ...]
    answer: int


class Duel(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="task", tag="preference"):
    """One comparison, with what raters must not know: a line of the private key. `systems` is (left,
    right).
    """

    hit: str
    position: int
    item: str
    systems: tuple[str, str]
    texts: tuple[tuple[str, ...], tuple[str, ...]]
    question: Question | None = None
    seed: str = ""


class Panel(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="task", tag="survey"):
    """One picture sequence with its stories in the order shown: a line of the private key."""

    hit: str
    position: int
    item: str
    systems: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    images: tuple[str, ...]
    seed: str = ""


def sentences(corpus: Corpus) -> dict[str, tuple[str, ...]]:
    """The captions of the first document of each id."""
    found: dict[str, tuple[str, ...]] = {}
    for document in corpus:
        told = tuple(text for caption in document.captions if (text := " ".join(caption.text.split())))
        if document.id not in found and told:
            found[document.id] = told
    return found


def pictures(corpora: Sequence[Corpus]) -> dict[str, tuple[str, ...]]:
    """The picture names of each sequence, as far as the caption files name them."""
    found: dict[str, tuple[str, ...]] = {}
    for document in itertools.chain.from_iterable(corpora):
        names = tuple(caption.image for caption in document.captions if caption.image)
        if names and document.id not in found:
            found[document.id] = names
    return found


def preference(
    systems: Sequence[Corpus],
    *,
    per_hit: int = 10,
    hits: int | None = None,
    seed: str | int = 0,
    items: Iterable[str] | None = None,
    questions: Sequence[Question] = (),
) -> list[list[Duel]]:
    told = _told(systems, items, 2, "preference")
    tests: dict[str, list[Question]] = {}
    for question in questions:
        if not 0 <= question.answer < len(question.options) or len(question.options) < 2:
            raise DataError(
                f"The test question of {question.item!r} has no right answer among its"
                f" {len(question.options)} options.",
                hint="`answer` counts the options from 0; give two options or more.",
            )
        tests.setdefault(question.item, []).append(question)
    rng = drawn("preference", seed)
    deck = [(item, a, b) for item, by in told.items() for a, b in itertools.combinations(sorted(by), 2)]
    out: list[list[Duel]] = []
    for number, hand in enumerate(_deal(deck, per_hit, hits, rng, "comparisons"), 1):
        duels = []
        for position, (item, a, b) in enumerate(hand):
            left, right = (a, b) if rng.random() < 0.5 else (b, a)
            test = rng.choice(tests[item]) if item in tests else None
            duels.append(
                Duel(
                    f"h{number:05d}",
                    position,
                    item,
                    (left, right),
                    (told[item][left], told[item][right]),
                    test,
                )
            )
        out.append(duels)
    return out


def survey(
    systems: Sequence[Corpus],
    images: dict[str, tuple[str, ...]],
    *,
    per_hit: int = 5,
    hits: int | None = None,
    seed: str | int = 0,
    items: Iterable[str] | None = None,
) -> list[list[Panel]]:
    told = _told(systems, items, 2, "survey")
    without = [item for item in told if not images.get(item)]
    if without:
        raise DataError(
            f"{len(without):,} sequences have no pictures: {some(without)}.",
            hint="Name them in the caption files, or lay them into FOLDER/<sequence id>/.",
        )
    rng = drawn("survey", seed)
    out: list[list[Panel]] = []
    for number, hand in enumerate(_deal(list(told), per_hit, hits, rng, "sequences"), 1):
        panels = []
        for position, item in enumerate(hand):
            order = rng.sample(sorted(told[item]), len(told[item]))
            panels.append(
                Panel(
                    f"h{number:05d}",
                    position,
                    item,
                    tuple(order),
                    tuple(told[item][s] for s in order),
                    images[item],
                )
            )
        out.append(panels)
    return out


def _told(
    systems: Sequence[Corpus], items: Iterable[str] | None, least: int, task: str
) -> dict[str, dict[str, tuple[str, ...]]]:
    if len(systems) < least:
        raise UsageError(
            f"A {task} study compares systems; {len(systems)} was given.",
            hint="Give --systems two files or more.",
        )
    wanted = set(items) if items is not None else None
    told: dict[str, dict[str, tuple[str, ...]]] = {}
    for corpus in systems:
        for item, text in sentences(corpus).items():
            if wanted is None or item in wanted:
                told.setdefault(item, {})[corpus.name] = text
    told = {item: by for item, by in sorted(told.items()) if len(by) >= least}
    if not told:
        raise DataError(
            "No video has captions of two systems.", hint="Check that the ids in the caption files agree."
        )
    return told


def _deal(deck: list[T], per_hit: int, hits: int | None, rng: random.Random, what: str) -> list[list[T]]:
    if len(deck) < per_hit:
        raise DataError(
            f"A HIT of {per_hit} cannot be filled: there are only {len(deck)} {what}.",
            hint=f"Use --per-hit {len(deck)} or less.",
        )
    count = hits if hits is not None else -(-len(deck) // per_hit)
    dealt: list[list[T]] = []
    rest: list[T] = []
    for _ in range(count):
        hand, rest = rest[:per_hit], rest[per_hit:]
        if len(hand) < per_hit:  # the next round; what this hand already holds waits
            fresh = rng.sample(deck, len(deck))
            fill = [card for card in fresh if card not in hand][: per_hit - len(hand)]
            rest = [card for card in fresh if card not in fill]
            hand += fill
        dealt.append(hand)
    return dealt
