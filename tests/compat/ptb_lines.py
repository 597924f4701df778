"""Random lines that are hard to tokenise: damaged sentences, abbreviations, soups of signs, numbers, quotes,
mark-up, Unicode.
"""

from __future__ import annotations

import random
from collections.abc import Callable

SENTENCES = [
    "A man in a blue t-shirt is standing on the side of the road, talking to the camera.",
    " She doesn't look at him; she's busy (very busy) with her phone...",
    "Two people can't stop laughing while they're riding the 2-seat kayak down the river.",
    'The team\'s coach shouts: "Go, go, go!" and they score at 10:30 a.m. on the 3rd.',
    "He mixes 1/2 cup of flour, 2 1/2 eggs and 3.5 oz of butter, then bakes it at 350 degrees.",
    " Mr. Smith lives in Washington D.C. and works for the U.S. The office is on Main St. near Mt. Hood.",
    "They're gonna play rock'n'roll, y'all, and we cannot wait; 'tis the season.",
    "People are seen playing beer-pong/flip-cup outside a house in the '90s.",
]


def _words(row: str, at: str | None = None) -> list[str]:
    return row.split(at)


PIECES = [
    *_words("the a He I A in of and The It dog running t-shirt"),
    *_words(
        "don't it's John's cannot gonna wanna gotta lemme gimme 'tis 'twas y'all c'mon o'clock ma'am O'Neil"
        " d'oh rock'n'roll ain't n't 'n' 'em 'til 'cause"
    ),
    *_words(
        "Mr. Mrs. Dr. St. vs. etc. Inc. Co. Ltd. Jr. al. a.m. p.m. U.S. U.K. e.g. i.e. Ph.D. D.C. J. Jan."
        " Sept. No. no. Fig. pp. Wash. wash. Pty. Bros. a.k.a. Gov."
    ),
    *_words(
        "1 2 10 90 007 1,000 3.5 .5 -5 +7 10:30 1/2 2/3 1990s 90's '90s '90 1st 2nd 50% $5 US$5 555-1234"
        " (555) 877-415-8342 12/25/2014 1-2-03 3D 4x4"
    ),
    *_words("http://a.com/b www.a.com a.com a@b.com file.txt x.py @home #tag <b> </b> <br/> <a>"),
    *_words(
        "\" ' ` `` '' ( ) [ ] { } < > << >> :) :-( ;D =P ^_^ (-_-) -_- ... .. .... - -- --- ---- , ; : . ! ?"
        " ?! !!! / \\ | ~ ^ _ * + = & @ # % $"
    ),
    *_words("&amp; &lt; &gt; &quot; &apos; &nbsp; &mdash; &eacute; &#39; &APOS; A&amp;B S&amp;P-500"),
    *_words(
        "AT&T R&B A+B C++ c# f# and/or w/o he/she mid-1990s U.S.-based jack-o-lantern foo_bar mother-in-law's"
        " anti- pro-"
    ),
    '<a href="x">',
    "<a b='c d'>",
    ". . .",
    "Co. Ltd",
    "no. 5",
    "2 1/2",
]
UNICODE = _words(
    "é ñ Ü ß İ Σ σ ç Ж я 中 文 日本 ひらがな カ 한 글 א ש م ا ه ِ ् क ไ ๆ ’ ‘ “ ” „ ‹ › « » – — ― … • · ° × ÷"
    " ½ ¼ ¾ € £ ¥ ¢ ¤ © ® ™ § ¶ ª º ² ³ ¡ ¿ ´ ¨ ｗ １ 😀 👍🏽 ‍ \u00ad \u200b \u200e \u00a0 \u3000 \ufeff"
    " \ufffd e\u0301 ﬁ Ǆ ǅ № ℃ → ∞ ≠ ♥ ☺ ª ſ \u212a ı \u2003 \u0345 Ⅷ 𐐀 ʰ ˂ ー ﬀ",
    " ",
)
SIGNS = "abcdeinstxyzABNSTYdlo0123459 .,;:!?'`\"()[]{}<>-_/\\|@#$%^&*+=~"


def _glue(rng: random.Random, pieces: list[str], blank: float) -> str:
    return "".join(piece + (" " if rng.random() < blank else "") for piece in pieces)


def damaged_sentence(rng: random.Random) -> str:
    line = rng.choice(SENTENCES)
    for _ in range(rng.randint(1, 5)):
        at = rng.randint(0, len(line))
        kind = rng.random()
        if kind < 0.5:
            line = line[:at] + rng.choice(PIECES) + line[at:]
        elif kind < 0.75:
            line = line[:at] + line[at + rng.randint(1, 3) :]
        else:
            line = line[:at] + rng.choice(SIGNS) + line[at:]
    return line


def pieces(rng: random.Random) -> str:
    return _glue(rng, rng.choices(PIECES, k=rng.randint(1, 8)), rng.choice([0.0, 0.3, 0.6, 1.0]))


def soup(rng: random.Random) -> str:
    return "".join(rng.choices(SIGNS, k=rng.randint(1, 24)))


def digits(rng: random.Random) -> str:
    return "".join(rng.choices("0123456789 00 11 555  .,:-/+()$%'x", k=rng.randint(3, 24)))


def letters_and_quotes(rng: random.Random) -> str:
    return "".join(
        rng.choices(
            [*"aeioustndlmrvyANOYIS'''` .", "'s", "n't", "'ll", "'re", "&apos;", "o'", "d'", "y'"],
            k=rng.randint(2, 14),
        )
    )


def mark_up(rng: random.Random) -> str:
    return "".join(
        rng.choices(
            [
                "<",
                ">",
                "/",
                " ",
                "a",
                "b",
                "=",
                '"',
                "'",
                "!",
                "?",
                "-",
                "@",
                ".",
                "x.com",
                "http://",
                "www.",
                "&lt;",
                "&gt;",
                "\t",
            ],
            k=rng.randint(2, 16),
        )
    )


def unicode(rng: random.Random) -> str:
    return _glue(
        rng,
        [rng.choice(UNICODE if rng.random() < 0.5 else PIECES) for _ in range(rng.randint(1, 7))],
        rng.choice([0.0, 0.4]),
    )


def recased(rng: random.Random) -> str:
    """Capitals where the lists have small letters, and the other way round; now and then a letter that is
    taken for s, k or i.
    """
    some = [
        rng.choice([str.upper, str.lower, str.capitalize, str.swapcase])(piece)
        for piece in rng.choices(PIECES, k=rng.randint(1, 6))
    ]
    line = _glue(rng, some, rng.choice([0.2, 0.8]))
    return line.translate(str.maketrans("skiSKI", "ſ\u212aıſ\u212aİ")) if rng.random() < 0.2 else line


KINDS: dict[str, Callable[[random.Random], str]] = {
    f.__name__: f
    for f in (damaged_sentence, pieces, soup, digits, letters_and_quotes, mark_up, unicode, recased)
}


def lines(seed: int, count: int, kinds: list[str] | None = None) -> list[str]:
    rng = random.Random(seed)
    makers = [KINDS[name] for name in kinds or KINDS]
    return [rng.choice(makers)(rng) for _ in range(count)]
