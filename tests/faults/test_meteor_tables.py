"""METEOR's compiled tables when things go wrong: killed, crowded, truncated, damaged, old, unwritable,
missing; and hostile text.
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from storymeter import _native
from storymeter.cache import CACHE, cache_folder
from storymeter.errors import DataError, MissingPartError
from storymeter.pairs import Meteor, meteor, meteor_compile

if importlib.util.find_spec("pycocoevalcap") is None:
    pytest.skip("pycocoevalcap is not installed", allow_module_level=True)

SCORE = (
    "from storymeter.pairs import Meteor; print(repr(float(Meteor().pairs(candidates=['a man is walking down"
    " the street'], references=[['a man walks down the road']])[0])))"
)
RIGHT = "0.424941253014049"
NAME = f"meteor-{_native.METEOR_TABLE_VERSION}.table"
#: says when it compiles, and then waits to be killed
HALTED = (
    "import time; from storymeter.pairs import meteor; meteor.load(lambda *_: (print('now',"
    " flush=True), time.sleep(600)))"
)
#: the one paraphrase that the two sentences need
PARAPHRASES = b"0.5\nstreet\nroad\n"


def _start(cache: Path, code: str = SCORE, **more: str) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        CACHE: str(cache),
        **more,
    }
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _score(cache: Path, **more: str) -> str:
    out, error = _start(cache, **more).communicate(timeout=300)
    assert not error, error
    return out.strip()


@pytest.fixture(scope="module")
def table() -> bytes:
    """A sound table, from the user's cache."""
    meteor.load()
    return Path(cache_folder(), NAME).read_bytes()


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment that names METEOR's data with few paraphrases, which compiles in a moment."""
    folder = tmp_path_factory.mktemp("few")
    for name in meteor_compile.LISTS:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(meteor_compile.word_list(name))
    (folder / "data").mkdir()
    (folder / meteor_compile.PARAPHRASES).write_bytes(gzip.compress(PARAPHRASES))
    return {meteor.DATA: str(folder)}


def test_killed_in_the_middle_of_compiling(tmp_path: Path, few: dict[str, str]) -> None:
    process = _start(tmp_path, HALTED, **few)
    assert process.stdout is not None
    said = process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    _, error = process.communicate()
    assert said == "now\n", error
    left = sorted(path.name for path in tmp_path.iterdir())
    assert len(left) == 2, "the lock and the file that was being written"
    assert not any(name.endswith(".table") for name in left)
    assert _score(tmp_path, **few) == RIGHT
    (made,) = tmp_path.iterdir()
    assert made.suffix == ".table"
    assert made.name not in left


@pytest.mark.slow
def test_eight_processes_start_together(tmp_path: Path, table: bytes) -> None:
    processes = [_start(tmp_path) for _ in range(8)]
    for process in processes:
        out, error = process.communicate(timeout=500)
        assert out.strip() == RIGHT, error
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    assert (tmp_path / NAME).read_bytes() == table


def _broken(table: bytes, how: str) -> bytes:
    if how == "truncated":
        return table[: len(table) // 2]
    if how == "empty":
        return b""
    damaged = bytearray(table)
    place = {
        "old": 8,
        "header": 40,
        "first byte": 0,
        "content": len(table) // 3,
        "last byte": len(table) - 1,
    }[how]
    damaged[place] ^= 1
    return bytes(damaged)


@pytest.mark.parametrize("how", ["truncated", "empty", "old", "header", "first byte", "content", "last byte"])
def test_a_file_that_is_not_sound_is_not_read(tmp_path: Path, table: bytes, how: str) -> None:
    (tmp_path / NAME).write_bytes(_broken(table, how))
    assert meteor.mapped(tmp_path / NAME) is None


def test_a_truncated_file_is_made_anew(tmp_path: Path, few: dict[str, str]) -> None:
    assert _score(tmp_path, **few) == RIGHT
    (file,) = tmp_path.iterdir()
    sound = file.read_bytes()
    file.write_bytes(_broken(sound, "truncated"))
    assert _score(tmp_path, **few) == RIGHT
    assert file.read_bytes() == sound


def test_a_cache_that_cannot_be_written(tmp_path: Path, few: dict[str, str]) -> None:
    blocked, second = tmp_path / "file", tmp_path / "tmp"
    blocked.write_text("not a folder")
    second.mkdir()
    out, error = _start(blocked / "cache", TMPDIR=str(second), **few).communicate(timeout=300)
    assert out.strip() == RIGHT, error
    assert "cannot be kept in" in error
    assert CACHE in error
    out, error = _start(blocked / "cache", TMPDIR=str(second), **few).communicate(timeout=60)
    assert out.strip() == RIGHT, error


def test_missing_data_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(meteor.DATA, str(tmp_path))
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    with pytest.raises(MissingPartError, match="pip install pycocoevalcap"):
        Meteor().pairs(candidates=["a"], references=[["a"]])


def test_damaged_data_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in meteor_compile.LISTS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a\n1\n")
    (tmp_path / "data").mkdir()
    (tmp_path / meteor_compile.PARAPHRASES).write_bytes(b"this is no gzip file")
    monkeypatch.setenv(meteor.DATA, str(tmp_path))
    with pytest.raises(DataError, match="cannot be used"):
        meteor_compile.compiled()


LONE = "lone \ud800 surrogate \udfff"
HOSTILE = {
    "nothing": "",
    "NULs": "a\x00man\x00 \x00",
    "lone surrogates": LONE,
    "emoji": "a man 👩‍👩‍👧‍👦 runs 🏃🏽‍♀️",
    "right to left": "שלום a man مرحبا",
    "line ends": "a man\r\nruns\ra\n",
    "bars": "a man ||| runs |||",
    "combining": "a\u0301" * 500,
    "one word of a megabyte": "a" * 1_000_000,
    "a megabyte of words": "a man walks and runs quickly " * 35_000,
    "a megabyte of dots": "." * 1_000_000,
    "a megabyte of commas": ",a" * 500_000,
    "identical words": "walk " * 100_000,
    "alternating words": "walk walking " * 50_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("normalize", [True, False])
def test_hostile_text_has_a_defined_result(name: str, normalize: bool) -> None:
    meteor, text = Meteor(normalize=normalize, tokenizer="none"), HOSTILE[name]
    begin = time.process_time()
    values = meteor.pairs(
        candidates=[text, text, "a man runs"], references=[[text], [text[: len(text) * 4 // 5]], [text]]
    )
    assert time.process_time() - begin < 10  # a second or two; a hang would take hours
    assert np.all((values >= 0) & (values <= 1))
    if name not in ("nothing", "NULs", "bars"):
        assert values[0] == pytest.approx(1.0)


def test_defined_choices() -> None:
    meteor = Meteor(tokenizer="none")
    one = meteor.pairs(
        candidates=["a ||| man", "a man", "a man"], references=[["a man"], ["a dog ||| a man"], []]
    )
    assert one.tolist() == [1.0, 1.0, 0.0]
    assert meteor.pairs(candidates=["a man\r\nruns"], references=[["a man runs"]]).tolist() == [1.0]
    assert meteor.pairs(candidates=[LONE], references=[["lone \ufffd surrogate \ufffd"]]).tolist() == [1.0]
    assert meteor.pairs(candidates=[], references=[]).shape == (0,)
    assert meteor.matrix(candidates=[], references=["a"]).shape == (0, 1)
