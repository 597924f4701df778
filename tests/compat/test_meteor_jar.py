"""METEOR beside the original on random pairs that reach into every corner of it.

The original's values for pairs drawn with a fixed seed are stored (tests/golden/make.py meteor_drawn): every
task, with the text normalised and as it is. With `STORYMETER_SEED` the original itself runs on other pairs,
`STORYMETER_PAIRS` of them in each setting; the seed is in the message where they differ. (In every run, the
original METEOR scores the captions of test_pycocoevalcap.py.)
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from storymeter.pairs import Meteor
from storymeter.registry import scorer

sys.path.insert(0, str(Path(__file__).parent))
import meteor_jar
from meteor_jar import Jar, Pair, Pairs

FIGURES = Path(__file__).parents[1] / "golden" / "figures" / "meteor_drawn.json"
SEED = int(os.environ.get("STORYMETER_SEED", meteor_jar.SEED))
COUNT = int(os.environ.get("STORYMETER_PAIRS", 1000))
SETTINGS = {
    "meteor": "rank -norm",
    "meteor(normalize=false)": "rank",
    "meteor(task=adq)": "adq -norm",
    "meteor(task=adq,normalize=false)": "adq",
    "meteor(task=hter)": "hter -norm",
    "meteor(task=hter,normalize=false)": "hter",
}


def check(name: str, pairs: list[Pair], statistics: list[str], scores: list[float], aggregate: float) -> None:
    meteor = scorer(name).open(tokenised=True)
    assert isinstance(meteor.scorer, Meteor)
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


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def drawn(stored: dict[str, Any]) -> list[Pair]:
    pairs = Pairs(meteor_jar.SEED).some(len(stored["settings"]["rank -norm"]["scores"]))
    assert meteor_jar.fingerprint(pairs) == stored["pairs"], (
        "other pairs were drawn: run make.py meteor_drawn"
    )
    return pairs


@pytest.mark.parametrize("name", SETTINGS)
def test_stored_values(name: str, stored: dict[str, Any], drawn: list[Pair]) -> None:
    made = stored["settings"][SETTINGS[name]]
    pairs = drawn[: len(made["scores"])]
    check(name, pairs, made["statistics"], made["scores"], made["aggregate"])


if SEED != meteor_jar.SEED:

    @pytest.mark.needs("java")
    @pytest.mark.parametrize("name", SETTINGS)
    def test_the_original_itself(name: str) -> None:
        pairs = Pairs(SEED).some(COUNT)
        with Jar("-t", *SETTINGS[name].split()) as jar:
            statistics = jar.statistics(pairs)
            check(name, pairs, statistics, *jar.scores(statistics))
