"""The alignment that METEOR shows is the one that it scores."""

from __future__ import annotations

import itertools
import json
import lzma
import random
from pathlib import Path

import pytest

from storymeter.errors import StorymeterError, UsageError
from storymeter.pairs import Meteor, meteor

try:
    Meteor().open().prepare()
except StorymeterError as missing:
    pytest.skip(str(missing), allow_module_level=True)

TEXT = """a the man men is was walk walks walking stroll car automobile large big number of people many
few children kids playing plays soccer football . 's zyx é 😀 No. 5 in front"""
WORDS = TEXT.split()


def statistics(found: meteor.MeteorAlignment) -> list[int]:
    """METEOR's 23 numbers, counted from the matches as the paper defines them."""
    numbers = [len(found.candidate), len(found.reference)]
    numbers += [sum(found.candidate_function), sum(found.reference_function)]
    for module in meteor.MODULES:
        ours = [word for m in found.matches if m.by == module for word in covered(m.candidate)]
        theirs = [word for m in found.matches if m.by == module for word in covered(m.reference)]
        for function in (False, True):
            numbers.append(sum(found.candidate_function[word] is function for word in ours))
            numbers.append(sum(found.reference_function[word] is function for word in theirs))
    in_order = sorted(found.matches, key=lambda m: m.reference.start)
    breaks = sum(
        last.reference.end != match.reference.start or last.candidate.end != match.candidate.start
        for last, match in itertools.pairwise(in_order)
    )
    assert found.chunks == breaks + bool(in_order)
    numbers.append(breaks + bool(in_order))
    numbers += [sum(m.candidate.length for m in in_order), sum(m.reference.length for m in in_order)]
    return numbers


def covered(span: meteor.Span) -> range:
    return range(span.start, span.end)


def check(meteor: Meteor, pairs: list[tuple[str, str]]) -> None:
    rows = meteor.open().segment_statistics(
        candidates=[c for c, _ in pairs], references=[[r] for _, r in pairs], jobs=2
    )
    for (candidate, reference), row in zip(pairs, rows.tolist(), strict=True):
        found = meteor.align(candidate=candidate, reference=reference)
        assert statistics(found) == row, (candidate, reference)
        starts = [match.candidate.start for match in found.matches]
        assert starts == sorted(starts)
        for side, words in (("candidate", found.candidate), ("reference", found.reference)):
            used = [word for match in found.matches for word in covered(getattr(match, side))]
            assert len(set(used)) == len(used) and all(word < len(words) for word in used)


@pytest.mark.parametrize("name", ["meteor_20k", "meteor_stress"])
def test_golden_pairs_have_the_statistics_of_their_alignment(golden: Path, name: str) -> None:
    with lzma.open(golden / f"{name}.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    check(Meteor(), [(row["hyp"], reference) for row in rows for reference in row["refs"][:1]])


@pytest.mark.parametrize(
    "meteor", [Meteor(), Meteor(task="hter", normalize=False), Meteor(tokenizer="ptb")], ids=str
)
def test_random_sentences(meteor: Meteor) -> None:
    draw = random.Random(7)
    sentences = [" ".join(draw.choices(WORDS, k=draw.randrange(80))) for _ in range(400)]
    check(meteor, [(draw.choice(sentences), draw.choice(sentences)) for _ in range(1_000)])


@pytest.mark.parametrize("candidate", ["", "  ", "a man walks", "\ud800", "|||"])
@pytest.mark.parametrize("reference", ["", "a man is walking", "a dog|||a man walking|||a man", "\ud800 a"])
def test_empty_and_odd_texts(candidate: str, reference: str) -> None:
    check(Meteor(), [(candidate, reference)])


def test_ten_thousand_words() -> None:
    draw = random.Random(3)
    text = " ".join(draw.choices(WORDS, k=10_000))
    other = " ".join(draw.choices(WORDS, k=10_000))
    check(Meteor(), [(text, text), (text, other), (text, "a man"), ("a man", text)])
    assert Meteor().align(candidate=text, reference=text).chunks == 1


def test_matches_say_by_what() -> None:
    found = Meteor(tokenizer="none").align(
        candidate="he was walking in front of a car , men", reference="men walked before the automobile"
    )
    assert found.matches == (
        meteor.WordMatch(meteor.Span(2, 1), meteor.Span(1, 1), "stem"),
        meteor.WordMatch(meteor.Span(3, 4), meteor.Span(2, 2), "paraphrase"),
        meteor.WordMatch(meteor.Span(7, 1), meteor.Span(4, 1), "synonym"),
        meteor.WordMatch(meteor.Span(9, 1), meteor.Span(0, 1), "exact"),
    )
    assert found.chunks == 2
    assert found.reference_function == (False, False, False, True, False)


def test_one_sentence_on_either_side() -> None:
    with pytest.raises(UsageError, match=r"reference is a list"):
        Meteor().align(candidate="a man", reference=["a man"])
