"""BERTScore: each token meets its most similar token of the other side (Zhang et al., ICLR 2020).

    P = sum_c w(c) max_r cos(c, r) / sum_c w(c)      R = sum_r w(r) max_c cos(c, r) / sum_r w(r)      F1 = 2PR
                                                     / (P + R)

over the contextual vectors of one layer of an encoder. A token that is opposite to all others counts 0, never
less: so does the authors' package, except against the longest sentence of one of its batches, because the
padding that it compares with is 0. About one pair in a thousand of real captions shows it, in the third
digit. `batch=64` does as the package does with the same list, the neighbours of a pair included; the default
gives a pair one value. Weights are 1, or with `idf=true` log((N + 1) / (df + 1)) over the N references that
`fit` saw; the special tokens at both ends ([CLS], [SEP]) can be matched but weigh nothing. An empty sentence
scores 0. `baseline=b` rescales each value to (x - b) / (1 - b). Several references: the best F1. The default
model is the embedded MiniLM and its layer was chosen by the report card; `model=` names any local checkpoint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..arrays import Float32, FloatArray, IntArray
from ..errors import UsageError
from ..measure import Named, TrainingData, measure, training_of_encoder
from ..models.encoder import Precision, load_encoder
from ..models.vectors import VectorRows
from ..options import option
from ..text.script import well_formed
from .model import IndexedPairs, PairModel, Unpack
from .scorer import MODEL_TRAITS, PairScorer, Traits

_PLACE = {"precision": 0, "recall": 1, "f1": 2}
#: sentences encoded between two reports of progress; token vectors kept for the next call, in bytes
CHUNK, KEPT = 2048, 1 << 30


class _Tokens:
    """The token vectors of many sentences, one after another, each of length one; each distinct sentence
    once.
    """

    def __init__(self, dimension: int) -> None:
        self.vectors = VectorRows(dimension)
        self.place: dict[str, int] = {}
        self.offset, self.weight = [0], [np.empty(0)]

    def add(self, text: str, vectors: Float32, weight: FloatArray) -> None:
        self.place[text] = len(self.place)
        self.vectors.append(vectors)
        self.offset.append(self.offset[-1] + len(vectors))
        self.weight.append(weight)


class BertScoreModel(PairModel):
    """BERTScore at work; it keeps the token vectors of each sentence."""

    scorer: BertScore
    #: in how many of the references that `fit` was given a token stands, and how many references there were
    _frequency: tuple[Counter[int], int] = (Counter(), 0)
    _tokens: _Tokens | None = None

    def depends_on(self) -> dict[str, object]:
        return {"encoder": self._encoder().label, "layer": self.scorer.layer}

    def _encoder(self) -> Any:
        return load_encoder(self.scorer.model, self.device, self.scorer.precision)

    def fit(self, references: Sequence[Sequence[str]]) -> BertScoreModel:
        """With document frequencies of tokens over all references, each one a document."""
        if not self.scorer.idf:
            return self
        flat = well_formed([sentence.strip() for group in references for sentence in group])
        encoder = self._encoder()
        ids = (
            encoder.tokenizer(flat, truncation=True, max_length=encoder.max_tokens)["input_ids"]
            if flat
            else []
        )
        frequency = Counter(token for sentence in ids for token in set(sentence))
        fitted = BertScoreModel(self.scorer, self.settings, tokenised=self.tokenised)
        fitted._learnt = references
        fitted._frequency = frequency, len(flat)
        return fitted

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        return self.parts_indexed(jobs=jobs, **pairs)[:, _PLACE[self.scorer.value]]

    def parts_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """(pairs, 3): precision, recall, F1."""
        candidate_index, reference_index = pairs["candidate_index"], pairs["reference_index"]
        if self.scorer.idf and not self._frequency[1]:
            raise UsageError(
                "bertscore(idf=true) was not fitted to references.",
                hint="Call fit(references) first; `storymeter score` does.",
            )
        ours, theirs = (
            well_formed([sentence.strip() for sentence in side])
            for side in (pairs["candidates"], pairs["references"])
        )
        tokens = self._encoded(dict.fromkeys([*ours, *theirs]))
        c, r = (
            np.array([tokens.place[text] for text in side], dtype=np.int64)[index]
            for side, index in ((ours, candidate_index), (theirs, reference_index))
        )
        offset, weight = np.array(tokens.offset, dtype=np.int64), np.concatenate(tokens.weight)
        out = np.empty((len(c), 3))
        for block in tokens.vectors.blocks(
            len(c), (len(ours) + len(theirs)) / max(len(c), 1) * len(tokens.vectors) / len(offset)
        ):
            vectors = tokens.vectors.view()
            _native.greedy_matching(
                vectors, offset, weight, vectors, offset, weight, c[block], r[block], out[block], threads=jobs
            )
        if self.scorer.batch:
            self._unpadded(tokens, c, r, out)
        if self.scorer.baseline:
            out = (out - self.scorer.baseline) / (1 - self.scorer.baseline)
        empty, nothing = (
            np.array([not text for text in side], dtype=bool)[index]
            for side, index in ((ours, candidate_index), (theirs, reference_index))
        )
        out[empty | nothing] = 0.0
        return out

    def _unpadded(self, tokens: _Tokens, c: IntArray, r: IntArray, out: FloatArray) -> None:
        """Against the longest sentence of a batch there is no padding, and an opposite token counts what it
        is.
        """
        vectors, offset, length = tokens.vectors.view(), tokens.offset, np.diff(tokens.offset)
        for begin in range(0, len(c), self.scorer.batch):
            batch = slice(begin, begin + self.scorer.batch)
            for k in begin + np.flatnonzero(
                (length[c[batch]] == length[c[batch]].max()) | (length[r[batch]] == length[r[batch]].max())
            ):
                (ours, w), (theirs, v) = (
                    (vectors[offset[i] : offset[i + 1]], tokens.weight[i + 1]) for i in (c[k], r[k])
                )
                similar = ours.astype(np.float64) @ theirs.astype(np.float64).T
                if not similar.size:  # a tokeniser that puts nothing around an empty sentence
                    continue
                if length[r[k]] == length[r[batch]].max() and w.sum():
                    out[k, 0] = w @ similar.max(1) / w.sum()
                if length[c[k]] == length[c[batch]].max() and v.sum():
                    out[k, 1] = v @ similar.max(0) / v.sum()
                out[k, 2] = (
                    2 * out[k, 0] * out[k, 1] / (out[k, 0] + out[k, 1]) if out[k, 0] + out[k, 1] else 0.0
                )

    def _encoded(self, texts: Iterable[str]) -> _Tokens:
        """Token vectors of at least these sentences: each is encoded once in the scorer's life, as long as
        they all fit into `KEPT`.
        """
        encoder = self._encoder()
        tokens = self._tokens
        if tokens is None or tokens.vectors.size > KEPT:
            tokens = self._tokens = _Tokens(encoder.dimension)
        new = sorted((text for text in texts if text not in tokens.place), key=len)
        for begin in range(0, len(new), CHUNK):
            part = new[begin : begin + CHUNK]

            def encoded(what: str, done: int, total: int, begin: int = begin) -> None:
                self.progress("encoding sentences", begin + done, len(new))

            for row, found in encoder.token_vectors(part, layer=self.scorer.layer, progress=encoded):
                tokens.add(
                    part[row],
                    found.vectors / np.maximum(np.linalg.norm(found.vectors, axis=1, keepdims=True), 1e-12),
                    self._weights(found.ids),
                )
        return tokens

    def _weights(self, ids: NDArray[np.int64]) -> FloatArray:
        if self.scorer.idf:
            frequency, size = self._frequency
            return np.log((size + 1) / (np.array([frequency[token] for token in ids.tolist()]) + 1))
        tokenizer = self._encoder().tokenizer  # not every one puts special tokens around a sentence
        special = [token for token in (tokenizer.cls_token_id, tokenizer.sep_token_id) if token is not None]
        return (~np.isin(ids, special)).astype(np.float64)


@measure(
    Named("bertscore", "each token against its most similar one on the other side"), papers=("zhang2020",)
)
@dataclass(frozen=True)
class BertScore(PairScorer):
    model: str = option("", "a local checkpoint; empty: the packaged encoder")
    layer: int = option(6, "the layer whose token vectors are compared", low=0)
    idf: bool = option(False, "whether rare tokens count more")
    baseline: float = option(0.0, "each value is rescaled to (x - baseline) / (1 - baseline)", high=0.999999)
    value: Literal["f1", "precision", "recall"] = option("f1", "which of the three is the value")
    batch: int = option(0, "64 follows the package bert-score; with 0 no pair depends on other pairs", low=0)
    precision: Precision = option("fp32", "of the encoder's products; bf16 is faster, and within .01 of fp32")

    _model = BertScoreModel

    @property
    def traits(self) -> Traits:
        return MODEL_TRAITS._replace(
            range=(-1.0, 1.0),
            learns=self.idf,
            across_documents=bool(self.batch),
            trained_on=self._training,
            stand_in="" if self.model else "minilm",
        )

    @property
    def _training(self) -> TrainingData:
        encoder = training_of_encoder(self.model)
        if self.model:
            return encoder
        years = tuple(f"trecvid-{year}{kind}" for year in (2016, 2017) for kind in ("", "-multiple"))
        return TrainingData(f"{encoder.what}; its layer was chosen on TRECVID", (*encoder.benchmarks, *years))
