"""Rewards that trainers can call as they are.

    reward = SodaReward()                                   # references come with the batch
    reward = CiderDReward(references={"v_1": ["a man runs", …], …})     # idf of the whole training set

| trainer | call | result |
|---|---|---|
| TRL | `f(prompts=, completions=, completion_ids=, **columns)`, texts or chat messages | list of floats |
| ms-swift | `f(completions, **columns)`; the class itself in `orms` | list of floats |
| verl | `f(data_source=, solution_str=, ground_truth=, extra_info=)` | float |
| EasyR1 | `f([{"response": …, "ground_truth": …}, …])` | list of `{"overall": float}` |

The references of an answer are those that were given for its id, or those in a column of the data set:
`references`, `ground_truth`, `solution`, `captions` (the first that is there, or `reference_column=`).
Rewards of timed captions read the answer with `storymeter.read_answer`; an answer that cannot be read gets
the reward `unreadable` (0 unless given), and is counted: `reward.unread` of `reward.answers`, and in TRL the
metric `unreadable/SodaReward` of every step, by its `log_metric`. A reward is the metric's value of the one
document, without the factor 100.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from .. import engine
from ..captions import Caption, Corpus, Document
from ..errors import UsageError, first_few
from ..formats.prose import parse_value, read_answer
from ..join import Coverage, Task
from ..registry import metric as get_metric
from .fitted import CiderD

REFERENCE_COLUMNS = (
    *("references", "reference", "ground_truth", "solution", "captions", "target", "targets", "label"),
    *("labels", "answer", "gt"),
)
#: distinct references of a data set whose captions are kept from step to step
KEPT_REFERENCES = 20_000
ID_COLUMNS = ("video_id", "id", "video", "vid", "image_id", "item", "name")
_THOUGHT = re.compile(r"(?:<think(?:ing)?>|\A).*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FINAL = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL | re.IGNORECASE)


class TrainerReward:
    """The reward of an answer is its value by `metric`; see the module for how trainers call it.

    `references`: captions by id, as texts or timed captions, or a `Corpus`; `unreadable`: the reward of an
    answer without a readable caption; `reference_column`, `id_column`: columns of the data set; `jobs`:
    threads. `args` is what ms-swift gives to every reward, and is not used.
    """

    metric: ClassVar[str] = "meteor"
    timed: ClassVar[bool] = False

    def __init__(
        self,
        references: Mapping[Any, Any] | Corpus | None = None,
        *,
        unreadable: float = 0.0,
        reference_column: str | None = None,
        id_column: str | None = None,
        protocol: str = "paper",
        jobs: int = 1,
        args: object = None,
    ) -> None:
        get_metric(self.metric)  # an unknown name is an error now, not in the first step of training
        self.unreadable, self.protocol, self.jobs = float(unreadable), protocol, jobs
        self.reference_column, self.id_column = reference_column, id_column
        self.__name__ = type(self).__name__
        #: answers that were rewarded, and those among them that could not be read
        self.answers = self.unread = 0
        self._read_references: dict[bytes, tuple[Document, ...]] = {}
        given = references.by_id() if isinstance(references, Corpus) else references or {}
        self._references = {id: self._documents(value, f"of {id!r}") for id, value in given.items()}

    @classmethod
    def fit(cls, references: Mapping[Any, Any] | Corpus, **options: Any) -> TrainerReward:
        """The same as calling the class with `references`."""
        return cls(references, **options)

    def __call__(self, completions: Any = None, **columns: Any) -> Any:
        """Rewards in the shape that the caller expects; see the module."""
        if completions is None and "solution_str" in columns:
            return self._verl(columns)
        if completions is None:
            raise UsageError("There are no completions to reward.", hint="Give completions=[text, …].")
        if isinstance(completions, str):
            raise UsageError("completions are one string.", hint="Give a list: completions=[text, …].")
        listed = list(completions)
        if listed and all(isinstance(each, Mapping) and "response" in each for each in listed):
            keys = dict.fromkeys(key for each in listed for key in each if key != "response")
            rows = {key: [each.get(key) for each in listed] for key in keys}
            values = self.rewards([each["response"] for each in listed], rows)
            return [{"overall": value} for value in values]
        return self.rewards([_text(each) for each in listed], columns)

    def _verl(self, columns: Mapping[str, Any]) -> float:
        extra = columns.get("extra_info") or {}
        rows = {key: [value] for key, value in extra.items()}
        if columns.get("ground_truth") is not None:
            rows["ground_truth"] = [columns["ground_truth"]]
        return self.rewards([_text(columns["solution_str"])], rows)[0]

    def rewards(self, answers: Sequence[str], columns: Mapping[str, Any]) -> list[float]:
        """The reward of each answer; `columns` hold one entry per answer."""
        references = self._of_batch(len(answers), columns)
        durations = _column(columns, ("duration",), len(answers)) or [None] * len(answers)
        found = [self._read(answer, duration) for answer, duration in zip(answers, durations, strict=True)]
        values = [self.unreadable] * len(answers)
        readable = [k for k, captions in enumerate(found) if captions is not None]
        self.answers, self.unread = self.answers + len(found), self.unread + len(found) - len(readable)
        if found and callable(log := columns.get("log_metric")):
            log(f"unreadable/{self.__name__}", 1 - len(readable) / len(found))
        if readable:
            documents = [Document(f"{k:09d}", found[k] or ()) for k in readable]
            scored = self._values(documents, [references[k] for k in readable])
            for k, value in zip(readable, scored, strict=True):
                values[k] = value
        return values

    def _values(self, documents: list[Document], references: list[tuple[Document, ...]]) -> list[float]:
        ids = tuple(document.id for document in documents)
        task = Task("answers", ids, tuple(documents), tuple(references), Coverage(len(ids)))
        run = engine.Run(protocol=self.protocol, jobs=self.jobs)
        (metric,) = run.resolve_metrics([self.metric], task=task).values()
        rows = metric.checked(metric.rows(task, run.context), task).values
        return [float(value) for value in metric.by_document(rows)]

    def _read(self, answer: str, duration: float | None) -> tuple[Caption, ...] | None:
        """The captions of an answer; None where it cannot be read."""
        if self.timed:
            read = read_answer(answer, duration)
            return read.captions if read.readable else None
        text = _final(answer)
        return (Caption(text),) if text else None

    def _of_batch(self, count: int, columns: Mapping[str, Any]) -> list[tuple[Document, ...]]:
        """The references of each answer of a batch."""
        names = [self.id_column] if self.id_column else ID_COLUMNS
        ids = _column(columns, names, count) if self._references else None
        if ids is not None:
            unknown = [id for id in ids if id not in self._references]
            if not unknown:
                return [self._references[id] for id in ids]
            if self.id_column:
                raise UsageError(
                    f"{len(unknown):,} of {count:,} ids have no references: {first_few(unknown)}",
                    hint="Give references for every id of the data set.",
                )
        wanted = [self.reference_column] if self.reference_column else REFERENCE_COLUMNS
        values = _column(columns, wanted, count)
        if values is None:
            raise UsageError(
                f"The batch has no references: its columns are {', '.join(columns) or 'none'}.",
                hint=f"Name a column of the data set: {type(self).__name__}(reference_column=…), or give"
                " references by id.",
            )
        return [self._kept(value, f"of answer {k}") for k, value in enumerate(values)]

    def _kept(self, value: Any, whose: str) -> tuple[Document, ...]:
        """References of a column, read once for all answers and steps that have the same."""
        key = msgspec.json.encode(value, enc_hook=repr)
        if key not in self._read_references:
            if len(self._read_references) >= KEPT_REFERENCES:
                self._read_references.clear()
            self._read_references[key] = self._documents(value, whose)
        return self._read_references[key]

    def _documents(self, value: Any, whose: str) -> tuple[Document, ...]:
        """References as documents, one per annotator or alternative."""
        found = timed_documents(value) if self.timed else untimed_documents(value)
        if not found or not all(document.captions for document in found):
            example = '[{"start": 0, "end": 4.5, "caption": "…"}]' if self.timed else '["…", "…"]'
            raise UsageError(
                f"The references {whose} hold no {'timed ' if self.timed else ''}caption.",
                hint=f"Give them like {example}.",
            )
        return found


class SodaReward(TrainerReward):
    """SODA c with METEOR (Fujita et al., ECCV 2020) of the timed captions in an answer; 0 to 1."""

    metric = "soda_c"
    timed = True


class AnetReward(TrainerReward):
    """The ActivityNet score with METEOR, mean over the thresholds; 0 to 1."""

    metric = "anet"
    timed = True


class MeteorReward(TrainerReward):
    """METEOR 1.5 of one caption against its references; 0 to 1."""

    metric = "meteor"


class BleuReward(TrainerReward):
    """Sentence BLEU-4, smoothed as pycocoevalcap does; 0 to 1."""

    metric = "bleu_4(level=sentence)"


class FactsReward(TrainerReward):
    """The share of facts that the references support (`storymeter.pairs.Facts`); 0 to 1."""

    metric = "facts"


class CiderDReward(TrainerReward):
    """CIDEr-D with the idf of `references`, which must be the whole training set; 0 to 10."""

    metric = "cider_d"

    def __init__(self, references: Mapping[Any, Any] | Corpus | None = None, **options: Any) -> None:
        super().__init__(references, **options)
        self._fitted: CiderD | None = None
        if self._references:
            texts = {id: [d.text for d in group] for id, group in self._references.items()}
            self._fitted = CiderD.fit(texts, tokenizer="ptb")

    def _values(self, documents: list[Document], references: list[tuple[Document, ...]]) -> list[float]:
        if self._fitted is None:
            raise UsageError(
                "CIDEr-D weighs words by the references of the whole training set.",
                hint="Give them: CiderDReward(references={id: [caption, …], …}).",
            )
        texts = [document.text for document in documents]
        groups = [[document.text for document in group] for group in references]
        return [float(v) for v in self._fitted(texts, references=groups, jobs=self.jobs)]


def _text(completion: Any) -> str:
    """The text of a completion: a string, or chat messages whose assistant speaks last."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return _text(completion.get("content") or completion.get("text") or "")
    if isinstance(completion, Sequence) and completion and isinstance(completion[0], Mapping):
        if "role" in completion[0]:
            return _text(completion[-1])
        return "".join(_text(part) for part in completion if part.get("type", "text") == "text")
    if isinstance(completion, Sequence) and not completion:
        return ""
    raise UsageError(
        f"A completion is a text or a list of messages, not {type(completion).__name__}.",
        hint='Give completions=["…"] or completions=[[{"role": "assistant", "content": "…"}]].',
    )


