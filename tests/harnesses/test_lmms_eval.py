"""lmms-eval itself runs the tasks that `storymeter harness lmms-eval` writes, with a scripted model, offline.

Needs lmms-eval: `make harnesses` installs it in an environment of its own; elsewhere these tests skip.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

if importlib.util.find_spec("lmms_eval") is None:
    pytest.skip("lmms-eval is not installed: make harnesses", allow_module_level=True)

from harness_kit import VIDEOS, make
from scipy import stats

import storymeter
from storymeter.harness import TASKS

HERE = Path(__file__).parent
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


def storymeter_command(*arguments: object, cwd: Path) -> str:
    command = [sys.executable, "-m", "storymeter", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def lmms_eval(cwd: Path, tasks: str, answers: Path, out: str, *more: str) -> tuple[dict[str, Any], str]:
    """What lmms-eval writes as results, and what it prints; its logs are in `out`."""
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    home = {"HF_HOME": str(cwd / "home"), "LMMS_EVAL_PLUGINS": "scripted", "PYTHONPATH": path}
    command = [sys.executable, "-m", "lmms_eval", "--include_path", "tasks", "--tasks", tasks, *more]
    command += ["--model", "scripted", "--model_args", f"answers={answers}"]
    command += ["--log_samples", "--output_path", out]
    done = subprocess.run(command, cwd=cwd, env=os.environ | OFFLINE | home, capture_output=True, text=True)
    results = [*(cwd / out).glob("*_results.json")]
    assert done.returncode == 0 and results, done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(results[0].read_text()), done.stdout


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[Path]], dict[str, Any]]:
    """All tasks with one set of answers."""
    folder = tmp_path_factory.mktemp("lmms")
    files, answers = make(folder / "data")
    given = [f"-r{name}={path}" for name, paths in files.items() for path in paths]
    storymeter_command("harness", "lmms-eval", "tasks", *given, cwd=folder)
    tasks = ",".join(task.harness_name for task in TASKS.values())
    return folder, files, lmms_eval(folder, tasks, answers, "out")[0]


def log_of(folder: Path, name: str, out: str = "out") -> Path:
    (log,) = (folder / out).glob(f"*_samples_{TASKS[name].harness_name}.jsonl")
    return log


def score(folder: Path, name: str, log: Path, files: list[Path], *more: str) -> dict[str, Any]:
    """What `storymeter score` says of a log, by metric of the harness."""
    task = TASKS[name]
    arguments = ["score", log, *(word for path in files for word in ("-r", path)), "--format", "json"]
    arguments += ["-m", ",".join(task.metrics.values()), "--tokenizer", task.tokenizer, "--resamples", "0"]
    if name == "vatex_zh":
        arguments += ["--reference-columns", "video=videoID,text=chCap"]
    (system,) = json.loads(storymeter_command(*arguments, *more, cwd=folder))["systems"]
    return dict(zip(task.metrics, system["scores"], strict=True))


@pytest.mark.parametrize("name", [*TASKS])
def test_numbers_are_those_of_score(
    name: str, run: tuple[Path, dict[str, list[Path]], dict[str, Any]]
) -> None:
    folder, files, results = run
    found = results["results"][TASKS[name].harness_name]
    assert results["n-samples"][TASKS[name].harness_name]["effective"] == VIDEOS
    for metric, wanted in score(folder, name, log_of(folder, name), files[name]).items():
        assert found[f"{metric},none"] == 100 * wanted["value"], metric  # to the last bit
    samples = [json.loads(line) for line in log_of(folder, name).read_text().splitlines()]
    lost = [s for s in samples if s["unreadable"]["score"]]
    assert found["unreadable,none"] == 100 * len(lost) / VIDEOS > 0
    assert all(s["score"] == 0 for s in lost)


@pytest.mark.parametrize("name", [*TASKS])
def test_stderr(name: str, run: tuple[Path, dict[str, list[Path]], dict[str, Any]]) -> None:
    """Of means the error of the mean; of corpus values the jackknife's, by scoring without each video."""
    folder, files, results = run
    found = results["results"][TASKS[name].harness_name]
    samples = [json.loads(line) for line in log_of(folder, name).read_text().splitlines()]
    first = next(iter(TASKS[name].metrics))
    own = [100 * sample["score"] for sample in samples]
    error = np.std(own, ddof=1) / math.sqrt(VIDEOS)
    assert found[f"{first}_stderr_clt,none"] == pytest.approx(error, rel=1e-9)
    assert found[f"{first},none"] == pytest.approx(np.mean(own), rel=1e-9)
    if name == "msrvtt":
        texts = {s["video_id"]: s["filtered_resps"] for s in samples}
        references = storymeter.read(files[name][0], role="references").by_id()
        people = {id: [document.text for document in group] for id, group in references.items()}
        rest = []
        for left in texts:
            kept = [id for id in texts if id != left]
            results = storymeter.evaluate(
                {id: texts[id] for id in kept}, {id: people[id] for id in kept}, "bleu_4", resamples=0
            )
            rest.append(results["bleu_4"].percent)
        jackknife = math.sqrt((VIDEOS - 1) / VIDEOS * np.sum((rest - np.mean(rest)) ** 2))
        assert found["bleu_4_stderr_clt,none"] == pytest.approx(jackknife, rel=1e-6)


