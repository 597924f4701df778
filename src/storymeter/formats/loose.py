"""JSON as language models print it: in text and fences, with comments, trailing commas, single quotes, cut
off.

`region` finds where a value ends, `loads` reads it. What is not JSON by the book is made so token by token,
never by guessing: a string that is broken stays broken, and the value is refused.

>>> loads("[{'start': 0, 'end': 4.5, 'text': 'a dog',}]  // the first")
[{'start': 0, 'end': 4.5, 'text': 'a dog'}]
"""

from __future__ import annotations

import json
import re
from typing import Any

BROKEN: Any = object()  #: what `loads` gives where there is no value to be read
_TOKEN = re.compile(
    r"""(?P<double>"(?:[^"\\]|\\.)*") | (?P<single>'(?:[^'\\]|\\.)*') | (?P<curly>“[^”]*”)
    | (?P<comment>//[^\n]*|/\*.*?\*/) | (?P<fence>```|~~~) | (?P<open>[\[{(]) | (?P<close>[\]})])
    | (?P<comma>,\s*(?=[\]})])) | (?P<word>[A-Za-z_][\w-]*)""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_STARTS = re.compile(r"""[\[{(][\s\[{(]*(?:["'“\]}/]|[A-Za-z_]\w*["']?\s*:|-?\d[^\]]*,\s*["'“]|$)""")
_BEFORE = re.compile(r"[\s>*-]*(?:(?:```|~~~) ?\w*)?\s*(?:[A-Za-z][\w ]{0,30}[:=]\s*)?(?:(?:```|~~~)\w*\s*)?")


def start(line: str) -> int:
    """Where a JSON value begins in the line, after a fence or a label; -1 where none does."""
    before = _BEFORE.match(line)
    for at in dict.fromkeys((len(line) - len(line.lstrip()), before.end() if before else 0)):
        if _STARTS.match(line, at):
            return at
    return -1


def region(text: str, begin: int) -> tuple[int, bool]:
    """Where the value that begins there ends, and whether it is closed; a fence ends it too."""
    depth = 0
    for token in _TOKEN.finditer(text, begin):
        depth += {"open": 1, "close": -1}.get(token.lastgroup or "", 0)
        if token.lastgroup == "fence":
            return token.start(), False
        if depth <= 0:
            return token.end(), True
    return len(text), False


def loads(text: str) -> Any:
    """The value, or BROKEN."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_TOKEN.sub(_strict, text), strict=False)
    except (ValueError, RecursionError):
        return BROKEN


def strict(text: str) -> bool:
    """Is it JSON by the book?"""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _strict(token: re.Match[str]) -> str:
    kind, found = token.lastgroup, token[0]
    if kind in ("double", "open", "close"):
        return {"(": "[", ")": "]"}.get(found, found)
    if kind in ("comma", "comment", "fence"):
        return ""
    if kind == "word":
        follows = re.compile(r"\s*:").match(token.string, token.end())
        return f'"{found}"' if follows else _WORDS.get(found, found)
    inner = found[1:-1].replace("\\'", "'") if kind == "single" else found[1:-1]
    return '"' + re.sub(r'(?<!\\)"', r"\"", inner) + '"'
