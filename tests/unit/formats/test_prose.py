"""Answers of language models in files: which are taken for such, and what becomes of them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from storymeter import read
from storymeter.errors import DataError, StorymeterWarning, UsageError
from storymeter.formats import examine
from storymeter.formats.prose import parse_answer

TWO = [(0, 5, "a dog runs"), (5, 9, "it jumps")]


def _spans(path: Path, **options: object) -> list[list[tuple[float | None, float | None, str]]]:
    reading = examine(path, **options)
    assert reading.corpus.origin.format == "prose" and not reading.errors
    return [[(c.start, c.end, c.text) for c in document.captions] for document in reading.corpus]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.txt", "[0, 5] a dog runs\n[5, 9] it jumps\n"),
        ("v.txt", "0:00 - 0:05: a dog runs\r\n0:05 - 0:09: it jumps\r\n"),
        ("v.md", "Here you are:\n\n```json\n" + json.dumps([{"start": 0, "end": 5, "caption": "a dog runs"}])
         + "\n" + json.dumps([{"start": 5, "end": 9, "caption": "it jumps"}]) + "\n```\n"),
        ("v.json", json.dumps([{"start": s, "end": e, "description": t} for s, e, t in TWO])),
        ("a.json", json.dumps({"v": "[0, 5] a dog runs\n[5, 9] it jumps"})),
        ("a.json", json.dumps([{"video": "v", "response": "[0, 5] a dog runs\n[5, 9] it jumps"}])),
        ("a.jsonl", json.dumps({"vid": "v", "pred": "[0, 5] a dog runs\n[5, 9] it jumps"}) + "\n"
         + json.dumps({"vid": "w", "pred": "<00:00:00><00:00:05> a dog runs <00:00:05><00:00:09> it jumps"})),
    ],
)  # fmt: skip
def test_recognised_by_content(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = _spans(tmp_path / name)
    assert found == [TWO] * len(found) and {d.id for d in read(tmp_path / name)} <= {"v", "w"}


def test_columns_of_answers(tmp_path: Path) -> None:
    rows = (
        'clip,model,out\nv,m,"[0, 5] a dog runs\n[5, 9] it jumps"\nw,m,"[0, 5] a dog runs\n[5, 9] it jumps"\n'
    )
    (tmp_path / "a.csv").write_text(rows)
    assert _spans(tmp_path / "a.csv", columns={"answer": "out", "video": "clip"}) == [TWO, TWO]
    assert {p.code for p in examine(tmp_path / "a.csv", columns={"answer": "outs"}).errors} == {
        "missing-column"
    }
    with pytest.raises(UsageError, match="no column colour"):
        examine(tmp_path / "a.csv", columns={"answer": "out", "colour": "x"})


def test_chapters_and_subtitles_stay_what_they_are(tmp_path: Path) -> None:
    for text, name in (
        ("0:00 Start\n1:30 - Middle\n", "chapters"),
        ("1\n00:00:00,000 --> 00:00:04,500\na dog\n", "srt"),
        ("a man runs from 3 to 8\n2-3 people\n", "lines"),
    ):
        (tmp_path / "x.txt").write_text(text)
        assert examine(tmp_path / "x.txt").corpus.origin.format == name


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("Sure!\n[0, 5] a dog runs\n[5, x] it jumps\n")
    assert [(p.code, p.where) for p in examine(tmp_path / "v.txt").problems] == [
        ("skipped-line", "line 1"),
        ("skipped-times", "line 3"),
    ]
    with pytest.warns(StorymeterWarning, match=r"2 lines or items were left out, 1 of them with times"):
        read(tmp_path / "v.txt")
    (tmp_path / "v.txt").write_text("no\ntimes\n")
    with pytest.raises(DataError, match="no caption with its times could be read"):
        read(tmp_path / "v.txt", format="prose")


def test_a_folder_of_answers_is_one_system(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "a.txt").write_text("[0, 5] a dog runs\n[5, 9] it jumps\n")
    (folder / "b.txt").write_text("```json\n[]\n```\n")
    (folder / "c.txt").write_text("[5, 0] it jumps\n[5, 9] it jumps\n")
    (folder / ".hidden").write_text("x")
    reading = examine(folder, format="prose")
    assert [(d.id, len(d.captions)) for d in reading.corpus] == [("a", 2), ("b", 0), ("c", 2)]
    assert [(p.code, p.where) for p in reading.errors] == [("reversed", "c.txt: line 1")]
    assert reading.corpus.name == "mine"
    (folder / "d.json").write_text('{"results": {}}')
    with pytest.raises(DataError, match=r"1 of its 4 files do not hold one video each: d\.json"):
        examine(folder)


ODD = {
    "<think>\n0:00 - 0:09 perhaps\n</think>\n[0, 5] a dog runs": ([(0, 5, "a dog runs")], {"thinking"}),
    "0:00 - 0:09 perhaps\n</think>\n[0, 5] a dog runs": ([(0, 5, "a dog runs")], {"thinking"}),
    '[{"start": 0, "end": 5, "text": "a dog runs"}, {"start": 5, "end": 9, "text": "it ju': (
        [(0, 5, "a dog runs")],
        {"broken-json", "skipped-item"},
    ),
    '[{"start": 0, "end": 5, "text": "a "big" dog"}, {"start": 5, "end": 9, "text": "it jumps"}]': (
        [(5, 9, "it jumps")],
        {"broken-json", "skipped-item"},
    ),
    "[{'from': '0:00', 'to': '0:05', 'text': 'a dog runs',},]  # done": (
        [(0, 5, "a dog runs")],
        {"loose-json", "skipped-line"},
    ),
    '{"timestamps": [[0, 5], [5, 9]], "sentences": ["a dog runs", "it jumps"]}': (TWO, set()),
    '{"0:00 - 0:05": "a dog runs", "0:05 - 0:09": "it jumps"}': (TWO, set()),
    '[[0, 5, "a dog runs"], [5, 9, "it jumps"]]': (TWO, set()),
    '[{"start_ms": 0, "end_ms": 5000, "text": "a dog runs"}]': ([], {"skipped-line"}),
    "Opening (0:00 - 0:05): a dog runs": ([(0, 5, "a dog runs")], {"title"}),
    "### Scene 1: Opening (0:00 - 0:05)\n\na dog runs\n\nThat is all.": (
        [(0, 5, "a dog runs")],
        {"title", "skipped-line"},
    ),
    "1. [0, 5] a dog\n   runs\n2. [5, 9] it jumps": (TWO, set()),
    "0:00 - 0:05\n\nThat is all.": ([], {"skipped-times", "skipped-line"}),
    "0-5: a dog runs\n5-9: it jumps": (TWO, set()),
    "0:00-0:05: a dog runs\n2-1: they win": ([(0, 5, "a dog runs")], {"skipped-times"}),
    "３秒から８秒まで、犬が走る": ([(3, 8, "犬が走る")], set()),
    "・0:00〜0:05：a dog runs\n⏱️ 0:05–0:09 it jumps": (TWO, set()),
    "[3,5s – 8,25s] a dog runs": ([(3.5, 8.25, "a dog runs")], set()),
    "[3,5, 8,25] a dog runs": ([], {"skipped-times"}),
    "1h2m3s to 1h2m5s: a dog runs": ([(3723, 3725, "a dog runs")], set()),
    "1. Caption: a dog runs\n   Time: 0:00 - 0:05\n2. Caption: it jumps\n   Time: 0:05 - 0:09": (TWO, set()),
    "**Caption:** a dog runs\n**Time:** 0:00 - 0:05\n\n**Caption:** it jumps\n**Time:** 0:05 - 0:09": (
        TWO,
        set(),
    ),
    "Caption: a dog runs\nStart: 0\nEnd: 5\nCaption: it jumps\nStart: 5\nEnd: 9": (TWO, set()),
    "Start: 0\nEnd: 5\nCaption: a dog runs\nStart: 5\nEnd: 9\nCaption: it jumps": (TWO, set()),
    "a dog runs\n0:00 - 0:05\nit jumps\n0:05 - 0:09": (TWO, set()),
    "Events:\n0:00 - 0:05\na dog runs\n0:05 - 0:09\nit jumps": (TWO, {"skipped-line"}),
    "Sure\n0:00 - 0:05\n\na dog runs": ([], {"skipped-line", "skipped-times"}),
    "1. Event\n   - Time: 0:00 - 0:05\n   - Description: a dog runs\n2. Event\n   - Time: 0:05 - 0:09\n"
    "   - Description: it jumps": (TWO, {"skipped-line"}),
    "Time: 0:00 - 0:05\nDescription: a dog runs\nEvent 2\nTime: 0:05 - 0:09\nDescription: it jumps": (
        TWO,
        {"skipped-line"},
    ),
    "[0, 5] a dog runs\nNote: the times are rough (0:00-0:30).": ([(0, 5, "a dog runs")], {"skipped-times"}),
    "start;end;caption\n0;5;a dog runs\n5;9;it jumps": (TWO, set()),
}


@pytest.mark.parametrize("text", ODD)
def test_odd_answers(text: str) -> None:
    expected, codes = ODD[text]
    answer = parse_answer(text)
    assert [(c.start, c.end, c.text) for c in answer.captions] == expected
    assert {note.code for note in answer.notes} == codes


def test_hostile_answers_take_no_long_time() -> None:
    for text in (
        "[{" * 20_000,
        "{\n" * 20_000,
        '["' * 20_000,
        "**a " * 20_000,
        "0:00" * 20_000,
        "(" * 40_000,
    ):
        assert not parse_answer(text).captions


@pytest.mark.parametrize(
    "text",
    [
        "0% - 25%: A man opens the door.\n25% - 100%: He walks in.\n",
        "Frame 0 to 12: A man opens the door.\nFrames 12-20: He walks in.\n",
        "1,200.5 - 1,300.0 seconds: A man opens the door.\n1,300.0 - 1,420.0 seconds: He walks in.\n",
        "0 ms - 12500 ms: A man opens the door.\n12500ms - 20000ms: He walks in.\n",
        "0;12;A man opens the door.\n12;20;He walks in.\n",
        "Von 0 bis 12 Sekunden: Ein Mann.\nVon 12 bis 20 Sekunden: Er geht hinein.\n",
    ],
)
def test_times_that_nobody_can_read_are_said_where_lines_become_captions(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.txt").write_text(text, encoding="utf-8")
    with pytest.warns(StorymeterWarning, match="2 lines begin like segments whose times cannot be read"):
        read(tmp_path / "v.txt")
    with pytest.raises(DataError, match="no caption with its times"):
        read(tmp_path / "v.txt", format="prose")


@pytest.mark.parametrize("count", [1, 2])
def test_records_of_a_harness_are_read_by_their_id_however_few(tmp_path: Path, count: int) -> None:
    records = [
        {"question_id": f"v{k}", "prompt": "Describe the video.", "text": "From 0s to 5s, a dog runs."}
        for k in range(count)
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert [(d.id, d.text) for d in read(tmp_path / "answers.jsonl")] == [
        (f"v{k}", "a dog runs.") for k in range(count)
    ]


def test_captions_with_numbers_are_captions(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("2 men and 3 dogs run\nA score of 3 - 2\n5 to 6 people dance\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert next(iter(read(tmp_path / "v.txt"))).text == "2 men and 3 dogs run"
