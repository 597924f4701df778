"""Finds the times in a line: `[0, 12]`, `0:05 - 0:09`, `From 3.2s to 8s,`, `<00:05><00:09>`.

`heads` finds the spans that begin captions, `tail` the one in brackets that ends a line. Bare numbers
(`2-3 people`) are a span only where a unit or a mark after them says so, and even then a weak one; several
captions share a line only if their spans are written alike.

>>> [(span.start, span.end) for span in heads("From 3.2s to 8s, a man sits. From 8s to 9s, he gets up.")]
[(3.2, 8), (8, 9)]
>>> heads("2-3 people sit in a room"), heads("At 0:45 the man leaves")
([], [])

Clock times and durations as people and models write them, in seconds.

    4   4.5   0029.0   4,5           seconds, with a decimal point or comma
    4s   4.5 sec   1m30s   2 min     with units
    1:30   01:30.25   120:00.000     minutes and seconds; minutes may pass 59
    1:02:03   00:00:04,500           hours, minutes and seconds

Seconds past 59 beside minutes, or minutes past 59 beside hours, are no clock time. `1,234` is no number:
one would have to guess whether the comma is a decimal one.

>>> [seconds(text) for text in ("1:30", "120:00.000", "00:00:04,500", "1m30s", "4,5 sec", "0029.0", "7")]
[90, 7200.0, 4.5, 90, 4.5, 29.0, 7]
>>> [seconds(text) for text in ("1:75", "1:2", "1:60:00", "1,234", "12 %", "")]
[None, None, None, None, None, None]
"""

import re
from functools import cache
from typing import NamedTuple

CLOCK = r"(?:\d{1,9}:)?\d{1,9}:\d\d(?:[.,]\d{1,9})?(?!:?\d)"
_COUNT = r"\d{1,9}(?:[.,]\d{1,9})?"
_HOUR, _MINUTE, _SECOND = (
    r"(?:hours?|hrs?|h|時間|小时)(?![A-Za-z])",
    r"(?:minutes?|mins?|m|分钟|分)(?![A-Za-z])",
    r"(?:seconds?|secs?|s|秒)(?![A-Za-z])",
)
#: at least one unit: `1 h`, `2 min 3 s`, `4.5 seconds`
MEASURED = (
    rf"(?:{_COUNT} ?{_HOUR} ?(?:{_COUNT} ?{_MINUTE} ?)?(?:{_COUNT} ?{_SECOND})?"
    rf"|{_COUNT} ?{_MINUTE} ?(?:{_COUNT} ?{_SECOND})?|{_COUNT} ?{_SECOND})"
)
NUMBER = rf"{_COUNT}(?![\d:.,]*\d)"
#: any of the three, the most telling first
TIME = rf"(?:{CLOCK}|{MEASURED}|{NUMBER})"

_CLOCK = re.compile(r"(?:(\d{1,9}):)?(\d{1,9}):(\d\d)(?:[.,](\d{1,9}))?")
_PARTS = [re.compile(rf"({_COUNT}) ?{unit}") for unit in (_HOUR, _MINUTE, _SECOND)]
_PLAIN = re.compile(_COUNT)
_WHOLE = re.compile(MEASURED)


def clock(text: str) -> float | None:
    """`1:30`, `1:02:03.5`, `120:00.000` in seconds; None where it is no clock time."""
    found = _CLOCK.fullmatch(text)
    if not found:
        return None
    hours, minutes, whole, fraction = found.groups()
    if int(whole) > 59 or (hours is not None and int(minutes) > 59):
        return None
    time = int(hours or 0) * 3600 + int(minutes) * 60 + int(whole)
    return float(f"{time}.{fraction}") if fraction else time


def seconds(text: str) -> float | None:
    """Any of the ways above; None where it is none of them."""
    text = text.strip()
    if ":" in text:
        return clock(text)
    if _PLAIN.fullmatch(text):
        return _count(text)
    if not _WHOLE.fullmatch(text):
        return None
    total: float = 0
    for scale, pattern in zip((3600, 60, 1), _PARTS, strict=True):
        if (found := pattern.search(text)) is not None:
            count = _count(found[1])
            if count is None:
                return None
            total += scale * count
    return total


