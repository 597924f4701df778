"""One small file per format: recognised by its content alone, read, and written back as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from storymeter import read, write
from storymeter.captions import Caption, Corpus, Document
from storymeter.errors import DataError, StorymeterWarning, UsageError
from storymeter.formats import FORMATS, examine, iter_documents

CAPTION = {"sentence": "a dog runs", "timestamp": [0, 4.5], "proposal_score": 0.25}
SIS = [
    {
        "story_id": "9",
        "album_id": "7",
        "worker_arranged_photo_order": n,
        "photo_flickr_id": f"p{n}",
        "text": t,
        "original_text": t.title(),
    }
    for n, t in enumerate(("we met .", "we left ."))
]

SAMPLES: dict[str, Any] = {
    "activitynet": {
        "version": "VERSION 1.0",
        "results": {"v_1": [CAPTION], "v_2": []},
        "external_data": {"used": True},
    },
    "activitynet-reference": {
        "v_1": {
            "duration": 9,
            "timestamps": [[0, 4.5], [4.5, 9.0]],
            "sentences": [" a dog runs", "it jumps\nhigh"],
            "split": "val",
        }
    },
    "id-list": ["v_1", "v_2"],
    "youcook2": {
        "database": {
            "x": {
                "duration": 9.5,
                "subset": "validation",
                "recipe_type": "113",
                "annotations": [{"id": 0, "segment": [0, 4], "sentence": "cut it"}],
            }
        },
        "note": 1,
    },
    "vidchapters": {
        "x": {
            "duration": 90,
            "title": "t",
            "chapters": [{"time": 0, "label": "Start"}, {"time": 30.5, "label": "Middle"}],
        }
    },
    "timechat": {
        "x.mp4": [
            {"timestamp": [0.0, 4.5], "caption": "a dog"},
            {"timestamp": [5.0, 6.0], "caption": "a cat", "score": 1},
        ]
    },
    "vist": {
        "images": [{"id": "p0"}],
        "albums": [{"id": "7"}],
        "annotations": [[item] for item in SIS],
        "type": "sis",
    },
    "vist-challenge": {
        "team_name": "us",
        "output_stories": [
            {"album_id": "7", "photo_sequence": ["p0", "p1"], "story_text_normalized": "we met . we left ."}
        ],
    },
    "plain": {"7": ["a story .", "another ."], "8": ["one ."]},
    "coco": {
        "info": {},
        "images": [{"id": 1}],
        "annotations": [{"image_id": 1, "id": 5, "caption": "a"}, {"image_id": 1, "id": 6, "caption": "b"}],
    },
    "coco-results": [{"image_id": 2, "caption": "a"}, {"image_id": 1, "caption": "b"}],
}
TEXTS = {
    "vitt": (
        '{"id":"x","annotations":[{"timestamp":1060,"tag":"Start"},{"timestamp":20001,"tag":"End"}],'
        '"type":"howto"}\n'
        '{"id":"x","annotations":[{"timestamp":0,"tag":"All"}]}\n'
    ),
    "jsonl": (
        '{"storymeter":"captions","schema":1,"name":"m","origin":{"path":"","format":"","sha256":""},'
        '"meta":{}}\n'
        '{"doc":"v","text":"a","start":0,"end":1.5,"image":"i","meta":{"k":[1]}}\n'
        '{"doc":"v","duration":9.0}\n{"doc":"v","text":"b"}\n'
    ),
    "lines": "a dog runs\n2 men sing\n",
    "vtt": (
        "WEBVTT\n\n00:00:00.000 --> 00:00:04.500\na dog &amp; a cat\n\n00:00:05.000 --> 01:00:06.001\nit"
        " jumps\nhigh\n\n"
    ),
    "srt": (
        "1\n00:00:00,000 --> 00:00:04,500\na dog & a cat\n\n2\n00:00:05,000 --> 01:00:06,001\n1 < 2 {so}\n\n"
    ),
    "prose": (
        '```json\n[\n  {"start":0,"end":4.5,"caption":"a \'dog\' runs"},\n'
        '  {"start":4.5,"end":9.0,"caption":"[1, 2] it jumps","score":1}\n]\n```\n'
    ),
    "chapters": "0:00 Start\n1:30 - Middle\n1:00:05 End\n",
    "csv": 'video,start,end,text\nv,0,4.5,"a dog, running"\nv,4.5,9.0,it jumps\nw,0.0,1.0,x\n',
    "tsv": "video\tstart\tend\ttext\nv\t0\t4.5\ta dog\n",
}


def _file(folder: Path, name: str) -> Path:
    """The sample under a name whose suffix says nothing."""
    path = folder / "sample.data"
    path.write_text(TEXTS[name] if name in TEXTS else json.dumps(SAMPLES[name]), encoding="utf-8")
    return path


def test_every_format_has_a_sample() -> None:
    assert {*SAMPLES, *TEXTS, "parquet"} == set(FORMATS)


@pytest.mark.parametrize("name", [*SAMPLES, *TEXTS])
def test_recognised_and_given_back(tmp_path: Path, name: str) -> None:
    path = _file(tmp_path, name)
    reading = examine(path)
    assert reading.corpus.origin.format == name
    assert not reading.errors
    for step in ("direct", "through jsonl"):
        corpus = reading.corpus
        if step == "through jsonl":
            write(corpus, tmp_path / "x.jsonl")
            corpus = read(tmp_path / "x.jsonl")
        assert write(corpus, tmp_path / "back", format=name) == []
        back = (tmp_path / "back").read_text(encoding="utf-8")
        if name in SAMPLES:
            assert json.dumps(json.loads(back), sort_keys=True) == json.dumps(SAMPLES[name], sort_keys=True)
        elif name == "jsonl":
            assert back.splitlines()[1:] == TEXTS[name].splitlines()[1:]
        else:
            assert back == TEXTS[name].replace("1:30 - Middle", "1:30 Middle")


def test_vist_stories_are_sorted_and_tied_to_images(tmp_path: Path) -> None:
    value = {**SAMPLES["vist"], "annotations": SAMPLES["vist"]["annotations"][::-1]}
    (tmp_path / "s.json").write_text(json.dumps(value))
    corpus = read(tmp_path / "s.json")
    assert [(c.text, c.image) for c in corpus.documents[0].captions] == [
        ("we met .", "p0"),
        ("we left .", "p1"),
    ]
    assert corpus.documents[0].id == "7" and corpus.kind == "story"
    assert read(tmp_path / "s.json", id_map="sequence").documents[0].id == "7/p0-p1"


def test_challenge_albums_told_twice(tmp_path: Path) -> None:
    """Two photo sequences make two documents; two stories of one sequence are alternatives."""

    def story(photos: str) -> dict[str, Any]:
        return {"album_id": "7", "photo_sequence": list(photos), "story_text_normalized": "x"}

    (tmp_path / "c.json").write_text(json.dumps({"output_stories": [story("ab"), story("cd")]}))
    assert [d.id for d in read(tmp_path / "c.json")] == ["7/a-b", "7/c-d"]
    (tmp_path / "c.json").write_text(json.dumps({"output_stories": [story("ab"), story("ab")]}))
    assert [d.id for d in read(tmp_path / "c.json")] == ["7", "7"]
    assert write(read(tmp_path / "c.json"), tmp_path / "c.csv") == ["photo sequences"]


def test_keys_at_the_top_are_named_when_they_are_left_out(tmp_path: Path) -> None:
    corpus = read(_file(tmp_path, "activitynet"))
    assert write(corpus, tmp_path / "x", format="timechat") == ["the file's own external_data, version"]
    assert write(corpus, tmp_path / "x", format="activitynet") == []


def test_starts_alone_end_with_the_next(tmp_path: Path) -> None:
    chapters = read(_file(tmp_path, "vidchapters")).documents[0]
    assert [(c.start, c.end) for c in chapters.captions] == [(0, 30.5), (30.5, 90)]
    reading = examine(_file(tmp_path, "vitt"))
    assert [(c.start, c.end) for c in reading.corpus.documents[0].captions] == [
        (1.06, 20.001),
        (20.001, None),
    ]
    assert [len(d.captions) for d in reading.corpus.by_id()["x"]] == [2, 1]  # two annotators
    assert {p.code for p in reading.problems} == {"open-end"}


def test_lines_with_ids(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("12 a dog\n7 two men\n")
    assert [(d.id, d.text) for d in read(tmp_path / "run.txt")] == [("12", "a dog"), ("7", "two men")]


def test_several_id_maps_in_order(tmp_path: Path) -> None:
    """Endings and a leading v_ together: each map alone leaves the ids apart."""
    value = {"v_abc.mp4": [{"timestamp": [0.0, 4.5], "caption": "a dog"}]}
    (tmp_path / "p.json").write_text(json.dumps(value))
    for maps in (["strip-ext", "strip-v"], "strip-v,strip-ext"):
        corpus = read(tmp_path / "p.json", id_map=maps)
        assert corpus.documents[0].id == "abc"
    (tmp_path / "pairs.csv").write_text("abc,first\n")
    mapped = read(tmp_path / "p.json", id_map=["strip-v", "strip-ext", str(tmp_path / "pairs.csv")])
    assert mapped.documents[0].id == "first" and mapped.meta["id_map"].startswith("strip-v,strip-ext,")
    (tmp_path / "two.json").write_text(json.dumps({**value, "abc": []}))
    assert {p.code for p in examine(tmp_path / "two.json", id_map=["strip-v", "strip-ext"]).errors} == {
        "id-collision"
    }
    with pytest.raises(UsageError, match="'strip' is neither a rule nor a file"):
        read(tmp_path / "p.json", id_map=["strip-v", "strip"])


def test_columns_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("clip no,words,start,end,score\nv,a dog,0,1,0.5\n")
    assert {p.code for p in examine(tmp_path / "t.csv").errors} == {"missing-column"}
    caption = read(tmp_path / "t.csv", columns={"video": "clip no", "text": "words"}).documents[0].captions[0]
    assert caption == Caption("a dog", 0, 1, meta={"score": "0.5"})
    with pytest.raises(UsageError, match="no column colour"):
        read(tmp_path / "t.csv", columns={"colour": "x"})


def test_crooked_tables(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("video,text,text,start,end\na,b,c,0,1\na,b\na,b,c,0,x\n")
    assert {(p.code, p.where) for p in examine(tmp_path / "t.csv").errors} == {
        ("duplicate-column", "line 1"),
        ("ragged-row", "line 3"),
        ("time-not-number", "line 4: $.start"),
    }


def test_rows_without_times_are_alternatives(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,caption\n1,a dog\n1,a hound\n")
    assert [d.text for d in read(tmp_path / "t.csv").by_id()["1"]] == ["a dog", "a hound"]
    stories = Corpus(
        (
            Document("s", (Caption("one ."), Caption("two ."))),
            Document("s", (Caption("uno ."), Caption("due ."))),
        )
    )
    write(stories, tmp_path / "s.tsv")
    assert read(tmp_path / "s.tsv").documents == stories.documents


def test_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    corpus = Corpus(
        (
            Document("v", (Caption("a", 0.0, 1.0, meta={"k": 1}), Caption("b", 1.0, 2.5)), 9.0),
            Document("w", (Caption("c", 0.5, 1.0),)),
        )
    )
    write(corpus, tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").documents == corpus.documents
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 not really PAR1")
    assert {p.code for p in examine(tmp_path / "bad.parquet").errors} == {"bad-table"}


def test_parquet_without_its_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    from storymeter.errors import MissingPartError

    with pytest.raises(MissingPartError, match="storymeter\\[parquet\\]"):
        write(Corpus((Document("v", (Caption("a"),)),)), tmp_path / "t.parquet")
    assert not list(tmp_path.iterdir())


def test_subtitles_of_the_wild(tmp_path: Path) -> None:
    (tmp_path / "film.vtt").write_text(
        "WEBVTT - title\r\nKind: captions\r\n\r\nNOTE a note\r\n\r\nc1\r\n00:01.000 --> 00:02.500"
        " align:start\r\n<v Ann>Hi <b>you</b>\r\n\r\n"
    )
    caption = read(tmp_path / "film.vtt").documents[0].captions[0]
    assert (caption.text, caption.start, caption.end) == ("Hi you", 1.0, 2.5)
    (tmp_path / "film.srt").write_text("1\n00:00:04,000 --> 00:00:01,000\n<i>x</i>\n")
    assert {(p.code, p.where) for p in examine(tmp_path / "film.srt").errors} == {("reversed", "line 2")}


def test_streaming_hands_out_documents_before_the_error(tmp_path: Path) -> None:
    lines = [
        '{"doc":"a","text":"x"}',
        '{"doc":"b","text":"y"}',
        '{"doc":"b","text":null}',
        '{"doc":"c","text":"z"}',
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    stream = iter_documents(tmp_path / "s.jsonl")
    assert next(stream).id == "a"
    with pytest.raises(DataError, match="line 3"):
        list(stream)
    whole = _file(tmp_path, "activitynet")
    assert [d.id for d in iter_documents(whole)] == ["v_1", "v_2"]


def test_scattered_captions_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text(
        '{"doc":"a","text":"x"}\n{"doc":"b","text":"y"}\n{"doc":"a","text":"z"}\n'
    )
    assert [(p.code, p.where) for p in examine(tmp_path / "s.jsonl").errors] == [("scattered", "line 3")]


def test_frames_become_seconds_and_frames_again(tmp_path: Path) -> None:
    value = {"a.avi": {"timestamps": [[147, 294]], "sentences": ["cut"], "fps": 29.4, "num_frames": 588}}
    (tmp_path / "t.json").write_text(json.dumps(value))
    corpus = read(tmp_path / "t.json")
    assert corpus.documents[0].duration == pytest.approx(20) and corpus.documents[0].captions[
        0
    ].start == pytest.approx(5)
    write(corpus, tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text()) == value


def test_columns_that_a_format_does_not_use_are_named(tmp_path: Path) -> None:
    """A file with fields of its own passed over the names of columns in silence."""
    srt, lines = tmp_path / "a.srt", tmp_path / "a.jsonl"
    srt.write_text("1\n00:00:01,000 --> 00:00:02,000\nA dog.\n")
    with pytest.warns(StorymeterWarning, match=r"columns were not used .*SubRip"):
        read(srt, columns={"text": "said"})
    lines.write_text('{"doc": "a", "clip": "b", "text": "A dog.", "said": "It runs."}\n')
    (document,) = read(lines, columns={"text": "said", "video": "clip"})
    assert (document.id, document.captions[0].text) == ("b", "It runs.")
