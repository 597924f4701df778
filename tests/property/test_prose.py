"""Answers of language models: 500 generated ones in fifteen styles, with noise between the captions. Every
caption is found with its times and its words, every other line is reported with its number, none is invented.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from storymeter.formats import examine
from storymeter.formats.prose import parse_answer

Event = tuple[float, float, str]

WORDS = [
    "a man in a red shirt walks",
    "2 men sing at 10 o'clock",
    "the dog (brown) can't jump; it waits",
    "she says: wait",
    "well-known players score 3-2",
    "a café, très chic",
    "男性が部屋に入る",
    "он открывает дверь",
    "the cook adds 1/2 cup",
    "it's 5 minutes later and he smiles",
    "A close-up — then a wide shot",
    "people say no. nobody moves",
    "he counts from 3 to 8 and stops",
    "Step by step they climb",
    "[male] went home",
]
#: lines that are no captions, as models write them; those with times are the dangerous ones
NOISE = [
    "Sure! Here are the events of the video:",
    "Let me know if you need more detail.",
    "**Summary**",
    "2-3 people can be seen throughout",
    "The video is about 3 minutes long.",
    "At 0:45 the man leaves.",
    "- 0:75 - 0:80: this minute has too many seconds",
    "[12, end] the clip goes on",
    "12.5: he sits",
    "Frames 3 - 8: a frame count",
    "0% - 12%: a share",
    "Around 5 seconds in, something falls.",
    "00:00:05:12 - 00:00:07:01 a timecode with frames",
    "1,200 - 1,300 s: thousands or decimals?",
    "5-10 seconds later he returns",
    "Note: I cannot see the audio.",
    "注意：音声はありません。",
    "1. First, an overview",
    "(the rest of the video is black)",
    "He runs (0:03 - 0:08) and sits (0:09 - 0:10)",
]


def _clock(time: float, *, hours: bool = False, mark: str = ".") -> str:
    whole, thousandths = divmod(round(time * 1000), 1000)
    text = f"{whole // 60 % 60:02}:{whole % 60:02}" if hours else f"{whole // 60:02}:{whole % 60:02}"
    text = f"{whole // 3600:02}:{text}" if hours else text
    return f"{text}{mark}{thousandths:03}" if thousandths or mark == "," else text


def _lines(form: Callable[[int, float, float, str], str]) -> Callable[..., list[str]]:
    return lambda events, rng: [form(k, *event) for k, event in enumerate(events, 1)]


def _fenced(events: list[Event], rng: random.Random) -> list[str]:
    keys = rng.choice([("start", "end", "caption"), ("start_time", "end_time", "description")])
    rows = [
        dict(zip(keys, (_clock(s) if rng.random() < 0.3 else s, e, t), strict=True)) for s, e, t in events
    ]
    return ["```json\n" + json.dumps(rows, indent=rng.choice([None, 2]), ensure_ascii=False) + "\n```"]


def _python(events: list[Event], rng: random.Random) -> list[str]:
    rows = "\n".join(f"  {{'timestamp': ({s}, {e}), 'sentence': {t!r}}}," for s, e, t in events)
    return ["````markdown\n```python\n{'events': [\n" + rows + "\n]}\n```\n````"]


def _table(events: list[Event], rng: random.Random) -> list[str]:
    rows = [f"| {k} | {_clock(s)} | {_clock(e)} | {t} |" for k, (s, e, t) in enumerate(events, 1)]
    return ["| # | Start | End | Caption |\n|---|:-:|:-:|---|", *rows]


def _one_line(events: list[Event], rng: random.Random) -> list[str]:
    return [" ".join(f"{s:06.1f} - {e:06.1f} seconds, {t}." for s, e, t in events)]


def _headed(events: list[Event], rng: random.Random) -> list[str]:
    return [f"### {_clock(s)} – {_clock(e)}\n\n{t}\n" for s, e, t in events]


STYLES: dict[str, Callable[[list[Event], random.Random], list[str]]] = {
    "JSON in a fence": _fenced,
    "Python in nested fences": _python,
    "[0, 12] text": _lines(lambda k, s, e, t: f"[{s}, {e}] {t}"),
    "mm:ss - mm:ss: text": _lines(lambda k, s, e, t: f"{_clock(s)} - {_clock(e)}: {t}"),
    "From 3.2s to 8s, text": _lines(lambda k, s, e, t: f"From {s}s to {e}s, {t}"),
    "<00:00:05><00:00:09> text": _lines(
        lambda k, s, e, t: f"<{_clock(s, hours=True)}><{_clock(e, hours=True)}> {t}"
    ),
    "0000.0 - 0029.0 seconds, text": _lines(lambda k, s, e, t: f"{s:06.1f} - {e:06.1f} seconds, {t}"),
    "several in one line": _one_line,
    "bullets, bold, long dashes": _lines(lambda k, s, e, t: f"- **{_clock(s)} – {_clock(e)}**: {t}"),
    "numbers and brackets": _lines(lambda k, s, e, t: f"{k}. **[{_clock(s)} — {_clock(e)}]** {t}"),
    "a table": _table,
    "headings": _headed,
    "cues": _lines(
        lambda k, s, e, t: (
            f"{k}\n{_clock(s, hours=True, mark=',')} --> {_clock(e, hours=True, mark=',')}\n{t}\n"
        )
    ),
    "keys and values": _lines(lambda k, s, e, t: f"Start: {s}\nEnd: {e}\nCaption: {t}\n"),
    "times behind": _lines(lambda k, s, e, t: f"* {t} ({_clock(s)}-{_clock(e)})"),
}
#: a caption that speaks of times itself cannot carry its own behind it
PLAIN = {"times behind"}
FENCES = ("```", "~~~")


def _case(number: int) -> tuple[str, str, list[Event], set[int]]:
    rng = random.Random(number)
    style = list(STYLES)[number % len(STYLES)]
    words = [w for w in WORDS if style not in PLAIN or not any(c.isdigit() for c in w)]
    events, time = [], 0.0
    for _ in range(rng.randint(1, 8)):
        time += rng.randrange(0, 600) / 2
        end = time + rng.randrange(1, 240) / 2
        events.append((time, end, rng.choice(words)))
    if style == "several in one line":
        events = [(s, e, t.replace(". ", ", ")) for s, e, t in events]
    pieces = STYLES[style](events, rng)
    expected = [(s, e, f"{t}.") for s, e, t in events] if style == "several in one line" else events
    out: list[tuple[str, bool]] = []
    for piece in pieces:
        while rng.random() < 0.4:
            out.append((rng.choice(NOISE), True))
            if rng.random() < 0.3 or style == "headings":
                out.append(("", False))
        out.append((piece, False))
    for _ in range(rng.randrange(3)):
        out.append((rng.choice(NOISE), True))
    if style in ("headings", "cues", "keys and values"):
        out = [part for text, noise in out for part in ((text, noise), ("", False))]
    unread, line = set(), 1
    for text, noise in out:
        if noise:
            unread.add(line)
        line += text.count("\n") + 1
    return style, rng.choice(["\n", "\r\n"]).join("\n".join(t for t, _ in out).split("\n")), expected, unread


@pytest.mark.parametrize("style", STYLES)
def test_500_answers(style: str) -> None:
    """Numbers 0 to 509, 34 in each style."""
    for number in range(list(STYLES).index(style), 510, len(STYLES)):
        name, text, expected, unread = _case(number)
        answer = parse_answer(text)
        assert name == style
        assert [(c.start, c.end, c.text) for c in answer.captions] == expected, (number, text)
        assert {n.line for n in answer.notes if n.code.startswith("skipped")} == unread, (number, text)


def test_500_answers_in_one_file(tmp_path: Path) -> None:
    """The same through the reader: one document each, and as many problems as there are unread lines."""
    cases = [_case(number) for number in range(510)]
    path = tmp_path / "run.jsonl"
    rows = [json.dumps({"clip": f"v{k}", "said": text}) for k, (_, text, _, _) in enumerate(cases)]
    path.write_text("\n".join(rows), encoding="utf-8")
    reading = examine(path, columns={"answer": "said", "video": "clip"})
    assert reading.corpus.origin.format == "prose" and not reading.errors
    found = [[(c.start, c.end, c.text) for c in document.captions] for document in reading.corpus]
    assert found == [expected for _, _, expected, _ in cases]
    assert {p.where for p in reading.left_out} == {
        f"line {k}, answer line {line}" for k, (*_, unread) in enumerate(cases, 1) for line in unread
    }


@pytest.mark.parametrize("noise", NOISE)
def test_noise_alone_is_no_caption(noise: str) -> None:
    answer = parse_answer(noise)
    assert not answer.captions and [note.line for note in answer.notes] == [1]


@settings(max_examples=300, deadline=None)
@given(st.text("0123456789:.,-–[]()<>{}|*#`\"' \n\tsmfromtendSta%年秒～", max_size=200))
def test_any_text_is_read_or_reported(text: str) -> None:
    """Whatever comes: no exception, and each line with a word or number is in a caption or in a note."""
    answer = parse_answer(text)
    assert all(caption.text.strip() for caption in answer.captions)
    if not answer.captions and not answer.empty and "Start" not in text:
        lines = enumerate(text.replace("\r", "\n").split("\n"), 1)
        spoken = {k for k, line in lines if any(c.isalnum() for c in line) and line.strip()[:3] not in FENCES}
        assert spoken <= {note.line for note in answer.notes}
