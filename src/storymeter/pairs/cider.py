"""CIDEr (Vedantam et al., CVPR 2015): how alike are the n-grams of two texts, the rare ones counting most.

    g_n(s)_k = count of n-gram k in s * ln(N / max(1, df_k))          N items; df_k: items whose references
        hold k
    plain    = mean over references, mean over n = 1..4 of  g_n(c) . g_n(r) / (|g_n(c)| |g_n(r)|)
    CIDEr-D  = the same with min(g_n(c), g_n(r)) . g_n(r) above the line, times exp(-(|c| - |r|)^2 / (2
             sigma^2))

both times 10, without stemming. What captioning's tables call "CIDEr" is CIDEr-D with sigma 6: so the metrics
`cider` and `cider_d` are the same number here, and the paper's first formula is `cider(variant=plain)`. The
clipping, which keeps a repeated word from paying twice, compares raw counts.

idf: N and df come from the corpus that `fit` saw (`idf=corpus`), or from the references of each call
(`idf=video`, and whenever nothing was fitted): the older dense-captioning scripts call CIDEr once per video.
With one item only, every weight is ln 1 = 0 and so is the score. Document values average to the corpus value.

>>> Cider().pairs(candidates=["a b c d", "x"], references=[["a b c d"], ["x y"]]).round(6)
array([10.      ,  1.743384])
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np

from .. import _native
from ..errors import UsageError
from ..join import Task
from ..metric import MeanMetric, Setting, Tokenizer
from ..signature import Signature
from .base import FloatArray, IntArray, PairScorer
from .sentences import Batch, analyse, bounds_of, printed

Variant = Literal["d", "plain"]
SIGMA = 6.0


def _check(sigma: float) -> None:
    if not 0 < sigma < float("inf"):
        raise UsageError(
            f"CIDEr-D's sigma is a number above 0, not {sigma}.",
            hint="Everybody uses 6; cider(variant=plain) has no length penalty.",
        )


def _score(model: Any, batch: Batch, variant: Variant, sigma: float, jobs: int) -> FloatArray:
    d = variant == "d"
    values: FloatArray = model.score(*batch.arguments(), clip=d, sigma=sigma if d else 0.0, threads=jobs)
    return values


class Cider(PairScorer):
    range: ClassVar[tuple[float, float]] = (0.0, 10.0)
    over_references: ClassVar[Literal["max", "mean"]] = "mean"

    def __init__(
        self,
        variant: Variant = "d",
        idf: Literal["corpus", "video"] = "corpus",
        sigma: float = SIGMA,
        tokenizer: Tokenizer = "none",
    ) -> None:
        _check(sigma)
        self.variant, self.idf, self.sigma, self.tokenizer = variant, idf, sigma, tokenizer
        self._fitted: tuple[Any, Any] | None = None  # index, model

    @property
    def name(self) -> str:
        return printed(
            "cider",
            {"variant": "d", "idf": "corpus", "sigma": SIGMA, "tokenizer": "none"},
            variant=self.variant,
            idf=self.idf,
            sigma=self.sigma,
            tokenizer=self.tokenizer,
        )

    def fit(self, references: Sequence[Sequence[str]]) -> None:
        """Document frequencies of a reference corpus, one list per item; with `idf=video` there is nothing to
        learn.
        """
        if self.idf == "corpus":
            index, ids = analyse(list(chain.from_iterable(references)), tokenizer=self.tokenizer)
            self._fitted = (index, _native.CiderModel(index, ids, bounds_of(references)))

    def score_indexed(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        jobs: int = 1,
    ) -> FloatArray:
        """Without `fit`, each sentence of `references` is one item of the idf."""
        base, model = self._fitted or (None, None)
        batch = Batch.of_index(
            candidates=candidates,
            references=references,
            candidate_index=candidate_index,
            reference_index=reference_index,
            tokenizer=self.tokenizer,
            base=base,
        )
        if model is None:
            ids = batch.index.ids()[len(candidates) :]
            model = _native.CiderModel(batch.index, ids, np.arange(len(ids) + 1, dtype=np.int64))
        return _score(model, batch, self.variant, self.sigma, jobs)

    def pairs(
        self, *, candidates: Sequence[str], references: Sequence[Sequence[str]], jobs: int = 1
    ) -> FloatArray:
        """Without `fit`, each list of references is one item of the idf."""
        base, model = self._fitted or (None, None)
        batch = Batch.of_groups(
            candidates=candidates, references=references, tokenizer=self.tokenizer, base=base
        )
        model = model or _native.CiderModel(batch.index, batch.references, batch.bounds)
        return _score(model, batch, self.variant, self.sigma, jobs)

    def score_groups(
        self,
        *,
        sentences: Sequence[str],
        candidate_index: IntArray,
        reference_index: IntArray,
        pair_bounds: IntArray,
        item_index: IntArray,
        item_bounds: IntArray,
        jobs: int = 1,
    ) -> FloatArray:
        """Pairs in groups, each with an idf of its own: group g owns pairs pair_bounds[g]:pair_bounds[g+1],
        and its idf counts the references item_index[item_bounds[g]:item_bounds[g+1]], each one an item. What
        was fitted does not matter."""
        index, ids = analyse(sentences, tokenizer=self.tokenizer)
        d = self.variant == "d"
        values: FloatArray = _native.cider_by_group(
            index,
            ids[candidate_index],
            ids[reference_index],
            pair_bounds,
            ids[item_index],
            item_bounds,
            clip=d,
            sigma=self.sigma if d else 0.0,
            threads=jobs,
        )
        return values


class CiderMetric(MeanMetric):
    percent: ClassVar[bool] = True

    def __init__(self, variant: Variant = "d", sigma: float = SIGMA) -> None:
        _check(sigma)
        self.variant, self.sigma = variant, sigma

    @property
    def name(self) -> str:
        return printed("cider", {"variant": "d", "sigma": SIGMA}, variant=self.variant, sigma=self.sigma)

    def document_values(self, task: Task, setting: Setting) -> FloatArray:
        batch = Batch.of_task(task, setting)
        model = _native.CiderModel(batch.index, batch.references, batch.bounds)
        return _score(model, batch, self.variant, self.sigma, setting.jobs)[:, None]

    def signature(self, setting: Setting) -> Signature:
        d = self.variant == "d"
        return (
            super()
            .signature(setting)
            .add(variant="cider-d" if d else "plain", sigma=self.sigma if d else None, idf="references")
        )


class CiderD(Cider):
    """CIDEr-D under its own name."""

    def __init__(
        self, idf: Literal["corpus", "video"] = "corpus", sigma: float = SIGMA, tokenizer: Tokenizer = "none"
    ) -> None:
        super().__init__("d", idf, sigma, tokenizer)

    @property
    def name(self) -> str:
        return super().name.replace("cider", "cider_d", 1)


class CiderDMetric(CiderMetric):
    """CIDEr-D under its own name."""

    def __init__(self, sigma: float = SIGMA) -> None:
        super().__init__("d", sigma)

    @property
    def name(self) -> str:
        return super().name.replace("cider", "cider_d", 1)
