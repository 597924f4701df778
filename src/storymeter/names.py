"""Names of metrics and scorers are values: they parse from a string and print back to the same string.

    name            = word [ "(" option ("," option)* ")" ]
    option          = word "=" value          (a value may itself be a name with options)

>>> name = parse("soda_c(scorer=meteor(task=adq), refs=best)")
>>> name.word, name.options["scorer"]
('soda_c', 'meteor(task=adq)')
>>> str(name)
'soda_c(scorer=meteor(task=adq),refs=best)'
>>> split("bleu_4,soda_a(scorer=cider, refs=best)")
['bleu_4', 'soda_a(scorer=cider, refs=best)']
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from .errors import UsageError

_LONGEST = 500  # no name needs more, and options within options are parsed by recursion
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_\-]*\Z")


class Name(NamedTuple):
    word: str
    options: Mapping[str, str]

    def __str__(self) -> str:
        inner = ",".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.word}({inner})" if inner else self.word


def split(text: str) -> list[str]:
    """Cut a list at its commas, but not at those inside parentheses."""
    parts, depth, begin = [], 0, 0
    for position, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(text[begin:position])
            begin = position + 1
    parts.append(text[begin:])
    return [part.strip() for part in parts if part.strip()]


def parse(text: str) -> Name:
    if len(text) > _LONGEST:
        raise UsageError(
            f"The name {text[:40]!r}… has {len(text):,} characters.",
            hint="Names look like bleu_4 or soda_c(scorer=meteor).",
        )
    head, bracket, rest = text.strip().partition("(")
    options: dict[str, str] = {}
    if bracket:
        if not rest.endswith(")") or rest.count("(") != rest.count(")") - 1:
            raise UsageError(
                f"The name {text!r} has unbalanced parentheses.",
                hint="Write it like soda_c(scorer=meteor,refs=best).",
            )
        for option in split(rest[:-1]):
            key, equals, value = option.partition("=")
            key = key.strip()
            if not equals or not _WORD.match(key) or not value.strip():
                raise UsageError(
                    f"In {text!r}, the option {option!r} is not of the form key=value.",
                    hint="Write it like soda_c(scorer=meteor,refs=best).",
                )
            if key in options:
                raise UsageError(f"In {text!r}, the option {key!r} is given twice.", hint="Give it once.")
            options[key] = _tidy(value)
    if not _WORD.match(head.strip()):
        raise UsageError(f"{text!r} is not a name.", hint="Names look like bleu_4 or soda_c(scorer=meteor).")
    return Name(head.strip(), options)


def _tidy(value: str) -> str:
    value = value.strip()
    return str(parse(value)) if "(" in value and _WORD.match(value.partition("(")[0].strip()) else value
