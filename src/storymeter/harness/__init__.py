"""Ready tasks for evaluation harnesses: the harness runs the model, Storymeter reads and scores the answers.

>>> from storymeter.harness import TASKS
>>> TASKS["activitynet"].metrics["tiou_f1"]
'localisation'

`write_lmms_eval(folder, references)` writes tasks for `lmms-eval --include_path` (the command
`storymeter harness lmms-eval`): per task a YAML file, a module, and local data. docs/harnesses.md shows them
at work.

References as rows of a data set: one row per video, all annotators in one field, and back.

>>> corpus = Corpus((Document("v1", (Caption("a dog runs", 0.0, 4.5),), 9.0),))
>>> (row,) = to_rows([corpus])
>>> row["video_id"], row["duration"], row["references"]
('v1', 9.0, '[{"annotator":0,"captions":[{"start":0.0,"end":4.5,"caption":"a dog runs"}]}]')
>>> to_corpora([row])[0].documents == corpus.documents
True
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from ..captions import Caption, Corpus, Document
from ..errors import DataError, UsageError, suggest
from ..files import write_text
from ..formats import read
from ..options import Tokenizer
from ..protocol import get

__all__ = ["TASKS", "HarnessTask", "write_lmms_eval"]

EVENTS = (
    "Describe the events of this video in the order in which they happen. Write one line per event: its start"
    " time, its end time, and one sentence, like this:\n"
    "0:05 - 0:12: A man opens the door.\nWrite nothing else."
)
STEPS = EVENTS.replace("events of this video", "steps of this instructional video").replace("event:", "step:")
STEPS = STEPS.replace("A man opens the door.", "Chop the onions.")
TAGS = STEPS.replace("one sentence", "a few words").replace("Chop the onions.", "Chopping onions")
CHAPTERS = (
    "Divide this video into chapters. Write one line per chapter: its start time, its end time, and a short"
    " title, like this:\n0:00 - 1:30: Introduction\nWrite nothing else."
)
SENTENCE = "Describe this video in one sentence."
#: name in the harness -> metric of Storymeter
TIMED = {
    "soda_c": "soda_c",
    "anet_meteor": "anet",
    "anet_cider": "anet(scorer=cider)",
    "tiou_f1": "localisation",
}
SINGLE = {"cider": "cider", "meteor": "meteor", "bleu_4": "bleu_4", "rouge_l": "rouge_l"}


def __dir__() -> list[str]:
    return sorted(__all__)


@dataclass(frozen=True)
class HarnessTask:
    """One task: `metrics` maps names in the harness to metrics; the first one is compared with a baseline.

    `hub`, `config` and `split` name a data set of the Hugging Face hub (empty: none is known), `columns` its
    fields; `unpacked` is the folder below `HF_HOME` into which the harness unpacks its videos.
    """

    name: str
    title: str
    prompt: str
    metrics: Mapping[str, str] = field(default_factory=lambda: TIMED)
    tokenizer: Tokenizer = "ptb"
    hub: str = ""
    config: str = ""
    split: str = "val"
    unpacked: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def timed(self) -> bool:
        """Whether answers hold several captions with times."""
        return "soda_c" in self.metrics

    @property
    def harness_name(self) -> str:
        """The name of the task in the harness."""
        return f"storymeter_{self.name}"


TASKS: Mapping[str, HarnessTask] = {
    task.name: task
    for task in (
        HarnessTask("activitynet", "ActivityNet Captions (Krishna et al., 2017)", EVENTS),
        HarnessTask(
            "youcook2",
            "YouCook2, whole videos (Zhou et al., 2018)",
            STEPS,
            hub="lmms-eval/YouCook2",
            columns={"video": "youtube_id", "segment": "segment", "text": "sentence"},
        ),
        HarnessTask("vitt", "ViTT, timed tags of instructional videos (Huang et al., 2020)", TAGS),
        HarnessTask("chapters", "Chapters, such as VidChapters (Yang et al., 2023)", CHAPTERS),
        HarnessTask("msrvtt", "MSR-VTT (Xu et al., 2016)", SENTENCE, SINGLE),
        HarnessTask(
            "vatex",
            "VATEX, English (Wang et al., 2019)",
            SENTENCE,
            SINGLE,
            hub="lmms-eval/VATEX",
            config="vatex_test",
            split="test",
            unpacked="vatex_test",
            columns={"video": "videoID", "text": "enCap"},
        ),
        HarnessTask(
            "vatex_zh",
            "VATEX, Chinese (Wang et al., 2019)",
            "请用一句话描述这段视频。",
            {name: name for name in SINGLE if name != "meteor"},  # METEOR's tables are English
            tokenizer="zh",
            hub="lmms-eval/VATEX_ZH",
            config="vatex_val_zh",
            split="validation",
            unpacked="vatex_val_zh",
            columns={"video": "videoID", "text": "chCap"},
        ),
    )
}


def to_rows(corpora: Sequence[Corpus]) -> list[dict[str, Any]]:
    """A row for every id of the references, in the order of the files."""
    found: dict[str, dict[str, Any]] = {}
    for annotator, corpus in enumerate(corpora):
        for document in corpus:
            row = found.setdefault(
                document.id,
                {"video_id": document.id, "video": document.id, "duration": None, "references": []},
            )
            row["duration"] = document.duration if row["duration"] is None else row["duration"]
            captions = [_caption(caption) for caption in document.captions]
            row["references"].append({"annotator": annotator, "captions": captions})
    for row in found.values():
        row["references"] = msgspec.json.encode(row["references"]).decode()
    return list(found.values())


def to_corpora(rows: Iterable[Mapping[str, Any]]) -> list[Corpus]:
    """The corpora of references, one per annotator, that `to_rows` was given."""
    documents: dict[int, list[Document]] = {}
    for row in rows:
        for each in msgspec.json.decode(row["references"]):
            captions = tuple(Caption(c["caption"], c.get("start"), c.get("end")) for c in each["captions"])
            document = Document(row["video_id"], captions, row["duration"])
            documents.setdefault(each["annotator"], []).append(document)
    return [Corpus(tuple(documents[k]), f"references {k + 1}") for k in sorted(documents)]


def _caption(caption: Caption) -> dict[str, Any]:
    if not caption.timed:
        return {"caption": caption.text}
    return {"start": caption.start, "end": caption.end, "caption": caption.text}


StrPath = str | os.PathLike[str]

YAML = """\
# {title}, scored by Storymeter. Written by `storymeter harness lmms-eval`.
#   python -m lmms_eval --include_path . --tasks {name} --model … --log_samples --output_path out
# The first metric is the one that --baseline compares. Delete metrics that you do not want.
task: {name}
{data}
process_docs: !function {name}.documents
output_type: generate_until
doc_to_visual: !function {name}.visual
doc_to_text: !function {name}.prompt
doc_to_target: !function {name}.target
process_results: !function {name}.results
generation_kwargs:
  max_new_tokens: {tokens}
  temperature: 0
  do_sample: false
  until: []  # without it, lmms-eval ends an answer at its first blank line
