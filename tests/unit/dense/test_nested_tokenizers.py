"""A scorer's own tokenizer wins over the run's, alone and inside every metric that holds a scorer; and the
signature says who tokenised."""

from __future__ import annotations

import pytest

from storymeter.captions import Caption, Corpus, Document
from storymeter.engine import Run
from storymeter.meta import similarity
from storymeter.options import Tokenizer
from storymeter.pairs import model
from storymeter.registry import scorer as get_scorer

TEXTS = {
    "mine": [
        "A dog's toy (red), isn't it?",
        "The man: runs... home!",
        "Two women cook rice.",
        "He said 'tis (a dog's).",
    ],
    "first": [
        "A dog has a red toy.",
        "The man is running home!",
        "Women cook the rice; it boils.",
        "He jumps.",
    ],
    "second": [
        "It's a dog's toy.",
        "A man runs home.",
        "Rice is cooked, isn't it?",
        "He can't jump, can he?",
    ],
}
SCORERS = ["bleu_4", "rouge_l", "meteor", "cider", "cider(idf=video)", "bleu_2(smoothing=floor)"]
METRICS = ["soda_a", "soda_b", "soda_c", "anet"]


def corpus(name: str) -> Corpus:
    captions = [Caption(text, 5.0 * k, 5.0 * k + 6) for k, text in enumerate(TEXTS[name])]
    return Corpus((Document("v", tuple(captions[:2])), Document("w", tuple(captions[2:]))), name)


REFERENCES = [corpus("first"), corpus("second")]


def with_tokenizer(scorer: str, tokenizer: str) -> str:
    joined = scorer.replace(")", ",") if scorer.endswith(")") else f"{scorer}("
    return f"{joined}tokenizer={tokenizer})"


@pytest.mark.parametrize("protocol", ["paper", "anet-2018", "pdvc", "paper+corpus_scorers=corpus"])
@pytest.mark.parametrize("own", ["ptb", "whitespace", "13a"])
def test_the_innermost_tokenizer_counts(own: Tokenizer, protocol: str) -> None:
    """As if the whole run had that tokenizer, whatever the run has."""
    for outer in ("ptb", "whitespace", "none"):
        asked = [f"{metric}(scorer={with_tokenizer(each, own)})" for metric in METRICS for each in SCORERS]
        plain = [f"{metric}(scorer={each})" for metric in METRICS for each in SCORERS]
        ours = Run(REFERENCES, protocol=protocol, tokenizer=outer, jobs=1).score(corpus("mine"), asked, 0)
        theirs = Run(REFERENCES, protocol=protocol, tokenizer=own, jobs=1).score(corpus("mine"), plain, 0)
        for a, b in zip(ours.systems[0].scores, theirs.systems[0].scores, strict=True):
            assert (a.value, dict(a.parts)) == (b.value, dict(b.parts)), a.metric
            assert a.signature.get("tok") == b.signature.get("tok") == own


def test_tokenizers_differ_on_these_captions() -> None:
    values = {
        own: Run(REFERENCES, jobs=1).score(
            corpus("mine"), [f"soda_c(scorer={with_tokenizer('bleu_2(smoothing=floor)', own)})"], 0
        ).systems[0].scores[0].value
        for own in ("ptb", "whitespace", "13a")
    }  # fmt: skip
    assert len(set(values.values())) == 3


@pytest.mark.parametrize("name", ["bleu_4", "rouge_l", "meteor", "cider"])
def test_alone(name: str) -> None:
    run = Run(REFERENCES, tokenizer="whitespace", jobs=1)
    ours = run.score(corpus("mine"), [with_tokenizer(name, "ptb"), name], 0).systems[0].scores
    theirs = Run(REFERENCES, jobs=1).score(corpus("mine"), [name], 0).systems[0].scores[0]
    assert [score.signature.get("tok") for score in ours] == ["ptb", "whitespace"]
    assert ours[0].value == theirs.value


def test_a_model_reads_what_was_written() -> None:
    """Nobody tokenises for it, and the signature says so."""
    spice = get_scorer("spice(engine=rules)")
    assert model.tokenized_by(spice, "ptb") == "none"


def test_similarity_of_sources_follows_the_scorer() -> None:
    sides = ([corpus("mine")], [corpus("first"), corpus("second")])
    for name in ("bleu_2", "cider"):
        own = similarity(*sides, scorer=with_tokenizer(name, "ptb"), tokenizer="whitespace", resamples=0)
        outer = similarity(*sides, scorer=name, tokenizer="ptb", resamples=0)
        assert (own.values == outer.values).all()
        assert "tok:ptb" in own.signature
