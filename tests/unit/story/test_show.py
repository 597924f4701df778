"""A story looked at: in the terminal, and on a page that loads nothing from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from storymeter.cli import cli
from storymeter.errors import DataError
from storymeter.report import present, render
from storymeter.story.coherence import Links
from storymeter.story.grounding import Grounded
from storymeter.story.redundancy import explain, redundancy
from storymeter.story.regions import Box
from storymeter.story.rovist import Sight, StoryExplanation

SENTENCES = ("we saw a <b>giraffe</b> .", "the giraffe ate leaves .", "we went home .")


def _story() -> StoryExplanation:
    nr, inter, intra = redundancy([SENTENCES])[0]
    sight = Sight(
        (Grounded("giraffe", 0, "zoo.jpg", Box(0, 0, 0.5, 0.5), 0.61, 1.2),), 0.732, 0.18, ("zoo.jpg",)
    )
    return StoryExplanation(
        "s1",
        "mine",
        SENTENCES,
        nr,
        inter,
        intra,
        tuple(explain(SENTENCES)),
        Links((0.9, 0.2), 1, 0.55),
        sight,
        ("A note.",),
    )


def test_terminal() -> None:
    text = render(present(_story()))
    assert "0.200   <- weakest link" in text and "| 0.900" in text
    assert "*giraffe*" in text and "0.610" in text and "A note." in text


def test_page_is_whole_and_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storymeter.report.one_document.crops_of", lambda sight, images: {0: b"\xff\xd8\xff"})
    page = render(present(_story(), images="."), "html")
    assert "<b>giraffe" not in page and "the weakest link" in page and "data:image/jpeg;base64," in page
    assert "http://" not in page and "https://" not in page and "<script" not in page


def test_the_verb_on_the_packaged_story_with_its_pictures(tmp_path: Path) -> None:
    for name in ("torch", "transformers", "PIL", "HanTa"):
        pytest.importorskip(name)
    folder, out = Path(__file__).resolve().parents[3] / "examples" / "stories", tmp_path / "beach.html"
    result = CliRunner().invoke(
        cli,
        ["show", "beach", str(folder / "good.json"), "--images", str(folder / "images"), "--html", str(out)],
    )
    assert result.exit_code == 0, result.output
    assert result.output.count("weakest link") == 1 and result.output.count("   | 0.") == 4
    assert "Best image region for each noun" in result.output and "boat" in result.output
    page = out.read_text()
    nouns = page.count("<figure>")
    assert nouns >= 8 and page.count("data:image/jpeg;base64,") == nouns and page.count('class="link') == 4
    assert "http://" not in page and "https://" not in page and "<script" not in page
    gone = CliRunner().invoke(cli, ["show", "beech", str(folder / "good.json")])
    assert isinstance(gone.exception, DataError) and "beach" in str(gone.exception)  # the nearest id


def test_one_sentence_and_nothing() -> None:
    empty = StoryExplanation("s", "", (), 0.0, 0.0, 0.0, (), Links((), -1, 0.0), None)
    text = render(present(empty))
    assert "(no sentences)" in text and "one sentence has no link" in text
    assert "<html" in render(present(empty), "html")
