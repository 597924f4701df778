"""What an answer is read into: captions, notes on what is none, and words freed of marks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

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
