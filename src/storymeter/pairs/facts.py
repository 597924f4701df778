"""`facts`: is what was said supported by the references, and which words are not?

Precision of meaning: every sentence of the candidate, and every word in it, against all references of the
document at once; each reference is read as a whole and sentence by sentence. For a sentence with tokens t and
the tokens r of all references, both as vectors that `facts_reading` moves into the space of support:

    s(t)  = max over r of cos(t, r)                 how well the references support the token
    facts = sum of w(t) s(t) / sum of w(t)          over all tokens of the candidate, w learnt, cut to 0..1

A sentence's support is the same over its own tokens; below one half it is called unsupported. The support of
a word is the logistic of 7.27 s + 1.04 S - 3.76, with s the mean over its tokens and S the support of its
sentence; below one half it is called unsupported, too. Nothing is asked of what the candidate leaves out: a
short true sentence scores high. A text without a word scores 0, and so does one without a reference.

Trained without any human judgement, on ActivityNet Captions: sentences of one annotator against paragraphs of
the other (docs/models/facts.md). The idea of precision by greedy matching is BERTScore's (Zhang et al., ICLR
2020), the weighted late interaction ColBERT's (Khattab & Zaharia, SIGIR 2020), the question FactVC's (Liu &
Wan, EMNLP 2023).

The captions of a document with the words that no reference supports, each at its place.

The document is read as `facts` reads it, as one text against all references; here every word goes back to the
caption it stands in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from ..arrays import Float32, FloatArray
from ..captions import Document
from ..context import Context
from ..join import Task
from ..measure import ENCODER_TRAINING, Named, TrainingData, measure, training_of_all
from ..models.encoder import load_encoder
from .documents import TextMetric
from .facts_reading import Reader, Reading, label, passages_of, sentences_of
from .lexicon import KINDS, WORD, Kind, tagged
from .model import IndexedPairs, PairModel, Unpack
from .scorer import MODEL_TRAITS, PairScorer, open_scorer


class MarkedCaption(NamedTuple):
    """A caption as written, and its words, their places counted in it."""

    text: str
    words: tuple[WordSupport, ...]

    @property
    def unsupported(self) -> list[WordSupport]:
        return [word for word in self.words if word.unsupported]

    def pieces(self) -> list[tuple[str, WordSupport | None]]:
        """The text cut at its unsupported words, each of them with what is known of it.

        >>> from .facts import WordSupport
        >>> MarkedCaption("a red car", (WordSupport("red", 2, 5, "colour", 0.1),)).pieces()[::2]
        [('a ', None), (' car', None)]
        """
        out: list[tuple[str, WordSupport | None]] = []
        at = 0
        for word in self.unsupported:
            out += [(self.text[at : word.start], None), (self.text[word.start : word.end], word)]
            at = word.end
        return [piece for piece in (*out, (self.text[at:], None)) if piece[0]]


def marked_captions(
    facts: Facts | FactsModel, document: Document, references: Sequence[Document]
) -> tuple[float, list[MarkedCaption]]:
    """The value of the document, and its captions in their order."""
    text, begins = joined(document)
    against = [joined(reference)[0] for reference in references]
    words: list[list[WordSupport]] = [[] for _ in begins]
    for sentence in facts.explain(candidate=text, references=against):
        for word in sentence.words:
            k = bisect_right(begins, word.start) - 1
            own = document.captions[k].text
            shift = len(own) - len(own.lstrip()) - begins[k]
            words[k].append(word._replace(start=word.start + shift, end=word.end + shift))
    found = [MarkedCaption(c.text, tuple(w)) for c, w in zip(document.captions, words, strict=True)]
    value = float(facts.pairs(candidates=[text], references=[against])[0]) if against else 0.0
    return value, found


#: the logistic of a word's support: of its own similarity, of its sentence's support, and the constant
_WORD, _SENTENCE, _CONSTANT = 7.27, 1.04, -3.76
#: words and sentences with less support count as unsupported
UNSUPPORTED = 0.5
_CHUNK = 512


class WordSupport(NamedTuple):
    text: str
    #: where it stands in the candidate
    start: int
    end: int
    kind: Kind
    support: float

    @property
    def unsupported(self) -> bool:
        return self.kind != "other" and self.support < UNSUPPORTED


class SentenceSupport(NamedTuple):
    support: float
    words: tuple[WordSupport, ...]

    @property
    def unsupported(self) -> bool:
        return self.support < UNSUPPORTED


class FactsModel(PairModel):
    """The reader of `facts`, which keeps what it has read."""

    scorer: Facts

    def depends_on(self) -> dict[str, object]:
        return {"encoder": load_encoder("", self.device).label, "layer": label()}

    def explain(self, *, candidate: str, references: Sequence[str]) -> list[SentenceSupport]:
        """Every sentence of the candidate with its support, and every word in it with kind and support."""
        (text,), (group,) = self._read_groups([candidate], [references])
        return self._explained(text, self._tokens(group))

    def _explained(self, text: str, against: Float32) -> list[SentenceSupport]:
        places = iter([(match.start(), match.end()) for match in WORD.finditer(text)])
        out = []
        for reading in self._reader.read(sentences_of(text)):
            near, support = _support(reading, against)
            words = []
            for span, word in zip(reading.words, tagged(reading.text), strict=True):
                start, end = next(places)
                own = float(near[span.first : span.last].mean()) if span.last > span.first else 0.0
                score = _WORD * own + _SENTENCE * support + _CONSTANT
                value = 1 / (1 + np.exp(-score)) if len(against) else 0.0
                words.append(WordSupport(span.text, start, end, word.kind, float(value)))
            out.append(SentenceSupport(support, tuple(words)))
        return out

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        candidate_index, reference_index = pairs["candidate_index"], pairs["reference_index"]
        out = np.zeros(len(candidate_index))
        order = np.lexsort((candidate_index, reference_index))
        last, against = -1, _NOTHING
        ours = [sentences_of(text) for text in pairs["candidates"]]
        self._reader.read([sentence for sentences in ours for sentence in sentences])
        for k in order.tolist():
            if reference_index[k] != last:
                last = int(reference_index[k])
                against = self._tokens([pairs["references"][last]])
            out[k] = self._value(ours[int(candidate_index[k])], against)
        return out

    def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        """All references of a candidate support it together."""
        out = np.zeros(len(candidates))
        for k, against in self._in_turn(candidates, references):
            out[k] = self._value(sentences_of(candidates[k]), against)
        return out

    def _in_turn(
        self, candidates: Sequence[str], references: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, Float32]]:
        """Each candidate's number with the tokens of its references; many texts are read at once."""
        for begin in range(0, len(candidates), _CHUNK):
            block = range(begin, min(begin + _CHUNK, len(candidates)))
            texts = [text for k in block for text in (*sentences_of(candidates[k]), *_parts(references[k]))]
            self._reader.read(texts)
            for k in block:
                yield k, self._tokens(references[k])
            self.progress("facts", block.stop, len(candidates))

    def _value(self, sentences: Sequence[str], against: Float32) -> float:
        readings = self._reader.read(sentences)
        weights = np.array([reading.weights.sum() for reading in readings])
        found = np.array([_support(reading, against)[1] for reading in readings])
        return float(weights @ found / weights.sum()) if readings else 0.0

    def _tokens(self, references: Sequence[str]) -> Float32:
        """The tokens of all references, one after another."""
        readings = self._reader.read(_parts(references))
        return np.concatenate([reading.vectors for reading in readings]) if readings else _NOTHING

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.device, self.progress)


