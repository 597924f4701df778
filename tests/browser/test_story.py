"""The page of a story in Chromium: every region is a picture that loads, nothing comes from elsewhere, and
axe-core finds nothing serious.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from storymeter.cli._shown import show_story

import storymeter

STORIES = Path(__file__).resolve().parents[2] / "examples" / "stories"


def test_the_page_of_the_packaged_story(
    open_page: Callable[..., Any], violations: Callable[[Any], list[str]]
) -> None:
    for name in ("torch", "transformers", "PIL", "HanTa"):
        pytest.importorskip(name)
    page = open_page(viewport={"width": 900, "height": 700})
    page.set_content(
        show_story(
            "beach", storymeter.read(STORIES / "good.json"), images=str(STORIES / "images"), with_page=True
        )[1]
    )
    widths = page.eval_on_selector_all(".seen img", "all => all.map(one => one.naturalWidth)")
    assert len(widths) >= 8 and min(widths) > 0
    assert page.locator(".link").count() == 4 and page.locator(".link.weakest").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert violations(page) == []
