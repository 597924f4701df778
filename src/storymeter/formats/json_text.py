"""JSON as people really write it, read as far as it goes, with the place of everything that is wrong.

The fast decoder refuses NaN, gives up at the first fault and lets a doubled key vanish. This one is asked
only then: it takes NaN and Infinity as numbers, notices doubled keys, reads a truncated file up to the break,
and steps over values that are nested too deeply. Wherever a value is sound, the C decoder of the standard
library reads it whole.

JSON as language models print it: in text and fences, with comments, trailing commas, single quotes, cut
off.

`region` finds where a value ends, `loads` reads it. What is not well-formed JSON is made so token by token,
never by guessing: a string that is broken stays broken, and the value is refused.

>>> loads("[{'start': 0, 'end': 4.5, 'text': 'a dog',}]  // the first")
[{'start': 0, 'end': 4.5, 'text': 'a dog'}]
"""

import json
import re
from typing import Any

from .checks import REPORTED, Check
from .problems import Mark, Path

DEPTH = 100  #: no format needs more than six levels
_BLANK = re.compile(r"[ \t\n\r]*")
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


class Repeated(dict[str, Any]):
    """An object in which a key stood more than once; the last value counts, as in every JSON reader."""

    keys_again: list[str]


class Lenient:
    def __init__(self, text: str, check: Check, at: Path = ()) -> None:
        self.text, self.check, self.root = text, check, at
        self.stopped = self.doubtful = False
        self.decoder = json.JSONDecoder(
            object_pairs_hook=self._object_of, parse_constant=self._constant, parse_int=_whole
        )

    def decode(self) -> Any:
        """The value, or as much of it as could be read; REPORTED where there is none."""
        start = self._skip(0)
        value, end = self._value(start, self.root, 0)
        end = self._skip(end)
        if not self.stopped and end < len(self.text):
            self._stop(end, self.root, "trailing-data", "something follows after the end of the JSON value")
        if self.doubtful:
            self._audit(value)
        return value

    # -- descending only where the C decoder fails

    def _value(self, at: int, path: Path, depth: int) -> tuple[Any, int]:
        try:
            return self.decoder.raw_decode(self.text, at)
        except RecursionError:
            self.doubtful = True
            if depth >= DEPTH:
                return self._too_deep(at, path)
        except json.JSONDecodeError as error:
            if self.text[at : at + 1] not in ("{", "[") or depth >= DEPTH:
                return self._fault(error.pos, path, error.msg)
        return self._object(at, path, depth) if self.text[at] == "{" else self._list(at, path, depth)

    def _object(self, at: int, path: Path, depth: int) -> tuple[Any, int]:
        pairs: list[tuple[str, Any]] = []
        at = self._skip(at + 1)
        while not self.stopped and (pairs or self.text[at : at + 1] != "}"):
            try:
                key, at = self.decoder.raw_decode(self.text, at)
            except (json.JSONDecodeError, RecursionError) as error:
                key = error
            if not isinstance(key, str):
                self._fault(
                    at,
                    path,
                    str(key) if "Unterminated" in str(key) else "a key in double quotes was expected",
                )
                break
            at = self._skip(at)
            if self.text[at : at + 1] != ":":
                self._fault(at, (*path, key), "':' was expected after a key")
                break
            value, at = self._value(self._skip(at + 1), (*path, key), depth + 1)
            if value is not REPORTED:
                pairs.append((key, value))
            at, more = self._next(at, path, "}")
            if not more:
                break
        return self._object_of(pairs), at + 1

    def _list(self, at: int, path: Path, depth: int) -> tuple[Any, int]:
        items: list[Any] = []
        at = self._skip(at + 1)
        while not self.stopped and (items or self.text[at : at + 1] != "]"):
            value, at = self._value(at, (*path, len(items)), depth + 1)
            if value is not REPORTED or not self.stopped:
                items.append(value)
            at, more = self._next(at, path, "]")
            if not more:
                break
        return items, at + 1

    def _next(self, at: int, path: Path, close: str) -> tuple[int, bool]:
        """From the end of a value to the beginning of the next one, and whether there is one."""
        at = self._skip(at)
        if self.stopped or self.text[at : at + 1] == close:
            return at, False
        if self.text[at : at + 1] != ",":
            self._fault(at, path, f"',' or '{close}' was expected")
            return at, False
        return self._skip(at + 1), True

    def _too_deep(self, at: int, path: Path) -> tuple[Any, int]:
        """Report, and step over the value by its brackets."""
        self._deep(path, at)
        depth = 0
        for token in _BRACKETS.finditer(self.text, at):
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
            if depth == 0:
                return REPORTED, token.end()
        return self._fault(len(self.text), path, "the file ends inside a value")

    def _deep(self, path: Path, at: int | None = None) -> None:
        place = path[: len(self.root) + 6] if len(path) > len(self.root) + 6 else path
        self.check.error(
            "too-deep",
            f"a value is nested more than {DEPTH} levels deep",
            place,
            detail=self._line(at) if at is not None else "",
        )

    # -- hooks of the C decoder

    def _object_of(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        again = Repeated(found)
        keys = [key for key, _ in pairs]
        first = {key: place for place, key in reversed(list(enumerate(keys)))}
        again.keys_again = [key for place, key in enumerate(keys) if place > first[key]]
        self.doubtful = True
        return again

    def _constant(self, name: str) -> float:
        self.doubtful = True
        return float(name)

    def _audit(self, value: Any) -> None:
        """Find the paths of doubled keys, NaN, infinities and values that are too deep; no recursion."""
        todo: list[tuple[Any, Path]] = [(value, self.root)]
        while todo:
            value, path = todo.pop()
            if isinstance(value, Repeated):
                for key in value.keys_again:
                    self.check.error(
                        "duplicate-id", "a key occurs more than once in one object", (*path, key), id=key
                    )
            children: list[tuple[Any, Path]] = []
            if isinstance(value, dict):
                children = [(v, (*path, k)) for k, v in value.items() if isinstance(v, dict | list | float)]
            elif isinstance(value, list):
                children = [
                    (v, (*path, k)) for k, v in enumerate(value) if isinstance(v, dict | list | float)
                ]
            elif isinstance(value, float) and value != value:
                self.check.error(
                    "nan", "a number is NaN", path[:-1] if path and isinstance(path[-1], int) else path
                )
            if len(path) - len(self.root) > DEPTH:
                self._deep(path)
            else:
                todo.extend(reversed(children))

    # -- faults

    def _fault(self, at: int, path: Path, message: str) -> tuple[Any, int]:
        if not self.text.strip():
            self._stop(at, path, "empty-file", "the file is empty")
        elif self._skip(at) >= len(self.text) or "Unterminated string" in message:
            self._stop(
                len(self.text),
                path,
                "truncated",
                "the JSON ends before it is complete: the file is truncated",
            )
        else:
            self._stop(at, path, "bad-json", f"not JSON: {message[:1].lower()}{message[1:]}")
        return REPORTED, len(self.text)

    def _stop(self, at: int, path: Path, code: str, message: str) -> None:
        if not self.stopped:
            self.check.error(code, message, path, detail=self._line(at))
            self.check.broken = path
        self.stopped = True

    def _line(self, at: int) -> str:
        before = self.text.count("\n", 0, at)
        number = next((step.number - 1 for step in self.root if isinstance(step, Mark)), 0)
        return f"line {before + number + 1:,}, column {at - self.text.rfind(chr(10), 0, at):,}"

    def _skip(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else float(digits)


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
    """Is it well-formed JSON?"""
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
