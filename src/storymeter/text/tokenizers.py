"""The one list of tokenisers: `--tokenizer`, `storymeter tokenize` and the documentation follow it.

>>> cut(["It cost $3.50, didn't it?"], "13a")
["It cost $ 3.50 , didn't it ?"]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import UsageError, closest
from .unicode import well_formed

_BLANKS = str.maketrans("\t\n\v\f\r", " " * 5)


@dataclass(frozen=True, slots=True)
class TokenizerKind:
    """One way to cut lines into tokens, joined by blanks."""

    summary: str
    #: the languages it is made for
    languages: str
    cut: Callable[[Sequence[str]], list[str]]


def _ptb(lines: Sequence[str]) -> list[str]:
    from . import ptb  # late: it opens the native module

    return ptb.tokenize_joined(lines, punctuation=False) if lines else []


def _whitespace(lines: Sequence[str]) -> list[str]:
    """White space becomes blanks, one for one, never squeezed: ROUGE-L as captioning computes it counts the
    empty word between two blanks, and figures were published that way.
    """
    return [line.translate(_BLANKS) for line in well_formed(lines)]


def _each(name: str) -> Callable[[Sequence[str]], list[str]]:
    def cut(lines: Sequence[str]) -> list[str]:
        from . import languages  # late: most runs are in English

        return [getattr(languages, name)(line) for line in well_formed(lines)]

    return cut


TOKENIZERS: dict[str, TokenizerKind] = {
    "ptb": TokenizerKind(
        "Penn Treebank tokens in lower case without punctuation, as captioning papers do", "English", _ptb
    ),
    "whitespace": TokenizerKind(
        "words between spaces, for text that is already tokenised", "any", _whitespace
    ),
    "none": TokenizerKind("the line as it is", "any", well_formed),
    "13a": TokenizerKind(
        "mteval-v13a, as machine translation reports BLEU; case is kept",
        "languages with spaces between words",
        _each("thirteen_a"),
    ),
    "intl": TokenizerKind(
        "mteval-v14 international: Unicode punctuation and symbols are separate tokens; case is kept",
        "languages with spaces between words",
        _each("intl"),
    ),
    "zh": TokenizerKind("each Chinese character is a token, the rest as 13a", "Chinese", _each("zh")),
    "ja": TokenizerKind("words as segmented by MeCab with the IPA dictionary", "Japanese", _each("ja")),
}


def get(name: str) -> TokenizerKind:
    if name not in TOKENIZERS:
        raise UsageError(f"There is no tokenizer {name!r}.", hint=closest(str(name), TOKENIZERS))
    return TOKENIZERS[name]


def cut(lines: Sequence[str], name: str) -> list[str]:
    """The tokens of each line, joined by blanks; each distinct line is cut once."""
    fresh = list(dict.fromkeys(lines))
    found = dict(zip(fresh, get(name).cut(fresh), strict=True))
    return [found[line] for line in lines]
