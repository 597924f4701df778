"""Planted defects: every one is reported with its place, in one run, and nothing else is made up."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from storymeter import read
from storymeter.errors import DataError
from storymeter.formats import examine
from storymeter.formats.problems import group

OK = '{"sentence": "ok", "timestamp": [0, 1]}'
DEEP = "[" * 10_000 + "]" * 10_000


def _event(sentence: str = '"x"', timestamp: str = "[0, 1]") -> str:
    return f'[{{"sentence": {sentence}, "timestamp": {timestamp}}}]'


DEFECTS = {
    "reversed": (_event(timestamp="[7.5, 3]"), "[0].timestamp", "error"),
    "zero-length": (_event(timestamp="[3, 3]"), "[0].timestamp", "warning"),
    "nan": (_event(timestamp="[NaN, 3]"), "[0].timestamp", "error"),
    "infinity": (_event(timestamp="[0, -Infinity]"), "[0].timestamp", "error"),
    "time-not-number": (_event(timestamp='["1.5", 3]'), "[0].timestamp", "error"),
    "missing-key": ('[{"sentence": "x"}]', "[0]", "error"),
    "null-text": (_event("null"), "[0].sentence", "error"),
    "empty-text": (_event('" "'), "[0].sentence", "warning"),
    "missing-text": (_event('"NaN"'), "[0].sentence", "warning"),
    "too-deep": (f'[{{"sentence": "x", "timestamp": [0, 1], "more": {DEEP}}}]', "[0].more[0][0]", "error"),
    "long-text": (_event('"' + "x" * 5_000_000 + '"'), "[0].sentence", "error"),
    "wrong-type": ("7", "", "error"),
    "bad-segment": (_event(timestamp="[1, 2, 3]"), "[0].timestamp", "error"),
    "control-character": (_event('"a\\r\\nb"'), "[0].sentence", "warning"),
    "bad-character": (_event('"\\ud800"'), "[0].sentence", "error"),
    "unsorted": (f'[{{"sentence": "x", "timestamp": [5, 6]}}, {OK}]', "", "warning"),
    "negative-time": (_event(timestamp="[-1, 3]"), "[0].timestamp", "warning"),
}


def _found(path: Path) -> dict[str, tuple[str, str]]:
    return {p.code: (p.where, p.severity) for p in group(examine(path).problems)}


@pytest.mark.parametrize("code", DEFECTS)
def test_one_defect(tmp_path: Path, code: str) -> None:
    value, place, severity = DEFECTS[code]
    path = tmp_path / "f.json"
    path.write_text(f'{{"results": {{"good": [{OK}], "bad": {value}}}}}', encoding="utf-8")
    assert _found(path) == {code: (f"$.results.bad{place}", severity)}


def test_all_defects_in_one_file(tmp_path: Path) -> None:
    """Also doubled, with a byte order mark, with CR LF, and cut off in the end; within a few seconds."""
    videos = ",\r\n".join(f'"{code}": {value}' for code, (value, _, _) in DEFECTS.items())
    path = tmp_path / "f.json"
    path.write_bytes(
        f'\ufeff{{"results": {{{videos}, "twice": [{OK}], "twice": [{OK}],'
        f' "last": [{OK}, {{"sentence": "cut'.encode()
    )
    begin = time.process_time()
    found = _found(path)
    assert time.process_time() - begin < 5
    expected = {
        code: (f"$.results.{code}{place}", severity) for code, (_, place, severity) in DEFECTS.items()
    }
    expected |= {
        "duplicate-id": ("$.results.twice", "error"),
        "bom": ("byte 0", "warning"),
        "crlf": ("line 1", "warning"),
        "truncated": ("$.results.last[1].sentence", "error"),
    }
    assert found == expected


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "empty-file"),
        (" \n", "empty-file"),
        ("42", "wrong-top-level"),
        ('"text"', "wrong-top-level"),
        ("null", "wrong-top-level"),
        ("[1, 2]", "unknown-format"),
        ("{}", "wrong-top-level"),
        ('{"a": 1}', "unknown-format"),
        ('{"results": []}', "wrong-type"),
        (DEEP, "too-deep"),
        ('{"a":' * 10_000, "too-deep"),
        ('{"results": {"v": [' + OK + ",]}}", "bad-json"),
        ('{"results": {"v": [' + OK + "]}} x", "trailing-data"),
        ('{"results"', "truncated"),
        ('{"results": {"v": [{"sentence": "x", "timestamp": [0, 1e999]}]}}', "infinity"),
        ('{"results": {"v": [{"sentence": "x", "timestamp": [0, ' + "9" * 9000 + "]}]}}", "infinity"),
        ('{"results": {"v": [{"sentence": "x", "timestamp": [false, true]}]}}', "time-not-number"),
        ('{"results": {"": [' + OK + "]}}", "bad-id"),
        ('[{"image_id": 1, "caption": null}]', "null-text"),
        ('[{"image_id": null, "caption": "x"}]', "bad-id"),
        ('[{"caption": "x"}]', "missing-key"),
        ('{"v": {"duration": 9, "timestamps": [[0, 1]], "sentences": []}}', "unequal-lists"),
        ('{"v": {"duration": "9", "timestamps": [[0, 1]], "sentences": ["x"]}}', "time-not-number"),
        ('{"v": {"duration": 9, "sentences": ["x"]}}', "missing-key"),
        ('["a", "a"]', "duplicate-id"),
    ],
)
def test_whole_files(tmp_path: Path, content: str, code: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(content, encoding="utf-8")
    assert code in {p.code for p in examine(path).errors}


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x1f\x8b\x08\0", "gzip"),
        (b"PK\x03\x04", "zip"),
        (b"ab\0cd", "binary"),
        (b"\x89PNG\r\n", "picture"),
    ],
)
def test_foreign_files_are_named(tmp_path: Path, data: bytes, word: str) -> None:
    (tmp_path / "f.json").write_bytes(data)
    (problem,) = examine(tmp_path / "f.json").errors
    assert word in problem.message


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_bytes(b'{"results":\n{"v": [{"sentence": "caf\xe9", "timestamp": [0, 1]}]}}')
    assert _found(tmp_path / "f.json") == {"not-utf-8": ("line 2", "error")}


def test_ends_past_the_video(tmp_path: Path) -> None:
    """Up to 0.05 s is rounding."""
    value = {
        v: {"duration": 10, "timestamps": [[0, end]], "sentences": ["x"]}
        for v, end in (("a", 10.01), ("b", 10.05), ("c", 10.06))
    }
    (tmp_path / "f.json").write_text(json.dumps(value))
    assert _found(tmp_path / "f.json") == {"past-the-end": ("$.c.timestamps[0]", "warning")}


def test_repeats_are_grouped(tmp_path: Path) -> None:
    events = [{"sentence": "x", "timestamp": [2, 1]}] * 1208
    (tmp_path / "f.json").write_text(json.dumps({"results": {"v": events}}))
    with pytest.raises(DataError, match=r"(?s)1,208 errors.*and 1,203 more.*--repair"):
        read(tmp_path / "f.json")
    reading = examine(tmp_path / "f.json")
    assert [p.count for p in group(reading.problems)] == [1208]
    assert (reading.problems[7].id, reading.problems[7].index) == ("v", 7)


def test_repair_is_asked_for_and_recorded(tmp_path: Path) -> None:
    value = {"v": {"duration": 10, "timestamps": [[7, 3], [-1, 12], [1, 2]], "sentences": ["a ", "b", "c"]}}
    (tmp_path / "f.json").write_text(json.dumps(value))
    corpus = read(tmp_path / "f.json", repair=True)
    assert [(c.text, c.start, c.end) for c in corpus.documents[0].captions] == [
        ("a", 3, 7),
        ("b", 0, 10),
        ("c", 1, 2),
    ]
    assert corpus.meta["repairs"] == {"clipped": 1, "swapped": 1, "trimmed": 1}


def test_escaped_keys_are_doubles_too(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('{"results": {"a": [' + OK + '], "\\u0061": []}}')
    assert _found(tmp_path / "f.json") == {"duplicate-id": ("$.results.a", "error")}


def test_a_big_file_with_a_late_fault_is_read_in_time(tmp_path: Path) -> None:
    """Doubled keys and a break at the very end of 7 MB: the careful way is linear."""
    videos = ",".join(f'"v{i}": [{OK}, {OK}, {OK}, {OK}]' for i in range(40_000))
    (tmp_path / "f.json").write_text('{"results": {' + videos + ', "v0": [], "w": [{"sentence"')
    begin = time.process_time()
    reading = examine(tmp_path / "f.json")
    assert {p.code for p in reading.errors} == {"duplicate-id", "truncated"}
    assert len(reading.corpus) == 40_001
    assert time.process_time() - begin < 10
