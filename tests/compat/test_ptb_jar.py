"""Fresh random lines through the original tool, when Java and pycocoevalcap are there. Every run draws
another seed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from storymeter.text import ptb

COUNT = 6_000
#: Stands behind each line, so that no line peeks into the next one drawn; its quotes close a tag's value that
#: a line leaves open.
BEHIND = "\"'x"
BEHIND_TOKENS = "'' ' x"


def _neighbour(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _jar() -> Path:
    try:
        files = importlib.metadata.files("pycocoevalcap") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("pycocoevalcap is not installed")
    found = [file for file in files if file.name.startswith("stanford-corenlp") and file.suffix == ".jar"]
    if not found:
        pytest.skip("the installed pycocoevalcap has no tokenizer jar")
    return Path(str(found[0].locate()))


def _original(lines: list[str], folder: Path) -> list[str]:
    """One run of the tool. A tab inside a tag, which it leaves in the token, is written as ours: no token
    holds white space.
    """
    rows = _printed("".join(f"{line}\n{BEHIND}\n" for line in lines), folder)
    assert rows[1::2] == [BEHIND_TOKENS] * len(lines), "a line of the original ran into the next one"
    return [row.replace("\t", "\u00a0") for row in rows[0 : len(lines) * 2 : 2]]


def _printed(text: str, folder: Path) -> list[str]:
    source = folder / "lines.txt"
    source.write_text(text, encoding="utf-8", newline="")
    command = [
        "java",
        "-cp",
        str(_jar()),
        "edu.stanford.nlp.process.PTBTokenizer",
        "-preserveLines",
        "-lowerCase",
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, check=True)
    return done.stdout.decode("utf-8").split("\n")


@pytest.mark.needs("java")
def test_fresh_lines(tmp_path: Path) -> None:
    seed = int(os.environ.get("STORYMETER_SEED") or "122595539")
    print(f"seed {seed}")  # noqa: T201 - pytest shows it when the test fails, and with -s
    lines = _neighbour("ptb_lines").lines(seed, COUNT)
    expected = _original(lines, tmp_path)
    found = ptb.tokenize_joined([f"{line}\n{BEHIND}" for line in lines], punctuation=True)
    wrong = [
        (line, original, ours)
        for line, original, ours in zip(lines, expected, found, strict=True)
        if f"{original} {BEHIND_TOKENS}".strip(" ") != ours
    ]
    assert not wrong, f"seed {seed}: {len(wrong)} of {len(lines)} lines differ, for example {wrong[:5]}"


@pytest.mark.needs("java")
@pytest.mark.parametrize(
    "last", ["x plan A. The", "in Jan. Dogs", "the U.K. <br/>", ";d", "no. 5", "at 5 a.m."]
)
def test_the_last_line_of_a_text(last: str, tmp_path: Path) -> None:
    lines = ["He lives in D.C.", last]
    printed = _printed("\n".join(lines), tmp_path)[:2]
    assert ptb.tokenize_batch(lines, punctuation=True) == [row.rstrip() for row in printed]
