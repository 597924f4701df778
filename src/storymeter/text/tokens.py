"""Lines to tokens joined by blanks, by one of the tokenisers of `text.tokenizers`.

In a run, `pairs.table.Sentences` remembers what was tokenised before.

>>> tokenize([" a dog\\truns ."], "whitespace")
[' a dog runs .']
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from ..options import Tokenizer
from .tokenizers import cut


def tokenize(lines: Sequence[str], tokenizer: Tokenizer) -> list[str]:
    """The tokens of each line, joined by blanks; each distinct line is tokenised once."""
    return cut(lines, tokenizer)


def ascii_only(line: str) -> str:
    """Every character past U+007F becomes a blank, as the older evaluation scripts do."""
    return line if line.isascii() else "".join(char if char < "\x80" else " " for char in line)


def has_words(text: str) -> bool:
    """Whether a text as it was written holds more than white space and punctuation.

    >>> [has_words(text) for text in ("a dog", "...", "", " 。", "犬", "🎉")]
    [True, False, False, False, True, True]
    """
    return any(char.isalnum() for char in text) or any(
        unicodedata.category(char)[0] not in "PZC" for char in text
    )
