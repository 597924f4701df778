"""Subtitles as they are found: each of these files was once read wrong, or without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from storymeter import read, write
from storymeter.captions import Caption, Corpus, Document
from storymeter.formats import examine

Read = list[tuple[str, float | None, float | None]]


def _read(folder: Path, name: str, data: str | bytes) -> Read:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return [(c.text, c.start, c.end) for c in read(path).documents[0].captions]


def _codes(folder: Path, name: str, data: str) -> dict[str, str]:
    path = folder / name
    path.write_bytes(data.encode())
    return {problem.code: problem.where for problem in examine(path).problems}


VTT = (
    "WEBVTT - made by hand\nKind: captions\nLanguage: en\n\n"
    "STYLE\n::cue(.loud) { color: red }\n\n"
    "NOTE\na remark of two\nlines\n\n"
    "intro\n00:01.000 --> 00:02.500 align:start position:0%\n<v.loud Ann>Hi &amp; <i>bye</i></v>\n\n"
    "2\n00:03.000 --> 00:04.000\nsecond &lt;3\n\n"
    "NOTE one more remark\n\n"
    "chapter-3\n120:00.000 --> 120:01.500\nthird\nof two lines\n"
)
CUES = [("Hi & bye", 1.0, 2.5), ("second <3", 3.0, 4.0), ("third\nof two lines", 7200.0, 7201.5)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_names_notes_and_styles_of_webvtt_are_no_captions(tmp_path: Path, end: str) -> None:
    assert _read(tmp_path, "film.vtt", VTT.replace("\n", end)) == CUES


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_marks_of_byte_order(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    data = (mark + "1\n00:00:01,000 --> 00:00:02,000\nle café à Noël\n").encode(encoding)
    assert _read(tmp_path, "film.srt", data) == [("le café à Noël", 1.0, 2.0)]
    (problem,) = examine(tmp_path / "film.srt").problems
    assert problem.code == ("bom" if encoding == "utf-8-sig" else "utf-16")


def test_captions_as_youtube_makes_them(tmp_path: Path) -> None:
    """Cue settings, times of single words, colours, a line of one blank; each line is shown twice."""
    data = (
        "WEBVTT\nKind: captions\nLanguage: en\n\n"
        "00:00:00.160 --> 00:00:02.389 align:start position:0%\n \n"
        "hello<00:00:00.480><c> and</c><00:00:00.719><c.colorE5E5E5> welcome</c>\n\n"
        "00:00:02.389 --> 00:00:02.399 align:start position:0%\nhello and welcome\n \n\n"
        "00:00:02.399 --> 00:00:04.070 align:start position:0%\nhello and welcome\n"
        "to<00:00:02.560><c> the</c><00:00:02.800><c> show</c>\n"
    )
    assert _read(tmp_path, "film.vtt", data) == [
        ("hello and welcome", 0.16, 2.389),
        ("hello and welcome", 2.389, 2.399),
        ("hello and welcome\nto the show", 2.399, 4.07),
    ]
    assert _codes(tmp_path, "film.vtt", data) == {"rolling": "$"}


def test_text_without_times_is_no_part_of_the_cue_before(tmp_path: Path) -> None:
    data = "WEBVTT\n\n00:01.000 --> 00:02.000\nfirst\n\nlost words\n\n00:03.000 --> 00:04.000\nlast\n"
    assert _codes(tmp_path, "film.vtt", data) == {"bad-cue": "line 6"}
    glued = "WEBVTT\n\n00:01.000 --> 00:02.000\nfirst\nmore\n00:03.000 --> 00:04.000\nlast\n"
    assert _codes(tmp_path, "film.vtt", glued) == {"bad-cue": "line 6"}


@pytest.mark.parametrize(
    "times", ["00:75.000 --> 01:20.000", "00:01.000 --> soon", "00:01.000 --> 00:02.000 and words"]
)
def test_times_that_are_none(tmp_path: Path, times: str) -> None:
    assert _codes(tmp_path, "film.vtt", f"WEBVTT\n\n{times}\nx\n") == {"bad-cue": "line 3"}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_srt_of_any_line_end_with_entities_and_gaps(tmp_path: Path, end: str) -> None:
    data = (
        "1\n00:00:01,000 --> 00:00:02,000\nFish &amp; <font color='#ff0'>chips</font> &#39;now&#39; AT&T\n\n"
        "2\n00:00:02,500 --> 00:00:03,000  X1:40 X2:600 Y1:20 Y2:50\n{\\an8}two lines\n\nwith a gap\n"
        "3\n1:00:05.5 --> 1:00:06.25\n42\n\n"
    )
    assert _read(tmp_path, "film.srt", data.replace("\n", end)) == [
        ("Fish & chips 'now' AT&T", 1.0, 2.0),
        ("two lines\nwith a gap", 2.5, 3.0),
        ("42", 3605.5, 3606.25),
    ]


def test_markup_in_words_survives_srt(tmp_path: Path) -> None:
    corpus = Corpus((Document("film", (Caption("type &amp; or <b> or {\\an8} & so", 0.0, 1.0),)),))
    for name in ("film.srt", "film.vtt"):
        write(corpus, tmp_path / name)
        assert read(tmp_path / name).documents == corpus.documents


def test_as_pysubs2_reads_sound_files(tmp_path: Path) -> None:
    """An independent reader, on a file that both can read."""
    pysubs2 = pytest.importorskip("pysubs2")
    data = "".join(
        f"{k}\n00:{k % 60:02}:00,{k:03} --> 00:{k % 60:02}:02,500\nline {k}\nand more\n\n"
        for k in range(1, 60)
    )
    theirs = [
        (e.text.replace("\\N", "\n"), e.start / 1000, e.end / 1000) for e in pysubs2.SSAFile.from_string(data)
    ]
    assert _read(tmp_path, "film.srt", data) == theirs
