"""Penn Treebank tokens, as the tokeniser step of the COCO caption evaluation gives them, without Java.

The words of a line in lower case: contractions are split (`do n't`, `it 's`), hyphenated words stay whole,
brackets become `-lrb-` and `-rrb-`. `punctuation=False` drops exactly these tokens, and no others (so
brackets and `!!` stay):

    ''  '  ``  `  .  ?  !  ,  :  -  --  ...  ;

Each line is read as if a newline and then nothing followed it. The original reads all lines of a call as one
text and peeks into the next line, so that the last token of a caption such as `… plan A.` depends on the
caption that happens to come next. Line breaks inside a line (`\\n`, `\\r`, U+2028…) separate words and
nothing more.

All 34,536 captions of ActivityNet's validation set come out as the original's (one, which depends on the next
caption, does when that caption follows), and so did a million random lines of words, signs, mark-up, numbers
and other scripts, soft hyphens and capital sigmas among them, and every character of the basic plane in 76
surroundings. Differences that are known:

- a tab, vertical tab or line break inside a tag or a URL becomes U+00A0 like a blank; the original leaves it
  in the token;
- a tag whose attribute value runs over the end of the line is no tag, since a line ends the text;
- a capital sigma beside a mark or an invisible sign that is no part of a word (in a URL, say) may get the
  other of its two small forms.

>>> tokenize(["He can't say \\"hello\\" (twice)."], punctuation=False)
[['he', 'ca', "n't", 'say', 'hello', '-lrb-', 'twice', '-rrb-']]
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from .. import _native
from .unicode import well_formed


def tokenize(lines: Sequence[str], *, punctuation: bool, jobs: int | None = None) -> list[list[str]]:
    """The tokens of each line. `jobs` threads (default: one per processor) share the work; the result is the
    same.
    """
    return [
        tokens.split(" ") if tokens else []
        for tokens in tokenize_joined(lines, punctuation=punctuation, jobs=jobs)
    ]


def tokenize_joined(lines: Sequence[str], *, punctuation: bool, jobs: int | None = None) -> list[str]:
    """The same tokens, joined by one blank: no token contains one."""
    threads = jobs if jobs is not None else os.cpu_count() or 1
    found: list[str] = _native.ptb_tokenize(well_formed(lines), punctuation, max(1, threads))
    return found


#: the tokens that `punctuation=False` drops
PUNCTUATION = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])
#: a text that ends like this is read together with the one that follows it
_LETTER_DOT = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]\.\s*\Z")


def tokenize_batch(lines: Sequence[str], *, punctuation: bool, jobs: int | None = None) -> list[str]:
    """Tokens joined by blanks of lines that the original reads as one text: a line that ends in a single
    letter and a dot depends on the line that comes next.

    >>> tokenize_batch(["This is plan A.", "The end."], punctuation=False)
    ['this is plan a', 'the end']
    >>> tokenize_joined(["This is plan A.", "The end."], punctuation=False)
    ['this is plan a.', 'the end']
    """
    found = tokenize_joined(lines, punctuation=punctuation, jobs=jobs)
    for k, line in enumerate(lines):
        if line.rstrip()[-1:] == "." and _LETTER_DOT.search(line):
            following = next((other for other in lines[k + 1 :] if other.strip()), "")
            both, then = tokenize_joined([f"{line} {following}", following], punctuation=True)
            if then and both.endswith(f" {then}"):
                tokens = both.removesuffix(then).split()
                found[k] = " ".join(t for t in tokens if punctuation or t not in PUNCTUATION)
    return found
