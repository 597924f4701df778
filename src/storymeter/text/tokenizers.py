"""The one list of tokenisers: `--tokenizer`, `storymeter tokenize` and the documentation follow it.

>>> tokenize(["It cost $3.50, didn't it?"], "13a")
["It cost $ 3.50 , didn't it ?"]
"""

import functools
import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import MissingPartError, UsageError, suggest
from ..options import Tokenizer
from .script import well_formed

_BLANKS = str.maketrans("\t\n\v\f\r", " " * 5)


# Tokenisers for captions in languages other than English, and those of machine translation.
#
#     13a    the marks of mteval-v13a, the default of BLEU in machine translation; case is kept
#     intl   mteval-v14's international tokens: Unicode punctuation and symbols stand alone
#     zh     every Chinese character and sign is a token, all else as in 13a
#     ja     words as MeCab cuts them with the IPA dictionary (the part `ja`)
#
# All four give the tokens of `sacrebleu` (Post, "A Call for Clarity in Reporting BLEU Scores", 2018), where
# they are called 13a, intl, zh and ja-mecab. For intl, a character counts as what this Python's Unicode
# tables say.


_ENTITIES = {"&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">"}
#: every mark of ASCII stands alone, but those that may belong to a word or number
_ALONE = re.compile("([" + re.escape("".join(sorted(set(string.punctuation) - set("',-.")))) + "])")
_AFTER = re.compile(r"([^0-9])([.,])")
_BEFORE = re.compile(r"([.,])([^0-9])")
_DASH = re.compile(r"([0-9])(-)")
_CHINESE = re.compile(
    "(["
    + "".join(
        f"{chr(first)}-{chr(last)}"
        for first, last in (
            (0x2001, 0x2A6D),  # and not the ideographs from U+20000 on: so sacrebleu has it
            (0x2E80, 0x2FDF),
            (0x2FF0, 0x303F),
            (0x3100, 0x312F),
            (0x31A0, 0x31EF),
            (0x3200, 0x4DB5),
            (0x4E00, 0x9FBB),
            (0xF900, 0xFA2D),
            (0xFA30, 0xFA6A),
            (0xFA70, 0xFAD9),
            (0xFE10, 0xFE1F),
            (0xFE30, 0xFE4F),
            (0xFF00, 0xFFEF),
        )
    )
    + "])"
)


def thirteen_a(line: str) -> str:
    """Tokens of mteval-v13a.

    >>> thirteen_a("It cost $3.50, didn't it?"), zh("一只狗 runs.")
    ("It cost $ 3.50 , didn't it ?", '一 只 狗 runs .')
    """
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, sign in _ENTITIES.items():
        line = line.replace(entity, sign)
    return _marks(f" {line} ")


def zh(line: str) -> str:
    return _marks(_CHINESE.sub(r" \1 ", line.strip()))


def _marks(line: str) -> str:
    line = _ALONE.sub(r" \1 ", line)
    line = _BEFORE.sub(r" \1 \2", _AFTER.sub(r"\1 \2 ", line))
    return " ".join(_DASH.sub(r"\1 \2 ", line).split())


class _Categories(dict[int, str]):
    """The first letter of each character's Unicode category: N, P, S and others."""

    def __missing__(self, code: int) -> str:
        found = self[code] = unicodedata.category(chr(code))[0]
        return found


_CATEGORIES = _Categories()


def intl(line: str) -> str:
    """Punctuation stands alone unless a number is on both sides of it; symbols always do."""
    for shape, first, second in (("[^N]P", "{} ", "{} "), ("P[^N]", " {} ", "{}")):
        out, at = [], 0
        for found in re.finditer(shape, line.translate(_CATEGORIES)):
            begin = found.start()
            out += [line[at:begin], first.format(line[begin]), second.format(line[begin + 1])]
            at = begin + 2
        line = "".join([*out, line[at:]])
    return " ".join("".join(f" {c} " if _CATEGORIES[ord(c)] == "S" else c for c in line).split())


@functools.cache
def _mecab() -> Any:
    try:
        import fugashi
        import ipadic
    except ImportError:
        raise MissingPartError.extra("The tokenizer ja", "ja") from None
    return fugashi.GenericTagger(f"{ipadic.MECAB_ARGS} -Owakati")


def ja(line: str) -> str:
    return str(_mecab().parse(line.strip())).strip()


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


def _each(of_line: Callable[[str], str]) -> Callable[[Sequence[str]], list[str]]:
    return lambda lines: [of_line(line) for line in well_formed(lines)]


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
        _each(thirteen_a),
    ),
    "intl": TokenizerKind(
        "mteval-v14 international: Unicode punctuation and symbols are separate tokens; case is kept",
        "languages with spaces between words",
        _each(intl),
    ),
    "zh": TokenizerKind("each Chinese character is a token, the rest as 13a", "Chinese", _each(zh)),
    "ja": TokenizerKind("words as segmented by MeCab with the IPA dictionary", "Japanese", _each(ja)),
}


def get(name: str) -> TokenizerKind:
    if name not in TOKENIZERS:
        raise UsageError(f"There is no tokenizer {name!r}.", hint=suggest(str(name), TOKENIZERS))
    return TOKENIZERS[name]


def tokenize(lines: Sequence[str], tokenizer: Tokenizer) -> list[str]:
    """The tokens of each line, joined by blanks; each distinct line is tokenised once.

    lines: captions.
    tokenizer: one of `TOKENIZERS`.

    >>> tokenize([" a dog\truns ."], "whitespace")
    [' a dog runs .']
    """
    fresh = list(dict.fromkeys(lines))
    found = dict(zip(fresh, get(tokenizer).cut(fresh), strict=True))
    return [found[line] for line in lines]


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
