"""Paragraphs: the captions of a video, joined in time order, as one text against the references' paragraphs.

    paragraph_bleu_4, paragraph_meteor, paragraph_rouge_l, paragraph_cider
        against paragraph references (a text per video) or the references' own captions, joined alike
    paragraph_repetition_4
        R@4: share of four-word runs said before (Xiong et al., ECCV 2018)
    paragraph_distinct_1, paragraph_distinct_2
        Div-1, Div-2 (Shetty et al., ICCV 2017); these and R@4 need no references

Each annotator's paragraph is one reference. Captions are sorted by start (ties and captions without times
keep the order of the file) and joined by a blank; everything else is the measure of the same name for whole
documents. Under the protocols `pdvc`, `vidchapters` and `vid2seq` (field `paragraph=letters`) captions stay
in the order of the file, and everything but the letters a to z, in lower case, separates words: no tokeniser
reads them.

>>> paragraph(Document("v", (Caption("It jumps.", 4.0, 9.0), Caption("A dog runs.", 0.0, 4.0)))).text
'A dog runs. It jumps.'
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from ..arrays import FloatArray
from ..captions import Caption, Document
from ..context import Context
from ..join import Task
from ..measure import Named, TrainingData, measure
from ..metrics import Metric
from ..options import option
from ..registry import metric as get_metric
from ..scores import CorpusCounts, Rows, Signature

_OTHERS = re.compile("[^a-zA-Z]")
Inner = Literal["bleu_4", "meteor", "rouge_l", "cider", "distinct_1", "distinct_2", "repetition_4"]


def paragraph(document: Document) -> Document:
    """The same document as one caption."""
    ordered: Sequence[Caption] = document.captions
    if all(caption.start is not None and caption.start == caption.start for caption in ordered):  # no NaN
        ordered = sorted(ordered, key=lambda caption: caption.start or 0.0)
    text = " ".join(caption.text.strip() for caption in ordered)
    return Document(document.id, (Caption(text),) if ordered else (), document.duration)


@measure(
    Named("paragraph_bleu_4", "BLEU-4 of the captions joined in time order", inner="bleu_4"),
    Named("paragraph_meteor", "METEOR of the captions joined in time order", inner="meteor"),
    Named("paragraph_rouge_l", "ROUGE-L of the captions joined in time order", inner="rouge_l"),
    Named("paragraph_cider", "CIDEr of the captions joined in time order", inner="cider"),
    Named(
        "paragraph_distinct_1", "distinct words per word of the joined captions (Div-1)", inner="distinct_1"
    ),
    Named(
        "paragraph_distinct_2",
        "distinct word pairs per word of the joined captions (Div-2)",
        inner="distinct_2",
    ),
    Named(
        "paragraph_repetition_4",
        "share of 4-grams of the joined captions that are repetitions (R@4)",
        inner="repetition_4",
    ),
    papers=("xiong2018", "shetty2017"),
)
@dataclass(frozen=True)
class Paragraph(Metric):
    """A measure of whole documents on paragraphs; all else is that measure's."""

    inner: Inner = option("meteor", "the measure of the paragraphs")

    @cached_property
    def metric(self) -> Metric:
        return get_metric(self.inner)

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        return self.metric.needs_references

    @property
    def higher_is_better(self) -> bool | None:  # type: ignore[override]
        return self.metric.higher_is_better

    @property
    def ordered(self) -> bool:
        return self.metric.ordered

    @property
    def columns(self) -> tuple[str, ...]:
        return self.metric.columns

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        return self.metric.rows(paragraphs_of(context, task), _reading(context))

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return self.metric.combine(sums)

    def unshardable_reason(self) -> str:
        return self.metric.unshardable_reason()

    def corpus_counts(self, task: Task, context: Context) -> CorpusCounts | None:
        return self.metric.corpus_counts(paragraphs_of(context, task), _reading(context))

    @property
    def trained_on(self) -> TrainingData:
        return self.metric.trained_on

    @property
    def needs_corpus_counts(self) -> bool:
        return self.metric.needs_corpus_counts

    def signature(self, context: Context) -> Signature:
        join = "file" if context.protocol.paragraph == "letters" else "time"
        return self.metric.signature(_reading(context)).add(metric=self.name, join=join)


def paragraphs_of(context: Context, task: Task) -> Task:
    """The task with paragraphs for documents, made as the protocol's field `paragraph` says."""
    return context.per_task(_paragraphs, task)


def _paragraphs(context: Context, task: Task) -> Task:
    made = paragraph if context.protocol.paragraph == "time" else letters
    return replace(
        task,
        candidates=tuple(map(made, task.candidates)),
        references=tuple(tuple(map(made, documents)) for documents in task.references),
        unscored=tuple(tuple(map(made, documents)) for documents in task.unscored),
    )


def letters(document: Document) -> Document:
    """The captions of a document in the order of the file as one, words of the letters a to z alone.

    >>> letters(Document("v", (Caption("It can't jump."), Caption("2 dogs?")))).text
    'it can t jump dogs'
    """
    text = " ".join(_OTHERS.sub(" ", document.text).lower().split())
    return Document(document.id, (Caption(text),) if document.captions else (), document.duration)


def _reading(context: Context) -> Context:
    """Where paragraphs are letters alone, they are words already."""
    return context.with_tokenizer("whitespace") if context.protocol.paragraph == "letters" else context
