"""The sample plug-in is installed as a user would, and its metric and scorer go through every verb."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Verb = Callable[..., str]
#: verb after verb in one process: a line of arguments in, a line with the exit code, stdout and stderr out
VERBS = """
import contextlib, io, json, sys
from storymeter import registry
from storymeter.cli import main
for line in sys.stdin:
    registry._plugins.cache_clear()  # each verb looks for plug-ins itself
    code, out, told = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        try:
            main(json.loads(line))
        except SystemExit as left:
            code = left.code or 0
    print(json.dumps([code, out.getvalue(), told.getvalue()]), flush=True)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of a process that has the plug-in."""
    pytest.importorskip("setuptools", reason="setuptools builds the sample plug-in: pip install setuptools")
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(ROOT / "tests" / "plugin_sample", folder / "source")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run([*pip, "--target", str(folder / "site"), str(folder / "source")], check=True, timeout=300)
    return {**os.environ, "PYTHONPATH": str(folder / "site")}


@pytest.fixture(scope="module")
def storymeter(environment: dict[str, str]) -> Iterator[Verb]:
    """storymeter("score", …) in a process that has the plug-in; its stdout."""
    with subprocess.Popen(
        [sys.executable, "-c", VERBS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**environment, "PYTHONUTF8": "1"},
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        given, answers = process.stdin, process.stdout
        limit = threading.Timer(600, process.kill)
        limit.daemon = True
        limit.start()

        def call(*arguments: str) -> str:
            given.write(json.dumps(arguments) + "\n")
            given.flush()
            code, out, told = json.loads(answers.readline())
            assert code == 0, told
            return str(out)

        yield call
        limit.cancel()


def test_every_verb(storymeter: Verb, examples: Path, tmp_path: Path) -> None:
    videos, run = examples / "videos", str(tmp_path / "run.smr")
    files = [str(videos / f"{name}.json") for name in ("good", "padded")]
    references = ["-r", str(videos / "reference_1.json")]
    names = [
        "sample_length",
        "sample_length(unit=letters)",
        "sample_overlap",
        "soda_c(scorer=sample_overlap(least=3))",
    ]
    metrics = ["-m", ",".join(names)]
    out = json.loads(storymeter("score", *files, *references, *metrics, "--save", run, "--format", "json"))
    scores = out["systems"][0]["scores"]
    assert [score["metric"] for score in scores] == names
    assert all(0 < score["value"] <= 1 and score["interval"] for score in scores)
    assert "scorer:sample_overlap(least=3)" in scores[3]["signature"]
    assert "sample_length" in storymeter("score", *files, *references, *metrics, "--format", "latex")
    fresh = storymeter("compare", *files, *references, *metrics, "--format", "json")
    assert storymeter("compare", run, "--format", "json") == fresh
    assert "p1" in storymeter("show", "pancakes", run, "-m", names[3])
    assert "sample_overlap" in storymeter("show", "pancakes", files[1], *references, "-m", names[3])
    audit = ["stress", "audit", files[0], *references, "-m", f"sample_length,{names[3]}", "--repeats", "1"]
    assert "sample_length" in storymeter(*audit, "--format", "json")
    human = tmp_path / "human.csv"
    items = ("pancakes", "guitar", "fence", "planting", "frisbee")
    rows = [
        f"{name},{item},{k * 7 % 5 + shift}"
        for shift, name in ((3, "good"), (0, "padded"))
        for k, item in enumerate(items)
    ]
    human.write_text("\n".join(["system,item,score", *rows]))
    for source in ([*files, *references, *metrics], [run]):
        assert "sample_length" in storymeter(
            "meta", "agree", *source, "--human", str(human), "--format", "json"
        )
    shown = storymeter("info", "--metrics", "sample_overlap")
    assert "words shorter than this are left out" in shown


def test_a_program_that_starts_finds_it(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "storymeter", "info", "--metrics"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0 and "sample_overlap" in done.stdout, done.stderr


def test_a_wrong_option_is_refused(storymeter: Verb, examples: Path) -> None:
    file = str(examples / "videos" / "good.json")
    with pytest.raises(AssertionError, match="unit cannot be 'syllables'"):
        storymeter("score", file, "-r", file, "-m", "sample_length(unit=syllables)")
