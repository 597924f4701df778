"""Which words of every caption no reference supports, for the data of the page."""

from __future__ import annotations

import re
from bisect import bisect_right

from ...progress import Progress, silent
from .findings import Findings

_WORD = re.compile(r"\S+")


def unsupported(
    findings: Findings, device: str = "cpu", progress: Progress = silent
) -> list[list[list[list[int]] | None]]:
    """[system][document][caption]: the numbers of the words, as blanks divide the caption."""
    from ...pairs.facts import Facts
    from ...pairs.facts_marks import marked_captions

    facts = Facts().bind(device=device)

    def words(system: int, done: int, id: str) -> list[list[int]] | None:
        progress(f"support of {findings.systems[system]}", done, len(findings.ids))
        document = findings.captions[system].get(id)
        against = [docs[id] for _, docs in findings.annotators if id in docs]
        if document is None or not against:
            return None
        _, captions = marked_captions(facts, document, against)
        return [_places(c.text, [word.start for word in c.unsupported]) for c in captions]

    return [
        [words(system, done, id) for done, id in enumerate(findings.ids)]
        for system in range(len(findings.systems))
    ]


def _places(text: str, starts: list[int]) -> list[int]:
    """
    >>> _places("a red  car", [2, 7])
    [1, 2]
    """
    begins = [found.start() for found in _WORD.finditer(text)]
    return sorted({bisect_right(begins, start) - 1 for start in starts})
