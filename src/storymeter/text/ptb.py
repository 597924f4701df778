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

import os
from collections.abc import Sequence
from typing import overload

from .. import _native
from .script import well_formed


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
    (see the docstring of this module). `punctuation=True` keeps the marks; `jobs` threads share the
    work.

    text: one line, or several.
    punctuation: keeps punctuation marks as tokens.
    jobs: threads.
    """
    lines = [text] if isinstance(text, str) else list(text)
    found = tokenize(lines, punctuation=punctuation, jobs=jobs)
    return found[0] if isinstance(text, str) else found


def tokenize(lines: Sequence[str], *, punctuation: bool, jobs: int | None = None) -> list[list[str]]:
    """The tokens of each line. `jobs` threads (default: one per processor) share the work; the result is the
    same.
    """
    return [
        tokens.split(" ") if tokens else []
        for tokens in tokenize_joined(lines, punctuation=punctuation, jobs=jobs)
    ]


def tokenize_joined(
    lines: Sequence[str], *, punctuation: bool, jobs: int | None = None, newline: bool = True
) -> list[str]:
    """The same tokens, joined by one blank: no token contains one. `newline=False`: nothing follows a line,
    not even a newline, as behind the last line of a text.
    """
    threads = jobs if jobs is not None else os.cpu_count() or 1
    return _native.ptb_tokenize(well_formed(lines), punctuation, max(1, threads), newline)


#: the tokens that `punctuation=False` drops
PUNCTUATION = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])


#: beginnings of a line that a dot at the end of the line before may depend on
NEXT = ("The", "the", "2", "Dogs")


def tokenize_batch(lines: Sequence[str], *, punctuation: bool, jobs: int | None = None) -> list[str]:
    """Tokens joined by blanks of lines that the original reads as one text: after an abbreviation (a single
    letter, or `no` before a number) a dot at the end of a line depends on the line that comes next.

    >>> tokenize_batch(["This is plan A.", "The end."], punctuation=False)
    ['this is plan a', 'the end']
    >>> tokenize_joined(["This is plan A.", "The end."], punctuation=False)
    ['this is plan a.', 'the end']
    >>> tokenize_batch(["He says no.", "5 dogs run"], punctuation=False)
    ['he says no.', '5 dogs run']
    >>> tokenize_batch(["He says no.", "", "5 dogs run"], punctuation=False)
    ['he says no', '', '5 dogs run']

    The original writes no newline behind the last line, and `The` begins a sentence only before white space:

    >>> tokenize_batch(["This is plan A. The"], punctuation=False)
    ['this is plan a. the']
    >>> tokenize_joined(["This is plan A. The"], punctuation=False)
    ['this is plan a the']
    """
    found = tokenize_joined(lines, punctuation=punctuation, jobs=jobs)
    found[-1:] = tokenize_joined(lines[-1:], punctuation=punctuation, newline=False)
    following = _following(lines)
    for k in _reading_on(lines, [lines[at] if at is not None else "" for at in following]):
        # with all blank lines between them: one line break may stand within an abbreviation, more may not
        next = following[k] or k
        both, then = tokenize_joined(
            ["\n".join(lines[k : next + 1]), lines[next]], punctuation=True, newline=next + 1 < len(lines)
        )
        if then and both.endswith(f" {then}"):
            found[k] = _without(both.removesuffix(f" {then}").rstrip(), punctuation)
    for k, tokens in enumerate(found):
        if tokens[-1:].isspace():  # white space that a token ends with goes there, and stays in `tokenize`
            found[k] = _without(tokenize_joined([lines[k]], punctuation=True)[0].rstrip(), punctuation)
    return found


def may_read_on(lines: Sequence[str]) -> list[int]:
    """Which lines end in a word whose tokens may depend on the line that comes next (see `tokenize_batch`).

    >>> may_read_on(["He says no.", "This is plan A.", "A dog."])
    [0, 1]
    """
    last = {k: line.split()[-1] for k, line in enumerate(lines) if line.rstrip()[-1:] == "."}
    words = list(dict.fromkeys(last.values()))
    found = {words[k] for then in NEXT for k in _reading_on(words, [then] * len(words))}
    return [k for k, word in last.items() if word in found]


def _without(tokens: str, punctuation: bool) -> str:
    return tokens if punctuation else " ".join(t for t in tokens.split(" ") if t not in PUNCTUATION)


def _following(lines: Sequence[str]) -> list[int | None]:
    """For each line the number of the next one that is not blank."""
    found: list[int | None] = []
    after = None
    for number in range(len(lines) - 1, -1, -1):
        found.append(after)
        after = number if lines[number].strip() else after
    return found[::-1]


def _reading_on(lines: Sequence[str], following: Sequence[str]) -> list[int]:
    """Which lines end in a word that is cut otherwise when it stands before the next line."""
    at = [k for k, line in enumerate(lines) if following[k] and line.rstrip()[-1:] == "."]
    last = [lines[k].split()[-1] for k in at]
    # a tag may hold blanks
    first = [following[k] if following[k].lstrip()[:1] == "<" else following[k].split()[0] for k in at]
    together = [f"{word} {then}" for word, then in zip(last, first, strict=True)]
    cut = [tokenize_joined(words, punctuation=True) for words in (last, first, together)]
    return [k for k, one, other, both in zip(at, *cut, strict=True) if both != f"{one} {other}"]
