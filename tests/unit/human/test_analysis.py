"""The analysis as a user meets it: the page, and a million ratings."""

from __future__ import annotations

import re
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest
from rating_kit import campaign, run, write

from storymeter.human.analysis import analyse
from storymeter.human.ratings import Ratings, from_columns


def test_the_page_explains_itself_and_needs_nothing_from_outside(tmp_path: Path) -> None:
    records = [
        msgspec.structs.replace(r, system="<b>best</b>" if r.system == "best" else r.system)
        for r in campaign()
    ]
    page = tmp_path / "page.html"
    result = run(write(tmp_path / "r.jsonl", records), "--html", page, "--figures", tmp_path / "figures")
    assert result.exit_code == 0, result.output
    text = page.read_text()
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
    random = np.random.default_rng(0)
    n, raters = 1_000_000, 5_000
    kinds = np.tile(np.array((["system"] * 7 + ["degraded", "repeat", "human"]) * 10, dtype=object), n // 100)
    item, system = random.integers(0, 2000, n), random.integers(0, 50, n)
    pair = np.full(n, "", dtype=object)
    place = np.arange(n).reshape(-1, 100)
    for block in range(10):
        for original, control, name in ((9, 7, "d"), (0, 8, "r")):
            a, b = place[:, block * 10 + original], place[:, (block + 5) % 10 * 10 + control]
            item[b], system[b] = item[a], system[a]
            pair[a] = pair[b] = f"{name}{block}"
    mean = 50 + system * 0.5 + np.where(kinds == "human", 20, 0) - np.where(kinds == "degraded", 30, 0)
    value = np.clip(np.rint(random.normal(mean, 18)), 0, 100)
    columns = {
        "rater": [f"w{k}" for k in (np.arange(n) // 200).tolist()],
        "hit": [f"h{k}" for k in (np.arange(n) // 100).tolist()],
        "item": list(map(str, item.tolist())),
        "system": [f"s{k}" for k in np.where(kinds == "human", 50, system).tolist()],
        "value": value.tolist(),
        "kind": kinds.tolist(),
        "pair": pair.tolist(),
        "position": (np.arange(n) % 100).tolist(),
    }
    begin = time.process_time()  # the machine may be busy with other work
    table: Ratings = from_columns(columns)
    analysis = analyse(table, splits=0)
    assert time.process_time() - begin < 10
    assert len(analysis.quality.workers) == raters and len(analysis.ranking.systems) == 51
