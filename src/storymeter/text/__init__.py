"""Strings to tokens: the tokeniser alone, for those who want nothing else.

>>> ptb_tokenize("He can't say hello (twice).")
['he', 'ca', "n't", 'say', 'hello', '-lrb-', 'twice', '-rrb-']
>>> ptb_tokenize(["A dog.", "Two cats!"], punctuation=True)
[['a', 'dog', '.'], ['two', 'cats', '!']]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload


@overload
def ptb_tokenize(  # type: ignore[overload-overlap]  # a str is a sequence of them, too
    text: str, *, punctuation: bool = False, jobs: int | None = None
) -> list[str]: ...
@overload
def ptb_tokenize(
    text: Sequence[str], *, punctuation: bool = False, jobs: int | None = None
) -> list[list[str]]: ...
def ptb_tokenize(
    text: str | Sequence[str], *, punctuation: bool = False, jobs: int | None = None
) -> list[str] | list[list[str]]:
    """Penn Treebank tokens of one line, or of each of several, as the evaluation of COCO captions has them
    (`storymeter.text.ptb` tells the details). `punctuation=True` keeps the marks; `jobs` threads share the
    work.
    """
    from .ptb import tokenize  # late: it opens the native module

    lines = [text] if isinstance(text, str) else list(text)
    found = tokenize(lines, punctuation=punctuation, jobs=jobs)
    return found[0] if isinstance(text, str) else found
