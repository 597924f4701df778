"""Any Python string as valid Unicode: a lone surrogate, which no encoding can carry, becomes U+FFFD."""

from __future__ import annotations

from collections.abc import Sequence


def well_formed(lines: Sequence[str]) -> list[str]:
    """The same lines, ready for the kernels.

    >>> well_formed(["fine", "lone \\ud800"])
    ['fine', 'lone �']
    """
    out = list(lines)
    try:
        "".join(out).encode()  # one pass in C for the usual case
    except UnicodeEncodeError:
        out = [line.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for line in out]
    return out
