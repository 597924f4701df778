"""Words as NLTK's `word_tokenize` cuts them (Penn Treebank conventions), for numbers that were made with it:
those of its versions 3.5 to 3.8, with which the authors' figures agree; later ones cut more single quotes
off.

Marks stand alone, contractions are cut (`did n't`, `she 's`, `can not`), double quotes become `` and '', a
full stop is cut off only at the very end, and commas and colons stay inside numbers. All rules but that of
the last full stop look at one blank-delimited chunk, so each distinct chunk is cut once and remembered.

>>> treebank('he said "we cannot pay $3,000 (today)."')
['he', 'said', '``', 'we', 'can', 'not', 'pay', '$', '3,000', '(', 'today', ')', '.', "''"]
>>> words("[male] did n't go .")
['male', 'did', "n't", 'go']
"""

import functools
import inspect
import re
from pathlib import Path
from typing import Any

from ..errors import MissingPartError

_OPENING = re.compile(r"""(^|[(\[{<])("|'')""")
_ALONE = re.compile(r"(\.{2,}|…|--|''|`+|[;@#$%&*?!\[\](){}<>«»“”„‘’]|[:,](?!\d))")
#: a single quote before one letter that is no contraction stands alone: 'a, 'o, but 's and 'm
_OPENING_SINGLE = re.compile(r"'(?![mtsdn]\b)(?=\w\b)", re.IGNORECASE)
_CONTRACTION = re.compile(r"(?<=[^'])('(?:s|m|d|ll|re|ve)|n't)\Z", re.IGNORECASE)
_FINAL_STOP = re.compile(r"(?<=[^.])(\.)([\])}>\"'»”’]*)\Z")
_PARTED = {
    "cannot": 3,
    "gimme": 3,
    "gonna": 3,
    "gotta": 3,
    "lemme": 3,
    "wanna": 3,
    "d'ye": 1,
    "more'n": 4,
    "'tis": 2,
    "'twas": 2,
}


def treebank(text: str) -> list[str]:
    """Tokens of one sentence.

    text: one sentence.
    """
    chunks = text.split()
    if not chunks:
        return []
    out = [token for chunk in chunks[:-1] for token in _cut(chunk)]
    last = chunks[-1]
    if (stop := _FINAL_STOP.search(last)) is not None:
        out += _cut(last[: stop.start()])
        out.append(".")
        out += _ALONE.sub(r" \1 ", stop.group(2).replace('"', " '' ")).split()
    else:
        out += _cut(last)
    return out


def words(text: str) -> list[str]:
    """Lower-case tokens that hold a letter or a digit."""
    chunks = text.lower().split()
    if not chunks:
        return []
    out = [word for chunk in chunks[:-1] for word in _words(chunk)]
    last = chunks[-1]
    out += _words(_FINAL_STOP.sub(r" \1\2", last) if "." in last else last)
    return out


@functools.lru_cache(maxsize=1 << 16)
def _words(chunk: str) -> tuple[str, ...]:
    return tuple(
        token for piece in chunk.split() for token in _cut(piece) if any(char.isalnum() for char in token)
    )


@functools.lru_cache(maxsize=1 << 16)
def _cut(chunk: str) -> tuple[str, ...]:
    if chunk.isalpha() and chunk.lower() not in _PARTED:
        return (chunk,)
    chunk = _OPENING.sub(r"\1 `` ", chunk).replace('"', " '' ")
    pieces = _OPENING_SINGLE.sub("' ", _ALONE.sub(r" \1 ", chunk)).split()
    return tuple(token for piece in pieces for token in _contractions(piece))


def _contractions(piece: str) -> list[str]:
    if piece in ("''", "'"):
        return [piece]
    if (place := _PARTED.get(piece.lower())) is not None:
        return [piece[:place], piece[place:]]
    match = _CONTRACTION.search(piece)
    if match is not None and match.start() > 0:
        return [piece[: match.start()], match.group()]  # once: shouldn't've -> shouldn't 've
    if len(piece) > 1 and piece.endswith("'") and not piece.endswith("''"):  # boys' -> boys '
        return [*_contractions(piece[:-1]), "'"]
    return [piece]


# Parts of speech: HanTa's English tagger, loaded once per process and shared by all who ask.
#
# Its model is a pickle inside HanTa's own wheel, to be trusted as the code beside it. But HanTa looks for a
# file of that name in the working directory first, where anybody may have put one; so the model is named by
# its full path.


MODEL = "morphmodel_en.pgz"


def tagger(what: str) -> Any:
    """The tagger; `what` needs it, for the message where HanTa is not installed."""
    try:
        return _load()
    except ImportError:
        raise MissingPartError.extra(what, "neural") from None


@functools.cache
def _load() -> Any:
    from HanTa.HanoverTagger import HanoverTagger

    return HanoverTagger(str(Path(inspect.getfile(HanoverTagger)).with_name(MODEL)))
