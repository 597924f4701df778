"""TIGEr: do candidate and reference speak of the same parts of the picture?  (After Jiang et al., EMNLP
    2019.)

A grounding model says how much each region r of the item's pictures has to do with a text T, as SCAN does
(Lee et al., ECCV 2018): the region picks from the nouns t of the text what it shows,

    a_r      = Σ_t α_rt · vector(t),   α_rt = softmax over t of 9 · cos(vector(r), vector(t))
    s_r(T)   = cos(vector(r), a_r)

RRS, region rank similarity: the nDCG of the candidate's order of regions, where a region gains what the
reference gives it above the least,

    RRS      = Σ_k g(c_k) / log2(k + 1)  over the same sum in the reference's own order,   g(r) = s_r(R) - min
             s(R),  c_k: k-th region by s(C)

WDS, weight distribution similarity: how little the candidate's shares of attention surprise who has the
reference's,

    WDS      = exp(-KL(P_R ‖ P_C)),   P_T(r) = softmax over r of 9 · s_r(T)

    tiger    = (RRS + WDS) / 2, the mean over references: 1 for a text that points where the reference points.

**These are not the published TIGEr's numbers.** Its model (SCAN on bottom-up attention) cannot be had; ours
is that of `rovist_vg`, or `model=` a folder that `storymeter train grounding` wrote, and it knows nouns only.
The gain above the least region and the exponential are ours, too: both spread values out.

A text without nouns grounds nothing: an item whose candidate or references have none scores 0, as does one
without pictures; parts `no_nouns` and `no_pictures` say how many. `missing=error` stops at pictures that are
not there, `missing=skip` goes on without them. Regions as in `rovist_vg`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from ..arrays import Float32, FloatArray
from ..context import Context
from ..join import Task
from ..measure import Named, measure
from ..options import option
from ..scores import Signature
from .documents import Missing
from .grounding import PictureStore, RegionMetric, noun_vectors
from .nouns import story_nouns

FOCUS = 9.0


def relevance(regions: Float32, nouns: Float32) -> FloatArray:
    """s of the module: one value per region. Both sides have vectors of length one."""
    alike = (regions @ nouns.T).astype(np.float64)
    attended = _softmax(FOCUS * alike) @ nouns.astype(np.float64)
    lengths = np.maximum(np.linalg.norm(attended, axis=1), 1e-12)
    return np.asarray((regions * attended).sum(axis=1) / lengths)


def rank_similarity(candidate: FloatArray, reference: FloatArray) -> float:
    """RRS. 1 where the reference prefers no region: every order is right then."""
    gain = reference - reference.min()
    discount = 1.0 / np.log2(np.arange(len(gain)) + 2.0)
    ideal = float(np.sort(gain)[::-1] @ discount)
    return float(gain[np.argsort(-candidate, kind="stable")] @ discount) / ideal if ideal > 0 else 1.0


def weight_similarity(candidate: FloatArray, reference: FloatArray) -> float:
    """WDS."""
    p, q = _softmax(FOCUS * reference), _softmax(FOCUS * candidate)
    return float(np.exp(-max(0.0, float(p @ np.log(p / q)))))


def _softmax(values: FloatArray) -> FloatArray:
    raised = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


@measure(
    Named("tiger", "do candidate and reference refer to the same regions of the picture? (after TIGEr)"),
    papers=("jiang2019",),
)
@dataclass(frozen=True)
class Tiger(RegionMetric):
    needs_references: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("value", "rank", "weights", "no_nouns", "no_pictures")

    missing: Missing = option("error", "missing pictures: stop, or continue without them")

    def document_values(self, task: Task, context: Context) -> FloatArray:
        store = self.store(context)
        items = [
            (candidate, *references)
            for candidate, references in zip(task.candidates, task.references, strict=True)
        ]
        shown = [store.pictures.shown(item) for item in items]
        store.pictures.check(shown, "tiger", missing=self.missing)
        told = story_nouns(list(chain.from_iterable(items)), context.progress)
        vectors = noun_vectors(told, store.space)
        every = iter(told)
        out = np.zeros((len(task), len(self.parts)))
        for k, (document, item) in enumerate(zip(shown, items, strict=True)):
            texts = [_stacked(next(every), vectors) for _ in item]
            out[k] = _scores(store, store.pictures.present(document), texts[0], texts[1:])
            context.progress("looking at pictures", k + 1, len(task))
        store.check_boxes()
        return out

    def signature(self, context: Context) -> Signature:
        return super().signature(context).add(references="mean", missing=self.missing)


def _stacked(story: Sequence[Sequence[str]], vectors: dict[str, Float32]) -> Float32 | None:
    """The vectors of a text's distinct nouns, None where it has none."""
    nouns = dict.fromkeys(noun for sentence in story for noun in sentence)
    return np.stack([vectors[noun] for noun in nouns]) if nouns else None


def _scores(
    store: PictureStore, names: Sequence[str], candidate: Float32 | None, references: Sequence[Float32 | None]
) -> list[float]:
    grounded = [reference for reference in references if reference is not None]
    silent = candidate is None or not grounded
    if candidate is None or silent or not names:
        return [0.0, 0.0, 0.0, float(silent), float(not names)]
    regions = np.concatenate([store.get(name)[0] for name in names])
    ours = relevance(regions, candidate)
    theirs = [relevance(regions, reference) for reference in grounded]
    rank = float(np.mean([rank_similarity(ours, other) for other in theirs]))
    weights = float(np.mean([weight_similarity(ours, other) for other in theirs]))
    return [(rank + weights) / 2, rank, weights, 0.0, 0.0]
