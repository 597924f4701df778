"""Measures and protocols are values: declared once, checked wherever they come from, printed as they are
read.
"""

from __future__ import annotations

import pickle
import re
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from storymeter import MeanMetric, PairScorer, Protocol, registry
from storymeter.cli import cli
from storymeter.dense import Soda
from storymeter.errors import UsageError
from storymeter.measure import Named, measure
from storymeter.options import option, options_of
from storymeter.pairs import BertScore, Bleu, Cider, Meteor, RougeL, Spice, Sts, TextMetric, Wmd
from storymeter.papers import PAPERS

NAMES = sorted(registry.MEASURES)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_gives_a_value(name: str) -> None:
    one, other = registry.metric(name), registry.metric(name)
    assert one == other
    assert hash(one) == hash(other)
    assert registry.metric(str(one)) == one
    assert pickle.loads(pickle.dumps(one)) == one
    cls = type(one)
    exported = TextMetric if isinstance(one, TextMetric) else cls
    assert eval(repr(one), {exported.__name__: exported}) == one
    assert set(cls.declaration.papers) <= PAPERS.keys()
    assert all(option.sentence for option in options_of(cls).values())


def test_the_list_of_modules_is_what_the_modules_declare() -> None:
    for name in NAMES:
        cls, named = registry.declared(name)
        assert named.word == name
        assert {other.word for other in cls.declaration.names} <= registry.MEASURES.keys()
    words = [
        named.word
        for cls in {registry.declared(name)[0] for name in NAMES}
        for named in cls.declaration.names
    ]
    assert sorted(words) == NAMES, "each name is declared once"


def test_printing() -> None:
    assert str(Soda("c", scorer=Sts())) == "soda_c(scorer=sts)"
    assert repr(Soda("c", scorer=Sts())) == "Soda('c', scorer=Sts())"
    assert repr(Soda("c")) == "Soda('c')"
    assert Soda("c") == registry.metric("soda_c") == registry.metric("soda_c(scorer=meteor, refs=protocol)")
    assert Soda("c") != Soda("b")
    assert (
        str(Soda("c", scorer=Meteor("adq", normalize=False), refs="mean"))
        == "soda_c(scorer=meteor(task=adq,normalize=false),refs=mean)"
    )
    assert str(Spice()) == "spice(engine=rules)"
    assert str(Cider(variant="plain")) == "cider(variant=plain)"
    assert str(registry.metric("cider_d")) == "cider_d"
    assert registry.metric("meteor") == registry.scorer("meteor") == Meteor()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Protocol(refs="bset"),
        lambda: Protocol("mine"),
        lambda: Protocol(tious=(2.0,)),
        lambda: Protocol(max_proposals=0),
        lambda: Protocol().change(refz="best"),
        lambda: Soda("z"),
        lambda: Soda("c", refs="bset"),
        lambda: Soda("c", scorer=3),
        lambda: Soda("c", scorer="no such scorer"),
        lambda: Bleu(5),
        lambda: Bleu(True),
        lambda: Bleu(smoothing="some"),
        lambda: Bleu(tokenizer="pbt"),
        lambda: RougeL(beta=-1),
        lambda: RougeL(beta=float("nan")),
        lambda: Cider(idf="vidoe"),
        lambda: Cider(sigma=0),
        lambda: Meteor(task="rnak"),
        lambda: Meteor(normalize="yes"),
        lambda: Sts(engine="align", vectors="x", model="y"),
        lambda: BertScore(value="f2"),
        lambda: BertScore(baseline=1.0),
        lambda: Spice(category="colours"),
        lambda: registry.metric("bleu_4(n=2)"),
        lambda: registry.metric("anet(scorer=captions)"),
        lambda: registry.scorer("soda_c"),
    ],
)
def test_a_wrong_choice_is_refused_wherever_it_comes_from(wrong) -> None:
    with pytest.raises(UsageError) as caught:
        wrong()
    assert caught.value.hint


@pytest.mark.parametrize("name", NAMES)
def test_a_heading_is_read_like_the_name(name: str) -> None:
    made = registry.metric(name)
    assert registry.metric(made.heading) == made
    assert registry.heading(name) == made.heading


def test_headings_say_where_the_engine_is_not_the_original_s() -> None:
    made = {
        "bertscore(idf=true)": "bertscore(minilm,idf=true)",
        "bertscore(model=/m)": "bertscore(model=/m)",
        "spice": "spice(rules)",
        "spice(engine=java)": "spice(engine=java)",
        "wmd": "wmd(minilm)",
        "soda_c(scorer=wmd)": "soda_c(scorer=wmd(minilm))",
        "rovist_c": "rovist_c(minilm)",
        "rovist(coherence=/m)": "rovist(efficientnet,coherence=/m)",
        "rovist_nr": "rovist_nr",
        "meteor": "meteor",
    }
    assert {name: registry.heading(name) for name in made} == made
    assert registry.heading("people's choice (mean)") == "people's choice (mean)"
    with pytest.raises(UsageError, match="not of the form"):
        registry.metric("bertscore(bert)")


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("bertscore(minilm, idf=true)", "bertscore(idf=true)"),
        ("soda_c(scorer=bertscore(minilm),refs=best)", "soda_c(scorer=bertscore,refs=best)"),
        ("rovist(efficientnet,coherence=/m)", "rovist(coherence=/m)"),
        ("rovist(efficientnet,minilm)", "rovist"),
    ],
)
def test_headings_name_metrics(heading: str, name: str) -> None:
    assert registry.metric(heading) == registry.metric(name)
    assert str(registry.read_name(heading)) == name


