"""The page of a story in Chromium: every region is a picture that loads, nothing comes from elsewhere, and
axe-core finds nothing serious.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import storymeter
from storymeter.report import Column, Presentation, Table, present, render
from storymeter.story import explain_story

STORIES = Path(__file__).resolve().parents[2] / "examples" / "stories"


def test_the_page_of_the_packaged_story(
    open_page: Callable[..., Any], violations: Callable[[Any], list[str]]
) -> None:
    for name in ("torch", "transformers", "PIL", "HanTa"):
        pytest.importorskip(name)
    page = open_page(viewport={"width": 900, "height": 700})
    corpus, images = storymeter.read(STORIES / "good.json"), str(STORIES / "images")
    story = explain_story(corpus.by_id()["beach"][0], system="good", corpus=corpus.documents, images=images)
    page.set_content(render(present(story, images=images), "html"))
    widths = page.eval_on_selector_all(".seen img", "all => all.map(one => one.naturalWidth)")
    assert len(widths) >= 8 and min(widths) > 0
    assert page.locator(".link").count() == 4 and page.locator(".link.weakest").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert violations(page) == []


@pytest.mark.parametrize("columns", [12, 14, 21])
def test_numbers_of_wide_tables_are_whole_in_print(columns: int, open_page: Callable[..., Any]) -> None:
    """Table 1 of RoViST has twelve columns of numbers, and the one of VIST-Edit's criteria 21."""
    names = [f"no_repetition{k} tau-b" for k in range(columns)]
    rows = [[name, *[-0.1234] * columns] for name in ("rovist_nr", "rovist_vg(efficientnet)")]
    table = Table(["metric", *(Column(name, "+.3f") for name in names)], rows)
    page = open_page(viewport={"width": 700, "height": 900})
    page.emulate_media(media="print")
    page.set_content(render(Presentation("Agreement", lambda style, width: [table]), "html"))
    lines = page.eval_on_selector_all(
        "td.number",
        """all => all.map((cell) => {
          const text = document.createRange();
          text.selectNodeContents(cell);
          return text.getClientRects().length;
        })""",
    )
    assert lines == [1] * (2 * columns)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
