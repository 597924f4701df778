"""Figures are inline SVG with text that fits: nothing overlaps, nothing runs, nothing is said by colour
alone.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from storymeter.human.analysis.survey import CriterionMean, Survey
from storymeter.report import png, present, svg_file
from storymeter.report.figures.charts import Bar, Tile, bar_and_whisker, heat_map, lanes, lines, shares, steps
from storymeter.report.figures.marks import shape, shortened, wide
from storymeter.report.figures.points import Dot, Spread, boxes, dots, places_of, scatter

HOSTILE = "<script>alert(1)</script>\"'&\x00\u202eab"
VALUES = np.linspace(0, 1, 20)
FIGURES = {
    "bar": bar_and_whisker(0.5, (0.4, 0.6), (0, 1), colour=0, alternative=HOSTILE),
    "dots": dots([Dot(HOSTILE, 1.0, (0.5, 1.5), HOSTILE)], label=HOSTILE, alternative=HOSTILE),
    "heat": heat_map([HOSTILE], [HOSTILE], [[Tile(HOSTILE, 0.5, HOSTILE)]], alternative=HOSTILE),
    "scatter": scatter([1], [2], [HOSTILE], labels=(HOSTILE, HOSTILE), alternative=HOSTILE),
    "lines": lines({HOSTILE: [1, 2]}, [HOSTILE, "b"], labels=(HOSTILE, HOSTILE), alternative=HOSTILE),
    "boxes": boxes([Spread(HOSTILE, VALUES, 0.5, (0.4, 0.6))], label=HOSTILE, alternative=HOSTILE),
    "steps": steps({HOSTILE: VALUES}, VALUES, labels=(HOSTILE, HOSTILE), alternative=HOSTILE),
    "shares": shares([(HOSTILE, HOSTILE, 1, 2, 3)], alternative=HOSTILE),
    "lanes": lanes(
        [Bar("g1", HOSTILE, 0, 1, False)], [Bar("p1", HOSTILE, 0, 1, False)], [(0, 0, "x")], 2, HOSTILE
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_hostile_text_is_shown_and_never_run(name: str) -> None:
    text = str(FIGURES[name])
    assert "<script" not in text and "&lt;script&gt;" in text
    assert "\x00" not in text and "\u202e" not in text and "style=" not in text
    assert text.startswith("<svg") and 'role="img"' in text


def test_every_colour_has_a_shape_of_its_own() -> None:
    assert len({shape(k, 0, 0, 5) for k in range(8)}) == 8


def test_names_of_points_never_lie_on_each_other_or_on_a_point() -> None:
    dice = np.random.default_rng(3)
    points = [(100 + 40 * x, 150 + 40 * y) for x, y in dice.normal(size=(25, 2))]
    names = [f"system-number-{k}" for k in range(25)]
    boxes_ = []
    for place, name in zip(places_of(points, names), names, strict=True):
        if place is not None:
            boxes_.append((place[0], place[1] - 10, place[0] + 6.2 * len(name), place[1] + 2))
    assert len(boxes_) >= 5
    for k, a in enumerate(boxes_):
        for b in [*boxes_[:k], *((x - 4, y - 4, x + 4, y + 4) for x, y in points)]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_figures_of_a_survey_begin_at_the_lowest_mark() -> None:
    survey = Survey(
        systems=("a", "b"),
        criteria=("coherent",),
        means=(
            CriterionMean("a", "coherent", 1.0, (1.0, 1.2), 5),
            CriterionMean("b", "coherent", 5.0, None, 5),
        ),
        votes={"a": 0, "b": 0},
        vote_intervals={"a": None, "b": None},
        correlations=(),
        alphas={},
        notes=(),
    )
    figures = present(survey).figures
    assert figures is not None
    text = str(figures()["criteria"])
    ticks = [float(t) for t in re.findall(r'<text class="soft"[^>]*>(\d[\d.]*)</text>', text)]
    assert min(ticks) == 1.0 and max(ticks) == 5.0


def test_japanese_names_take_the_room_they_need() -> None:
    narrow = dots([Dot("abcd", 1.0)], label="", alternative="")
    wide = dots([Dot("日本語の名前", 1.0)], label="", alternative="")
    place = [float(re.search(r'x="([\d.]+)"[^>]*class="name"', str(f)).group(1)) for f in (narrow, wide)]
    assert place[1] > place[0] >= 60


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_as_a_file_carries_its_light_colours(name: str) -> None:
    text = svg_file(FIGURES[name]).decode()
    assert "class=" not in text and "var(" not in text and "<script" not in text
    assert text.startswith("<svg ") and 'xmlns="http://www.w3.org/2000/svg"' in text
    assert png(FIGURES[name]).startswith(b"\x89PNG")


def test_the_stylesheet_decides_as_in_a_browser() -> None:
    hollow = svg_file(dots([Dot("a", 1.0, hollow=True, colour=1)], label="", alternative="")).decode()
    solid = svg_file(dots([Dot("a", 1.0, colour=1)], label="", alternative="")).decode()
    assert 'fill="#d55e00"' in solid and 'fill="#d55e00"' not in hollow
    assert 'font-size="12px"' in svg_file(FIGURES["lines"]).decode()  # text.soft is stronger than text


@pytest.mark.parametrize(
    ("name", "measured"),
    [("alpha – gamma", 100.3), ("MMMM", 44.9), ("commmmmon", 94.6), ("WWW", 38.6), ("run_2026-11-19", 103.9)],
)
def test_names_have_room_in_a_wide_font(name: str, measured: float) -> None:
    """Widths in pixels of DejaVu Sans at 13 px, by `getComputedTextLength` of Chromium."""
    assert measured <= wide(name) < 1.2 * measured
    assert shortened(name, wide(name)) == name
    cut = shortened(name * 4, 80.0)
    assert cut.endswith("…") and wide(cut) <= 80.0
