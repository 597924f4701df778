"""Consoles that do not know UTF-8: what can be said in their own characters is said in those.

A table's rules become hyphens, an ellipsis three dots, a dash a hyphen; any other character that the console
lacks is written as its escape. Nothing ever stops because of a caption or a file name.

>>> "a ─ b … 日".encode("ascii", "storymeter-console").decode()
'a - b ... \\\\u65e5'
"""

from __future__ import annotations

import codecs
import io
import sys

NAME = "storymeter-console"
PLAIN = {
    **dict.fromkeys("─━—–‒―‐‑−╌╴╶", "-"),
    **dict.fromkeys("│┃▏▕", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╞╡╪", "+"),
    **dict.fromkeys("═", "="),
    **dict.fromkeys("‘’‚", "'"),
    **dict.fromkeys("“”„", '"'),
    **dict.fromkeys("█▇▆▅▓■▌▐", "#"),
    **dict.fromkeys("▄▃▂▁▒░", "."),
    **dict.fromkeys("•●◆▪·∙", "*"),
    **dict.fromkeys("✓✔", "v"),
    **dict.fromkeys("✗✘×", "x"),
    **dict.fromkeys("\u00a0\u202f\u2009\u2002\u2003", " "),
    "…": "...",
    "→": "->",
    "←": "<-",
    "↔": "<->",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "±": "+-",
    "▲": "^",
    "▼": "v",
}


def _plainly(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(
        PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode()
        for char in error.object[error.start : error.end]
    ), error.end


codecs.register_error(NAME, _plainly)


def prepare() -> None:
    """Standard output and error never fail on a character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=NAME)
