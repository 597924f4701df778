"""Figures as PNG write names in any script for which a font is here."""

from __future__ import annotations

import pytest

from storymeter.report import png
from storymeter.report.figures.files import fonts
from storymeter.report.figures.points import Dot, dots


def _drawn(name: str) -> bytes:
    return png(dots([Dot(name, 1.0)], label="", alternative=""))


def test_japanese_names_are_no_boxes() -> None:
    """A letter without a font is drawn as a box, and then all such letters look alike."""
    if len(fonts()) == 1:
        pytest.skip("no font with Japanese letters on this machine")
    assert _drawn("犬") != _drawn("猫") != _drawn("車")
    assert _drawn("dog") == _drawn("dog")
