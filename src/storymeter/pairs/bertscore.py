"""BERTScore: each token meets its most similar token of the other side (Zhang et al., ICLR 2020).

    P = sum_c w(c) max_r cos(c, r) / sum_c w(c)      R = sum_r w(r) max_c cos(c, r) / sum_r w(r)      F1 = 2PR / (P + R)

over the contextual vectors of one layer of an encoder. Weights are 1, or with `idf=true` log((N + 1) / (df + 1)) over the N references
that `fit` saw; the special tokens at both ends can be matched but weigh nothing. An empty sentence scores 0. `baseline=b` rescales
each value to (x - b) / (1 - b). Several references: the best F1. The default model is the embedded MiniLM and its layer was chosen by
the report card; `model=` names any local checkpoint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..errors import UsageError
from ..metric import Progress, silent
from ..text.unicode import well_formed
from .base import FloatArray, IntArray, PairScorer
from .sentences import printed

Value = Literal["f1", "precision", "recall"]
_PLACE = {"precision": 0, "recall": 1, "f1": 2}
DEFAULT_LAYER = 6


class _Tokens:
    """The token vectors of many sentences, one after another, each of length one."""

    def __init__(self, ids: list[NDArray[np.int64]], vectors: list[NDArray[np.float32]], dimension: int) -> None:
        self.ids = ids
        self.vectors = np.concatenate(vectors) if vectors else np.empty((0, dimension), np.float32)
        self.offset = np.concatenate([[0], np.cumsum([len(i) for i in ids], dtype=np.int64)]).astype(np.int64)


class BertScore(PairScorer):
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    raw_text: ClassVar[bool] = True

    def __init__(self, model: str = "", layer: int = DEFAULT_LAYER, idf: bool = False, baseline: float = 0.0, value: Value = "f1") -> None:
        if not baseline < 1:
            raise UsageError(f"A baseline of {baseline} leaves no room above it.", hint="It lies below 1.")
        self.model, self.layer, self.idf, self.baseline, self.value = model, layer, idf, baseline, value
        self._device = "cpu"
        self._progress: Progress = silent
        self._frequency: Counter[int] = Counter()
        self._fitted = 0

    @property
    def name(self) -> str:
        default = {"model": "", "layer": DEFAULT_LAYER, "idf": False, "baseline": 0.0, "value": "f1"}
        return printed("bertscore", default, model=self.model, layer=self.layer, idf=self.idf, baseline=self.baseline, value=self.value)

    def prepare(self, progress: Progress, device: str = "cpu") -> None:
        self._device, self._progress = device, progress

    def depends_on(self) -> dict[str, object]:
        return {"encoder": self._encoder().label, "layer": self.layer}

    def _encoder(self) -> Any:
        from ..text.encoder import load

        return load(self.model, self._device)

    def fit(self, references: Sequence[Sequence[str]]) -> None:
        """Document frequencies of tokens over all references, each one a document."""
        if not self.idf:
            return
        flat = well_formed([sentence.strip() for group in references for sentence in group])
        encoder = self._encoder()
        ids = encoder.tokenizer(flat, truncation=True, max_length=encoder.max_tokens)["input_ids"] if flat else []
        self._frequency = Counter(token for sentence in ids for token in set(sentence))
        self._fitted = len(flat)

    def score_indexed(self, *, candidates: Sequence[str], references: Sequence[str], candidate_index: IntArray, reference_index: IntArray, jobs: int = 1) -> FloatArray:
        return self.parts_indexed(candidates=candidates, references=references, candidate_index=candidate_index, reference_index=reference_index, jobs=jobs)[:, _PLACE[self.value]]

    def parts_indexed(self, *, candidates: Sequence[str], references: Sequence[str], candidate_index: IntArray, reference_index: IntArray, jobs: int = 1) -> FloatArray:
        """(pairs, 3): precision, recall, F1."""
        if self.idf and not self._fitted:
            raise UsageError("bertscore(idf=true) has seen no references to learn from.", hint="Call fit(references) first; `storymeter score` does.")
        ours, theirs = self._tokens(candidates), self._tokens(references)
        out = np.empty((len(candidate_index), 3))
        _native.greedy_matching(ours.vectors, ours.offset, self._weights(ours), theirs.vectors, theirs.offset, self._weights(theirs),
                                np.ascontiguousarray(candidate_index, dtype=np.int64), np.ascontiguousarray(reference_index, dtype=np.int64), out, threads=jobs)
        if self.baseline:
            out = (out - self.baseline) / (1 - self.baseline)
        said_nothing = np.array([not s.strip() for s in candidates])[candidate_index] | np.array([not s.strip() for s in references])[reference_index]
        out[said_nothing] = 0.0
        return out

    def _tokens(self, sentences: Sequence[str]) -> _Tokens:
        encoder = self._encoder()
        clean = well_formed([sentence.strip() for sentence in sentences])
        places: dict[str, int] = {}
        index = [places.setdefault(sentence, len(places)) for sentence in clean]
        ids: list[Any] = [None] * len(places)
        vectors: list[Any] = [None] * len(places)
        for row, tokens in encoder.token_vectors(list(places), layer=self.layer, progress=self._progress):
            norm = np.linalg.norm(tokens.vectors, axis=1, keepdims=True)
            ids[row], vectors[row] = tokens.ids, tokens.vectors / np.maximum(norm, 1e-12)
        return _Tokens([ids[k] for k in index], [vectors[k] for k in index], encoder.dimension)

    def _weights(self, tokens: _Tokens) -> FloatArray:
        if self.idf:
            flat = np.concatenate(tokens.ids) if tokens.ids else np.empty(0, np.int64)
            known = {token: np.log((self._fitted + 1) / (self._frequency[token] + 1)) for token in np.unique(flat).tolist()}
            return np.array([known[token] for token in flat.tolist()])
        weights = np.ones(len(tokens.vectors))
        ends = tokens.offset
        weights[ends[:-1]] = 0.0
        weights[ends[1:] - 1] = 0.0
        return weights
