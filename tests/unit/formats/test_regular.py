"""Files by the book take a shorter way to the same corpus and the same problems."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from storymeter.formats import Reading, examine, registry
from storymeter.formats.base import Source
from storymeter.formats.checks import Check

TEXTS = [
    "a dog runs",
    " She sits.",
    "犬が走る",
    "é",
    "trailing ",
    "",
    "  ",
    "tab\there",
    "half \ud800",
    "x" * 12_000,
]
TIMES = [0, 1, 2.5, 7, 7.04, 7.2, 40.25, -1, 1e10, 10**30, True, None, "3"]
IDS = ["v_1", "v 2", "", " ", "v\t3", "犬", "v_\udc00"]


def careful(path: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Reading:
    with monkeypatch.context() as patched:
        patched.setattr(registry, "regular", lambda *_: None)
        return examine(path, **options)


def some(draw: random.Random, values: list[Any], odd: float) -> Any:
    """Mostly one of the first four."""
    return draw.choice(values if draw.random() < odd else values[:4])


def span(draw: random.Random, odd: float) -> Any:
    times = [some(draw, TIMES, odd) for _ in range(3 if draw.random() < odd / 10 else 2)]
    if odd < 0.2 and all(type(time) in (int, float) for time in times):
        times.sort()
    return times


def content(draw: random.Random, odd: float) -> Any:
    ids = [some(draw, IDS, odd) + str(k) * (k > 0) for k in range(draw.randint(0, 5))]
    lists = [[some(draw, TEXTS, odd) for _ in range(draw.randint(0, 4))] for _ in ids]
    if draw.random() < 0.5:
        extra = {"score": 1} if draw.random() < odd / 4 else {}
        events = [
            [{"sentence": text, "timestamp": span(draw, odd), **extra} for text in texts] for texts in lists
        ]
        top = {
            "version": "1",
            "results": dict(zip(ids, events, strict=True)),
            "external_data": {"used": False},
        }
        return top if draw.random() > odd / 4 else {**top, "more": [1]}
    entries = [
        {
            "duration": some(draw, [7, 40.3, 8.5, 9, 0, -2, 1e12, "x"], odd),
            "timestamps": [],
            "sentences": texts,
        }
        for texts in lists
    ]
    for entry in entries:
        entry["timestamps"] = [span(draw, odd) for _ in entry["sentences"]]
        if draw.random() < odd / 10:
            entry["sentences"] = entry["sentences"][1:]
    return dict(zip(ids, entries, strict=True))


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("odd", [0.0, 0.05, 0.5])
def test_the_same_corpus_and_the_same_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: float, repair: bool
) -> None:
    draw, path = random.Random(5), tmp_path / "file.json"
    for _ in range(150):
        indent = draw.choice([None, None, 1])
        text = json.dumps(content(draw, odd), indent=indent, ensure_ascii=draw.random() < 0.5)
        path.write_bytes(text.replace("\n", draw.choice(["\n", "\r\n"])).encode(errors="surrogatepass"))
        found, wanted = examine(path, repair=repair), careful(path, monkeypatch, repair=repair)
        assert (found.corpus, found.problems) == (wanted.corpus, wanted.problems), text
        assert [[type(time) for c in d.captions for time in (c.start, c.end)] for d in found.corpus] == [
            [type(time) for c in d.captions for time in (c.start, c.end)] for d in wanted.corpus
        ]


def test_the_shorter_way_is_taken_by_files_by_the_book() -> None:
    events = {"v": [{"sentence": "a dog", "timestamp": [0, 1.5]}]}
    entry = {"v": {"duration": 9, "timestamps": [[0, 1.5]], "sentences": ["a dog"]}}
    for value, name in [({"results": events}, "activitynet"), (entry, "activitynet-reference")]:
        source = Source("f.json", json.dumps(value).encode(), Check())
        found = registry.regular(source, None, Check())
        assert found is not None and found[0].name == name
        other = Source("f.json", json.dumps(value).replace('"sentence', '"text').encode(), Check())
        assert registry.regular(other, None, Check()) is None
