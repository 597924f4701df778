"""Benchmarks of single captions that people gave a number.

- `nebula` (Matsuda et al., DENEB, ACCV 2024): `metaeval/nebula/nebula_test.json`, a list of `imgid`, `mt`
  (the
  caption), `refs` and `score` (0 to 1); Kendall's tau-c.
- `thumb` (Kasai et al., NAACL 2022): `metaeval/thumb/mscoco_THumB-1.0.jsonl`, a line has `SYS`, `seg_id`,
  `hyp`, `P`, `R` and `human_score`; `mscoco_references.json`, a line has `seg_id` and `refs`. Pearson with
  `human_score`, beside it with P and R; `thumb-machines` leaves the human system out.
- `msvd-eval`: `metaeval/msvd_eval/MSVD-Eval.json`, an id to `candidate`, `ref` and `human_score`, which has
  two
  raters with four aspects and their mean each; the human score is the mean of the raters' means.
- `hat` (Petryk et al., ALOHa, NAACL 2024): `metaeval/hat/hat-trainval.json`, a list of `caption`,
  `references`, `grounding` ([word, wrong?] per word) and `contains_hallucination`. A metric should score
  captions without a hallucination higher (AUC); the words are labelled.
- `sick` (Marelli et al., LREC 2014): `metaeval/sick/SICK.txt`, a table with tabs: `sentence_A`, `sentence_B`,
  `relatedness_score` (1 to 5) and `SemEval_set`, of which TEST counts. The first sentence is scored against
  the second one; Spearman."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..captions import Caption, Document
from ..errors import DataError
from ..pairs.lexicon import WORD
from .records import Benchmark, decoded, decoded_lines, lines_of
from .scores import Judgement, captions_task, documents_task
from .words import LabelledSentence

#: the system of THumB whose captions people wrote
_PEOPLE = "human"


class _Nebula(msgspec.Struct):
    imgid: str | int
    mt: str
    refs: list[str]
    score: float


class _Thumb(msgspec.Struct):
    SYS: str
    seg_id: str | int
    hyp: str
    P: float
    R: float
    human_score: float


class _ThumbReferences(msgspec.Struct):
    seg_id: str | int
    refs: list[str]


class _Msvd(msgspec.Struct):
    candidate: str
    ref: list[str]
    human_score: list[list[float]]


class _Hat(msgspec.Struct):
    caption: str
    references: list[str]
    grounding: list[tuple[str, bool]]
    contains_hallucination: bool


def nebula(data: Path) -> Benchmark:
    rows = decoded(data / "metaeval" / "nebula" / "nebula_test.json", list[_Nebula])
    items = [f"{number:05d}" for number in range(len(rows))]
    task = captions_task([(f"nebula\t{k}", row.mt, row.refs) for k, row in zip(items, rows, strict=True)])
    judged = [Judgement("nebula", k, row.score) for k, row in zip(items, rows, strict=True)]
    return _benchmark("nebula", "Nebula", task, judged, "kendall_c")


def thumb(data: Path, *, machines: bool = False) -> Benchmark:
    folder = data / "metaeval" / "thumb"
    rows = [row for _, row in decoded_lines(folder / "mscoco_THumB-1.0.jsonl", _Thumb)]
    known = {
        str(row.seg_id): row.refs
        for _, row in decoded_lines(folder / "mscoco_references.json", _ThumbReferences)
    }
    lacking = sorted({str(row.seg_id) for row in rows} - set(known))
    if lacking:
        raise DataError(
            f"{folder}: {len(lacking):,} items have no references, the first is {lacking[0]!r}.",
            hint="Check the download.",
        )
    people = sum(row.SYS.lower() == _PEOPLE for row in rows)
    rows = [row for row in rows if not machines or row.SYS.lower() != _PEOPLE]
    task = captions_task([(f"{row.SYS}\t{row.seg_id}", row.hyp, known[str(row.seg_id)]) for row in rows])

    def judged(column: str) -> list[Judgement]:
        return [Judgement(row.SYS, str(row.seg_id), getattr(row, column)) for row in rows]

    said = f"{people:,} captions by people are {'left out' if machines else 'among them'}."
    return _benchmark(
        "thumb-machines" if machines else "thumb",
        "THumB 1.0" + (", machines alone" if machines else ""),
        task,
        judged("human_score"),
        "pearson",
        levels=("system", "segment"),
        notes=(said,),
        criteria={"precision": tuple(judged("P")), "recall": tuple(judged("R"))},
    )


def msvd(data: Path) -> Benchmark:
    path = data / "metaeval" / "msvd_eval" / "MSVD-Eval.json"
    rows = decoded(path, dict[str, _Msvd])
    wrong = [key for key, row in rows.items() if not row.human_score or not all(row.human_score)]
    if wrong:
        raise DataError(f"{path}: {wrong[0]!r} has a rater without scores.", hint="Check the download.")
    task = captions_task([(f"msvd\t{key}", row.candidate, row.ref) for key, row in rows.items()])
    judged = [
        Judgement("msvd", key, sum(rater[-1] for rater in row.human_score) / len(row.human_score))
        for key, row in rows.items()
    ]
    return _benchmark("msvd-eval", "MSVD-Eval", task, judged, "pearson")


def hat(data: Path) -> Benchmark:
    rows = decoded(data / "metaeval" / "hat" / "hat-trainval.json", list[_Hat])
    items = [f"{number:05d}" for number in range(len(rows))]
    task = captions_task(
        [(f"hat\t{k}", row.caption, row.references) for k, row in zip(items, rows, strict=True)]
    )
    judged = [
        Judgement("hat", k, 0.0 if row.contains_hallucination else 1.0)
        for k, row in zip(items, rows, strict=True)
    ]
    labels = tuple(
        LabelledSentence(k, row.caption, _placed(row.caption, row.grounding), tuple(row.references))
        for k, row in zip(items, rows, strict=True)
    )
    notes = ("The human score is 1 for a caption without a hallucinated word, else 0.",)
    return _benchmark("hat", "HAT", task, judged, "auc", notes=notes, words=labels)


def sick(data: Path) -> Benchmark:
    path = data / "metaeval" / "sick" / "SICK.txt"
    rows = csv.DictReader(lines_of(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    texts, judged = [], []
    for number, row in enumerate(rows, 2):
        try:
            pair, score = (
                (row["sentence_A"].strip(), row["sentence_B"].strip()),
                float(row["relatedness_score"]),
            )
        except (KeyError, AttributeError, TypeError, ValueError):
            raise DataError(
                f"{path}, line {number}: two sentences and a score are expected.",
                hint="The columns are called sentence_A, sentence_B and relatedness_score, with tabs between"
                " them.",
            ) from None
        if (row.get("SemEval_set") or "TEST").strip() == "TEST":
            texts.append((f"sick\t{number:05d}", pair[0], [pair[1]]))
            judged.append(Judgement("sick", f"{number:05d}", score))
    notes = ("The human score says how related the two sentences are, 1 to 5.",)
    return _benchmark("sick", "SICK, test", captions_task(texts), judged, "spearman", notes=notes)


def _placed(text: str, grounding: Sequence[tuple[str, bool]]) -> tuple[tuple[int, int, bool], ...]:
    """Where each listed word stands in the caption; words that are not found are left out."""
    out, begin = [], 0
    for word, wrong in grounding:
        start = text.lower().find(word.lower(), begin) if word else -1
        if start >= 0:
            begin = start + len(word)
            out.append((start, begin, wrong))
    return tuple(out)


def _benchmark(
    name: str,
    title: str,
    task: Any,
    judgements: list[Judgement],
    headline: str,
    *,
    levels: tuple[str, ...] = ("segment",),
    notes: tuple[str, ...] = (),
    **more: Any,
) -> Benchmark:
    return Benchmark(name, title, task, tuple(judgements), "", levels, notes, headline, **more)


# FactVC (Liu & Wan, EMNLP 2023): paragraphs of dense-captioning systems, judged by people for what is wrong
# in them.
#
# Each line of `paragraphs.jsonl` has a `video`, a `system`, a `score` (1 to 5), `sentences` in which the
# words that people called wrong stand in `[ ]`, and one or two `references`. The human score is `score`;
# beside it stand minus the share of sentences that hold a bracket, and minus the share of words inside
# brackets. The brackets also label every word.
#
# `paper=True` reads the texts as the paper's script does, to compare with its figures: everything but
# letters becomes a blank, lower case, a single reference stands twice.


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
