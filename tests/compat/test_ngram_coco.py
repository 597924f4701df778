"""BLEU, ROUGE-L and CIDEr against pycocoevalcap on fresh random text; the seed is printed when a test fails.

The text is hard on purpose: empty candidates and references, one word, one word many times, references of
equal distance in length, reference sets of different size, no-break spaces (at which BLEU and CIDEr cut words
and ROUGE-L does not), doubled blanks (between which ROUGE-L sees an empty word)."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

from storymeter.pairs import Bleu, Cider, RougeL
from storymeter.text import tokenize

bleu = pytest.importorskip("pycocoevalcap.bleu.bleu")
cider = pytest.importorskip("pycocoevalcap.cider.cider")
rouge = pytest.importorskip("pycocoevalcap.rouge.rouge")

SEED = int(os.environ.get("STORYMETER_SEED", "122595539"))
Items = tuple[list[str], list[list[str]]]


def _rouge(candidate: str, references: list[str]) -> float:
    """COCO's value of one candidate, but for texts without words: two of them are 1 there and 0 here."""
    words = [text for text in references if text.split()]
    return float(rouge.Rouge().calc_score([candidate], words)) if words and candidate.split() else 0.0


def compare(items: Items, atol: float = 1e-9) -> None:
    candidates, references = items
    results = {k: [c] for k, c in enumerate(candidates)}
    truth = dict(enumerate(references))
    with contextlib.redirect_stdout(io.StringIO()):
        corpus, each = bleu.Bleu(4).compute_score(truth, results)
        theirs = {f"bleu_{n + 1}": (corpus[n], each[n]) for n in range(4)}
        each = [_rouge(*item) for item in zip(candidates, references, strict=True)]
        theirs["rouge_l"] = float(np.mean(each)), each
        theirs["cider"] = cider.Cider().compute_score(truth, results)
    ours = {
        **{f"bleu_{n}": Bleu(n, tokenizer="none") for n in range(1, 5)},
        "rouge_l": RougeL(tokenizer="none"),
        "cider": Cider(tokenizer="none"),
    }
    for name, scorer in ours.items():
        wanted_corpus, wanted = theirs[name]
        got = scorer.pairs(candidates=candidates, references=references, jobs=2)
        worst = int(np.argmax(np.abs(got - np.array(wanted))))
        np.testing.assert_allclose(
            got,
            wanted,
            rtol=0,
            atol=atol,
            err_msg=f"{name}, seed {SEED}: {candidates[worst]!r} against {references[worst]!r}",
        )
        assert scorer.open().aggregate(candidates=candidates, references=references) == pytest.approx(
            wanted_corpus, abs=atol
        ), f"{name}, seed {SEED}"


def text(draw: random.Random, words: list[str], longest: int) -> str:
    kind = draw.random()
    if kind < 0.04:
        return ""
    if kind < 0.10:
        return draw.choice(words)
    if kind < 0.16:
        return " ".join([draw.choice(words)] * draw.randint(2, longest))
    return " ".join(draw.choices(words, k=draw.randint(1, longest)))


@pytest.mark.parametrize("vocabulary", [2, 6, 40, 1000])
@pytest.mark.parametrize("longest", [4, 15, 50])
def test_random_text(vocabulary: int, longest: int) -> None:
    draw = random.Random(f"{SEED}/{vocabulary}/{longest}")
    words = [f"w{k}" for k in range(vocabulary)]
    candidates, references = [], []
    for _ in range(150):
        group = [text(draw, words, longest) for _ in range(draw.randint(1, 6))]
        near = [word for word in draw.choice(group).split() if draw.random() < 0.8]
        candidates.append(" ".join(near) if draw.random() < 0.5 else text(draw, words, longest))
        references.append(group)
    compare((candidates, references))


@pytest.mark.parametrize(
    "spaces", [["\u00a0", " "], ["  ", " "], ["\t", "\u3000", "\x1c", "\u2028", " ", "  "]]
)
def test_odd_white_space(spaces: list[str]) -> None:
    draw = random.Random(f"{SEED}/{spaces}")

    def line() -> str:
        return "".join(
            draw.choice(["a", "bb", "c", ""]) + draw.choice(spaces) for _ in range(draw.randint(0, 12))
        )

    compare(([line() for _ in range(300)], [[line() for _ in range(draw.randint(1, 4))] for _ in range(300)]))


@pytest.mark.parametrize(
    "items",
    [
        (["", "a"], [[""], ["", "b"]]),
        (["a"], [["a"]]),
        (["", ""], [["a b"], ["c"]]),
        (["a b", "x y"], [["a", "a b c"], ["x y"]]),
        (["a a a a a a a", "b"], [["a", "a a"], ["b", "", "b b"]]),
        (["no word shared", "at all"], [["x"], ["y", "z"]]),
    ],
)
def test_corners(items: Items) -> None:
    compare(items)


@pytest.mark.parametrize("system", ["arel_test.json", "mcsm_rnn.json"])
def test_stories(data: Path, system: str) -> None:
    stories = json.loads((data / "vist" / system).read_text(encoding="utf-8"))
    references = json.loads((data / "vist" / "test_reference.json").read_text(encoding="utf-8"))
    ids = [i for i in references if i in stories and isinstance(stories[i], list)]
    if not ids:
        pytest.skip("no story has a reference")
    compare((["".join(stories[i][:1]) for i in ids], [references[i] for i in ids]))


def test_tokenised_captions(data: Path) -> None:
    """Both annotators of ActivityNet against each other, through our own PTB tokens."""
    first, second = (
        json.loads((data / "anet" / f"val_{k}.json").read_text(encoding="utf-8")) for k in (1, 2)
    )
    draw = random.Random(SEED)
    ids = draw.sample(sorted(first.keys() & second.keys()), 1000)
    candidates = tokenize([draw.choice(first[i]["sentences"]) for i in ids], "ptb")
    groups = [draw.sample(second[i]["sentences"], min(len(second[i]["sentences"]), 3)) for i in ids]
    compare((candidates, [tokenize(group, "ptb") for group in groups]))
