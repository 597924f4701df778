"""Words that people called wrong, beside what a metric says of each word: AUC per word.

A measure of words gives each word of a sentence a support between 0 and 1 against the references
(`facts.words`). The yardstick beside it is whether the word stands in a reference at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..names import parse
from ..pairs.word_kinds import WORD, tagged
from ..registry import scorer as get_scorer
from ..stats.choices import auc, auc_interval


class LabelledSentence(NamedTuple):
    #: the document it belongs to: what a bootstrap draws
    unit: str
    text: str
    #: start, end and whether people called the word wrong
    words: tuple[tuple[int, int, bool], ...]
    references: tuple[str, ...]


class WordResult(NamedTuple):
    measure: str
    words: int
    wrong: int
    auc: float
    interval: tuple[float, float] | None
    #: of the sentences with a wrong word, the share whose least supported word is one; NaN without any
    lowest: float


#: (sentence, references) to (start of the word, support) of each word
WordMeasure = Callable[[str, Sequence[str]], Sequence[tuple[int, float]]]


def said_at_all(sentence: str, references: Sequence[str]) -> list[tuple[int, float]]:
    """1 for a word that some reference uses in the same form, else 0."""
    known = {match.group().lower() for text in references for match in WORD.finditer(text)}
    return [(match.start(), float(match.group().lower() in known)) for match in WORD.finditer(sentence)]


def word_measures(metrics: Sequence[str]) -> dict[str, WordMeasure]:
    """Those of these metrics that give each word a support (`facts`), by name."""
    out: dict[str, WordMeasure] = {}
    for name in metrics:
        if parse(name).word == "facts":
            out[name] = get_scorer(name).placed_words  # type: ignore[attr-defined]
    return out


def word_auc(
    sentences: Sequence[LabelledSentence],
    measures: dict[str, WordMeasure],
    *,
    content: bool = True,
    resamples: int = 200,
    seed: int = 0,
) -> list[WordResult]:
    """Per measure the AUC of its support for words that people did not call wrong; `content` leaves articles,
    pronouns, prepositions and forms of be, have and do out.
    """
    out = []
    chosen = [_chosen(sentence, content) for sentence in sentences]
    fine = (
        np.concatenate([[not wrong for wrong in one.values()] for one in chosen]) if chosen else np.array([])
    )
    units: NDArray[np.str_] = np.repeat(
        np.array([sentence.unit for sentence in sentences]), [len(one) for one in chosen]
    )
    for name, measure in measures.items():
        values = []
        for sentence, wanted in zip(sentences, chosen, strict=True):
            known = dict(measure(sentence.text, sentence.references)) if wanted else {}
            values += [known.get(start, 0.5) for start in wanted]
        interval = auc_interval(fine, values, units, resamples=resamples, seed=seed) if resamples else None
        wrong = int(len(fine) - fine.sum())
        out.append(WordResult(name, len(fine), wrong, auc(fine, values), interval, _lowest(chosen, values)))
    return out


def _lowest(chosen: Sequence[dict[int, bool]], values: Sequence[float]) -> float:
    """How often the least supported word of a sentence is wrong; words that tie share it."""
    found, at = [], 0
    for words in chosen:
        own, at = values[at : at + len(words)], at + len(words)
        if any(words.values()):
            least = [wrong for wrong, value in zip(words.values(), own, strict=True) if value == min(own)]
            found.append(sum(least) / len(least))
    return float(np.mean(found)) if found else float("nan")


def _chosen(sentence: LabelledSentence, content: bool) -> dict[int, bool]:
    """Start of a word to whether it is wrong."""
    wanted = {word.start for word in tagged(sentence.text) if word.content} if content else None
    return {start: wrong for start, _, wrong in sentence.words if wanted is None or start in wanted}
