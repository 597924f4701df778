"""The story part of `storymeter show`."""

from __future__ import annotations

from ..captions import Corpus
from ..errors import DataError, closest
from ..report.story_page import story_page, terminal
from ..story.explain import crops_of, explain_story


def show_story(
    document: str,
    system: Corpus,
    *,
    images: str | None = None,
    device: str = "cpu",
    width: int = 120,
    with_page: bool = False,
) -> tuple[str, str]:
    """(text for the terminal, HTML page or ''). The other stories of the file give the idf."""
    found = system.by_id().get(document)
    if not found:
        raise DataError(
            f"{system.name!r} has no document {document!r}.", hint=closest(document, system.by_id())
        )
    story = explain_story(found[0], system=system.name, corpus=system.documents, images=images, device=device)
    page = ""
    if with_page:
        crops = crops_of(story.sight, images) if story.sight is not None and images is not None else {}
        page = story_page(story, crops)
    return terminal(story, width), page
