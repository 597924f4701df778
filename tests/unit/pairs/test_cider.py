from __future__ import annotations

import math

import numpy as np
import pytest

from storymeter import Caption, Corpus, Document
from storymeter.context import Context, Settings
from storymeter.join import join
from storymeter.pairs import Cider
from storymeter.registry import metric, scorer

REFERENCES = [["a b c d"], ["a x y z"], ["q"]]


def test_by_hand() -> None:
    """Unigrams of "b b" and "b c" with idf ln 3: clipped, 1 of (2, norm sqrt 2); bigrams share nothing."""
    fitted = Cider()
    fitted = fitted.fit([["b c"], ["x"], ["y"]])
    l3 = math.log(3)
    expected = 10 / 4 * (l3 * l3) / (2 * l3 * math.sqrt(2) * l3)
    assert fitted.matrix(candidates=["b b"], references=["b c"])[0, 0] == pytest.approx(expected)
    plain = Cider(variant="plain")
    plain = plain.fit([["b c"], ["x"], ["y"]])
    assert plain.matrix(candidates=["b b"], references=["b c"])[0, 0] == pytest.approx(2 * expected)


def test_length_penalty() -> None:
    fitted, narrow = Cider().fit(REFERENCES), Cider(sigma=1.0).fit(REFERENCES)
    wide, tight = (m.matrix(candidates=["q"], references=["q r s"])[0, 0] for m in (fitted, narrow))
    assert tight / wide == pytest.approx(math.exp(-4 / 2) / math.exp(-4 / 72))


def test_without_fit_the_references_of_the_call_are_the_corpus() -> None:
    fitted = Cider()
    fitted = fitted.fit(REFERENCES)
    text = {"candidates": ["a b c", "x y", "q"], "references": REFERENCES}
    np.testing.assert_array_equal(fitted.pairs(**text), Cider().pairs(**text))
    assert Cider().pairs(candidates=["a b"], references=[["a b"]])[0] == 0.0  # one item: every weight is ln 1
    assert fitted.pairs(candidates=["b c"], references=[["b c"]])[0] > 0.0


def test_fitting_keeps_the_device_and_the_progress() -> None:
    bound = Cider().open(Settings(device="cuda", progress=lambda *what: None))
    fitted = bound.fit(REFERENCES)
    assert (fitted.device, fitted.progress) == ("cuda", bound.progress)


def test_idf_of_a_video_ignores_fit() -> None:
    measure = Cider(idf="video")
    measure = measure.fit(REFERENCES)
    assert measure.pairs(candidates=["b c"], references=[["b c"]])[0] == 0.0


def test_several_references_are_averaged() -> None:
    fitted = Cider()
    fitted = fitted.fit(REFERENCES)
    both = fitted.pairs(candidates=["a b c d"], references=[["a b c d", "q"]])[0]
    assert both == pytest.approx(fitted.matrix(candidates=["a b c d"], references=["a b c d", "q"]).mean())
    assert both == pytest.approx(5.0)


def test_metrics_and_names() -> None:
    mine = Corpus((Document("1", (Caption("a b"), Caption("c d"))), Document("2", (Caption("x"),))), "mine")
    theirs = Corpus(tuple(Document(str(k + 1), (Caption(r[0]),)) for k, r in enumerate(REFERENCES)), "theirs")
    task, setting = join(candidates=mine, references=[theirs]), Context(tokenizer="none")
    one, other, plain = (
        metric(name).score(task, setting) for name in ("cider", "cider_d", "cider(variant=plain)")
    )
    assert (
        one.value
        == other.value
        == pytest.approx(Cider().pairs(candidates=["a b c d", "x", ""], references=REFERENCES).mean())
    )
    assert plain.value > one.value
    assert one.signature.get("variant") == "cider-d"
    assert one.signature.get("sigma") == "6.0"
    for name in (
        "cider",
        "cider_d",
        "cider(variant=plain)",
        "cider(variant=plain,sigma=3)",
        "cider_d(sigma=2.5)",
    ):
        assert metric(name).name == name
    for name in ("cider", "cider_d(idf=video)", "cider(variant=plain,idf=video,tokenizer=ptb)"):
        assert scorer(name).name == name
