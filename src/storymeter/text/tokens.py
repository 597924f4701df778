"""Lines to tokens joined by blanks, by one of three tokenisers.

    ptb          Penn Treebank tokens in lower case, punctuation dropped: what COCO's captioning scores are
                 made on
    whitespace   words are what stands between blanks, tabs and line breaks: for text that is tokenised
                 already, as visual
                 storytelling publishes it
    none         the line as it is

White space is turned into blanks, one for one, and never squeezed: ROUGE-L as captioning computes it counts
the empty word between two blanks, and figures were published that way. All other measures cut at runs of
blanks.

In a run, `pairs.table.Sentences` remembers what was tokenised before.

>>> tokenize([" a dog\\truns ."], "whitespace")
[' a dog runs .']
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UsageError, closest
from ..metric import Tokenizer
from .unicode import well_formed

_BLANKS = str.maketrans("\t\n\v\f\r", " " * 5)
TOKENIZERS: tuple[Tokenizer, ...] = ("ptb", "whitespace", "none")


def check_tokenizer(tokenizer: str) -> None:
    if tokenizer not in TOKENIZERS:
        raise UsageError(f"There is no tokenizer {tokenizer!r}.", hint=closest(str(tokenizer), TOKENIZERS))


def tokenize(lines: Sequence[str], tokenizer: Tokenizer) -> list[str]:
    """The tokens of each line, joined by blanks; each distinct line is tokenised once."""
    check_tokenizer(tokenizer)
    if tokenizer == "none":
        return well_formed(lines)
    known: dict[str, str] = {}
    fresh = list(dict.fromkeys(lines))
    if tokenizer == "whitespace":
        known.update(
            (line, sound.translate(_BLANKS)) for line, sound in zip(fresh, well_formed(fresh), strict=True)
        )
    elif fresh:
        from . import ptb  # late: it opens the native module

        known.update(zip(fresh, ptb.tokenize_joined(fresh, punctuation=False), strict=True))
    return [known[line] for line in lines]


def ascii_only(line: str) -> str:
    """Every character past U+007F becomes a blank, as the older evaluation scripts do."""
    return line if line.isascii() else "".join(char if char < "\x80" else " " for char in line)
