"""Paragraphs: the captions of a video, joined in time order, as one text against the references' paragraphs.

    paragraph_bleu_4, paragraph_meteor, paragraph_rouge_l, paragraph_cider    against paragraph references (a
        text per video) or
                                                                              the references' own captions,
                                                                              joined alike
    paragraph_repetition_4                     R@4: share of four-word runs said before (Xiong et al., ECCV
                                               2018)
    paragraph_distinct_1, paragraph_distinct_2   Div-1, Div-2 (Shetty et al., ICCV 2017); these three need no
                                                 references

Each annotator's paragraph is one reference. Captions are sorted by start (ties and captions without times
keep the order of the file) and joined by a blank; everything else is the measure of the same name for whole
documents.

>>> paragraph(Document("v", (Caption("It jumps.", 4.0, 9.0), Caption("A dog runs.", 0.0, 4.0)))).text
'A dog runs. It jumps.'
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ..captions import Caption, Document
from ..join import Task
from ..metric import FloatArray, Metric, Setting
from ..protocol import Protocol
from ..registry import metric as get_metric
from ..signature import Signature


def paragraph(document: Document) -> Document:
    """The same document as one caption."""
    if any(
        caption.start is None or caption.start != caption.start for caption in document.captions
    ):  # None or NaN
        ordered = list(document.captions)
    else:
        ordered = sorted(document.captions, key=lambda caption: caption.start or 0.0)
    text = " ".join(caption.text.strip() for caption in ordered)
    return Document(document.id, (Caption(text),) if ordered else (), document.duration)


class Paragraph(Metric):
    """A measure of whole documents on paragraphs."""

    def __init__(self, measure: str) -> None:
        self.measure = measure
        self._inner = get_metric(measure)

    @property
    def name(self) -> str:
        return f"paragraph_{self.measure}"

    @property
    def columns(self) -> tuple[str, ...]:
        return self._inner.columns

    def under(self, protocol: Protocol) -> Metric:
        bound = type(self)(self.measure)
        bound._inner = bound._inner.under(protocol)
        return bound

    def rows(self, task: Task, setting: Setting) -> FloatArray:
        return self._inner.rows(_paragraphs(task, setting), setting)

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        return self._inner.combine(sums)

    def signature(self, setting: Setting) -> Signature:
        return self._inner.signature(setting).add(metric=self.name, join="time")


class VariedParagraph(Paragraph):
    needs_references: ClassVar[bool] = False


class RepeatingParagraph(VariedParagraph):
    higher_is_better: ClassVar[bool | None] = False


def _paragraphs(task: Task, setting: Setting) -> Task:
    """The task with paragraphs for documents; it stays on the run's workbench for the next measure."""
    kept = setting.shared.get("paragraphs")
    if kept is None or kept[0] is not task:
        made = replace(
            task,
            candidates=tuple(map(paragraph, task.candidates)),
            references=tuple(tuple(map(paragraph, documents)) for documents in task.references),
        )
        kept = setting.shared["paragraphs"] = (task, made)
    found: Task = kept[1]
    return found
