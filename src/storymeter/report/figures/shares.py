"""Two sides and what lies between them: a bar per pair, cut into wins of the left, undecided, wins of the
right.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from .marks import shortened, svg, tag, wide

ROW, WIDTH = 36, 720


def shares(rows: Sequence[tuple[str, str, int, int, int]], *, alternative: str) -> Markup:
    """(left name, right name, wins of the left, undecided, wins of the right)"""
    left = min(180.0, max([40.0, *(wide(row[0]) for row in rows)]))
    right = min(180.0, max([40.0, *(wide(row[1]) for row in rows)]))
    begin, end = left + 12, WIDTH - right - 12
    parts: list[Markup] = []
    for k, (a, b, *counts) in enumerate(rows):
        y, x = ROW * k + 4.0, begin
        parts.append(tag("text", tag("title", a), shortened(a, left), x=left, y=y + 19, text_anchor="end"))
        parts.append(tag("text", tag("title", b), shortened(b, right), x=end + 12, y=y + 19))
        total = max(1, sum(counts))
        for count, klass in zip(counts, ("share c0", "share between", "share c1"), strict=True):
            width = (end - begin) * count / total
            if count:
                parts.append(tag("rect", klass=klass, x=x, y=y, width=width, height=ROW - 8))
                parts.append(
                    tag("text", str(count), x=x + width / 2, y=y + 19, text_anchor="middle", klass="over")
                )
            x += width
    return svg(WIDTH, ROW * len(rows) + 4, alternative, *parts)
