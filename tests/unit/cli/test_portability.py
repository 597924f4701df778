"""Folders and files as other systems name them, and consoles that know no UTF-8."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from storymeter.cache import CACHE, METEOR_DATA
from storymeter.pairs import meteor_compile


@pytest.fixture
def folder(tmp_path: Path, examples: Path) -> Path:
    """Captions and references in a folder whose name has blanks, quotes, an umlaut, a percent sign."""
    home = tmp_path / "My Documents (1) & 50% 'of' Müller"
    home.mkdir()
    for old, new in (("good", "our system v2.json"), ("padded", "-minus.json")):
        shutil.copy(examples / "videos" / f"{old}.json", home / new)
    shutil.copy(examples / "videos" / "reference_1.json", home / "people [all].json")
    return home


def call(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **variables}
    command = [sys.executable, "-m", "storymeter", *arguments]
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, timeout=300, check=False)


def test_odd_names_go_through_every_verb(
    folder: Path, run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first verb is a process, which decodes its arguments and compiles METEOR's tables, of one
    paraphrase, into a folder with such a name; those after it run here."""
    files = [str(folder / "our system v2.json"), str(folder / "-minus.json")]
    references = ["-r", str(folder / "people [all].json")]
    saved, page = str(folder / "a run.smr"), folder / "the report.html"
    lists = folder / "METEOR's data"
    for name in meteor_compile.LISTS:
        (lists / name).parent.mkdir(parents=True, exist_ok=True)
        (lists / name).write_bytes(meteor_compile.word_list(name))
    (lists / "data").mkdir()
    (lists / meteor_compile.PARAPHRASES).write_bytes(gzip.compress(b"0.5\nstreet\nroad\n"))
    variables = {CACHE: str(folder / "the cache"), METEOR_DATA: str(lists)}
    scored = call(
        folder,
        "score",
        *files,
        *references,
        "-m",
        "soda_c,meteor",
        "--save",
        saved,
        "--format",
        "json",
        **variables,
    )
    assert scored.returncode == 0, scored.stderr.decode()
    assert [s["name"] for s in json.loads(scored.stdout)["systems"]] == ["our system v2", "-minus"]
    assert list((folder / "the cache").glob("meteor-*.table"))
    monkeypatch.chdir(folder)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for verb in (
        ["validate", files[0]],
        ["compare", saved],
        ["show", "haircut", saved],
        ["report", saved, "--out", str(page)],
        ["convert", files[0], str(folder / "out put.jsonl")],
    ):
        code, _, told = run(*verb)
        assert code == 0, (verb, told)
    assert "our system v2" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp932"])
def test_a_console_without_utf_8(folder: Path, encoding: str) -> None:
    """Captions in another script and our own marks print as well as the console can."""
    captions = {"v1": {"timestamps": [[0, 2]], "sentences": ["犬が走る – naïve café"]}}
    (folder / "mixed.json").write_text(json.dumps(captions), encoding="utf-8")
    files = [str(folder / "mixed.json"), "-r", str(folder / "mixed.json")]
    for verb in (["score", *files, "-m", "soda_c(scorer=rouge_l)"], ["show", "v1", *files]):
        done = call(folder, *verb, PYTHONIOENCODING=encoding, PYTHONUTF8="0", LC_ALL="C")
        assert done.returncode == 0 and b"Traceback" not in done.stderr, done.stderr
        assert done.stdout.decode(encoding)
