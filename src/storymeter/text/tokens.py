"""Lines to tokens joined by blanks, by one of the tokenisers of `text.tokenizers`.

In a run, `pairs.table.Sentences` remembers what was tokenised before.

>>> tokenize([" a dog\\truns ."], "whitespace")
[' a dog runs .']
"""

from __future__ import annotations

from collections.abc import Sequence

from ..metric import Tokenizer
from .tokenizers import cut
from .tokenizers import get as get_tokenizer


def check_tokenizer(tokenizer: str) -> None:
    get_tokenizer(tokenizer)


def tokenize(lines: Sequence[str], tokenizer: Tokenizer) -> list[str]:
    """The tokens of each line, joined by blanks; each distinct line is tokenised once."""
    return cut(lines, tokenizer)


def ascii_only(line: str) -> str:
    """Every character past U+007F becomes a blank, as the older evaluation scripts do."""
    return line if line.isascii() else "".join(char if char < "\x80" else " " for char in line)
