"""Non-redundancy: by hand, against the published values of the authors' script, and against a slow textbook
version.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import warnings
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from storymeter.captions import Caption, Corpus, Document
from storymeter.cli import cli
from storymeter.context import Context
from storymeter.engine import Run
from storymeter.errors import StorymeterWarning, UsageError
from storymeter.join import Coverage, Task
from storymeter.registry import metric
from storymeter.report import write_report
from storymeter.story import Redundancy
from storymeter.story.documents import sentences_of, stories_of
from storymeter.story.redundancy import explain, redundancy
from storymeter.text import split_sentences, treebank


def _task(*stories: list[str]) -> Task:
    documents = tuple(Document(str(k), tuple(Caption(s) for s in story)) for k, story in enumerate(stories))
    return Task(
        "t", tuple(d.id for d in documents), documents, tuple(() for _ in documents), Coverage(len(documents))
    )


def test_by_hand() -> None:
    # inter: {we saw a big red dog} and {we saw a cat}: 3/7; intra: (we saw a big)(red dog) 0
    assert redundancy([["we saw a big red dog .", "we saw a cat ."]])[0] == pytest.approx(
        [1 - 3 / 14, 3 / 7, 0]
    )
    # intra of one sentence: (had a good time)(and had a great)(time): 2/6 and 0, mean 1/6; there is no inter
    value, inter, intra = redundancy([["had a good time and had a great time"]])[0]
    assert (value, intra) == pytest.approx((5 / 6, 1 / 6)) and np.isnan(inter)
    # the same sentence twice: inter 1, nothing inside
    assert redundancy([["the dog ran", "The dog ran!"]])[0] == pytest.approx([0.5, 1, 0])


def test_pairs_by_hand() -> None:
    # the last token goes; a and a meet 2 x 1 times over the union {a, b}: 2/2
    assert redundancy([["a b a .", "a ."]], jaccard="pairs")[0] == pytest.approx([0.5, 1.0, 0])
    assert redundancy([["a a a .", "a a a ."]], jaccard="pairs")[0, 0] == pytest.approx(1 - 9 / 2)


def test_published_values_of_the_script(data: Path) -> None:
    folder = data / "vist"
    stories = json.loads((folder / "dhm_vist_human.json").read_text())
    with (folder / "dhm_vist_human_nr.csv").open() as file:
        published = {row["story_id"]: float(row["R_score"]) for row in csv.DictReader(file)}
    ours = redundancy([split_sentences(stories[id], like_nltk=True) for id in published], jaccard="pairs")[
        :, 0
    ]
    wrong = [id for id, a, b in zip(published, ours, published.values(), strict=True) if abs(a - b) > 1e-9]
    assert len(published) == 4899 and len(wrong) <= 0.003 * len(published)
    # the rest: runs of three marks (Punkt keeps some together), a full stop glued to a word inside,
    # one typing error
    odd = [id for id in wrong if not any(sign in stories[id] for sign in ("! ! ", ". . .", "it. "))]
    assert not odd


def test_set_stays_within_bounds(data: Path) -> None:
    stories = json.loads((data / "vist" / "dhm_vist_human.json").read_text())
    values = redundancy([split_sentences(story, like_nltk=True) for story in stories.values()])
    assert np.nanmin(values) >= 0 and np.nanmax(values) <= 1


def _slow(sentences: list[str], n: int) -> float:
    def likeness(a: list[str], b: list[str]) -> float:
        return len({*a} & {*b}) / len({*a, *b}) if a or b else 0.0

    told = [[word for word in treebank(s.lower()) if any(map(str.isalnum, word))] for s in sentences]
    inter = [likeness(a, b) for a, b in combinations(told, 2)]
    intra = []
    for sentence in told:
        grams = [sentence[k : k + n] for k in range(0, len(sentence), n)]
        intra += [likeness(a, b) for a, b in pairwise(grams)]
    inside = sum(intra) / len(intra) if intra else 0.0
    return 1 - ((sum(inter) / len(inter) + inside) / 2 if inter else inside)


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "c", "d", "e", ".", "n't", "é"]), max_size=9).map(" ".join),
        max_size=6,
    ),
    st.integers(1, 5),
)
def test_equals_the_textbook(sentences: list[str], n: int) -> None:
    assert redundancy([sentences], n=n)[0, 0] == pytest.approx(_slow(sentences, n), abs=1e-12)


@given(st.lists(st.lists(st.text(max_size=30), max_size=4), max_size=8), st.integers(1, 4))
def test_any_text_and_any_number_of_threads(stories: list[list[str]], jobs: int) -> None:
    one, many = redundancy(stories), redundancy(stories, jobs=jobs)
    assert np.array_equal(one, many, equal_nan=True)
    assert ((one[:, 0] >= 0) & (one[:, 0] <= 1)).all()


def test_metric_and_its_corner_cases() -> None:
    rows = metric("rovist_nr").rows(
        _task(["a b .", "c d ."], ["only one here ."], [], [" "], ["one text . two sentences . "]),
        Context(),
    )
    assert rows[:, 0].tolist() == [1, 1, 0, 0, 1]
    assert rows[:, 3].tolist() == [0, 1, 0, 0, 0]  # `single`
    assert str(metric("rovist_nr(jaccard=pairs,n=3)").name) == "rovist_nr(jaccard=pairs,n=3)"
    assert metric("rovist_nr").signature(Context()).get("jaccard") == "set"
    with pytest.raises(UsageError):
        Redundancy(n=0)


def test_explanation_names_what_repeats() -> None:
    found = explain(
        [
            "we had a great time",
            "the park was big",
            "we had a great time there",
            "so much and so much fun we had",
        ]
    )
    assert (found[0].first, found[0].second) == (0, 2) and found[0].shared == (
        "we",
        "had",
        "a",
        "great",
        "time",
    )
    inside = [item for item in found if item.first == item.second == 3]
    assert inside[0].grams == ("so much and so", "much fun we had") and inside[0].shared == ("much",)


def test_words_like_nltk() -> None:
    pytest.importorskip("nltk")
    from nltk.tokenize import NLTKWordTokenizer

    theirs = NLTKWordTokenizer().tokenize
    for text in (
        'he said "we cannot pay $3,000 (today)."',
        "[male] did n't go , or did he ?",
        "she 's at 3:30 ... really !",
        "i'm gonna win it , boys' night",
        "wait.. what -- no",
        "e.g. this",
        "a `` quoted '' word .",
        "don't, won't, it's they'll",
        "",
    ):
        assert treebank(text) == theirs(text), text


def test_needs_no_torch() -> None:
    code = (
        "import sys, storymeter.story.redundancy; sys.exit('torch' in sys.modules or 'transformers' in"
        " sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_prose_is_cut_into_sentences_by_either_variant() -> None:
    """Prose was one sentence to jaccard=pairs: its inter part was undefined, and NR far too high."""
    prose, tokenised = "We met at noon. We left at noon!", "we met at noon . we left at noon !"
    for text in (prose, tokenised):
        document = Document("1", (Caption(text),))
        assert [len(sentences_of(document, like_nltk=like)) for like in (False, True)] == [2, 2]
    pairs = [
        sentences_of(Document("1", (Caption(text.lower()),)), like_nltk=True) for text in (prose, tokenised)
    ]
    assert redundancy(pairs[:1], jaccard="pairs") == pytest.approx(redundancy(pairs[1:], jaccard="pairs"))


def test_a_corpus_of_single_sentences_is_warned_of() -> None:
    single = [Document(str(k), (Caption(f"a dog number {k}"),)) for k in range(3)]
    with pytest.warns(StorymeterWarning, match="All 3 stories have one sentence each"):
        stories_of(single)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stories_of([*single, Document("4", (Caption("We met. We left."),))])


def test_stories_that_cannot_be_scored_are_counted(tmp_path: Path) -> None:
    """An empty story, one of a single sentence, and a system without two of them."""
    told = {
        "1": ["We went to the zoo.", "It was fun."],
        "2": ["A dog ran.", "A dog slept.", "It rained."],
        "3": ["We ran."],
        "4": [""],
    }
    files = [tmp_path / "whole.json", tmp_path / "partial.json"]
    files[0].write_text(json.dumps(told))
    files[1].write_text(json.dumps({id: told[id] for id in "12"}))
    counted = r"1 of 4 stories of 'whole' have no sentence and count 0 in rovist_nr: 4\."
    with pytest.warns(StorymeterWarning, match=counted):
        done = CliRunner().invoke(cli, ["score", *map(str, files), "-m", "rovist_nr"])
    assert done.exit_code == 0, done.exception
    said = " ".join(done.stderr.split())
    assert "partial: 2 of the 4 documents of all systems are missing (3, 4), so that its score" in said
    systems = [
        Corpus(tuple(Document(id, tuple(map(Caption, told[id]))) for id in ids), name)
        for ids, name in (("123", "whole"), ("12", "partial"))
    ]
    results = Run().score(systems, "rovist_nr", resamples=0)
    write_report(results, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "partial: 1 of the 3 documents of all systems are missing (3)" in page