class FactsText(TextMetric):
    """The mean over documents, and the parts beside it."""

    _own = True
    scorer: Facts
    columns = (
        *("value", "documents", "sentences", "unsupported sentences"),
        *(name for kind in KINDS[:-1] for name in (f"{kind}s", f"unsupported {kind}s")),
    )

    def rows(self, task: Task, context: Context) -> FloatArray:
        candidates = [joined(document)[0] for document in task.candidates]
        groups = [[joined(document)[0] for document in group] for group in task.references]
        model: FactsModel = open_scorer(context, self.scorer)
        texts, against = model._read_groups(candidates, groups)
        out = np.zeros((len(task), len(self.columns)))
        out[:, 1] = 1.0
        for k, tokens in model._in_turn(texts, against):
            row, sentences = out[k], model._explained(texts[k], tokens)
            row[0] = model._value(sentences_of(texts[k]), tokens)
            row[2], row[3] = len(sentences), sum(sentence.unsupported for sentence in sentences)
            for word in (word for sentence in sentences for word in sentence.words if word.kind != "other"):
                place = 4 + 2 * KINDS.index(word.kind)
                row[place] += 1
                row[place + 1] += word.unsupported
        return out

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        """The value, and the shares of sentences and content words without support, by kind too."""
        words, unsupported = sums[..., 4::2], sums[..., 5::2]
        shares = unsupported / np.maximum(words, 1.0)
        return {
            "value": sums[..., 0] / np.maximum(sums[..., 1], 1.0),
            "unsupported sentences": sums[..., 3] / np.maximum(sums[..., 2], 1.0),
            "unsupported words": unsupported.sum(axis=-1) / np.maximum(words.sum(axis=-1), 1.0),
            **{f"unsupported {kind}s": shares[..., k] for k, kind in enumerate(KINDS[:-1])},
        }

    def signature_fields(self, model: PairModel) -> dict[str, object]:
        return {"references": "all", **model.depends_on()}


