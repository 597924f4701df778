"""The analysis as a user meets it: the page, and a million ratings."""

from __future__ import annotations

import re
import time
from pathlib import Path

import human_kit
import msgspec
import pytest
from rating_kit import Ratings, analyse, campaign, from_columns, run, write


def test_the_page_explains_itself_and_needs_nothing_from_outside(tmp_path: Path) -> None:
    records = [
        msgspec.structs.replace(r, system="<b>best</b>" if r.system == "best" else r.system)
        for r in campaign()
    ]
    page = tmp_path / "page.html"
    result = run(
        write(tmp_path / "r.jsonl", records),
        "--html",
        page,
        "--figures",
        tmp_path / "figures",
        "--currency",
        "EUR",
    )
    assert result.exit_code == 0, result.output
    text = page.read_text()
    assert "EUR per system" in text and "USD" not in text
    assert "<b>best</b>" not in text and "&lt;b&gt;best" in text
    words = re.sub(r"base64,[^\"]*", "", text).lower()
    assert "://" not in words and "<img" not in words and words.count("<svg") == 4
    assert "nan" not in words.replace("significan", "")
    for column in (
        "raw",
        "z",
        "95 %",
        "captions",
        "ratings",
        "p Holm",
        "p BH",
        "pairs",
        "undamaged",
        "damaged",
    ):
        assert f"<dt>{column}</dt>" in text
    assert sorted(p.name for p in (tmp_path / "figures").iterdir()) == [
        "distributions.png",
        "scores.png",
        "significance.png",
        "workers.png",
    ]


def test_names_in_figures_are_no_formulas_and_any_script_is_drawn_without_a_word(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    records = [
        msgspec.structs.replace(r, system="$x^{$ \u4e2d\r" + "long " * 20 if r.system == "best" else r.system)
        for r in campaign()
    ]
    result = run(write(tmp_path / "r.jsonl", records), "--figures", tmp_path / "figures")
    assert result.exit_code == 0 and not recwarn.list


def test_the_ratings_are_never_overwritten_by_a_page(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", campaign())
    before = path.read_bytes()
    assert run("--html", path, path).exit_code != 0
    assert path.read_bytes() == before


@pytest.mark.slow
def test_a_million_ratings_in_ten_seconds() -> None:
    columns = human_kit.rating_columns(1_000_000)
    begin = time.process_time()  # the machine may be busy with other work
    table: Ratings = from_columns(columns)
    analysis = analyse(table, splits=0, gates="control")
    assert time.process_time() - begin < 10
    assert len(analysis.quality.workers) == 5_000 and len(analysis.ranking.systems) == 51
