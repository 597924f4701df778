"""SODA c scores only the pairs that could be matched: the result is the one of scoring them all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from storymeter import _native
from storymeter.captions import Caption, Corpus, Document
from storymeter.context import Context
from storymeter.dense import Soda
from storymeter.join import Task, join
from storymeter.pairs import Meteor, sentences
from storymeter.protocol import PRESETS

TEXT = "a the man woman dog runs run walks street road plays a ball is in of down and guitar quickly"

TURNED = next(name for name, preset in PRESETS.items() if preset.protocol.orientation == "reference")


@dataclass(frozen=True)
class Unbounded(Meteor):
    """METEOR without its upper bound: every pair is scored."""

    def bounds_indexed(self, **_: object) -> None:  # type: ignore[override]
        return None


def corpora(seed: int, videos: int = 6) -> Task:
    draw = np.random.default_rng(seed)

    def captions(count: int) -> tuple[Caption, ...]:
        times = np.sort(draw.integers(0, 20, (count, 2)), axis=1).astype(float)  # many equal times and sums
        return tuple(
            Caption(" ".join(draw.choice(TEXT.split(), draw.integers(0, 9))), start, end + 1)
            for start, end in times
        )

    def corpus(name: str, most: int) -> Corpus:
        return Corpus(
            tuple(Document(f"v{k}", captions(int(draw.integers(0, most)))) for k in range(videos)), name
        )

    return join(candidates=corpus("ours", 40), references=[corpus("first", 7), corpus("second", 7)])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("protocol", ["paper", TURNED])
def test_the_matching_is_that_of_all_pairs(seed: int, protocol: str) -> None:
    task = corpora(seed)
    found = []
    for scorer in (Meteor(), Unbounded()):
        bench = Context(protocol=protocol)
        rows = Soda("c", scorer=scorer).rows(task, bench)
        found.append((rows.values, rows.alignment, len(sentences.pair_table(bench, scorer))))
    (few, alignment, some), (everything, whole, every) = found
    assert np.array_equal(few, everything)
    assert alignment is not None
    assert dict(alignment) == dict(whole)
    assert 0 < some < every


@pytest.mark.parametrize("seed", range(200))
def test_what_is_not_open_changes_nothing(seed: int) -> None:
    """Weights with many ties, bounds that are loose, tight or exact."""
    draw = np.random.default_rng(seed)
    rows, columns = int(draw.integers(1, 12)), int(draw.integers(1, 6))
    there = np.argwhere(draw.random((rows, columns)) < 0.8)
    exact = draw.integers(0, 4, len(there)) / 4 * (1 if seed % 2 else 0.1)
    weight = exact + draw.integers(0, 3, len(there)) / 8
    table = (
        *(np.array([k], dtype=np.int64) for k in (0, rows, 0, columns)),
        np.array([0, len(there)], dtype=np.int64),
        *(np.ascontiguousarray(there[:, k], dtype=np.int32) for k in (0, 1)),
    )
    known = np.zeros(len(there), dtype=np.uint8)
    while len(entries := _native.open_many(*table, weight, known, np.array([0]), 1, 1)):
        assert not known[entries].any()
        weight[entries] = exact[entries]
        known[entries] = 1
    full = _native.match_many(*table, exact, 1)
    less = _native.match_many(*table, np.where(known, exact, 0.0), 1)
    assert all(np.array_equal(a, b) for a, b in zip(full, less, strict=True))


@pytest.mark.parametrize("task", ["rank", "adq", "hter"])
def test_no_score_exceeds_its_bound(task: str) -> None:
    draw = np.random.default_rng(5)
    texts = [" ".join(draw.choice(TEXT.split(), draw.integers(0, 12))) for _ in range(60)]
    texts += [
        "",
        "...",
        "a man ||| a dog",
        "made up his mind",
        "decided",
        "in spite of",
        "despite",
        "walked " * 80,
    ]
    c, r = np.indices((len(texts), len(texts))).reshape(2, -1)
    pairs = {"candidates": texts, "references": texts, "candidate_index": c, "reference_index": r}
    meteor = Meteor(task=task).open()  # type: ignore[arg-type]
    bound, score = meteor.bounds_indexed(**pairs, jobs=2), meteor.score_indexed(**pairs)  # type: ignore[arg-type]
    assert (bound >= score).all()
    short = (c < 60) & (r < 60)
    assert np.median(bound[short & (score > 0)]) < 0.9, "a bound that is worth its time"


def test_stored_statistics_are_the_additive_ones() -> None:
    texts = ["a man runs", "a man is running down the road", "a dog", "", "word " * 6000]
    c, r = np.indices((len(texts), len(texts))).reshape(2, -1)
    for some in (texts[:4], texts):  # the long one needs more than two bytes
        kept = (c < len(some)) & (r < len(some))
        pairs = {
            "candidates": some,
            "references": some,
            "candidate_index": c[kept],
            "reference_index": r[kept],
        }
        values, stored = Meteor().open().stored_indexed(**pairs)  # type: ignore[arg-type]
        rows = Meteor().open().statistics_indexed(**pairs)  # type: ignore[arg-type]
        assert stored.dtype == (np.uint16 if len(some) == 4 else np.int64)
        assert np.array_equal(stored, rows)
        assert np.array_equal(values, Meteor().open().value_of(rows))