def test_a_scorer_reads_its_heading() -> None:
    assert registry.scorer("wmd(minilm)") == Wmd()
    assert Soda("c", scorer="bertscore(minilm)") == Soda("c", scorer=BertScore())
    with pytest.raises(UsageError, match="'minilm' is not of the form"):
        registry.scorer("bertscore(minilm,model=/m)")  # its engine is not the stand-in
    with pytest.raises(UsageError, match="'minilm' is not of the form"):
        registry.scorer("bertscore(idf=true,minilm)")
    with pytest.raises(UsageError, match="no option 'foo'"):
        registry.scorer("bertscore(minilm,foo=1)")


def test_an_option_says_how_a_measure_is_given() -> None:
    with pytest.raises(UsageError) as caught:
        Soda("c", scorer=Meteor)
    assert caught.value.hint == "Meteor is a class: write Meteor(), an object."
    for wrong in (3, dict):
        with pytest.raises(UsageError) as caught:
            Soda("c", scorer=wrong)
        assert caught.value.hint == "It is a scorer, such as 'meteor' or Meteor()."


def test_a_scorer_may_be_given_by_name() -> None:
    assert Soda("c", scorer="cider(idf=video)") == registry.metric("soda_c(scorer=cider(idf=video))")


def test_measures_do_not_change() -> None:
    for made in (Soda("c"), Meteor(), Sts(), Protocol()):
        with pytest.raises(FrozenInstanceError):
            made.refs = "mean"


def test_fit_gives_a_model_and_leaves_the_scorer() -> None:
    plain = Cider()
    fitted = plain.fit([["a b c d"], ["x y"]])
    before = plain.pairs(candidates=["a b c d"], references=[["a b c d"]])
    assert fitted.scorer == plain, "the options are the same"
    assert pickle.loads(pickle.dumps(fitted)).pairs(candidates=["a b c d"], references=[["a b c d"]])[0] > 9
    assert fitted.pairs(candidates=["a b c d"], references=[["a b c d"]])[0] == pytest.approx(10.0)
    assert before[0] == plain.pairs(candidates=["a b c d"], references=[["a b c d"]])[0] == 0.0


@pytest.mark.parametrize(
    "scorer", [Meteor(), Bleu(), RougeL(), Cider(), Sts(), BertScore(), Spice(), Wmd()], ids=str
)
def test_arguments_are_checked_the_same_for_all(scorer: PairScorer) -> None:
    for wrong in (
        {"candidates": ["a man"], "references": ["a man is walking"]},
        {"candidates": ["a man"], "references": "a man is walking"},
        {"candidates": ["a man", "b"], "references": [["a man is walking"]]},
        {"candidates": "a man", "references": [["a"]] * 5},
        {"candidates": [None], "references": [["a"]]},
        {"candidates": ["a"], "references": [[b"a"]]},
        {"candidates": ["a"], "references": [["a"]], "jobs": 0},
    ):
        for call in (scorer.pairs, scorer.open().aggregate):
            with pytest.raises(UsageError):
                call(**wrong)
    with pytest.raises(UsageError):
        scorer.matrix(candidates=["a"], references="abc")


@measure(Named("long", "captions of so many words or more", least=5), papers=("A paper that only we know",))
@dataclass(frozen=True)
class Long(MeanMetric):
    least: int = option(5, "words", low=1)

    def document_values(self, task: Any, context: Any) -> Any:
        return np.ones(len(task))


def test_mistakes_of_a_declaration_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"none of its names \(long\) has these options: least=3"):
        Long(3).name  # noqa: B018  # no name says 3
    with pytest.raises(TypeError, match=r"@dataclass\(frozen=True\) is missing below @measure \(least\)"):

        @measure(Named("short", "captions of few words"))
        class Short(MeanMetric):
            least: int = option(5, "words")

            def document_values(self, task: Any, context: Any) -> Any:
                return np.ones(len(task))

    monkeypatch.setattr("storymeter.report.inspection.get_metric", lambda text: Long())
    assert re.search(
        r"paper +A paper that only we know", CliRunner().invoke(cli, ["info", "--metrics", "long"]).output
    )


def test_an_option_called_batch_is_an_option() -> None:
    class Mine(PairScorer):
        batch = 32

        def score_indexed(self, *, candidates: Any, references: Any, left: Any, right: Any, jobs: int) -> Any:
            return np.zeros(len(left))

    class Beside(Mine):
        across_documents = True

    assert TextMetric(Mine()).unshardable_reason() == ""
    assert "across documents" in TextMetric(Beside()).unshardable_reason()
    assert "across documents" in TextMetric(BertScore(batch=64)).unshardable_reason()
