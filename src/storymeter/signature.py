"""What a number depends on: build it, print it, parse it, and say where two of them differ.

A signature is an ordered list of `key:value` fields, printed as `metric:bleu_4|tok:ptb|…`. Two numbers may be
compared when their signatures are equal; `diff` names the fields that are not.

>>> a = Signature.of(metric="bleu_4", tok="ptb"); b = Signature.of(metric="bleu_4", tok="whitespace")
>>> str(a)
'metric:bleu_4|tok:ptb'
>>> Signature.parse(str(a)) == a
True
>>> diff(a, b)
{'tok': ('ptb', 'whitespace')}
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from .errors import UsageError

_ESCAPES = {"%": "%25", "|": "%7C", ":": "%3A", "\n": "%0A", "\r": "%0D"}


def _escape(text: str, special: str) -> str:
    return "".join(_ESCAPES[c] if c in special else c for c in text)


def _unescape(text: str) -> str:
    for char, code in reversed(_ESCAPES.items()):  # "%25" last: it may hide another escape
        text = text.replace(code, char)
    return text


class Signature(msgspec.Struct, frozen=True):
    """Everything that a number depends on, as ordered fields; see the module."""

    fields: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, mapping: Mapping[str, object] | None = None, /, **fields: object) -> Signature:
        """Fields in the order given; booleans print as `yes` and `no`, and `None` is left out."""
        merged = {**(mapping or {}), **fields}
        return cls(tuple((key, _text(value)) for key, value in merged.items() if value is not None))

    def add(self, **fields: object) -> Signature:
        """These fields after the present ones; a field that is already there is replaced where it stands."""
        return Signature.of({**dict(self.fields), **fields})

    def get(self, key: str, default: str = "") -> str:
        return dict(self.fields).get(key, default)

    def __str__(self) -> str:
        return "|".join(
            f"{_escape(key, '%|:')}:{_escape(value, '%|' + chr(10) + chr(13))}" for key, value in self.fields
        )

    @classmethod
    def parse(cls, text: str) -> Signature:
        if not text:
            return cls()
        fields = []
        for part in text.split("|"):
            key, colon, value = part.partition(":")
            if not colon:
                raise UsageError(
                    f"Not a signature: the field {part!r} has no colon.",
                    hint="Fields look like `tok:ptb`, joined by `|`.",
                )
            fields.append((_unescape(key), _unescape(value)))
        return cls(tuple(fields))


def _text(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def short_hash(content: object) -> str:
    """Eight hexadecimal digits that name data that is too long to be printed."""
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()[:8]


def diff(a: Signature, b: Signature) -> dict[str, tuple[str, str]]:
    """The fields that differ, with both values ('' where a side lacks the field)."""
    left, right = dict(a.fields), dict(b.fields)
    keys = [*left, *(key for key in right if key not in left)]
    return {key: (left.get(key, ""), right.get(key, "")) for key in keys if left.get(key) != right.get(key)}
