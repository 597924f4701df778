"""METEOR against the original, on fresh random pairs in every run; the seed is in the message where they
differ.

`STORYMETER_SEED` takes another seed, `STORYMETER_PAIRS` sets how many pairs each setting gets.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from storymeter.pairs import Meteor

sys.path.insert(0, str(Path(__file__).parent))
from meteor_jar import Jar, Pair, Pairs

SEED = int(os.environ.get("STORYMETER_SEED", "122595539"))
COUNT = int(os.environ.get("STORYMETER_PAIRS", 1000))
#: every task, with the text normalised and as it is: the one does not depend on the other
SETTINGS = {
    "meteor": ("-norm",),
    "meteor(normalize=false)": (),
    "meteor(task=hter)": ("-norm", "-t", "hter"),
    "meteor(task=adq,normalize=false)": ("-t", "adq"),
}


@pytest.fixture(scope="module")
def drawn() -> list[Pair]:
    return Pairs(SEED).some(COUNT)


@pytest.mark.slow
@pytest.mark.needs("java")
@pytest.mark.parametrize("name", SETTINGS)
def test_random_pairs_have_the_same_statistics(name: str, drawn: list[Pair]) -> None:
    print(f"seed {SEED}")  # noqa: T201
    from storymeter.registry import scorer

    meteor = scorer(name)
    assert isinstance(meteor, Meteor)
    pairs = drawn if name == "meteor" else drawn[: COUNT // 2]
    with Jar(*SETTINGS[name]) as jar:
        statistics = jar.statistics(pairs)
        scores, aggregate = jar.scores(statistics)
    text = {"candidates": [hyp for hyp, _ in pairs], "references": [refs for _, refs in pairs]}
    ours = meteor.segment_statistics(**text)
    # lengths, matches per stage and chunks are integers, and asked to be equal: the alignments are the same
    for pair, theirs, row in zip(pairs, statistics, ours, strict=True):
        assert [float(s) for s in theirs.split()] == row.tolist(), f"seed {SEED}: {pair}"
    # the scores made of them raise the fragmentation to a power: Java's pow and the C library's now and then
    # differ in the last bit, about 1e-16 of a score. 1e-14 leaves room for that and for nothing else (1e-12
    # would do for any use of METEOR).
    assert meteor.pairs(**text) == pytest.approx(scores, rel=1e-14, abs=0), f"seed {SEED}"
    assert meteor.aggregate(**text) == pytest.approx(aggregate, rel=1e-14, abs=0), f"seed {SEED}"
