"""What the tasks that `storymeter harness lmms-eval` writes call while lmms-eval runs.

lmms-eval calls `documents` once per process, `results` per answer (in several threads) and an aggregation per
metric on all items. An aggregation gives the value of `storymeter score` on the same answers, in percent.
Then lmms-eval takes `Stderr_CLT` from the field `score` of the items. Corpus values such as BLEU are no means
of videos, so the field holds the pseudo-value of the video, n * all - (n - 1) * all without it (Tukey 1958),
in percent: their standard error is the jackknife's. For means (SODA c, CIDEr, the ActivityNet score) it is
the value of the video itself. `--baseline` compares the number `score` of each sample, a share from 0 to 1:
the value of the video by the first metric of the task.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..captions import Caption, Corpus, Document
from ..engine.run import Run
from ..errors import UsageError
from ..formats import corpus_from_records
from ..formats.prose import read_answer
from ..rewards import CiderD, SodaReward
from . import TASKS, HarnessTask, to_corpora, to_rows

ENDINGS = (".mp4", ".mkv", ".webm", ".MP4", ".avi", ".mov")


@cache
def task(name: str, protocol: str = "paper", module: str = "") -> Runtime:
    """The task of a written module; one per process, as lmms-eval imports that module many times."""
    return Runtime(TASKS[name], protocol, Path(module).parent)


class Runtime:
    """A task while it runs: the references of all videos, and the scores of the answers."""

    def __init__(self, task: HarnessTask, protocol: str = "paper", folder: Path = Path()) -> None:
        self.task, self.protocol, self.folder = task, protocol, folder
        self.references: list[Corpus] = []
        self._first: Callable[[str, str], float] | None = None
        self._scored: tuple[Any, dict[str, tuple[float, dict[str, float]]]] = (None, {})
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: object) -> Runtime:
        return self  # lmms-eval copies the configuration of a task, and with it the methods named there

    def documents(self, dataset: Any) -> Any:
        """`process_docs`: one row per video, with the references of all its annotators or captions."""
        if "references" not in dataset.column_names:
            import datasets

            wanted = [name for name in dataset.column_names if name in self.task.columns.values()]
            rows = dataset.select_columns(wanted).to_list()
            found = corpus_from_records(rows, role="references", columns=self.task.columns)
            dataset = datasets.Dataset.from_list(to_rows([found]))
        self.references = to_corpora(dataset.select_columns(["video_id", "duration", "references"]))
        self._first, self._scored = None, (None, {})
        return dataset

    def visual(self, doc: Mapping[str, Any], lmms_eval_specific_kwargs: Any = None) -> list[str]:
        """`doc_to_visual`: the path of the video, with the ending that is there."""
        videos = os.path.expandvars((lmms_eval_specific_kwargs or {}).get("videos", ""))
        path = self.folder / Path(videos).expanduser() / doc["video"]
        names = [path, *(path.with_name(path.name + ending) for ending in ENDINGS)]
        return [str(next((name for name in names if name.is_file()), names[1]))]

    def prompt(self, doc: Mapping[str, Any], lmms_eval_specific_kwargs: Any = None) -> str:
        """`doc_to_text`."""
        return str((lmms_eval_specific_kwargs or {}).get("prompt", self.task.prompt))

    def target(self, doc: Mapping[str, Any]) -> str:
        """`doc_to_target`, which only logs show: the first reference."""
        reference = to_corpora([doc])[0].documents[0]
        return "\n".join(
            f"{c.start:g} - {c.end:g}: {c.text}" if c.timed else c.text for c in reference.captions
        )

    def results(self, doc: Mapping[str, Any], result: Sequence[str]) -> dict[str, Any]:
        """`process_results`: what the aggregations need of one answer."""
        answer, video = (result[0] if result else "") or "", doc["video_id"]
        # no metric of its own, but lmms-eval keeps it in the log, which has nothing else of the document
        found: dict[str, Any] = {"video_id": video}
        found |= {name: {"document": video, "answer": answer, "score": 0.0} for name in self.task.metrics}
        unread = [*_unread(answer)] if self.task.timed else []
        lost = self.captions(answer) is None
        found["unreadable"] = {"score": 100.0 * lost, "unread": unread}
        found["score"] = 0.0 if lost else self.first(video, answer)
        return found

    def captions(self, answer: str) -> tuple[Caption, ...] | None:
        """The captions of an answer; None where nothing can be read."""
        if self.task.timed:
            read = read_answer(answer)
            return read.captions if read.readable else None
        return (Caption(answer),) if answer.strip() else None

    def first(self, video: str, answer: str) -> float:
        """The value of one video by the first metric of the task, as a share."""
        with self._lock:
            if self._first is None:
                self._first = self._fitted()
        return self._first(video, answer)

    def _fitted(self) -> Callable[[str, str], float]:
        by_id: dict[str, list[Document]] = {}
        for corpus in self.references:
            for document in corpus:
                by_id.setdefault(document.id, []).append(document)
        if self.task.timed:
            soda = SodaReward(by_id, protocol=self.protocol)
            return lambda video, answer: float(soda([answer], video_id=[video])[0])
        texts = {id: [document.text for document in group] for id, group in by_id.items()}
        cider = CiderD.fit(texts, tokenizer=self.task.tokenizer)
        return lambda video, answer: float(cider([answer], ids=[video])[0])

    def aggregation(self, name: str) -> Callable[[list[Any]], float]:
        """The aggregation of a metric: its value in percent."""
        if name == "unreadable":
            return lambda items: float(np.mean([item["score"] for item in items]))
        if name not in self.task.metrics:
            raise AttributeError(f"The task {self.task.name} has no metric {name!r}.")

        def aggregate(items: list[Any]) -> float:
            value, each = self.scores(items)[name]
            for item in items:
                item["score"] = each[item["document"]]
            return value

        return aggregate

    def scores(self, items: Sequence[Mapping[str, str]]) -> dict[str, tuple[float, dict[str, float]]]:
        """By metric: the value in percent, and the pseudo-value of each video."""
        answers = {item["document"]: item["answer"] for item in items}
        if self._scored[0] != answers:
            self._scored = (answers, self._score(answers))
        return self._scored[1]

    def _score(self, answers: Mapping[str, str]) -> dict[str, tuple[float, dict[str, float]]]:
        if not self.references:
            raise UsageError("The task has no references.", hint="Its file names documents as process_docs.")
        said = tuple(Document(id, self.captions(answer) or ()) for id, answer in answers.items())
        expected = {document.id for corpus in self.references for document in corpus}
        # with --limit, the other videos are no part of the score; idf is that of all references in any case
        protocol = self.protocol if len(answers) == len(expected) else f"{self.protocol}+missing=skip"
        run = Run(self.references, protocol=protocol, tokenizer=self.task.tokenizer)
        results = run.score(Corpus(said, "answers"), list(self.task.metrics.values()), 0)
        found = {}
        for name, metric, score in zip(
            self.task.metrics, results.metrics, results.systems[0].scores, strict=True
        ):
            _log(f"{self.task.harness_name} {name}: {score.signature}")
            assert score.rows is not None  # noqa: S101 - all metrics of the tasks keep rows
            n, rows = len(score.rows), score.rows
            without = np.asarray(metric.combine(rows.sum(axis=0) - rows)["value"]) if n > 1 else score.value
            pseudo = np.broadcast_to((n * score.value - (n - 1) * without) * score.scale, n)
            found[name] = (score.percent, dict(zip(score.ids, pseudo.tolist(), strict=True)))
        return found


def _unread(answer: str) -> list[str]:
    return [f"line {part.line}: {part.reason}" for part in read_answer(answer).unread]


def _log(message: str) -> None:
    """Into the log of lmms-eval."""
    try:
        from loguru import logger
    except ImportError:
        return
    logger.info(message)
