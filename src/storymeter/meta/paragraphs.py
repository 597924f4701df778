"""FactVC (Liu & Wan, EMNLP 2023): paragraphs of dense-captioning systems, judged by people for what is wrong
in them.

Each line of `paragraphs.jsonl` has a `video`, a `system`, a `score` (1 to 5), `sentences` in which the words
that people called wrong stand in `[ ]`, and one or two `references`. The human score is `score`; beside it
stand minus the share of sentences that hold a bracket, and minus the share of words inside brackets. The
brackets also label every word.

`paper=True` reads the texts as the paper's script does, to compare with its figures: everything but letters
becomes a blank, lower case, a single reference stands twice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..captions import Caption, Document
from ..errors import DataError
from ..pairs.word_kinds import WORD
from .benchmark import Benchmark, decoded_lines
from .compute import documents_task
from .scores import Judgement
from .word_labels import LabelledSentence


class _Row(msgspec.Struct):
    video: str
    system: str
    score: float
    sentences: list[str]
    references: list[str]


class Marked(NamedTuple):
    """A sentence without its brackets, and for each word where it stands and whether it was inside some."""

    text: str
    words: tuple[tuple[int, int, bool], ...]


def unmarked(sentence: str) -> Marked:
    """
    >>> unmarked("a man [rides a] horse")
    Marked(text='a man rides a horse', words=((0, 1, False), (2, 5, False), (6, 11, True), (12, 13, True),
    (14, 19, False)))"""
    text, wrong, inside = [], [], False
    for letter in sentence:
        if letter in "[]":
            inside = letter == "["
        else:
            text.append(letter)
            wrong.append(inside)
    plain = "".join(text)
    words = tuple((m.start(), m.end(), any(wrong[m.start() : m.end()])) for m in WORD.finditer(plain))
    return Marked(plain, words)


def factvc(data: Path, corpus: str, *, paper: bool = False) -> Benchmark:
    """`corpus`: activitynet or youcook2."""
    path = data / "metaeval" / f"factvc_{corpus}" / "paragraphs.jsonl"
    documents: list[tuple[str, Document, list[Document]]] = []
    judgements: list[Judgement] = []
    labels: list[LabelledSentence] = []
    by_sentence: list[Judgement] = []
    by_word: list[Judgement] = []
    for number, row in decoded_lines(path, _Row):
        if not row.sentences or not row.references:
            raise DataError(
                f"{path}, line {number}: there is no sentence or no reference.", hint="Check the download."
            )
        key = f"{row.system}\t{row.video}"
        marked = [unmarked(sentence) for sentence in row.sentences]
        texts = [_letters(one.text) if paper else one.text for one in marked]
        against = [_letters(text) if paper else text for text in row.references]
        twice = against * 2 if paper and len(against) == 1 else against
        references = [Document(key, (Caption(text),)) for text in twice]
        documents.append((key, Document(key, tuple(map(Caption, texts))), references))
        words = [wrong for one in marked for _, _, wrong in one.words]
        judgements.append(Judgement(row.system, row.video, row.score))
        flawed = sum("[" in sentence for sentence in row.sentences) / len(row.sentences)
        by_sentence.append(Judgement(row.system, row.video, -flawed))
        by_word.append(Judgement(row.system, row.video, -sum(words) / max(len(words), 1)))
        labels += [LabelledSentence(row.video, one.text, one.words, tuple(row.references)) for one in marked]
    if not documents:
        raise DataError(f"{path} holds no paragraph.", hint="Check the download.")
    title = {"activitynet": "ActivityNet", "youcook2": "YouCook2"}[corpus]
    return Benchmark(
        f"factvc-{corpus}" + ("-paper" if paper else ""),
        f"FactVC, {title}" + (", texts as in the paper" if paper else ""),
        documents_task(documents),
        tuple(judgements),
        "",
        ("segment",),
        ("The human score is the factuality of a paragraph, 1 to 5.",),
        "pearson",
        criteria={
            "share of sentences without an error": tuple(by_sentence),
            "share of words without an error": tuple(by_word),
        },
        words=() if paper else tuple(labels),
    )


def _letters(text: str) -> str:
    return " ".join(re.sub(r"[^a-z]", " ", text.lower()).split())