@pytest.mark.parametrize("name", ["activitynet", "msrvtt"])
def test_baseline(name: str, run: tuple[Path, dict[str, list[Path]], dict[str, Any]]) -> None:
    """The difference, its interval and p-value are those of the paired t-test on the videos' own values."""
    folder, files, _ = run
    task, before = TASKS[name], log_of(folder, name)
    _, answers = make(folder / "data", seed=2)
    out = f"out_{name}"
    again, table = lmms_eval(folder, task.harness_name, answers, out, "--baseline", str(before))
    found = again["results"][task.harness_name]
    metric = next(iter(task.metrics))
    sides = []
    for log in (log_of(folder, name, out), before):
        lines = folder / f"{out}_{len(sides)}.jsonl"
        score(folder, name, log, files[name], "--per-document", str(lines), "--force")
        rows = [json.loads(line) for line in lines.read_text().splitlines()]
        sides.append({row["document"]: row[task.metrics[metric]] for row in rows})
    ours, theirs = (np.array([side[id] for id in sides[0]]) for side in sides)
    test = stats.ttest_rel(ours, theirs)
    assert found["paired_baseline_score"] == pytest.approx(100 * theirs.mean(), rel=1e-9)
    assert found["paired_pvalue"] == pytest.approx(test.pvalue, rel=1e-6)
    interval = test.confidence_interval()
    assert found["paired_ci_lower"] == pytest.approx(100 * interval.low, rel=1e-6)
    assert found["paired_ci_upper"] == pytest.approx(100 * interval.high, rel=1e-6)
    row = next(line for line in table.splitlines() if line.startswith("|") and f"|{metric}" in line)
    assert f"{100 * (ours.mean() - theirs.mean()):+.1f}%" in row and "Stderr_CLT" in table


def test_a_part_of_the_videos(run: tuple[Path, dict[str, list[Path]], dict[str, Any]]) -> None:
    """With --limit the other videos do not count; the idf is that of all references."""
    folder, files, _ = run
    _, answers = make(folder / "data")
    name = "msrvtt"
    results, _ = lmms_eval(folder, TASKS[name].harness_name, answers, "part", "--limit", "50")
    found = results["results"][TASKS[name].harness_name]
    log = log_of(folder, name, "part")
    for metric, wanted in score(folder, name, log, files[name], "--protocol", "paper+missing=skip").items():
        assert found[f"{metric},none"] == 100 * wanted["value"] and wanted["n"] == 50
