"""Goes through an answer line by line and finds its captions; whatever is none is noted with its line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from . import json_text
from .items import START, Item, Rows, items
from .spans import Span, bullet, heads, inside, mentions, simple

_FENCE = re.compile(r"\s*(?:[>*-]\s+)?(?:`{3,}|~{3,})\s*\w*\s*$")
_RULE = re.compile(r"[\s*_=#|:+-]*$")
_NAMED_START = re.compile(r"\W*start(?:[ _]?time)?[\W_]*\d[\d:.,]*\W*(?:s|secs?|seconds?)?\W*", re.IGNORECASE)
_NAMED_END = re.compile(r"\W*end(?:[ _]?time)?[\W_]*\d", re.IGNORECASE)
_OBJECT = re.compile(r"\{[^{}]*\}")
_HEADING = re.compile(r"\s*(?:#|(?:[-*+]\s+|\d+[.)]\s*)?(?:\*\*|__).*(?:\*\*|__)\W*$)")
_TITLE = 60  #: characters that may stand before the times as a heading


class Reader:
    def __init__(self, text: str, answer: Answer) -> None:
        self.text, self.answer = text, answer
        self.lines = text.split("\n")
        self.begins = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.at = self.began = (
            0  #: the number of the line at hand, and of the first of two that are read as one
        )
        self.hopeless = 0  #: up to here a value that is never closed was looked at in vain
        self.rows: Rows | None = None
        #: times that wait for their caption, their line, whether an empty line may stand between, a title
        self.open: tuple[Span, int, bool, str] | None = None
        self.words: list[str] = []

    def run(self) -> None:
        while self.at < len(self.lines):
            self.at += 1
            self.began = self.at
            self._line(self.lines[self.at - 1])
        self._close()

    def _line(self, line: str) -> None:
        if not line.strip():
            if self.open and (self.words or not self.open[2]):
                self._close()
            return
        if _FENCE.fullmatch(line) or _RULE.fullmatch(line):
            return
        if (begin := json_text.start(line)) >= 0 and self._json(begin):
            return
        if self._table(line) or self._number_of_a_cue(line):
            return
        if (
            _NAMED_START.fullmatch(line)
            and self.at < len(self.lines)
            and _NAMED_END.match(self.lines[self.at])
        ):
            line = f"{line.strip()}, {self.lines[self.at].lstrip(' *-')}"
            self.at += 1
        spans = heads(line)
        if spans:
            self._close()
            self._captions(line, spans)
        elif self.open and inside(line) is None and self._belongs(line):
            self.words.append(line)
        else:
            self._close()
            if not self._continues(line) and not self._in_brackets(line):
                self._skip(line, self.at)

    # -- lines

    def _captions(self, line: str, spans: list[Span]) -> None:
        for k, span in enumerate(spans):
            last = k == len(spans) - 1
            text = clean(line[span.stop :] if last else line[span.stop : spans[k + 1].begin].rstrip(" ,;|-"))
            if text:
                self.answer.captions.append(Found(span.start, span.end, text, self.at, span.weak))
            elif last and len(spans) == 1:
                self._times_alone(line, span)
            else:
                self._note("skipped-times", self.at, line)

    def _times_alone(self, line: str, span: Span) -> None:
        """Times on a line of their own belong to the words below, unless their block ends in times: then to
        those above, if a label or the next times in turn say so, and otherwise to none.
        """
        first = self.at - 1
        while first and self.lines[first - 1].strip():
            first -= 1
        last = self.at
        while last < len(self.lines) and self.lines[last].strip():
            last += 1
        note = self.answer.notes[-1] if self.answer.notes else None
        above = self.lines[note.line - 1] if note and note.line == self.began - 1 else ""
        heading = bool(_HEADING.match(line))
        if (
            heading
            or not above
            or above.rstrip(" *_").endswith((":", "："))
            or not _alone(self.lines[last - 1])
        ):
            self.open = (span, self.at, heading, "")
            return
        words = above[bullet(simple(above)) :]
        alone = sum(_alone(other) for other in self.lines[first:last])
        if (
            note
            and note.code == "skipped-line"
            and (LABEL.match(words.lstrip("*_ ")) or alone > 1)
            and (text := clean(words))
        ):
            self.answer.notes.remove(note)
            self.answer.captions.append(Found(span.start, span.end, text, note.line, span.weak))
        else:
            self._note("skipped-times", self.at, line)

    def _belongs(self, line: str) -> bool:
        """Is the line part of the caption whose times stand above? The first one is; a further one unless it
        is set in less, follows a labelled line, or stands right above the next times.
        """
        if not self.words:
            return True
        first = self.words[0]
        indents = [len(words) - len(words.lstrip()) for words in (first, line)]
        labelled = bool(LABEL.match(first[bullet(simple(first)) :].lstrip("*_ ")))
        follows = self.lines[self.at] if self.at < len(self.lines) else ""
        return (
            indents[1] >= indents[0] + labelled
            and not _alone(follows)
            and not _NAMED_START.fullmatch(follows)
        )

    def _in_brackets(self, line: str) -> bool:
        """`A dog runs (0:00 - 0:05)` or `Opening (0:00 - 0:05): a dog runs`"""
        span = inside(line)
        if span is None:
            return False
        before = clean(line[bullet(simple(line)) : span.begin])
        after = clean(line[span.stop :])
        if re.search(r"frame|image|%", before, re.IGNORECASE):
            return False
        if before and not after and _HEADING.match(line):
            self.open = (span, self.at, True, before)
            return True
        if before and not after:
            self.answer.captions.append(Found(span.start, span.end, before, self.at, weak=True))
            return True
        title = len(before) <= _TITLE and not re.search(r"[.!?;,]\s", before)
        around = simple(line)
        marked = around[: span.stop].rstrip(" *_`")[-1:] + around[span.stop :].lstrip(" *_`")[:1]
        if before and after and title and any(mark in ":-|" for mark in marked):
            self.answer.captions.append(Found(span.start, span.end, after, self.at))
            self._note("title", self.at, before)
            return True
        return False

    def _continues(self, line: str) -> bool:
        """A line set in further than the caption above it goes on with it."""
        last = self.answer.captions[-1] if self.answer.captions else None
        if last is None or last.line != self.at - 1 or mentions(line) or last.path is not None:
            return False
        above = self.lines[self.at - 2]
        indent = len(line) - len(line.lstrip())
        goes_on = indent >= len(above) - len(above.lstrip()) + 2 and bullet(simple(line)) == indent
        if goes_on and (text := clean(line)):
            last.text = f"{last.text} {text}"
            last.line = self.at
        return goes_on

    def _number_of_a_cue(self, line: str) -> bool:
        """The number above the times of a cue, as subtitles have it."""
        follows = self.lines[self.at] if self.at < len(self.lines) else ""
        return line.strip().isdecimal() and "-->" in follows and not self.open

    def _table(self, line: str) -> bool:
        """A row under the last head that was seen; whatever is none is read as any other line."""
        if headed := Rows.headed(line):
            self._close()
            self.rows = headed
            return True
        record = self.rows.record(line) if self.rows else None
        found = list(items(record)) if record else []
        if not found or any(item.wrong for item in found):
            return self.rows is not None and self.rows.is_rule(line)
        self.items(found, self.at)
        return True

    def _close(self) -> None:
        """Times that were waiting get the words that came, or are reported."""
        if self.open:
            span, line, _, title = self.open
            pieces = [clean(words[bullet(simple(words)) :]) for words in self.words]
            text = " ".join(piece for piece in pieces if piece)
            if text and title:
                self._note("title", line, title)
            if text := text or title:
                self.answer.captions.append(Found(span.start, span.end, text, line, span.weak))
            else:
                self._note("skipped-times", line, self.lines[line - 1])
        self.open, self.words = None, []

    # -- JSON

    def _json(self, column: int) -> bool:
        """Reads the value that begins here; False where it holds no caption at all."""
        begin = self.begins[self.at - 1] + column
        if begin < self.hopeless:
            return False
        end, closed = json_text.region(self.text, begin)
        text = self.text[begin:end]
        value = json_text.loads(text) if closed else json_text.BROKEN
        if value is json_text.BROKEN:
            if not self._salvage(begin, end):
                self.hopeless = end
                return False
        else:
            found = list(items(value))
            if found and all(item.wrong for item in found) and not _speaks_of_times(value):
                return False
            self._close()
            self.answer.empty = self.answer.empty or not found
            if not json_text.strict(text):
                self._note("loose-json", self.at, text)
            self.items(found, self.at)
        self._after(end)
        return True

    def _salvage(self, begin: int, end: int) -> bool:
        """Of a value that is broken or cut off, each object that is whole; every other piece is reported."""
        objects = [(found, json_text.loads(found[0])) for found in _OBJECT.finditer(self.text, begin, end)]
        if not any(value is not json_text.BROKEN and _speaks_of_times(value) for _, value in objects):
            return False
        self._close()
        self._note("broken-json", self._number(begin), self.text[begin:end])
        at = begin
        for found, value in objects:
            self._rest(at, found.start())
            if value is json_text.BROKEN:
                self._note("skipped-item", self._number(found.start()), found[0])
            else:
                self.items(items(value), self._number(found.start()))
            at = found.end()
        self._rest(at, end)
        return True

    def _rest(self, begin: int, end: int) -> None:
        """What stands between whole objects: brackets and keys need no note."""
        piece = re.sub(r'"[^"\n]*"\s*:\s*(?=[\[{])', lambda key: " " * len(key[0]), self.text[begin:end])
        found = re.search(r"[^\s\[\]{},]", piece)
        if found:
            self._note("skipped-item", self._number(begin + found.start()), piece[found.start() :])

    def items(self, found: Iterator[Item] | list[Item], line: int) -> None:
        for item in found:
            if item.wrong or item.start is None or item.end is None:
                self._note("skipped-item", line, item.wrong, item.path)
            else:
                self.answer.captions.append(
                    Found(item.start, item.end, item.text, line, False, item.meta, item.path)
                )

    def _after(self, end: int) -> None:
        """Goes on after the value; words behind it on its last line are a line of their own."""
        self.at = self._number(end)
        rest = self.text[end : self.begins[self.at] - 1].strip(" `~;,")
        if rest:
            self._skip(rest, self.at)

    def _number(self, place: int) -> int:
        return bisect_right(self.begins, place)

    # -- results

    def _skip(self, line: str, number: int) -> None:
        self._note("skipped-times" if mentions(line) else "skipped-line", number, line)

    def _note(self, code: str, line: int, detail: str, path: tuple[str | int, ...] = ()) -> None:
        self.answer.notes.append(Note(code, line, " ".join(detail.split())[:60], path))


def _alone(line: str) -> bool:
    """Are times all that stands in the line?"""
    found = heads(line)
    return bool(_NAMED_END.match(line)) or (len(found) == 1 and not clean(line[found[0].stop :]))


def _speaks_of_times(value: Any) -> bool:
    """Is there an object in the value with a time in it?"""
    if isinstance(value, dict):
        return any(key in START for key in map(str.lower, value)) or any(
            item.start is not None or "start" in item.wrong for item in items(value)
        )
    return isinstance(value, list) and (not value or any(_speaks_of_times(member) for member in value))


# What an answer is read into: captions, notes on what is none, and words freed of marks.


_LEAD = re.compile(r"[\s*_`:：|,，、;。.\-–—>~]+")
_EMPHASIS = re.compile(r"(\*\*|__|`)(?=\S)(.+?)(?<=\S)\1")
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "*": "*", "_": "_", "「": "」"}
_LONG = 20_000  #: characters: no caption, and slow to search for pairs of marks
LABEL = re.compile(r"(?:caption|description|sentence|text|event|summary)[*_ ]*[:：][*_ ]*", re.IGNORECASE)


@dataclass(slots=True)
class Found:
    """One caption, the line on which it begins, and whether its times are bare numbers or stand behind it."""

    start: float
    end: float
    text: str
    line: int
    weak: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
    #: the place in a JSON value or a row; None where a line says it in words
    path: tuple[str | int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be reported: a kind of problem, its line, and what stands there."""

    code: str
    line: int
    detail: str
    path: tuple[str | int, ...] = ()


@dataclass(slots=True)
class Answer:
    captions: list[Found] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    #: a list without members is an answer too: there is nothing to tell
    empty: bool = False


def clean(text: str) -> str:
    """A caption without list marks, emphasis, a label, and quotes around all of it; empty without a word."""
    text = text.strip()
    if len(text) < _LONG:
        text = _EMPHASIS.sub(r"\2", text)
    lead = _LEAD.match(text)
    text = (text[lead.end() :] if lead else text).strip(" \t|*_`")
    label = LABEL.match(text)
    text = text[label.end() :] if label else text
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text if any(char.isalnum() for char in text) else ""
