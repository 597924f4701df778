"""BLEU, ROUGE-L, CIDEr and METEOR per item and corpus, against the values of pycocoevalcap 1.2 on 4,000
caption groups; and AREL's published figures."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_kit import COCO, arel

import storymeter
from storymeter import Caption, Corpus, Document
from storymeter.registry import scorer

NAMES = ["bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider", "cider_d", "meteor"]
#: of specs/meteor.md, on the same files
AREL_METEOR = {
    "meteor": 0.143719260765179,
    "meteor(task=hter)": 0.34749872976976803,
    "meteor(task=adq)": 0.26196717107604733,
}
AREL = {**COCO, "cider_d": "CIDEr", "meteor(task=hter,normalize=false)": "METEOR"}


@pytest.fixture(scope="module")
def groups(golden: Path) -> dict[str, Any]:
    with lzma.open(golden / "ngram_bmt1.json.xz", "rt", encoding="utf-8") as file:
        return json.load(file)


@pytest.mark.parametrize("name", NAMES)
def test_each_item_and_the_corpus_as_a_scorer(groups: dict[str, Any], name: str) -> None:
    key = name.replace("cider_d", "cider")
    items = groups["items"]
    text = {"candidates": [i["candidate"] for i in items], "references": [i["references"] for i in items]}
    expected = np.array([i[key] for i in items])
    np.testing.assert_allclose(
        scorer(name).open(tokenised=True).pairs(**text, jobs=2), expected, rtol=0, atol=1e-9
    )
    assert scorer(name).open(tokenised=True).aggregate(**text) == pytest.approx(
        groups["corpus"][key], abs=1e-9
    )


def test_each_item_and_the_corpus_as_metrics(groups: dict[str, Any]) -> None:
    items = groups["items"]
    mine = Corpus(tuple(Document(f"{k:04}", (Caption(i["candidate"]),)) for k, i in enumerate(items)), "bmt")
    theirs = Corpus(
        tuple(Document(f"{k:04}", (Caption(r),)) for k, i in enumerate(items) for r in i["references"]), "val"
    )
    report = storymeter.evaluate(
        candidates=mine, references=theirs, metrics=NAMES, tokenizer="none", resamples=0
    )
    for score in report.systems[0].scores:
        key = score.metric.replace("cider_d", "cider")
        assert score.value == pytest.approx(groups["corpus"][key], abs=1e-9), score.metric
        assert score.rows is not None
        if key in ("rouge_l", "cider"):
            np.testing.assert_allclose(score.rows[:, 0], [i[key] for i in items], rtol=0, atol=1e-9)


def test_arel_published_figures(data: Path) -> None:
    mine, theirs, published = arel(data)
    report = storymeter.evaluate(
        candidates=mine, references=theirs, metrics=[*AREL, *AREL_METEOR], tokenizer="whitespace", resamples=0
    )
    expected = {**{name: published[key] for name, key in AREL.items()}, **AREL_METEOR}
    for score in report.systems[0].scores:
        assert score.value == pytest.approx(expected[score.metric], abs=1e-9), score.metric


def test_arel_by_one_command(data: Path) -> None:
    """The command of docs/text-metrics.md, every digit."""
    stories, references = (str(data / "vist" / name) for name in ("arel_test.json", "test_reference.json"))
    command = [sys.executable, "-m", "storymeter", "score", stories, "--references", references]
    options = ["--tokenizer", "whitespace", "--metric", ",".join(AREL), "--resamples", "0"]
    done = subprocess.run(
        [*command, *options, "--format", "json"], capture_output=True, text=True, check=True
    )
    published = arel(data).published
    for score in json.loads(done.stdout)["systems"][0]["scores"]:
        assert score["value"] == pytest.approx(published[AREL[score["metric"]]], abs=1e-9), score["metric"]
        assert "tok:whitespace" in score["signature"]
