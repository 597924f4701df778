"""Judged stories and paragraphs.

- `stories-roc` (UNION: Guan & Huang, EMNLP 2020): `stories/union_roc_rated.txt`, a line is `id ||| story |||
  labels`: 400 machine stories, each called reasonable (1) or not (0) by seven people. The human score is the
  share who called it reasonable.
- `story-cloze` (Mostafazadeh et al., NAACL 2016): `stories/storycloze_test_2016.tsv`, four sentences and two
  endings of which people wrote one to be right and one to be wrong. Reported: the share of stories that score
  higher with the right ending; a tie counts half.
- `vist-edit` (Hsu et al., ACL 2019): `stories/vist_edit`, a copy of the release, which may not be passed on:
  `Human_eval/<model>.csv` has `team`, `story_id`, `workerId` and six marks from 1 to 5 in a row,
  `<model>/<split>/<story_id>.json` the machine's story (`auto_story_text_normalized`) and its album. The
  human scores are the means over raters of each criterion and of all six. Only the stories of the models
  themselves (team `auto-gen`) have their text in the release. References are those of the album in
  `vist/test_reference.json`, where that file is there.
- `factvc-activitynet`, `factvc-youcook2` (Liu & Wan, EMNLP 2023): paragraphs of dense-captioning systems,
  judged by people for what is wrong in them. Each line of `metaeval/factvc_CORPUS/paragraphs.jsonl` has a
  `video`, a `system`, a `score` (1 to 5), `sentences` in which the words that people called wrong stand in
  `[ ]`, and one or two `references`. The human score is `score`; beside it stand minus the share of sentences
  that hold a bracket, and minus the share of words inside brackets. The brackets also label every word.
"""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..captions import Caption, Document
from ..errors import DataError, first_few, many
from ..join import Task
from ..pairs.lexicon import WORD
from ..text.sentences import split_sentences
from .records import Benchmark, Choice, decoded, decoded_lines, lines_of
from .scores import Judgement, documents_task
from .words import LabelledSentence

UNION, CLOZE = "stories/union_roc_rated.txt", "stories/storycloze_test_2016.tsv"
VIST_EDIT, VIST_REFERENCES = "stories/vist_edit", "vist/test_reference.json"
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


#: the marks of a row of VIST-Edit, as the criteria are called in its paper
_MARKS = {
    "focused": "focus",
    "coherent": "structure and coherence",
    "share": "would share",
    "human": "written by a human",
    "grounded": "visually grounded",
    "detailed": "detailed",
}
#: the team whose stories are the model's own
_MACHINE = "auto-gen"


class _Edited(msgspec.Struct):
    auto_story_text_normalized: str
    album_id: str | int
    photo_sequence_ids: list[str]


def vist_edit(data: Path) -> Benchmark:
    folder = data / VIST_EDIT
    tables = sorted((folder / "Human_eval").glob("*.csv"))
    if not tables:
        raise DataError(
            f"{folder} holds no Human_eval/<model>.csv.",
            hint="Give a copy of the whole repository VIST-Edit.",
        )
    marks: dict[tuple[str, str], list[list[float]]] = {}
    raters: set[str] = set()
    without_text = 0
    for table in tables:
        for number, row in enumerate(csv.DictReader(lines_of(table)), 2):
            try:
                given = [float(row[name]) for name in _MARKS]
                team, story, rater = row["team"], row["story_id"], row["workerId"]
            except (KeyError, TypeError, ValueError):
                raise DataError(
                    f"{table}, line {number}: a team, a story, a rater and six marks are expected.",
                    hint=f"The columns are called team, story_id, workerId, {', '.join(_MARKS)}.",
                ) from None
            if team == _MACHINE:
                marks.setdefault((table.stem, story), []).append(given)
                raters.add(rater)
            else:
                without_text += 1
    texts = {key: _edited(folder, *key) for key in marks}
    people = data / VIST_REFERENCES
    told = decoded(people, dict[str, list[str]]) if people.is_file() else {}
    unknown = sorted({str(text.album_id) for text in texts.values()} - told.keys()) if told else []
    if unknown:
        raise DataError(
            f"{people} has no references of {many(len(unknown), 'album')}: {first_few(unknown)}.",
            hint="Give the references of VIST's test set, or move the file away to use none.",
        )
    task = documents_task(
        (
            f"{model}\t{story}",
            Document(
                f"{model}\t{story}",
                tuple(map(Caption, split_sentences(text.auto_story_text_normalized))),
                meta={"photo_sequence": text.photo_sequence_ids},
            ),
            [Document(story, (Caption(one),)) for one in told.get(str(text.album_id), ())],
        )
        for (model, story), text in texts.items()
    )
    means = {
        key: [sum(column) / len(rows) for column in zip(*rows, strict=True)] for key, rows in marks.items()
    }
    notes = (
        f"The human score is the mean of six marks from 1 to 5 by {many(len(raters), 'rater')}, who were not"
        " tested.",
        f"{without_text:,} marks of edited stories are left out: the release does not have their texts.",
        *([] if told else [f"There are no references: {data / VIST_REFERENCES} is not there."]),
    )
    return Benchmark(
        "vist-edit",
        "VIST-Edit, stories of the models",
        task,
        tuple(Judgement(*key, sum(mean) / len(mean)) for key, mean in means.items()),
        "",
        ("segment",),
        notes,
        "spearman",
        needs_references=bool(told),
        criteria={
            title: tuple(Judgement(*key, mean[k]) for key, mean in means.items())
            for k, title in enumerate(_MARKS.values())
        },
    )


def _edited(folder: Path, model: str, story: str) -> _Edited:
    found = sorted((folder / model).glob(f"*/{story}.json")) if story.replace("-", "").isdigit() else []
    if not found:
        raise DataError(
            f"{folder / model} has no story {story!r}, which people judged.",
            hint="Give a copy of the whole repository VIST-Edit.",
        )
    return decoded(found[0], _Edited)


def _story(key: str, sentences: Sequence[str]) -> Document:
    """Without final marks, as the coherence model was trained."""
    return Document(key, tuple(Caption(sentence.rstrip(" .!?")) for sentence in sentences))


def _task(documents: Sequence[Document]) -> Task:
    return documents_task((document.id, document, ()) for document in documents)


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
    """`corpus`: activitynet or youcook2. `paper=True` reads the texts as the paper's script does, to compare
    with its figures: everything but letters becomes a blank, lower case, a single reference stands twice.
    """
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
