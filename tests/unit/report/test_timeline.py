from __future__ import annotations

from storymeter.dense.caption_pairs import Event, Timeline
from storymeter.report import present, render
from storymeter.scores import Match

STORY = Timeline(
    "v <1>",
    "mine",
    "ann & co",
    "meteor",
    20.0,
    [Event("a <b>dog</b> runs", 0, 9), Event("it rests", 12, 20)],
    [Event("a dog", 0, 10), Event("padding", 3, 4), Event("it sleeps", 12, 20)],
    [Match(0, 0, 0.9, 0.5, 0.45), Match(2, 1, 1.0, 0.25, 0.25)],
    0.2,
    0.3,
    0.24,
)


def test_terminal_joins_partners_and_marks_the_lonely() -> None:
    text = render(present(STORY), width=110)
    assert "0.450" in text and "0.250" in text
    assert next(line for line in text.splitlines() if line.startswith("p2")).endswith("no partner")
    assert next(line for line in text.splitlines() if line.startswith("g2")).endswith("-> p3")


def test_page_is_self_contained_and_escaped() -> None:
    text = render(present(STORY), "html")
    assert "<b>dog" not in text and "&lt;b&gt;dog" in text and "v &lt;1&gt;" in text
    assert "0.90 × 0.50 = 0.45" in text
    assert text.count('class="single"') == 1
    for outside in ('src="http', 'href="http', "<script"):
        assert outside not in text


def test_an_empty_story_still_renders() -> None:
    nothing = Timeline("v", "s", "r", "meteor", 0.0, [], [], [], 0, 0, 0)
    assert "v" in render(present(nothing))
    assert "<svg" in render(present(nothing), "html")


def test_japanese_and_right_to_left_text_fills_its_place_and_no_more() -> None:
    from rich.cells import cell_len

    texts = ["犬が草の上を走っている。" * 8, "رجل يركض في الحديقة " * 12, "👩‍👩‍👧 🐕 " * 30, "x" * 400]
    events = [Event(text, 0, 9) for text in texts]
    shown = render(present(Timeline("v", "s", "r", "meteor", 20.0, events, [], [], 0, 0, 0)), width=100)
    rows = [line for line in shown.splitlines() if line.startswith("g")]
    assert len(rows) == 4
    for row, text in zip(rows, texts, strict=True):
        assert text[:10] in row and "…" in row and cell_len(row) <= 100
    assert len({cell_len(row.partition("->")[0]) for row in rows}) == 1
