"""In which script are captions written? METEOR's tables, the Penn Treebank tokeniser and the rules of SPICE
are made for English; captions in another script would score near zero without a word.

>>> script_of(["男性が部屋に入る", "犬が走る。"])
'Japanese'
>>> script_of(["a café in Kyōto", "a man says привет"])
''

Any Python string as valid Unicode: a lone surrogate, which no encoding can carry, becomes U+FFFD.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice

from ..errors import MissingPartError

#: captions that are looked at, from the first on
LOOKED_AT = 2000
_LANGUAGES = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese"}


@lru_cache(maxsize=1 << 14)
def _script(char: str) -> str:
    """The first word of a letter's Unicode name; empty for what is no letter."""
    return unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""


def script_of(lines: Iterable[str]) -> str:
    """The script (or the language, where it tells) of most letters, where that is not the Latin one;
    otherwise an empty string.

    lines: captions; the first two thousand are looked at.
    """
    letters: Counter[str] = Counter()
    for line in islice(lines, LOOKED_AT):
        if not line.isascii():
            letters.update(map(_script, line))
        else:
            letters["LATIN"] += len(line)
    del letters[""]
    kana = letters["HIRAGANA"] + letters["KATAKANA"]
    if kana and kana + letters["CJK"] > letters.total() / 2:
        return "Japanese"
    script, most = max(letters.items(), key=lambda item: item[1], default=("LATIN", 0))
    if script in ("LATIN", "FULLWIDTH") or most <= letters.total() / 2:
        return ""
    return _LANGUAGES.get(script, script.title())


#: the tokenizer that suits a language, by its name or its ISO 639-1 code
SUITED = {"Japanese": "ja", "Chinese": "zh", "ja": "ja", "zh": "zh"}


def advice(language: str, *, english: Iterable[str], tokenizer: str) -> str:
    """What to tell somebody whose captions are in another language, or nothing where nothing is wrong.

    `english` names the measures at hand that are made for English alone.
    """
    measures = list(english)
    wrong = [*measures, *(["the tokenizer ptb"] if tokenizer == "ptb" else [])]
    if not language or not wrong:
        return ""
    suited = SUITED.get(language, "intl")
    how = f"--tokenizer {suited} with " if tokenizer == "ptb" else ""
    return (
        f"The captions are not in English ({language}), and {' and '.join(wrong)}"
        f" {'is' if len(wrong) == 1 else 'are'} made for English: the scores are not meaningful. Use"
        f" {how}BLEU, ROUGE-L or CIDEr (alone or in SODA), or sts(model=multilingual)."
    )


def dense(letter: str) -> bool:
    """Whether a letter is of a script that knows no blanks: kana, Han, and the full-width signs with them."""
    return "\u3000" <= letter <= "\u9fff" or "\uf900" <= letter <= "\uffef"


def segmenter(texts: Iterable[str]) -> Callable[[str], list[str]] | None:
    """What cuts texts of this language into its words (Japanese: phrases of a word and its particles), which
    joined give the text again; None where blanks do that already.

    >>> segmenter(["a man enters a room"]) is None
    True
    """
    language = script_of(texts)
    if language not in ("Japanese", "Chinese"):
        return None
    return _parser(language)


@lru_cache(maxsize=2)
def _parser(language: str) -> Callable[[str], list[str]]:
    try:
        import budoux
    except ImportError:
        raise MissingPartError.extra(f"Cutting {language} into words", "human") from None
    japanese = language == "Japanese"
    load = budoux.load_default_japanese_parser if japanese else budoux.load_default_simplified_chinese_parser
    parse: Callable[[str], list[str]] = load().parse
    return parse


def well_formed(lines: Sequence[str]) -> list[str]:
    """The same lines, ready for the kernels.

    >>> well_formed(["fine", "lone \\ud800"])
    ['fine', 'lone �']
    """
    out = list(lines)
    try:
        "".join(out).encode()  # one pass in C for the usual case
    except UnicodeEncodeError:
        out = [line.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for line in out]
    return out
