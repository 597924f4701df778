"""METEOR against the values of the original: 23,884 pairs, small vectors, two aggregates, and AREL's
published figures.

The values were made by meteor-1.5.jar of pycocoevalcap 1.2 under Java 17; see the README of the golden
folder."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_kit import COCO, arel

import storymeter
from storymeter import _native
from storymeter.errors import StorymeterWarning
from storymeter.pairs import Meteor, meteor
from storymeter.registry import scorer

FILES = ["meteor_20k", "meteor_stress"]


def _rows(golden: Path, name: str) -> list[dict[str, Any]]:
    with lzma.open(golden / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("name", FILES)
def test_every_pair_has_the_same_bits(golden: Path, name: str) -> None:
    rows = _rows(golden, name)
    text = {"candidates": [row["hyp"] for row in rows], "references": [row["refs"] for row in rows]}
    expected = np.array([[float(s) for s in row["stats"].split()] for row in rows])
    statistics = Meteor(tokenizer="none").open().segment_statistics(**text, jobs=2)
    assert np.array_equal(statistics, expected)
    scores = [row["score"] for row in rows]
    assert Meteor(tokenizer="none").pairs(**text, jobs=2).tolist() == scores
    assert Meteor(tokenizer="none").open().score_of_statistics(statistics).tolist() == scores
    assert (
        Meteor(tokenizer="none")
        .open()
        .value_of(Meteor(tokenizer="none").open().statistics(**text, jobs=2))
        .tolist()
        == scores
    )
    aggregate = json.loads((golden / "aggregates.json").read_text())[f"{name}_aggregate"]
    assert Meteor(tokenizer="none").open().aggregate(**text, jobs=2) == aggregate


def test_vectors(golden: Path) -> None:
    lines = (golden / "vectors.txt").read_text(encoding="utf-8").splitlines()
    *triples, last = lines
    rows = []
    for pair, statistics, score in zip(triples[::3], triples[1::3], triples[2::3], strict=True):
        candidate, reference = pair.split(" | ")
        row = (
            Meteor(tokenizer="none")
            .open()
            .segment_statistics(candidates=[candidate], references=[[reference]])
        )
        assert row[0].tolist() == [int(s) for s in statistics.split()], pair
        assert Meteor(tokenizer="none").pairs(candidates=[candidate], references=[[reference]])[0] == float(
            score
        ), pair
        rows.append(row[0])
    assert Meteor(tokenizer="none").open().aggregate_of_statistics(np.array(rows)) == float(
        last.removeprefix("aggregate ")
    )


def test_captions_on_ptb_tokens(golden: Path) -> None:
    with lzma.open(golden / "ngram_bmt1.json.xz", "rt", encoding="utf-8") as file:
        groups = json.load(file)
    text = {
        "candidates": [i["candidate"] for i in groups["items"]],
        "references": [i["references"] for i in groups["items"]],
    }
    assert Meteor(tokenizer="none").pairs(**text).tolist() == [i["meteor"] for i in groups["items"]]
    assert Meteor(tokenizer="none").open().aggregate(**text) == groups["corpus"]["meteor"]


#: the first is what AREL's authors published; the others are the jar's for the same files
AREL = {
    "meteor(task=hter,normalize=false)": 0.34881328040125786,
    "meteor": 0.143719260765179,
    "meteor(task=hter)": 0.34749872976976803,
    "meteor(task=adq)": 0.26196717107604733,
}


def test_arel_published_figures(data: Path) -> None:
    mine, theirs, published = arel(data)
    report = storymeter.evaluate(
        candidates=mine, references=theirs, metrics=list(AREL), tokenizer="whitespace", resamples=0
    )
    for score in report.systems[0].scores:
        assert score.value == pytest.approx(AREL[score.metric], abs=1e-9), score.metric
        assert score.rows is not None
        assert score.parts["mean"] == pytest.approx(score.rows[:, -2].mean(), abs=1e-12)
    assert report["arel", "meteor(task=hter,normalize=false)"].value == pytest.approx(
        published["METEOR"], abs=1e-9
    )


def test_protocol_vist_gives_the_published_row(data: Path, tmp_path: Path) -> None:
    """AREL's BLEU-1 to -4, ROUGE-L, CIDEr and METEOR by the metrics' plain names; also of a saved run."""
    mine, theirs, published = arel(data)
    named = {**COCO, "meteor": "METEOR"}
    results = storymeter.evaluate(mine, theirs, [*named], protocol="vist", resamples=0)
    results.save(tmp_path / "run.smr")
    for run in (results, storymeter.load(tmp_path / "run.smr")):
        for label, name in named.items():
            score = run["arel", label]
            assert score.value == pytest.approx(published[name], abs=1e-9), label
            assert score.signature.get("tok") == "whitespace" and score.signature.get("protocol") == "vist"
    assert results["arel", "meteor"].signature.get("task") == "hter"


def test_meteor_of_captioning_on_stories_names_the_protocol(data: Path) -> None:
    files = [str(data / "vist" / f"{name}.json") for name in ("arel_test", "test_reference")]
    with pytest.warns(StorymeterWarning, match="--protocol vist"):
        storymeter.evaluate(*files, "meteor", resamples=0)


@pytest.mark.parametrize(
    "name", ["meteor", "meteor(task=adq)", "meteor(task=hter,normalize=false)", "meteor(tokenizer=ptb)"]
)
def test_names_parse_and_print(name: str) -> None:
    assert scorer(name).name == name


VECTORS = Path(__file__).with_name("meteor_vectors.jsonl")  # made by make_meteor_vectors.py, which says how


def _vectors() -> list[dict[str, Any]]:
    return [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("normalize", [True, False])
def test_weak_spots(normalize: bool) -> None:
    cases = [case for case in _vectors() if case["normalize"] is normalize]
    text = {"candidates": [case["hyp"] for case in cases], "references": [[case["ref"]] for case in cases]}
    meteor = Meteor(normalize=normalize, tokenizer="none")
    for case, row, score in zip(
        cases, meteor.open().segment_statistics(**text), meteor.pairs(**text), strict=True
    ):
        assert row.tolist() == case["stats"], case
        assert score == case["score"], case


@pytest.mark.parametrize("width", [39, 41])
def test_the_beam_is_40_wide(width: int) -> None:
    cases = [case for case in _vectors() if case["kind"] == "beam" and case["normalize"]]
    assert len(cases) >= 5
    index = np.arange(len(cases), dtype=np.int64)
    texts = [case["hyp"] for case in cases], [case["ref"] for case in cases]
    _, rows = _native.meteor_compare(meteor.load(), *texts, index, index, "rank", True, 1, True, width)
    assert all(row.tolist() != case["stats"] for row, case in zip(rows, cases, strict=True))
