"""Tasks for lmms-eval, without lmms-eval: what is written and computed (tests/harnesses runs them)."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from harness_kit import make

import storymeter
from storymeter.cli import cli
from storymeter.errors import DataError, UsageError
from storymeter.harness import TASKS, write_lmms_eval


def loaded(folder: Path, name: str) -> Any:
    """The module of a task, as lmms-eval imports it."""
    path = folder / f"{TASKS[name].harness_name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["activitynet", "msrvtt", "vatex_zh"])
def test_values_errors_and_samples(name: str, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    files, answered = make(tmp_path / "data")
    answers, task = json.loads(answered.read_text()), TASKS[name]
    write_lmms_eval(tmp_path, {name: files[name]})
    module = loaded(tmp_path, name)
    rows = [json.loads(line) for line in (tmp_path / "data" / f"{name}.jsonl").open()]
    docs = module.documents(datasets.Dataset.from_list(rows))
    items = [module.results(doc, [answers[doc["video_id"]]]) for doc in docs]
    references = [
        storymeter.read(path, role="references", columns={"text": "chCap"} if name == "vatex_zh" else None)
        for path in files[name]
    ]
    captions = [
        (storymeter.read_answer(answers[d["video_id"]]).captions if task.timed else None) for d in docs
    ]
    said = storymeter.Corpus(
        tuple(
            storymeter.Document(
                d["video_id"],
                c if c is not None else tuple(map(storymeter.Caption, [answers[d["video_id"]]])),
            )
            for d, c in zip(docs, captions, strict=True)
        ),
        "mine",
    )
    wanted = storymeter.evaluate(
        said, references, list(task.metrics.values()), tokenizer=task.tokenizer, resamples=0
    )
    for metric, ours in task.metrics.items():
        column = [item[metric] for item in items]
        assert getattr(module, metric)(column) == wanted[ours].percent
    first = next(iter(task.metrics))
    own = wanted.by_document("mine", task.metrics[first])
    assert [i["score"] for i in items] == pytest.approx([own[d["video_id"]] for d in docs], abs=1e-12)
    error = np.std([100 * value for value in own.values()], ddof=1) / math.sqrt(len(own))
    found = np.std([item[first]["score"] for item in items], ddof=1) / math.sqrt(len(items))
    assert found == pytest.approx(error, rel=1e-9)
    lost = [item for item in items if item["unreadable"]["score"]]
    assert lost and module.unreadable([i["unreadable"] for i in items]) == 100 * len(lost) / len(items)
    assert module.prompt(docs[0]) == task.prompt and module.target(docs[0])
    assert not any(item["unreadable"]["unread"] for item in items if not task.timed)
    assert not task.timed or any("no times" in u for item in lost for u in item["unreadable"]["unread"])


def test_rows_of_the_hub_become_whole_videos(tmp_path: Path) -> None:
    """YouCook2 has a row per segment, as lmms-eval's own task reads it."""
    datasets = pytest.importorskip("datasets")
    done = write_lmms_eval(tmp_path)
    assert done == {"local": [], "hub": ["youcook2", "vatex", "vatex_zh"]}
    module = loaded(tmp_path, "youcook2")
    rows = [
        {"youtube_id": "a", "segment": [5, 9], "sentence": "add salt", "video_path": "x", "id": 1},
        {"youtube_id": "a", "segment": [0, 4], "sentence": "chop onions", "video_path": "x", "id": 0},
        {"youtube_id": "b", "segment": [1, 2], "sentence": "stir", "video_path": "y", "id": 0},
    ]
    docs = module.documents(datasets.Dataset.from_list(rows))
    assert [doc["video_id"] for doc in docs] == ["a", "b"]
    good = module.results(docs[0], ["0:00 - 0:04: chop onions\n0:05 - 0:09: add salt"])
    assert good["score"] == 1 and good["unreadable"]["score"] == 0
    assert module.results(docs[1], ["sorry"])["unreadable"] == {"score": 100, "unread": ["line 1: no times"]}


def test_videos_are_found_with_any_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lmms_eval(tmp_path)
    module = loaded(tmp_path, "vatex")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    (tmp_path / "vatex_test").mkdir()
    (tmp_path / "vatex_test" / "v.1.mkv").touch()
    paths = {"videos": "$HF_HOME/vatex_test"}
    assert module.visual({"video": "v.1"}, paths) == [str(tmp_path / "vatex_test" / "v.1.mkv")]
    assert module.visual({"video": "w"}, paths) == [str(tmp_path / "vatex_test" / "w.mp4")]


def test_tasks_are_yaml_that_names_what_is_there(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    files, _ = make(tmp_path / "data")
    command = ["harness", "lmms-eval", str(tmp_path / "tasks"), "--videos", f"vitt={tmp_path}"]
    done = CliRunner().invoke(cli, [*command, *(f"-r{name}={each[0]}" for name, each in files.items())])
    assert done.exit_code == 0, done.output
    for task in TASKS.values():
        text = (tmp_path / "tasks" / f"{task.harness_name}.yaml").read_text(encoding="utf-8")
        found = yaml.safe_load(text.replace("!function ", ""))
        module = loaded(tmp_path / "tasks", task.name)
        assert [each["metric"] for each in found["metric_list"]] == [*task.metrics, "unreadable"]
        for name in [each["aggregation"] for each in found["metric_list"]] + [found["process_docs"]]:
            assert callable(getattr(module, name.partition(".")[2]))
        assert (tmp_path / "tasks" / found["dataset_kwargs"]["data_files"]["test"]).exists()
        assert found["generation_kwargs"]["until"] == []  # otherwise the first blank line ends an answer
        assert found["lmms_eval_specific_kwargs"]["default"]["prompt"] == task.prompt
    with pytest.raises(AttributeError, match="no metric 'meteor'"):
        _ = module.meteor


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    files, _ = make(tmp_path / "data")
    write_lmms_eval(tmp_path, {"youcook2": files["youcook2"]})
    path = tmp_path / "storymeter_youcook2.yaml"
    path.write_text("mine")
    assert write_lmms_eval(tmp_path, {"vitt": files["vitt"]})["local"] == ["vitt"]
    assert path.read_text() == "mine"
    with pytest.raises(UsageError, match="exists, and nothing is overwritten"):
        write_lmms_eval(tmp_path, {"youcook2": files["youcook2"]})
    write_lmms_eval(tmp_path, {"youcook2": files["youcook2"]}, force=True)
    assert "dataset_path: json" in path.read_text()


def test_wrong_calls(tmp_path: Path) -> None:
    files, _ = make(tmp_path / "data")
    with pytest.raises(UsageError, match="no task 'activitinet'"):
        write_lmms_eval(tmp_path, {"activitinet": files["activitynet"]})
    with pytest.raises(DataError, match="no captions with times"):
        write_lmms_eval(tmp_path, {"activitynet": files["msrvtt"]})
    with pytest.raises(UsageError, match="protocol"):
        write_lmms_eval(tmp_path, protocol="papre")
    done = CliRunner().invoke(cli, ["harness", "lmms-eval", str(tmp_path / "t"), "-r", "val.json"])
    assert isinstance(done.exception, UsageError) and "-r activitynet=val.json" in done.exception.hint