lmms_eval_specific_kwargs:
  default:
    prompt: {prompt}
    videos: {videos}
metric_list:
{metrics}
metadata:
  - version: 1.0
"""

MODULE = '''\
"""The functions of the task {name}: see the documentation of storymeter.harness.lmms_eval."""

from storymeter.harness.lmms_eval import task

_task = task({short!r}, protocol={protocol!r}, module=__file__)
documents, visual, prompt = _task.documents, _task.visual, _task.prompt
target, results = _task.target, _task.results


def __getattr__(name):
    return _task.aggregation(name)
'''


def write_lmms_eval(
    folder: StrPath,
    references: Mapping[str, Sequence[StrPath | Corpus]] | None = None,
    *,
    videos: Mapping[str, StrPath] | None = None,
    protocol: str = "paper",
    force: bool = False,
) -> dict[str, list[str]]:
    """Writes the tasks into `folder`; gives the names of those that were written: {"local": […], "hub": […]}.

    `references` has files or corpora by task, one per annotator; a task without them is written for the data
    set of the hub that it knows, or not at all. `videos` has the folder of the videos by task.

    folder: a new folder; an existing one needs `force`.
    references: files or corpora by task, one per annotator.
    videos: the folder of the videos by task.
    protocol: the protocol that the tasks score by.
    force: writes into a folder that is there.
    """
    references, videos = references or {}, videos or {}
    for name in (*references, *videos):
        if name not in TASKS:
            raise UsageError(f"There is no task {name!r}.", hint=suggest(name, list(TASKS)))
    get(protocol)
    local = {name: _read(TASKS[name], files) for name, files in references.items()}
    done: dict[str, list[str]] = {"local": [], "hub": []}
    for name, task in TASKS.items():
        file = Path(folder, f"{task.harness_name}.yaml")
        if name not in local and (not task.hub or (file.exists() and not force)):
            continue
        if file.exists() and not force:
            raise UsageError(
                f"{file} exists, and nothing is overwritten.", hint="Replace it with --force (force=True)."
            )
        if name in local:
            lines = b"\n".join(map(msgspec.json.encode, to_rows(local[name])))
            write_text(Path(folder, "data", f"{name}.jsonl"), lines.decode() + "\n")
        module = MODULE.format(name=task.harness_name, short=name, protocol=protocol)
        write_text(file.with_suffix(".py"), module)
        write_text(file, _yaml(task, name in local, Path(videos[name]) if name in videos else None))
        done["local" if name in local else "hub"].append(name)
    return done


def _read(task: HarnessTask, files: Sequence[StrPath | Corpus]) -> list[Corpus]:
    """References of a task. Fields are named where the file has those of the data set (enCap and chCap)."""
    corpora = []
    for file in files:
        if isinstance(file, Corpus):
            corpora.append(file)
            continue
        text = task.columns.get("text", "")
        named = text and f'"{text}"'.encode() in Path(file).read_bytes()[:65536]
        corpora.append(read(file, role="references", columns=dict(task.columns) if named else None))
    timed = {corpus.kind == "dense" for corpus in corpora}
    if timed != {task.timed}:
        wanted = "captions with times" if task.timed else "captions without times"
        raise DataError(
            f"The references of {task.name} are no {wanted}.",
            hint=f"{task.name} is {task.title}; give references of that kind.",
        )
    return corpora


def _yaml(task: HarnessTask, local: bool, videos: Path | None) -> str:
    if local:
        folder = str(videos.absolute() if videos else f"videos/{task.name}")
        data = [
            "dataset_path: json",
            f"dataset_kwargs: {{data_files: {{test: data/{task.name}.jsonl}}}}",
            "test_split: test",
        ]
    else:
        unpacked = f"$HF_HOME/{task.unpacked}" if task.unpacked else f"videos/{task.name}"
        folder = str(videos.absolute() if videos else unpacked)
        harness = {"token": True, **({"video": True, "cache_dir": task.unpacked} if task.unpacked else {})}
        data = [
            f"dataset_path: {task.hub}",
            *([f"dataset_name: {task.config}"] if task.config else []),
            f"dataset_kwargs: {json.dumps(harness)}",
            f"test_split: {task.split}",
        ]
    metrics = [(name, "true") for name in task.metrics] + [("unreadable", "false")]
    return YAML.format(
        title=task.title,
        name=task.harness_name,
        data="\n".join(data),
        tokens=1024 if task.timed else 64,
        prompt=json.dumps(task.prompt, ensure_ascii=False),
        videos=json.dumps(folder, ensure_ascii=False),
        metrics="\n".join(
            f"  - metric: {metric}\n    aggregation: !function {task.harness_name}.{metric}\n"
            f"    higher_is_better: {better}"
            for metric, better in metrics
        ),
    )
