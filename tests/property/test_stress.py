"""Every transformation keeps its promises on any corpus, never touches its input, and gives the same bytes
for the same seed.
"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.stress import Scene, transformation
from storymeter.stress.transforms import MAKERS

WORDS = st.lists(
    st.sampled_from(
        ["a", "dog", "runs", "over", "the", "green", "hill", "and", "jumps", "into", "cold", "water"]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)
TIMES = st.tuples(st.floats(0, 90), st.floats(0.5, 40)).map(lambda t: (t[0], t[0] + t[1]))


@st.composite
def corpora(draw: st.DrawFn, *, timed: bool = True) -> Corpus:
    documents = []
    for number in range(draw(st.integers(1, 4))):
        captions = [
            Caption(draw(WORDS), *(draw(TIMES) if timed else (None, None)))
            for _ in range(draw(st.integers(0, 6)))
        ]
        documents.append(Document(f"v{number}", tuple(captions), duration=130.0))
    return Corpus(tuple(documents), "s")


def scene(corpus: Corpus) -> Scene:
    references = Corpus(
        tuple(
            Document(d.id, tuple(Caption("a dog runs", 0.0, 5.0) for _ in range(3)), duration=130.0)
            for d in corpus
        ),
        "r",
    )
    return Scene.of(Run(references))


def texts(document: Document) -> list[str]:
    return sorted(c.text for c in document.captions)


def iou(a: Caption, b: Caption) -> float:
    assert a.start is not None and a.end is not None and b.start is not None and b.end is not None
    return (min(a.end, b.end) - max(a.start, b.start)) / (max(a.end, b.end) - min(a.start, b.start))


EVERY = [
    "sample(m=0.5)",
    "sample(k=2)",
    "drop(share=0.5)",
    "merge",
    "repeat",
    "swap",
    "shuffle",
    "reverse",
    "jitter",
    "exchange",
    "pad(n=9)",
    "pad(n=9,kind=same)",
    "pad(n=9,kind=other)",
    "pad(n=9,kind=foreign)",
    "oracle(scorer=rouge_l)",
    "truncate",
    "typo(rate=0.5)",
    "synonym(rate=0.5)",
]


def test_every_transformation_is_tested() -> None:
    assert {name.partition("(")[0] for name in EVERY} == set(MAKERS)


@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=25, deadline=None)
@given(corpus=corpora(), seed=st.integers(0, 5))
def test_pure_and_reproducible(name: str, corpus: Corpus, seed: int) -> None:
    before = msgspec.json.encode(corpus)
    made = transformation(name)
    once, again = made(corpus, scene(corpus), seed=seed), made(corpus, scene(corpus), seed=seed)
    assert msgspec.json.encode(once) == msgspec.json.encode(again)
    assert msgspec.json.encode(corpus) == before
    assert [d.id for d in once] == [d.id for d in corpus]
    assert once.meta["stress"] == [f"{name}@{seed}"]
    backwards = Corpus(corpus.documents[::-1], "s")
    assert {d.id: d for d in made(backwards, scene(corpus), seed=seed)} == {d.id: d for d in once}


@settings(max_examples=40, deadline=None)
@given(corpus=corpora(), m=st.sampled_from([0.1, 0.5, 1.0, 2.0]))
def test_sample_counts(corpus: Corpus, m: float) -> None:
    sampled = transformation(f"sample(m={m})")(corpus, scene(corpus), seed=1)
    for old, new in zip(corpus, sampled, strict=True):
        assert len(new.captions) == min(len(old.captions), max(1, int(m * 3)))
        assert all(c in old.captions for c in new.captions)


@pytest.mark.parametrize("name", ["swap", "shuffle", "reverse", "jitter"])
@settings(max_examples=40, deadline=None)
@given(corpus=corpora(), bound=st.sampled_from([0.5, 0.7, 0.9, 1.0]))
def test_orders_lose_no_caption_and_respect_the_bound(name: str, corpus: Corpus, bound: float) -> None:
    changed = transformation(f"{name}(bound={bound})")(corpus, scene(corpus), seed=2)
    for old, new in zip(corpus, changed, strict=True):
        assert texts(old) == texts(new)
        for a, b in zip(sorted(old.captions, key=lambda c: c.start or 0), new.captions, strict=True):
            assert iou(a, b) > bound if bound < 1 else (a.start, a.end) == (b.start, b.end)


@settings(max_examples=40, deadline=None)
@given(corpus=corpora(timed=False))
def test_untimed_stories_are_reordered_too(corpus: Corpus) -> None:
    for name in ("swap", "shuffle", "reverse", "exchange", "repeat"):
        changed = transformation(name)(corpus, scene(corpus), seed=2)
        assert [len(d.captions) for d in changed] == [len(d.captions) for d in corpus]


@settings(max_examples=40, deadline=None)
@given(corpus=corpora(), n=st.integers(1, 12), kind=st.sampled_from(["mixed", "same", "other", "foreign"]))
def test_pad_adds_and_never_removes(corpus: Corpus, n: int, kind: str) -> None:
    padded = transformation(f"pad(n={n},kind={kind})")(corpus, scene(corpus), seed=3)
    for old, new in zip(corpus, padded, strict=True):
        assert new.captions[: len(old.captions)] == old.captions
        assert len(new.captions) == (max(n, len(old.captions)) if old.captions else 0)
        for caption in new.captions[len(old.captions) :]:
            assert (
                caption.start is not None
                and caption.end is not None
                and 0 <= caption.start < caption.end <= 135.01
            )


def test_another_seed_draws_other_samples() -> None:
    corpus = Corpus(
        (Document("v", tuple(Caption(f"caption {k}", float(k), k + 1.0) for k in range(50))),), "s"
    )
    drawn = {
        tuple(
            c.text
            for c in transformation("sample(k=5)")(corpus, scene(corpus), seed=seed).documents[0].captions
        )
        for seed in range(20)
    }
    assert len(drawn) == 20