def _final(answer: str) -> str:
    """An untimed answer without reasoning and tags."""
    text = _THOUGHT.sub("", answer, count=1) if "</think" in answer.lower() else answer
    inside = _FINAL.search(text)
    return " ".join((inside[1] if inside else text).split())


def _column(columns: Mapping[str, Any], names: Sequence[str], count: int) -> list[Any] | None:
    name = next((name for name in names if columns.get(name) is not None), None)
    if name is None:
        return None
    values = list(columns[name]) if not isinstance(columns[name], str | Mapping) else [columns[name]]
    if len(values) != count:
        raise UsageError(
            f"The column {name} has {len(values):,} entries for {count:,} completions.",
            hint="A column of the batch has one entry per completion.",
        )
    return None if all(value is None for value in values) else values


def untimed_documents(value: Any) -> tuple[Document, ...]:
    """Captions without times, one document each: a text, a list of texts, a record."""
    if isinstance(value, Document):
        return (value,)
    if isinstance(value, str):
        return (Document("", (Caption(value),)),) if value.strip() else ()
    if isinstance(value, Mapping):
        return untimed_documents(
            next((value[k] for k in (*REFERENCE_COLUMNS, "caption", "text") if k in value), "")
        )
    return tuple(document for each in value or () for document in untimed_documents(each))


def timed_documents(value: Any) -> tuple[Document, ...]:
    """One annotator, or a list of them: documents, answers as texts, JSON with times."""
    if isinstance(value, Document):
        return (value,)
    if isinstance(value, str):
        return (Document("", read_answer(value).captions),)
    if isinstance(value, Sequence) and value and isinstance(value[0], Document | str):
        if isinstance(value[0], str) or not all(isinstance(each, Document) for each in value):
            return tuple(document for each in value for document in timed_documents(each))
        return tuple(value)
    found = parse_value(value)
    return (Document("", tuple(Caption(each.text, each.start, each.end) for each in found.captions)),)
