"""Who says the same as whom? Captions of the same items by systems and people, every source against every
other.

After Graham et al. (PLOS ONE 2018), who found that the human captions of TRECVID 2016 were farther from the
systems' than the systems from each other: table 1 is the mean of a source to all others, figure 4 the
distribution between two people, figure 5 that of each source to the rest. Means over items, intervals by
drawing items again. A scorer that is not symmetric is asked both ways, and the mean counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..captions import Corpus
from ..context import Budget, Context
from ..errors import DataError, UsageError, first_few
from ..measure import asks_anyone
from ..options import Tokenizer
from ..pairs.scorer import PairScorer, open_scorer
from ..pairs.sentences import PairTable, sentences_for
from ..plugins import origin
from ..progress import Progress, silent
from ..registry import scorer as get_scorer
from ..scores import Signature
from ..stats.resampling import resample_counts

KINDS = ("human-human", "system-human", "system-system")


@dataclass(frozen=True, slots=True)
class Mean:
    value: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Similarity:
    """`values[p, i]`: how alike the sources `pairs[p]` speak of item `items[i]`."""

    names: tuple[str, ...]
    human: tuple[bool, ...]
    items: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    values: FloatArray
    scorer: str
    signature: str
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()

    def kind(self, pair: tuple[int, int]) -> str:
        return KINDS[2 - sum(self.human[k] for k in pair)]

    def of_kind(self, kind: str) -> FloatArray:
        """(pairs of that kind, items)"""
        return self.values[[self.kind(pair) == kind for pair in self.pairs]]

    def of_source(self, source: int, *, human: bool | None = None) -> FloatArray:
        """(other sources, items): to all others, or to people or systems only."""
        return self.values[
            [source in pair and human in (None, self.human[sum(pair) - source]) for pair in self.pairs]
        ]

    def matrix(self) -> FloatArray:
        """(sources, sources) of means; a source against itself has none."""
        out = np.full((len(self.names), len(self.names)), np.nan)
        for (a, b), row in zip(self.pairs, self.values, strict=True):
            out[a, b] = out[b, a] = row.mean()
        return out

    def means(self, rows: Sequence[FloatArray]) -> list[Mean | None]:
        """The mean of each of these selections with its interval; the items are drawn alike for all of them.
        None for an empty one.
        """
        columns = np.column_stack(
            [row.mean(axis=0) if len(row) else np.full(len(self.items), np.nan) for row in rows]
        )
        spread = None
        if self.resamples and len(self.items) > 1:
            drawn = np.vstack(
                [counts @ columns for counts in resample_counts(len(self.items), self.resamples, self.seed)]
            ) / len(self.items)
            spread = np.quantile(drawn, [0.025, 0.975], axis=0)
        return [
            (
                None
                if not len(row)
                else Mean(
                    float(columns[:, k].mean()),
                    None if spread is None else (float(spread[0, k]), float(spread[1, k])),
                )
            )
            for k, row in enumerate(rows)
        ]


def similarity(
    systems: Sequence[Corpus],
    people: Sequence[Corpus] = (),
    *,
    scorer: str | PairScorer = "sts",
    tokenizer: Tokenizer = "ptb",
    jobs: int = 1,
    resamples: int = 1000,
    seed: int = 0,
    device: str = "cpu",
    budget: Budget | None = None,
    progress: Progress = silent,
) -> Similarity:
    """Every source against every other, on the items that all of them describe.

    systems: captions by systems.
    people: captions by people.
    scorer: the scorer that compares two captions, or its name.
    tokenizer: how captions are split into words.
    jobs: threads; they never change a number.
    resamples, seed: bootstrap resamples of the intervals, and what they are drawn by.
    device: where models run: cpu, cuda …
    budget: what a judge may be asked.
    progress: called with what is being done, how much is done, and of how much.
    """
    corpora = [*systems, *people]
    if len(corpora) < 2:
        raise UsageError(
            "A similarity needs two sources of captions at least.",
            hint="Give more files with --systems or --human.",
        )
    texts = [
        {id: [document.text for document in documents] for id, documents in corpus.by_id().items()}
        for corpus in corpora
    ]
    items = sorted(id for id in texts[0] if all(id in known for known in texts))
    every = {id for known in texts for id in known}
    if not items:
        lonely = [
            f"{corpus.name}: {first_few(list(known), limit=2)}"
            for corpus, known in zip(corpora, texts, strict=True)
        ]
        raise DataError(
            f"No item is described by all {len(corpora)} sources ({'; '.join(lonely)}).",
            hint="The ids of documents must be the same in all files; see --id-map.",
        )
    pairs = tuple(combinations(range(len(corpora)), 2))
    judge = get_scorer(scorer) if isinstance(scorer, str) else scorer
    settings: dict[str, Any] = {"tokenizer": tokenizer, "jobs": jobs, "seed": seed, "device": device}
    context = Context(**settings, budget=budget or Budget(), progress=progress)
    sentences = sentences_for(context, judge)
    numbers = [[sentences.numbers(known[id]) for id in items] for known in texts]
    learnt = [[sentences.texts[k] for side in numbers for k in side[i]] for i in range(len(items))]

    def values_of(table: PairTable, note: Progress) -> FloatArray:
        values = np.empty((len(pairs), len(items)))
        for done, (a, b) in enumerate(pairs):
            note("pairs of sources", done, len(pairs))
            beside = list(zip(numbers[a], numbers[b], strict=True))
            sizes = [len(ours) * len(theirs) for ours, theirs in beside]  # of one author: all against all
            ours = np.concatenate([np.repeat(one, len(other)) for one, other in beside])
            theirs = np.concatenate([np.tile(other, len(one)) for one, other in beside])
            alike = table.values(ours, theirs, jobs=jobs, progress=note)
            if not judge.traits.symmetric:
                alike = (alike + table.values(theirs, ours, jobs=jobs, progress=note)) / 2
            values[done] = np.add.reduceat(alike, np.cumsum([0, *sizes[:-1]])) / sizes
        note("pairs of sources", len(pairs), len(pairs))
        return values

    def fitted() -> PairTable:
        return PairTable(open_scorer(context, judge).fit(learnt), sentences)

    def rehearse() -> object:
        return asks_anyone(judge) and values_of(fitted(), silent)

    with context.budget.announced(rehearse):
        table = fitted()
        values = values_of(table, progress)
    notes = (
        [
            f"{len(every) - len(items):,} of {len(every):,} items are not described by all sources and are"
            " left out."
        ]
        if len(every) > len(items)
        else []
    )
    signature = Signature.of(
        scorer=judge.name, tok=sentences.tokenizer, version=__version__, plugin=origin(judge)
    ).add(**table.model.depends_on())
    return Similarity(
        tuple(corpus.name for corpus in corpora),
        (*(False for _ in systems), *(True for _ in people)),
        tuple(items),
        pairs,
        values,
        judge.name,
        str(signature),
        resamples,
        seed,
        tuple(notes),
    )
