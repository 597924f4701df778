"""A story looked at: in the terminal, and on a page that loads nothing from elsewhere."""

from __future__ import annotations

from storymeter.report.story_page import story_page, terminal
from storymeter.story.coherence import Links
from storymeter.story.explain import Sight, StoryExplanation
from storymeter.story.grounding import Grounded
from storymeter.story.redundancy import explain, redundancy
from storymeter.story.regions import Box

SENTENCES = ("we saw a <b>giraffe</b> .", "the giraffe ate leaves .", "we went home .")


def _story() -> StoryExplanation:
    nr, inter, intra = redundancy([SENTENCES])[0]
    sight = Sight((Grounded("giraffe", 0, "zoo.jpg", Box(0, 0, 0.5, 0.5), 0.61, 1.2),), 0.732, 0.18, ("zoo.jpg",))
    return StoryExplanation("s1", "mine", SENTENCES, nr, inter, intra, tuple(explain(SENTENCES)), Links((0.9, 0.2), 1, 0.55), sight, ("A note.",))


def test_terminal() -> None:
    text = terminal(_story())
    assert "0.200   <- weakest link" in text and "| 0.900" in text
    assert "*giraffe*" in text and "0.610" in text and "A note." in text


def test_page_is_whole_and_safe() -> None:
    page = story_page(_story(), {0: b"\xff\xd8\xff"})
    assert "<b>giraffe" not in page and "the weakest link" in page and "data:image/jpeg;base64," in page
    assert "http://" not in page and "https://" not in page and "<script" not in page


def test_one_sentence_and_nothing() -> None:
    empty = StoryExplanation("s", "", (), 0.0, 0.0, 0.0, (), Links((), -1, 0.0), None)
    assert "(no sentences)" in terminal(empty) and "one sentence has no link" in terminal(empty)
    assert "<html" in story_page(empty)
