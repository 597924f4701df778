"""Numbered sentences and the texts of documents: a text is tokenised once in a run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import IntArray
from ..context import Context
from ..join import Task
from ..options import Tokenizer
from ..text.ptb import may_read_on, tokenize_batch
from ..text.tokenizers import ascii_only, tokenize
from .model import tokenized_by
from .scorer import PairScorer


class Sentences:
    """Numbers for sentences; two texts with the same tokens share one."""

    def __init__(self, tokenizer: Tokenizer, *, strip: bool = False) -> None:
        self.tokenizer = tokenizer
        self.strip = strip
        self.texts: list[str] = []
        self._of_raw: dict[str, int] = {}
        self._of_tokens: dict[str, int] = {}

    def numbers(self, raw: Sequence[str]) -> IntArray:
        new = [text for text in dict.fromkeys(raw) if text not in self._of_raw]
        clean = [ascii_only(text) for text in new] if self.strip else new
        for text, tokens in zip(new, tokenize(clean, self.tokenizer), strict=True):
            self._of_raw[text] = self._number(tokens)
        return np.fromiter(map(self._of_raw.__getitem__, raw), dtype=np.int64, count=len(raw))

    def tokens(self, raw: Sequence[str]) -> list[str]:
        """The tokens of each text, joined by blanks."""
        return [self.texts[k] for k in self.numbers(raw).tolist()]

    def run_on(self, raw: Sequence[str]) -> list[int]:
        """Which of these texts end in such a way that the tokeniser of the public scripts reads on in the
        line that follows (`... with a capital T.`)."""
        return may_read_on(raw) if self.tokenizer == "ptb" else []

    def number_before(self, raw: str, following: Sequence[str]) -> int:
        """The number of a text that the scripts' tokeniser reads right before others, the last of which no
        line end follows.
        """
        lines = [ascii_only(line) if self.strip else line for line in (raw, *following)]
        there = next((k for k, line in enumerate(lines) if k and line.strip()), len(lines) - 1)
        more = [""] if there + 1 < len(lines) else []  # beyond the next words only the line end matters
        return self._number(tokenize_batch([*lines[: there + 1], *more], punctuation=False)[0])

    def _number(self, tokens: str) -> int:
        number = self._of_tokens.setdefault(tokens, len(self.texts))
        if number == len(self.texts):
            self.texts.append(tokens)
        return number


@dataclass(frozen=True, slots=True)
class Texts:
    """The text of each document of a task, of each of its references, and of the references of documents that
    are not scored.
    """

    candidates: list[str]
    references: list[list[str]]
    unscored: list[list[str]]


def sentences_of(context: Context, tokenizer: Tokenizer | None = None) -> Sentences:
    """The sentences of the run, split by its tokenizer or by another."""
    return context.per_run(_sentences, tokenizer or context.tokenizer)


def _sentences(context: Context, tokenizer: Tokenizer) -> Sentences:
    return Sentences(tokenizer, strip=context.protocol.ascii == "strip")


def sentences_for(context: Context, scorer: PairScorer) -> Sentences:
    """The sentences of the run as a scorer reads them."""
    return sentences_of(context, tokenized_by(scorer, context.tokenizer))


def texts_of(context: Context, task: Task, tokenizer: Tokenizer | None = None) -> Texts:
    """What metrics of whole documents compare: the captions of a document joined by a blank, split by the
    run's tokenizer or by another.

    context, task: what a metric is given to score.
    tokenizer: default: that of the run.
    """
    return context.per_task(_texts, task, tokenizer or context.tokenizer)


def _texts(context: Context, task: Task, tokenizer: Tokenizer) -> Texts:
    documents = [document.text for document in task.candidates]
    groups = [*task.references, *task.unscored]
    alternatives = [document.text for group in groups for document in group]
    tokens = sentences_of(context, tokenizer).tokens([*documents, *alternatives])
    rest = iter(tokens[len(documents) :])
    against = [[next(rest) for _ in group] for group in groups]
    return Texts(tokens[: len(documents)], against[: len(documents)], against[len(documents) :])
