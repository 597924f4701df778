"""The sample plug-in is installed as a user would, and its metric and scorer go through every verb."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Verb = Callable[..., str]


@pytest.fixture(scope="module")
def storymeter(tmp_path_factory: pytest.TempPathFactory) -> Verb:
    """storymeter("score", …) in a process that has the plug-in; its stdout."""
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
    environment = {**os.environ, "PYTHONPATH": str(folder / "site")}

    def call(*arguments: str) -> str:
        command = [sys.executable, "-m", "storymeter", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


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
    assert "sample_overlap" in storymeter("info", "--metrics")


def test_a_wrong_option_is_refused(storymeter: Verb, examples: Path) -> None:
    file = str(examples / "videos" / "good.json")
    with pytest.raises(AssertionError, match="unit cannot be 'syllables'"):
        storymeter("score", file, "-r", file, "-m", "sample_length(unit=syllables)")
