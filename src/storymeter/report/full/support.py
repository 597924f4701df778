"""Which words of every caption no reference supports, for the data of the page."""

from __future__ import annotations

import re
from bisect import bisect_right

from ...metric import Progress, silent
from .findings import Findings

_WORD = re.compile(r"\S+")


def unsupported(
    findings: Findings, device: str = "cpu", progress: Progress = silent
) -> list[list[list[list[int]] | None]]:
    """[system][document][caption]: the numbers of the words, as blanks divide the caption."""
    from ...pairs.facts import Facts
    from ...pairs.facts_marks import marked_captions

    facts = Facts().bind(device=device)
    out = []
    for s, name in enumerate(findings.systems):
        rows: list[list[list[int]] | None] = []
        for done, id in enumerate(findings.ids):
            progress(f"support of {name}", done, len(findings.ids))
            document = findings.captions[s].get(id)
            against = [docs[id] for _, docs in findings.annotators if id in docs]
            if document is None or not against:
                rows.append(None)
                continue
            _, captions = marked_captions(facts, document, against)
            rows.append([_places(c.text, [word.start for word in c.unsupported]) for c in captions])
        out.append(rows)
    return out


def _places(text: str, starts: list[int]) -> list[int]:
    """
    >>> _places("a red  car", [2, 7])
    [1, 2]
    """
    begins = [found.start() for found in _WORD.finditer(text)]
    return sorted({bisect_right(begins, start) - 1 for start in starts})
