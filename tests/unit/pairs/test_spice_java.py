"""The original SPICE as a program beside us. A stand-in for `java` speaks its protocol, well or badly; where
Java and the jar are there, the real one says that Stanford's models are missing."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from storymeter.errors import DataError, MissingPartError, StorymeterError, UsageError
from storymeter.pairs import Spice
from storymeter.registry import metric

STAND_IN = """#!{python}
import json, os, subprocess, sys, time
arguments = sys.argv[1:]
with open(os.environ["STAND_IN_LOG"], "a") as log:
    log.write(json.dumps(arguments) + "\\n")
jar = arguments.index("-jar") + 1
source, target = arguments[jar + 1], arguments[arguments.index("-out") + 1]
mode = os.environ.get("STAND_IN", "fine")
rows = json.load(open(source, encoding="utf-8"))
def shared(row):
    theirs = set(" ".join(row["refs"]).split())
    return len(set(row["test"].split()) & theirs) / len(theirs | set(row["test"].split()))
answer = [
    {{"image_id": r["image_id"],
     "scores": {{"All": {{"f": shared(r)}}, "Object": {{"f": None}}, "Relation": {{"f": 0.0}}}}}}
    for r in reversed(rows)
]
if mode == "hang":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    open(os.environ["STAND_IN_LOG"] + ".child", "w").write(str(child.pid))
    time.sleep(60)
if mode == "fail":
    sys.exit("Exception in thread \\"main\\" java.lang.OutOfMemoryError: Java heap space")
if mode == "silent":
    sys.exit(0)
if mode == "short":
    answer = answer[1:]
if mode == "wild":
    answer[0]["scores"]["All"]["f"] = 17
open(target, "w", encoding="utf-8").write("not json" if mode == "garbage" else json.dumps(answer))
"""
CAPTIONS = ["a dog runs", "two cats ☂ sleep", "a dog runs"]
REFERENCES = [["a dog runs fast", "the dog"], ["two cats"], ["a dog runs fast", "the dog"]]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """A folder of jars and a `java` that answers in their name; the calls so far."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(STAND_IN.format(python=sys.executable), encoding="utf-8")
    java.chmod(0o755)
    (tmp_path / "spice").mkdir()
    (tmp_path / "spice" / "spice-1.0.jar").write_bytes(b"jar")
    log = tmp_path / "calls"
    monkeypatch.setenv("PATH", f"{java.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STORYMETER_SPICE", str(tmp_path / "spice"))
    monkeypatch.setenv("STAND_IN_LOG", str(log))
    return lambda: log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def test_one_process_for_a_batch(program: Callable[[], list[str]]) -> None:
    scorer = Spice("java").open()
    assert scorer.pairs(candidates=CAPTIONS, references=REFERENCES, jobs=2).tolist() == pytest.approx(
        [3 / 5, 2 / 4, 3 / 5]
    )
    values = scorer.by_category(candidates=CAPTIONS, references=REFERENCES)
    assert (
        values[0, 0] == values[2, 0] == pytest.approx(3 / 5)
        and np.isnan(values[:, 1]).all()
        and (values[:, 3] == 0).all()
    )
    assert (
        len(program()) == 1 and '"-threads", "2"' in program()[0]
    )  # the second question needed no process at all
    scorer.score_indexed(
        candidates=CAPTIONS[:2],
        references=["the dog"],
        candidate_index=np.array([0, 1]),
        reference_index=np.array([0, 0]),
    )
    assert len(program()) == 2


def test_the_name_says_which_engine_and_the_signature_which_jar(program: Callable[[], list[str]]) -> None:
    assert metric("spice(engine=java)").name == "spice(engine=java)"
    assert str(Spice("java").open().depends_on()["jar"]).startswith("spice-1.0.jar#")
    assert not program()


@pytest.mark.parametrize(
    ("mode", "error", "said"),
    [
        ("fail", DataError, "Java heap space"),
        ("garbage", DataError, "cannot be read"),
        ("silent", DataError, "no scores"),
        ("short", DataError, "2 captions and answered for 1"),
        ("wild", DataError, "cannot be read"),
    ],
)
def test_trouble_is_said(
    program: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    error: type[Exception],
    said: str,
) -> None:
    monkeypatch.setenv("STAND_IN", mode)
    with pytest.raises(error, match=said):
        Spice("java").pairs(candidates=CAPTIONS, references=REFERENCES)


def test_a_program_that_hangs_is_ended_with_its_children(
    program: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STAND_IN", "hang")
    begin = time.monotonic()
    with pytest.raises(StorymeterError, match="stopped after 2 seconds"):
        Spice("java", deadline=2.0).pairs(candidates=CAPTIONS, references=REFERENCES)
    assert time.monotonic() - begin < 20
    child = int((tmp_path / "calls.child").read_text(encoding="utf-8"))
    for _ in range(100):
        try:
            if "State:\tZ" in Path(f"/proc/{child}/status").read_text(encoding="utf-8"):
                return
        except OSError:  # gone, perhaps while it was being read
            return
        time.sleep(0.05)
    pytest.fail("the child of the program lives on")


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STORYMETER_SPICE", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingPartError, match="needs Java"):
        Spice("java").pairs(candidates=["a"], references=[["b"]])
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/java")
    with pytest.raises(MissingPartError, match="not part of Storymeter"):
        Spice("java").pairs(candidates=["a"], references=[["b"]])
    with pytest.raises(MissingPartError, match=r"no spice-\*\.jar"):
        Spice("java", jars=str(tmp_path)).pairs(candidates=["a"], references=[["b"]])
    with pytest.raises(UsageError, match="deadline cannot be"):
        Spice("java", jars=str(tmp_path), deadline=0).pairs(candidates=["a"], references=[["b"]])
    with pytest.raises(UsageError, match="options of"):
        Spice("rules", jars=str(tmp_path))


@pytest.mark.needs("java")
def test_the_real_program_without_its_models() -> None:
    package = find_spec("pycocoevalcap")
    assert package is not None and package.submodule_search_locations
    folder = Path(package.submodule_search_locations[0], "spice")
    if not list(folder.glob("spice-*.jar")) or list(folder.glob("lib/stanford-corenlp*")):
        pytest.skip("the jar is not there, or its models are")
    with pytest.raises(MissingPartError, match="Stanford CoreNLP"):
        Spice("java", jars=str(folder)).pairs(candidates=["a dog"], references=[["a cat"]])
