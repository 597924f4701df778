"""Tests whether a metric points at the words that people call wrong.

A metric of sentence pairs says nothing of words, but it can be asked: the blame of a word is what the caption
gains when the word is left out, s(caption without the word) - s(caption), against the same references. Held
against the labels of an error span study (`storymeter.human.analysis.spans`):

- **AUC**: the probability that a wrong word of a caption gets more blame than a right word of the same
  caption (ties count half), averaged over captions that have both; 0.5 is chance. Intervals by drawing
  captions again.
- **first**: in how many captions the word with the most blame is wrong, beside what chance would give.

A word is wrong when at least the share `threshold` of its raters marked it."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..captions import Corpus
from ..context import Budget, Context
from ..errors import DataError
from ..formats import read
from ..human.analysis.span_records import Labelled, read_labels
from ..human.ratings import BoolArray
from ..measure import asks_anyone
from ..options import Tokenizer, split
from ..pairs.lexicon import WORD, tagged
from ..pairs.scorer import open_scorer
from ..pairs.sentences import sentences_for
from ..progress import Progress, silent
from ..registry import read_name, scorer as get_scorer
from ..stats.resampling import mean_interval
from ..stats.ties import auc, auc_interval


@dataclass(frozen=True, slots=True)
class Pointing:
    """How well one metric points at wrong words."""

    metric: str
    captions: int
    words: int
    wrong: int
    auc: float
    interval: tuple[float, float] | None
    first: float
    chance: float


def point_at_words(
    labels: str | os.PathLike[str] | Sequence[Labelled],
    references: Mapping[str, Sequence[str]] | Sequence[str | os.PathLike[str] | Corpus],
    metrics: str | Sequence[str] = ("meteor", "rouge_l", "bleu_1"),
    *,
    threshold: float = 0.5,
    tokenizer: Tokenizer = "ptb",
    resamples: int = 1000,
    seed: int = 0,
    jobs: int = 1,
    device: str = "cpu",
    budget: Budget | None = None,
    progress: Progress = silent,
) -> list[Pointing]:
    """How well metrics point at the words that raters marked, the best metric first.

    labels: the words of an error span study (`human analyse --words`), a file or records.
    references: captions of the same items by people: files, corpora, or texts by item.
    metrics: scorers of sentence pairs.
    threshold: share of raters who must have marked a word for it to be wrong.
    tokenizer: of candidates and references.
    resamples: of the captions, for the intervals; 0: none.
    seed, jobs, device: as in `Run`.
    budget: what judges may be asked; captions of which a judge has no verdict are left out for it.
    progress: called with what is being done, how much is done, and of how much.
    """
    if isinstance(labels, str | os.PathLike):
        labels = read_labels(Path(labels))
    if not isinstance(references, Mapping):
        references = _texts(references)
    metrics = split(metrics) if isinstance(metrics, str) else metrics
    known = [one for one in labels if references.get(one.item) and len(one.words) > 1]
    wrong = [np.array([word.wrong >= threshold for word in one.words]) for one in known]
    use = [k for k, marks in enumerate(wrong) if marks.any() and not marks.all()]
    if not use:
        raise DataError(
            f"None of the {len(labels):,} captions has a reference, a wrong word and a right one.",
            hint=(
                "The ids of the references must be those of the study; a lower --threshold calls more words"
                " wrong."
            ),
        )
    chosen, marks = [known[k] for k in use], [wrong[k] for k in use]
    context = Context(tokenizer=tokenizer, jobs=jobs, seed=seed, device=device, budget=budget or Budget())

    def rehearse() -> None:
        for name in metrics:
            if asks_anyone(get_scorer(name)):
                _blame(name, chosen, references, context)

    out = []
    with context.budget.announced(rehearse):
        for done, name in enumerate(metrics):
            progress("metrics", done, len(metrics))
            blames = _blame(name, chosen, references, context)
            beside = zip(blames, marks, strict=True)
            judged = [(blame, bad) for blame, bad in beside if not np.isnan(blame).any()]
            if not judged:
                raise DataError(f"{name} has no verdict on any caption.", hint="Look at its answers: show")
            out.append(_pointing(name, judged, resamples, seed))
    return sorted(out, key=lambda one: (-one.auc, one.metric))


def _pointing(
    name: str, judged: Sequence[tuple[FloatArray, BoolArray]], resamples: int, seed: int
) -> Pointing:
    aucs = np.array([_auc(blame, bad) for blame, bad in judged])
    return Pointing(
        name,
        len(judged),
        sum(len(bad) for _, bad in judged),
        int(sum(bad.sum() for _, bad in judged)),
        float(aucs.mean()),
        mean_interval(aucs, resamples=resamples, seed=seed) if resamples else None,
        float(np.mean([bad[blame >= blame.max()].mean() for blame, bad in judged])),
        float(np.mean([bad.mean() for _, bad in judged])),
    )


def _texts(references: Sequence[str | os.PathLike[str] | Corpus]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for each in references:
        for document in each if isinstance(each, Corpus) else read(each):
            texts.setdefault(document.id, []).append(document.text)
    return texts


def _blame(
    name: str,
    captions: Sequence[Labelled],
    references: Mapping[str, Sequence[str]],
    context: Context,
) -> list[FloatArray]:
    """For each word of each caption, what leaving it out gains."""
    scorer = get_scorer(name)
    judge = open_scorer(context, scorer)
    sentences = sentences_for(context, scorer)

    def tokens(texts: Sequence[str]) -> list[str]:
        return [sentences.texts[k] for k in sentences.numbers(list(texts))]

    known = [tokens(references[one.item]) for one in captions]
    candidates: list[str] = []
    targets: list[list[str]] = []
    for one, told in zip(captions, known, strict=True):
        words = [word.text for word in one.words]
        variants = [" ".join(words)] + [" ".join(words[:k] + words[k + 1 :]) for k in range(len(words))]
        candidates += tokens(variants)
        targets += [told] * len(variants)
    scores = judge.fit(known).pairs(candidates=candidates, references=targets, jobs=context.jobs)
    out, at = [], 0
    for one in captions:
        out.append(np.round(scores[at + 1 : at + 1 + len(one.words)] - scores[at], 12))
        at += 1 + len(one.words)
    return out


def _auc(blame: FloatArray, bad: BoolArray) -> float:
    """The share of (wrong word, right word) in which the wrong one has more blame; ties count half.

    >>> _auc(np.array([0.1, 0.3, 0.3]), np.array([False, True, False]))
    0.75
    """
    difference = blame[bad][:, None] - blame[~bad][None, :]
    return float((difference > 0).mean() + (difference == 0).mean() / 2)


# Words that people called wrong, beside what a metric says of each word: AUC per word.
#
# A measure of words gives each word of a sentence a support between 0 and 1 against the references
# (`facts.words`). The yardstick beside it is whether the word stands in a reference at all.


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


def occurrence(sentence: str, references: Sequence[str]) -> list[tuple[int, float]]:
    """1 for a word that some reference uses in the same form, else 0."""
    known = {match.group().lower() for text in references for match in WORD.finditer(text)}
    return [(match.start(), float(match.group().lower() in known)) for match in WORD.finditer(sentence)]


def word_measures(metrics: Sequence[str]) -> dict[str, WordMeasure]:
    """Those of these metrics that give each word a support (`facts`), by name."""
    out: dict[str, WordMeasure] = {}
    for name in metrics:
        if read_name(name).word == "facts":
            out[name] = get_scorer(name).placed_words
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
