"""Every conversion keeps a caption's text, or says that it does not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from storymeter import Caption, Corpus, Document
from storymeter.formats import examine, registry, write

ODD = [
    "a dog",
    "--> it runs",
    "a --> b",
    "two\u2028lines",
    "form\x0cfeed",
    "two  blanks",
    "line\nend",
    "cr\rhere",
    "a\n\nb",
    "",
    " ",
    " lead",
    "12",
    "1\n00:00:01,000 --> 00:00:02,000",
    "<i>it</i>",
    "&amp; so",
    "a & b <c>",
    "WEBVTT",
    "NOTE this",
    "犬",
    "🎉",
    'a,b"c',
    "tab\there",
    "0:00 x",
    "[0, 1] x",
    "{\\an8}top",
]
TEXTUAL = [f.name for f in registry.FORMATS.values() if f.textual]


def timed(texts: list[str]) -> Corpus:
    captions = tuple(Caption(text, 2.0 * k, 2.0 * k + 2) for k, text in enumerate(texts))
    return Corpus((Document("v", captions, 2.0 * len(texts)),), "v")


def back(corpus: Corpus, format: str, folder: Path) -> tuple[list[str], list[str]]:
    lost = write(corpus, folder / "v", format=format)
    found = examine(folder / "v", format=format).corpus
    return lost, [caption.text for document in found for caption in document.captions]


def test_arrows_and_odd_line_ends_are_kept(tmp_path: Path) -> None:
    texts = ["--> it runs", "a --> b", "two\u2028lines", "form\ffeed"]
    for format in ("srt", "vtt"):
        lost, found = back(timed(texts), format, tmp_path)
        assert found == texts
        assert not any("exact text" in word or "blanks" in word for word in lost)
        assert not examine(tmp_path / "v", format=format).errors


def test_what_is_not_kept_is_said(tmp_path: Path) -> None:
    lost, found = back(timed(["a dog", "", "b"]), "prose", tmp_path)
    assert (len(found) == 3) or any("captions without text" in word for word in lost)
    lost, found = back(timed(["two  blanks", "b"]), "chapters", tmp_path)
    assert found[0] == "two blanks"
    assert any("blanks and line ends" in word for word in lost)
    lost, _ = back(timed(["a\n\nb"]), "vtt", tmp_path)
    assert any("blanks and line ends" in word for word in lost)
    assert back(timed(["a dog", "b"]), "srt", tmp_path)[0] == ["durations"]


@pytest.mark.parametrize("format", TEXTUAL)
def test_random_captions(format: str, tmp_path: Path) -> None:
    rng = random.Random(format)
    for _ in range(25):
        texts = rng.sample(ODD, rng.randrange(1, 6))
        corpus = timed(texts)
        if format == "lines":
            corpus = Corpus(tuple(Document(str(k), (Caption(t),)) for k, t in enumerate(texts, 1)), "v")
        lost, found = back(corpus, format, tmp_path)
        said = [word for word in lost if "text" in word or "blanks" in word]
        assert said or found == texts, (texts, found)
