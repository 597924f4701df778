"""Two graphs beside each other say the same as the score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("HanTa", reason="needs the optional part 'neural'")

from storymeter.pairs import Spice, spice

Run = Callable[..., tuple[int, str, str]]
TWO = ("two brown dogs run on the wet grass", ["a brown hound runs on grass", "a wet lawn with two dogs"])


@pytest.mark.parametrize(
    ("candidate", "references"),
    [
        TWO,
        ("", ["a dog"]),
        ("🙂", ["🙂"]),
        ("a man plays a guitar", ["a man plays a guitar"]),
        ("a cat", ["two cars", "a road"]),
    ],
)
def test_the_comparison_gives_the_score(candidate: str, references: list[str]) -> None:
    found = spice.compare_graphs("x", candidate, references)
    assert found.f1 == pytest.approx(Spice().pairs(candidates=[candidate], references=[references])[0])


def test_synonyms_are_told_from_the_same_words() -> None:
    how = {
        m.candidate: m.how
        for m in spice.compare_graphs("x", "a couch near a window", ["a sofa near a window", "a lamp"]).facts
    }
    assert (
        how[("couch",)] == "synonym"
        and how[("window",)] == "same"
        and how[("couch", "near", "window")] == "synonym"
        and how[None] == "only one"
    )


def test_show_prints_both_graphs_of_a_caption(run: Run, examples: Path, tmp_path: Path) -> None:
    page = tmp_path / "graphs.html"
    code, out, _ = run(
        "show",
        "1",
        str(examples / "formats/coco_results.json"),
        "-r",
        str(examples / "formats/coco_annotations.json"),
        "--html",
        str(page),
    )
    assert code == 0 and "woman - crack - eggs" in out and "F1" in out
    html = page.read_text(encoding="utf-8")
    assert (
        html.count("<svg") == 2
        and 'class="both"' in html
        and "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    )


def test_show_graphs_of_a_video_follows_the_matching(run: Run, examples: Path) -> None:
    code, out, _ = run(
        "show",
        "pancakes",
        str(examples / "videos/good.json"),
        "-r",
        str(examples / "videos/reference_1.json"),
        "--graphs",
    )
    assert code == 0 and "pancakes p1, g1" in out


def test_show_graphs_wants_references(run: Run, examples: Path) -> None:
    code, _, said = run("show", "1", str(examples / "formats/coco_results.json"))
    assert code == 2 and "--references" in said
