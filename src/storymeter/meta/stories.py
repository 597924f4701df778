"""Judged stories, for measures that need no reference.

- `stories-roc` (UNION: Guan & Huang, EMNLP 2020): `stories/union_roc_rated.txt`, a line is
  `id ||| story ||| labels`: 400 machine stories, each called reasonable (1) or not (0) by seven people. The
  human score is the share who called it reasonable.
- `story-cloze` (Mostafazadeh et al., NAACL 2016): `stories/storycloze_test_2016.tsv`, four sentences and two
  endings of which people wrote one to be right and one to be wrong. Reported: the share of stories that score
  higher with the right ending; a tie counts half."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from ..captions import Caption, Document
from ..errors import DataError
from ..join import Task
from ..text.sentences import split_sentences
from .benchmark import Benchmark, Choice, lines_of
from .compute import documents_task
from .scores import Judgement

UNION, CLOZE = "stories/union_roc_rated.txt", "stories/storycloze_test_2016.tsv"
_SENTENCES = tuple(f"InputSentence{k}" for k in range(1, 5))
_ENDINGS = ("RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2")
_RIGHT = "AnswerRightEnding"


def rated_stories(data: Path) -> Benchmark:
    rows = [
        (number, line.split("|||")) for number, line in enumerate(lines_of(data / UNION), 1) if line.strip()
    ]
    judgements: list[Judgement] = []
    documents: list[Document] = []
    for number, cells in rows:
        try:
            _, story, marks = cells
            labels = [float(label) for label in marks.split()]
            score = sum(labels) / len(labels)
        except (ValueError, ZeroDivisionError):
            raise DataError(
                f"{data / UNION}, line {number}: `id ||| story ||| labels` is expected.",
                hint="Check the download.",
            ) from None
        item = f"{len(documents):04d}"
        documents.append(_story(f"stories\t{item}", split_sentences(story)))
        judgements.append(Judgement("stories", item, score))
    return Benchmark(
        "stories-roc",
        "Machine stories (ROC), judged reasonable or not",
        _task(documents),
        tuple(judgements),
        "",
        ("segment",),
        ("The human score is the share of seven people who called the story reasonable.",),
        "spearman",
        needs_references=False,
    )


def story_cloze(data: Path) -> Benchmark:
    path = data / CLOZE
    rows = csv.DictReader(lines_of(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    documents, choices = [], []
    for number, row in enumerate(rows, 2):
        begun = [row.get(name) for name in _SENTENCES]
        endings = [row.get(name) for name in _ENDINGS]
        if not all([*begun, *endings]) or row.get(_RIGHT) not in ("1", "2"):
            raise DataError(
                f"{path}, line {number}: four sentences, two endings and the right one (1, 2) are expected.",
                hint=f"The columns are called {', '.join((*_SENTENCES, *_ENDINGS, _RIGHT))}.",
            )
        ids = [f"{side}\t{number:05d}" for side in ("first", "second")]
        documents += [
            _story(key, [text or "" for text in (*begun, ending)])
            for key, ending in zip(ids, endings, strict=True)
        ]
        right = int(row[_RIGHT]) - 1
        choices.append(Choice(ids[right], ids[1 - right], "ending"))
    return Benchmark(
        "story-cloze",
        "Story Cloze 2016, test",
        _task(documents),
        (),
        "",
        ("pairs",),
        (f"{len(choices):,} stories with a right and a wrong ending; a tie of the metric counts half.",),
        "accuracy",
        needs_references=False,
        choices=tuple(choices),
    )


def _story(key: str, sentences: Sequence[str]) -> Document:
    """Without final marks, as the coherence model was trained."""
    return Document(key, tuple(Caption(sentence.rstrip(" .!?")) for sentence in sentences))


def _task(documents: Sequence[Document]) -> Task:
    return documents_task((document.id, document, ()) for document in documents)
