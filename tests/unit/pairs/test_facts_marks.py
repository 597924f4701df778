"""Unsupported words stand at their place in the caption, in the terminal, on the page and in the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from part_kit import need

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.pairs import Facts, facts
from storymeter.report import write_report

need("torch")
Run = Callable[..., tuple[int, str, str]]
TOLD = Document(
    "v", (Caption("  a man washes 🎈 a car", 0, 5), Caption("", 5, 6), Caption("a Horse, sings!", 6, 9))
)
PEOPLE = Document("v", (Caption("A man washes a car in his yard.", 0, 5), Caption("He waves.", 6, 9)))


def test_every_word_goes_back_to_its_caption() -> None:
    value, captions = facts.marked_captions(Facts(), TOLD, [PEOPLE])
    assert [caption.text for caption in captions] == [caption.text for caption in TOLD.captions]
    for caption in captions:
        assert all(caption.text[word.start : word.end] == word.text for word in caption.words)
        assert "".join(text for text, _ in caption.pieces()) == caption.text
    assert [[word.text for word in caption.words] for caption in captions] == [
        ["a", "man", "washes", "a", "car"],
        [],
        ["a", "Horse", "sings"],
    ]
    assert [word.text for caption in captions for word in caption.unsupported] == ["Horse", "sings"]
    assert 0 < value < 1


def test_the_report_marks_them_on_demand(tmp_path: Path) -> None:
    corpora = [Corpus((TOLD,), "mine"), Corpus((PEOPLE,), "people")]
    results = storymeter.evaluate(candidates=corpora[:1], references=corpora[1:], metrics=["soda_c"])
    for asked in (True, False):
        write_report(results, tmp_path / "report.html", facts=asked)
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert ('"unsupported":[[[[],[],[1,2]]]]' in page) == ('"unsupported":[' in page) == asked


@pytest.mark.parametrize("asked", [["--facts"], ["-m", "facts"]])
def test_show_puts_them_in_brackets(run: Run, tmp_path: Path, asked: list[str]) -> None:
    mine, people, page = tmp_path / "mine.json", tmp_path / "people.json", tmp_path / "page.html"
    storymeter.write(Corpus((TOLD,), "mine"), mine, format="activitynet")
    storymeter.write(Corpus((PEOPLE,), "people"), people, format="activitynet")
    code, out, err = run("show", "v", str(mine), "-r", str(people), *asked, "--html", str(page))
    assert code == 0, err
    assert "[Horse], [sings]!" in out and "[man]" not in out
    assert ">Horse</mark>" in page.read_text()


def test_support_needs_references(run: Run, examples: Path) -> None:
    code, _, err = run("show", "pancakes", str(examples / "videos/good.json"), "--facts")
    assert code == 2 and "--references" in err