def _count(digits: str) -> float | None:
    """A whole number stays whole; `1,234` could mean two things and is none."""
    if digits.isdigit():
        return int(digits)
    whole, _, fraction = digits.partition(",")
    if fraction and len(fraction) == 3 and whole.strip("0"):
        return None
    return float(digits.replace(",", "."))


_SIGNS = {
    **dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-"),
    **dict.fromkeys(map(ord, "～〜∼〰"), "~"),
    **dict.fromkeys(map(ord, "→⟶➔⇒"), ">"),
    **dict.fromkeys(map(ord, "\t\u00a0\u2002\u2003\u2007\u2009\u200a\u200b\u202f\u2060\u3000\ufeff"), " "),
    **dict(zip(map(ord, "０１２３４５６７８９"), "0123456789", strict=True)),
    **dict(zip(map(ord, "：，．；［］（）＜＞｛｝｜【】〔〕"), ":,.;[]()<>{}|[][]", strict=True)),
}
_JOIN = r"(?: ?-+>? ?| ?~ ?| ?> ?| ?\.\.+ ?| (?:to|till|until|through|thru|and|up to) | ?(?:から|到|至) ?)"
_WORD = r"(?P<word>(?:from|between|during|seconds?|times?|time ?stamps?|time (?:range|span)|从)[ :]*)?"
_POINT = rf"(?:{CLOCK}|{MEASURED}|\d{{1,9}}(?:\.\d{{1,9}})?)"
_WAYS = {
    "two brackets": rf"(?P<open>[\[(<]) ?(?P<a>{TIME}) ?[\])>](?:{_JOIN}| )?[\[(<] ?(?P<b>{TIME}) ?[\])>]",
    "brackets": rf"(?P<open>[\[(<{{]) ?{_WORD}(?P<a>{TIME}){_JOIN}(?P<b>{TIME}) ?[\])>}}]",
    "comma": rf"(?P<open>[\[(<{{]) ?{_WORD}(?P<a>{_POINT}) ?[,;] ?(?P<b>{_POINT}) ?[\])>}}]",
    "named": (
        rf"(?P<open>)(?P<word>start(?:[ _]?time)?)[*_\"` ]*[:=] ?(?P<a>{TIME})[,;| /*_]*"
        rf"end(?:[ _]?time)?[*_\"` ]*[:=] ?(?P<b>{TIME})"
    ),
    "bare": rf"{_WORD}(?P<open>)(?P<a>{TIME}){_JOIN}(?P<b>{TIME})(?: ?まで)?(?! ?%|:?\d)",
}
_LABEL = re.compile(
    r"[*_`\"'"
    r" ]*(?:(?:event|scene|segment|clip|shot|part|step|chapter|caption|section|moment|sentence|activity"
    r"|action"
    r"|time ?stamp|time (?:range|span)|time)s?\b"
    r"(?: ?(?:no\.? ?)?#?\d{1,4})?[ :.,|*_-]*)?[*_`\"' ]*",
    re.IGNORECASE,
)
#: headings, quotations, dashes, numbers, letters; and any sign outside of ASCII but quotation marks
_BULLET = re.compile(
    r" *(?:[#>|]+ *|[-*+] +|\(?\d{1,4}[.)](?!\d) *|\(?[a-zA-Z][.)] +|\[\d{1,4}\]"
    r" +|[^\x00-\x7f\w“”‘’「」『』«»]+ *)*"
)
_BOUNDARY = re.compile(r"[.!?;,。、！？…>\])\"'”’|] *$")
_MENTION = re.compile(rf"{CLOCK}|[\[(<{{] ?\d|\d ?(?:s|secs?|seconds?)\b|\d\.\d|^ *\d+ ?- ?\d")
_SECONDS_ONLY = re.compile(NUMBER + r" ?(?:s|secs?|seconds?|秒)", re.IGNORECASE)
_MINUTES_ONLY = re.compile(NUMBER + r" ?(?:m|mins?|minutes?|分)", re.IGNORECASE)
_SPELLED = re.compile(r"(?:second|minute|hour)s?$", re.IGNORECASE)


