"""Words that no reference supports are marked in the report, for videos, stories and single captions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import storymeter
from storymeter.captions import Caption, Corpus, Document
from storymeter.report import write_report

KINDS = {
    "dense": [Caption("a man 🎈 washes a car", 0, 5), Caption("a horse sings", 6, 9)],
    "story": [Caption("a man 🎈 washes a car"), Caption("a horse sings")],
    "caption": [Caption("a man 🎈 washes a car, a horse sings")],
}


@pytest.mark.parametrize("kind", KINDS)
def test_marked(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    captions = tuple(KINDS[kind])
    mine, people = Corpus((Document("v", captions),), "mine"), Corpus((Document("v", captions),), "people")
    results = storymeter.evaluate(candidates=[mine], references=[people], metrics=["rouge_l"])
    last = [[], [1, 2]] if kind != "caption" else [[7, 8]]
    page = tmp_path / "report.html"
    monkeypatch.setattr("storymeter.report.full.writing.unsupported", lambda *_: [[last]])
    write_report(results, page, facts=True)
    with browser.new_context() as context:
        view = context.new_page()
        troubles: list[str] = []
        view.on("pageerror", lambda error: troubles.append(str(error)))
        view.goto(f"file://{page}#d=v")
        view.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        assert view.locator("#one mark.unsaid").all_inner_texts() == ["horse", "sings"]
        assert not troubles
