"""Captions as harnesses give them, ready for the scorers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ..options import Tokenizer
from ..text.tokenizers import tokenize


def prepared(
    predictions: Sequence[str], references: Sequence[str | Sequence[str]], tokenizer: Tokenizer
) -> tuple[list[str], list[list[str]]]:
    """Tokens of predictions and of each one's references."""
    groups = [[group] if isinstance(group, str) else list(group) for group in references]
    tokens = iter(tokenize([*predictions, *chain.from_iterable(groups)], tokenizer))
    return [next(tokens) for _ in predictions], [[next(tokens) for _ in group] for group in groups]
