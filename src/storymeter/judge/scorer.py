"""A language model as a scorer: does the candidate say what the references say, by a mark of its own?

    judge(model=NAME,endpoint=URL)                  any OpenAI-compatible chat endpoint
    judge(model=FOLDER,engine=local)                a checkpoint, in this process
    soda_c(scorer=judge(model=NAME,endpoint=URL))   each distinct pair that overlaps in time once

A mark m on a scale from l to h counts (m - l) / (h - l). It is the expected value over the probabilities of
the mark's token where the endpoint gives them (Liu et al., G-Eval, EMNLP 2023), else the mark as written;
`n` samples are averaged. As a metric of documents the judge reads all references of a document in one
request, each once and sorted, so that their order cannot matter. An empty candidate counts 0 and is not
sent. A verdict that cannot be read is missing: it is counted and left out, never 0, and more than a share
`missing` of them is an error.

A judge is no measure like the others: who serves the model can change it. The signature therefore holds the
model as the server names it, the hashes of prompt and parameters, the engine and the days on which it
answered."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from ..arrays import FloatArray
from ..context import Budget, Context
from ..errors import DataError, StorymeterWarning, UsageError
from ..join import Task
from ..measure import Named, measure
from ..options import option
from ..pairs import PairModel, PairScorer, TextMetric, Traits, texts_of
from ..pairs.model import IndexedPairs, Unpack
from ..pairs.scorer import MODEL_TRAITS, open_scorer
from ..text.script import well_formed
from .asking import Answers, Asking, Engine, Question, Tally
from .endpoint import Address, Endpoint
from .local import Local, label_of
from .prompt import SCALES, Prompt, Shown, get as get_prompt, shown_of

#: what is asked of the probabilities of tokens: the most that public endpoints give
PROBABILITIES = {"logprobs": True, "top_logprobs": 20}


class JudgeModel(PairModel):
    """A judge at work: its answers so far, under the budget of the run."""

    scorer: Judge

    @cached_property
    def _budget(self) -> Budget:
        return Budget() if self.settings is None else self.settings.budget

    def score_indexed(self, *, jobs: int = 1, **pairs: Unpack[IndexedPairs]) -> FloatArray:
        ours = well_formed(pairs["candidates"])
        theirs = [(text,) for text in well_formed(pairs["references"])]
        return self._values(
            [ours[k] for k in pairs["candidate_index"].tolist()],
            [theirs[k] for k in pairs["reference_index"].tolist()],
        )

    def _pairs(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        return self._values(well_formed(candidates), _groups(references))

    def _statistics(self, candidates: list[str], references: list[list[str]], jobs: int) -> FloatArray:
        values = self._pairs(candidates, references, jobs)
        there = ~np.isnan(values)
        return np.column_stack([np.where(there, values, 0.0), there])

    def depends_on(self) -> dict[str, object]:
        """What the answers so far say of themselves."""
        tally = self._tally
        days = tally.first if tally.first == tally.last else f"{tally.first}..{tally.last}"
        return {
            "judge": "+".join(sorted(tally.models)) or self.scorer.model or None,
            "engine": self.scorer.engine,
            "prompt": self.scorer._prompt.label,
            "parameters": hashlib.sha256(
                msgspec.json.encode(self._parameters, order="deterministic")
            ).hexdigest()[:12],
            "marks": "+".join(
                word for word, count in (("expected", tally.expected), ("parsed", tally.parsed)) if count
            )
            or None,
            "answered": days or None,
        }

    @cached_property
    def _tally(self) -> Tally:
        return Tally()

    @cached_property
    def _answers(self) -> Answers:
        return Answers()

    @cached_property
    def _parameters(self) -> dict[str, Any]:
        """All that a reply depends on beside model, prompt and captions."""
        return {
            "scale": self.scorer.scale,
            "n": self.scorer.n,
            "temperature": self.scorer.temperature,
            "max_tokens": self.scorer.tokens,
            "logprobs": self.scorer.logprobs,
            "trial": self.scorer.trial,
            **({"frames": self.scorer.frames} if self.scorer._prompt.sees else {}),
        }

    def _values(
        self,
        candidates: Sequence[str],
        references: Sequence[tuple[str, ...]],
        shown: Sequence[tuple[Shown, ...]] = (),
    ) -> FloatArray:
        """The value of each candidate with its references; what says nothing counts 0 and is not sent."""
        if self.scorer._prompt.sees and not shown:
            raise UsageError(
                f"The prompt {self.scorer._prompt.name!r} shows pictures: it judges whole documents, not"
                " pairs of captions.",
                hint="Use it as a metric, with --images or --videos.",
            )
        reads = self.scorer._prompt.reads_references
        asked = [
            k
            for k, candidate in enumerate(candidates)
            if candidate.strip() and (not reads or any(each.strip() for each in references[k]))
        ]
        values = np.zeros(len(candidates))
        values[asked] = self._marks(
            [
                Question(candidates[k], references[k] if reads else (), shown[k] if shown else ())
                for k in asked
            ]
        )
        return values

    def _marks(self, questions: Sequence[Question]) -> FloatArray:
        before = self._tally.missing
        marks = self._asking().marks(questions)
        tally, fresh = self._tally, self._tally.missing - before
        if tally.missing > self.scorer.missing * tally.verdicts or tally.missing == tally.verdicts > 0:
            raise DataError(
                f"{tally.missing:,} of {tally.verdicts:,} verdicts of the judge are missing, more than the"
                f" share {self.scorer.missing:g} that may be: {tally.reason}.",
                hint="Try another model or prompt, longer replies (tokens=), or allow more (missing=0.2).",
            )
        if fresh:
            warnings.warn(
                f"{fresh:,} of {len(questions):,} verdicts of the judge are missing and left out (not counted"
                f" as 0): {tally.reason}.",
                StorymeterWarning,
                stacklevel=2,
            )
        return marks

    def _asking(self) -> Asking:
        if not self.scorer.model:
            raise UsageError(
                "The judge has no model.",
                hint="Write it like judge(model=NAME,endpoint=URL); endpoints list their models at"
                " /v1/models.",
            )
        who = self._locally() if self.scorer.engine == "local" else self._remotely()
        sent = {"temperature": self.scorer.temperature, "max_tokens": self.scorer.tokens}
        return Asking(
            self.scorer._prompt,
            SCALES[self.scorer.scale],
            {**sent, **PROBABILITIES} if self.scorer.logprobs else sent,
            self.scorer.n,
            {**who.identity, "prompt": self.scorer._prompt.label, **self._parameters},
            who.where,
            who.open_engine,
            self._answers,
            self._budget,
            self._tally,
            self.progress,
        )

    def _remotely(self) -> Who:
        address = Address(self.scorer.endpoint)
        return Who(
            f"{self.scorer.model} at {address.host}",
            {"engine": "endpoint", "at": address.base, "model": self.scorer.model},
            lambda: Endpoint(
                address,
                self.scorer.model,
                parallel=self.scorer.parallel,
                timeout=self.scorer.timeout,
                budget=self._budget,
            ),
        )

    def _locally(self) -> Who:
        label = label_of(self.scorer.model)
        return Who(
            label,
            {"engine": "local", "model": label},
            lambda: Local(self.scorer.model, label, self.device, self._budget),
        )


class JudgeText(TextMetric):
    """Of a document the judge reads all references at once, and sees its pictures."""

    _own = True
    scorer: Judge
    columns = ("value", "documents", "missing")

    def rows(self, task: Task, context: Context) -> FloatArray:
        """What counts, whether it counts, whether it is missing."""
        texts, bound = texts_of(context, task, "none"), open_scorer(context, self.scorer)
        sees = self.scorer._prompt.sees
        shown = shown_of(task.candidates, context.images, context.videos, self.scorer.frames) if sees else ()
        values = bound._values(well_formed(texts.candidates), _groups(texts.references), shown)
        there = ~np.isnan(values)
        return np.column_stack([np.where(there, values, 0.0), there, ~there])

    def combine(self, sums: FloatArray) -> dict[str, FloatArray]:
        all_of_them = np.maximum(sums[..., 1] + sums[..., 2], 1.0)
        return {"value": self.scorer._value_of(sums), "missing": np.asarray(sums[..., 2] / all_of_them)}

    def signature_fields(self, model: PairModel) -> dict[str, object]:
        return {"references": "together" if self.needs_references else None, **model.depends_on()}


@measure(
    Named("judge", "a language model's mark: does the candidate say what the references say?"),
    papers=("liu2023geval",),
)
@dataclass(frozen=True)
class Judge(PairScorer):
    model: str = option("", "the model's name at the endpoint; with engine=local a folder or a .gguf file")
    endpoint: str = option("", "an OpenAI-compatible address, such as http://127.0.0.1:8000/v1")
    prompt: str = option("adequacy", "the prompt: adequacy, support, dense, quality, seen, rdcap, or a file")
    scale: Literal["0-10", "1-5", "yes-no"] = option("0-10", "the scale of the marks")
    engine: Literal["endpoint", "local"] = option(
        "endpoint", "where the model runs: at an endpoint, or in this process"
    )
    n: int = option(1, "how many samples are averaged", low=1, high=100)
    temperature: float = option(0.0, "0: the likeliest reply; above: samples", low=0, high=2)
    tokens: int = option(16, "how long a reply may be", low=1, high=100_000)
    logprobs: bool = option(True, "whether the expected mark over token probabilities is read, where given")
    trial: int = option(
        0, "another number sends all requests again, to measure the agreement of the judge with itself", low=0
    )
    frames: int = option(8, "how many frames or images a judge of images is shown", low=1, high=256)
    missing: float = option(0.05, "the share of verdicts that may be missing", low=0, high=1)
    parallel: int = option(16, "number of parallel requests; does not change results", low=1, high=1024)
    timeout: float = option(120.0, "time limit of one request in seconds; does not change results", low=0.01)

    _model = JudgeModel
    _documents = JudgeText

    @property
    def traits(self) -> Traits:
        reads = self._prompt.reads_references
        return MODEL_TRAITS._replace(may_be_missing=True, asks=True, needs_references=reads)

    def _check_options(self) -> None:
        if self.n > 1 and self.temperature == 0:
            raise UsageError(
                f"At temperature 0 the {self.n} samples of a judge are all the same.",
                hint=f"Write judge(…,n={self.n},temperature=1).",
            )

    @cached_property
    def _prompt(self) -> Prompt:
        return get_prompt(self.prompt)

    def _value_of(self, sums: FloatArray) -> FloatArray:
        """A mean over nothing is no number: what is missing is not 0."""
        count = sums[..., 1]
        return np.asarray(np.where(count > 0, sums[..., 0] / np.maximum(count, 1.0), np.nan))


class Who(NamedTuple):
    """Who is asked: for people, for the key of an answer, and how to begin."""

    where: str
    identity: dict[str, Any]
    open_engine: Callable[[], Engine]


def _groups(references: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Each reference once, sorted: their order cannot matter."""
    return [tuple(sorted(set(well_formed(group)))) for group in references]
