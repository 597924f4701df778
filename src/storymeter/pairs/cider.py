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
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np

from .. import _native
from ..arrays import FloatArray
from ..context import Context
from ..errors import UsageError
from ..join import Task
from ..measure import Named, measure
from ..options import ScorerTokenizer, option
from ..scores import CorpusCounts, Rows
from .documents import TextMetric
from .model import IndexedPairs, PairGroups, PairModel, Unpack, tokenized_by
from .scorer import TOKENIZER_OPTION, PairScorer, Traits
from .sentences import NgramBatch, analyse, bounds_of, ngrams_of


class CiderModel(PairModel):
    """CIDEr at work, with the idf of the corpus that it was fitted to."""

    scorer: Cider
    #: the index and the model that `fit` made
    _fitted: tuple[Any, Any] = (None, None)

    def fit(self, references: Sequence[Sequence[str]]) -> CiderModel:
        """With document frequencies of a reference corpus, one list per item; with `idf=video` there is
        nothing to learn."""
        if self.scorer.idf == "video":
            return self
        index, ids = analyse(self._read(list(chain.from_iterable(references)), "references"))
        fitted = CiderModel(self.scorer, self.settings, tokenised=self.tokenised)
        fitted._learnt = references
        fitted._fitted = index, _native.CiderModel(index, ids, bounds_of(references))
        return fitted

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        """Without `fit`, each sentence of `references` is one item of the idf."""
        base, model = self._fitted
        batch = NgramBatch.of_index(**pairs, base=base)
        if model is None:
            ids = batch.index.ids()[len(pairs["candidates"]) :]
            model = _native.CiderModel(batch.index, ids, np.arange(len(ids) + 1, dtype=np.int64))
        return self.scorer._score(model, batch, jobs)

    def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        """Without `fit`, each list of references is one item of the idf."""
        base, model = self._fitted
        batch = NgramBatch.of_groups(candidates=candidates, references=references, base=base)
        return self.scorer._score(
            model or _native.CiderModel(batch.index, batch.references, batch.bounds), batch, jobs
        )

    def score_groups(self, *, jobs: int = 1, **groups: Unpack[PairGroups]) -> FloatArray:
        """Each group's idf counts its own references, each one an item. What was fitted does not matter."""
        index, ids = analyse(groups["sentences"])
        return _native.cider_by_group(
            index,
            ids[groups["candidate_index"]],
            ids[groups["reference_index"]],
            groups["pair_bounds"],
            ids[groups["item_index"]],
            groups["item_bounds"],
            **self.scorer._penalty(),
            threads=jobs,
        )


class CiderText(TextMetric):
    """The mean over documents; every item of the corpus gives the idf."""

    _own = True
    scorer: Cider

    def rows(self, task: Task, context: Context) -> Rows | FloatArray:
        """Of documents: every item of the corpus gives the idf."""
        if self.scorer.idf == "video":
            raise UsageError(
                f"{self.name} of whole documents would be 0: a video has one document.",
                hint="Leave idf out; idf=video belongs into anet(scorer=…) and soda_c(scorer=…).",
            )
        batch = ngrams_of(context, task, tokenized_by(self.scorer, context.tokenizer))
        if context.frequencies is None:
            model = _native.CiderModel(batch.index, *batch.corpus)
        else:
            known = context.frequencies(batch.index.gram_hashes())
            model = _native.CiderModel.of_frequencies(batch.index, known.items, known.counts.astype(float))
        return np.column_stack([self.scorer._score(model, batch, context.jobs), np.ones(len(task))])

    def unshardable_reason(self) -> str:
        return ""

    def corpus_counts(self, task: Task, context: Context) -> CorpusCounts | None:
        """In how many documents' references each n-gram stands, by its hash. A hash of 64 bits is the same
        for two n-grams about once in thirty corpora of a billion distinct ones."""
        batch = ngrams_of(context, task, tokenized_by(self.scorer, context.tokenizer))
        counts = _native.item_frequencies(batch.index, *batch.corpus)
        seen = np.flatnonzero(counts)
        return CorpusCounts(
            len(task) + len(task.unscored), batch.index.gram_hashes()[seen], counts[seen].astype(np.int64)
        )

    @property
    def needs_corpus_counts(self) -> bool:
        return True

    def signature_fields(self, model: PairModel) -> dict[str, object]:
        d = self.scorer.variant == "d"
        return {
            "variant": "cider-d" if d else "plain",
            "sigma": self.scorer.sigma if d else None,
            "idf": "references",
        }


@measure(
    Named(
        "cider", "n-grams weighted by rarity, what captioning calls CIDEr: CIDEr-D, sigma 6", called="cider"
    ),
    Named("cider_d", "the same number as cider, under the name of the paper", called="cider_d"),
    papers=("vedantam2015",),
)
@dataclass(frozen=True)
class Cider(PairScorer):
    called: Literal["cider", "cider_d"] = option("cider", "the name in tables")
    variant: Literal["d", "plain"] = option("d", "CIDEr-D, or the paper's first formula")
    idf: Literal["corpus", "video"] = option(
        "corpus", "rarity in all references, or in those of each video alone"
    )
    sigma: float = option(6.0, "width of CIDEr-D's length penalty", low=1e-9)
    tokenizer: ScorerTokenizer = option("run", TOKENIZER_OPTION)

    _model = CiderModel
    _documents = CiderText

    @property
    def traits(self) -> Traits:
        per_video = self.idf == "video"
        return Traits(range=(0.0, 10.0), over_references="mean", learns=True, fits_per_video=per_video)

    def _check_options(self) -> None:
        if self.called == "cider_d" and self.variant != "d":
            raise UsageError("cider_d is CIDEr-D.", hint="The paper's first formula is cider(variant=plain).")

    def _score(self, model: _native.CiderModel, batch: NgramBatch, jobs: int) -> FloatArray:
        return model.score(*batch.arguments(), **self._penalty(), threads=jobs)

    def _penalty(self) -> dict[str, Any]:
        d = self.variant == "d"
        return {"clip": d, "sigma": self.sigma if d else 0.0}