_TRAINING = TrainingData(
    "ActivityNet Captions, wrong details made from them (other videos); FactVC was used for model selection",
    ("factvc-activitynet", "factvc-activitynet-paper", "wrong-detail"),
)


@measure(
    Named(
        "facts",
        "share of a caption that the references support (precision); also lists the unsupported words",
    ),
    papers=("liu2023", "zhang2020"),
)
@dataclass(frozen=True)
class Facts(PairScorer):
    traits = MODEL_TRAITS._replace(trained_on=training_of_all([ENCODER_TRAINING, _TRAINING]))
    _model = FactsModel
    _documents = FactsText

    def words(self, *, candidate: str, references: Sequence[str]) -> list[tuple[str, float]]:
        """Each word of the candidate with its support, 0 to 1."""
        return [
            (word.text, word.support)
            for sentence in self.explain(candidate=candidate, references=references)
            for word in sentence.words
        ]

    def placed_words(self, candidate: str, references: Sequence[str]) -> list[tuple[int, float]]:
        """Where each word of the candidate begins, with its support."""
        found = self.explain(candidate=candidate, references=references)
        return [(word.start, word.support) for sentence in found for word in sentence.words]

    def explain(self, *, candidate: str, references: Sequence[str]) -> list[SentenceSupport]:
        """Every sentence of the candidate with its support, and every word in it with kind and support."""
        return cast(FactsModel, self._alone).explain(candidate=candidate, references=references)


def _parts(references: Sequence[str]) -> list[str]:
    """What is read of the references: passages, in which words see their neighbours, and single sentences, so
    that a text supports itself wholly.
    """
    found = [part for text in references for part in (*passages_of(text), *sentences_of(text))]
    return list(dict.fromkeys(found))


def joined(document: Document) -> tuple[str, list[int]]:
    """Its captions as one text in which each caption ends a sentence, and where each begins in it."""
    text, begins = "", []
    for caption in document.captions:
        own = caption.text.strip()
        text += " " if text and own else ""
        begins.append(len(text))
        text += own if not own or own.endswith((".", "!", "?", "…")) else f"{own}."
    return text, begins


_NOTHING: Float32 = np.empty((0, 0), np.float32)


def _support(reading: Reading, against: Float32) -> tuple[Float32, float]:
    """Per token of a sentence its largest cosine with any token of the references, and their weighted
    mean.
    """
    if not len(reading.vectors) or not len(against):
        return np.zeros(len(reading.vectors), np.float32), 0.0
    near = np.asarray((reading.vectors @ against.T).max(axis=1))
    return near, float(np.clip(np.average(near, weights=reading.weights), 0.0, 1.0))