@cache
def _pattern(way: str) -> re.Pattern[str]:
    """Compiled when first asked for: that takes longer than to read a small file without such texts."""
    after = r"(?P<after>(?:[*_`\"' ]*(?:[:,;|.。、]+|-+(?= |$)))?)"
    return re.compile(_WAYS[way] + after, re.IGNORECASE)


class Span(NamedTuple):
    """From when to when, where that stands in the line, how it is written, and whether it may be no span."""

    start: float
    end: float
    begin: int
    stop: int
    style: tuple[str, ...]
    weak: bool


def simple(line: str) -> str:
    """The line with one kind of dash, blank, bracket and digit; every character stays in its place.

    >>> simple("０:05 – ０:09：x")
    '0:05 - 0:09:x'
    """
    return line.translate(_SIGNS)


def bullet(line: str) -> int:
    """How many characters of blanks, list marks, headings and numbers a simple line begins with."""
    found = _BULLET.match(line)
    return found.end() if found else 0


def heads(line: str) -> list[Span]:
    """The spans that begin captions; none where the line does not begin with one."""
    line = simple(line)
    first = next((span for at in {bullet(line): 0, 0: 0} if (span := _at(line, at))), None)
    if first is None:
        return []
    found = [first]
    for match in _pattern(first.style[0]).finditer(line, first.stop):
        span = _span(first.style[0], match)
        if (
            span
            and span.style == first.style
            and span.begin >= found[-1].stop
            and (first.style[1] or _BOUNDARY.search(line, found[-1].stop, span.begin))
        ):
            found.append(span)
    return found


def inside(line: str) -> Span | None:
    """The only span in brackets of a line that does not begin with one; None where there are several."""
    line = simple(line)
    found = [
        span
        for way in ("two brackets", "brackets", "comma")
        for match in _pattern(way).finditer(line)
        if (span := _span(way, match))
    ]
    return found[0] if len(found) == 1 and not mentions(line[: found[0].begin]) else None


def times(text: str) -> tuple[float, float] | None:
    """A text that is a span and nothing else: `0:00 - 0:12`, `[0, 12]`, `3 to 8 s`."""
    line = simple(text.strip())
    for way in _WAYS:
        match = _pattern(way).fullmatch(line) or _pattern(way).fullmatch(f"[{line}]")
        if match and (span := _span(way, match, alone=True)):
            return span.start, span.end
    return None


def mentions(text: str) -> bool:
    """Is there something in the text that looks like a time?"""
    return _MENTION.search(simple(text)) is not None


def _at(line: str, at: int) -> Span | None:
    label = _LABEL.match(line, at)
    for place in dict.fromkeys((at, label.end() if label else at)):
        for way in _WAYS:
            match = _pattern(way).match(line, place)
            if match and (span := _span(way, match)):
                return span
    return None


def _span(way: str, match: re.Match[str], *, alone: bool = False) -> Span | None:
    a, b = match["a"], match["b"]
    start, end = seconds(a), seconds(b)
    kinds = _kind(a), _kind(b)
    if start is None or end is None or (kinds[0] != kinds[1] and kinds != ("number", "measured")):
        return None
    if kinds == ("number", "measured"):  # 2 - 5 min: the unit is for both
        if _MINUTES_ONLY.fullmatch(b):
            start = 60 * start
        elif not _SECONDS_ONLY.fullmatch(b):
            return None
    marked = match["after"].strip(" *_`\"'")
    if way == "bare" and not alone:
        if kinds[1] == "number" and marked in ("", ".") and not ("." in a and "." in b):
            return None
        open_end = not marked and match.end() < len(match.string)
        if kinds == ("number", "measured") and _SPELLED.search(b) and open_end:
            return None  # 5-10 seconds later
    word = (match.groupdict().get("word") or "").strip(" :").lower()
    weak = way == "bare" and kinds[1] == "number" and not word.startswith("second")
    return Span(start, end, match.start(), match.end(), (way, match["open"], *kinds, word), weak)


def _kind(text: str) -> str:
    return "clock" if ":" in text else "measured" if not text[-1].isdigit() else "number"
