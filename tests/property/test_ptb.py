"""What holds for every text: the tokeniser is deterministic, does not depend on threads or neighbours, and
survives hostility.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from storymeter.text import ptb

PUNCTUATION = {"''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"}
LINES = st.text(
    st.one_of(st.sampled_from("abtnsT019 .,'`\"()<>-_/&@#$:;!?"), st.characters()), max_size=60
)  # lone surrogates too


@settings(deadline=None, max_examples=200)
@given(st.lists(LINES, max_size=8))
def test_threads_and_neighbours_do_not_matter(lines: list[str]) -> None:
    together = ptb.tokenize_joined(lines, punctuation=True, jobs=1)
    assert ptb.tokenize_joined(lines, punctuation=True, jobs=3) == together
    assert [ptb.tokenize_joined([line], punctuation=True)[0] for line in lines] == together


@settings(deadline=None, max_examples=200)
@given(LINES)
def test_tokens_hold_no_blank_and_only_punctuation_is_dropped(line: str) -> None:
    (every,) = ptb.tokenize([line], punctuation=True)
    assert all(token and not set(token) & set(" \t\r\n\f\v") for token in every)
    assert ptb.tokenize([line], punctuation=False) == [[token for token in every if token not in PUNCTUATION]]
    assert ptb.tokenize_joined([line], punctuation=True) == [" ".join(every)]


MEGABYTE, LONG = 1_000_000, 500_000
HOSTILE = [
    "<",
    "'",
    "-",
    ".",
    "7",
    "a.",
    "a",
    "&",
    "@",
    "a@",
    "word ",
    "\0",
    "\ud800",
    "😀",
    "שלום ",
    "\u00ad",
    "<a b='",
    "<a b=\"<a b='",
    "<!x",
    "</a",
    "http://",
    "www.*a.b",
    "a*a.",
    "a.com/-",
    "a.1.",
    "a,",
    "'a",
    "n't",
    "&apos;",
    "U.S. The ",
    "a. ",
    "x-U.S.",
    "555-",
    "aΣ",
    "\u0345Σ",
    "א.Σ",
    "\u0345",
    "www.a./",
    "a@b.",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_half_a_megabyte_of_one_thing_takes_linear_time(piece: str) -> None:
    line = (piece * (LONG // len(piece) + 1))[:LONG]

    def seconds(text: str) -> float:
        start = time.process_time()
        ptb.tokenize_joined([text], punctuation=True, jobs=1)
        return time.process_time() - start

    # A quadratic rule would need 16 times as long for four times the text, and minutes for the whole.
    assert seconds(line) < 12 * min(seconds(line[: LONG // 4]) for _ in range(2)) + 0.5


def test_a_hundred_thousand_identical_words() -> None:
    assert ptb.tokenize(["word " * 100_000], punctuation=True) == [["word"] * 100_000]
    assert ptb.tokenize_joined(["a dog."] * 100_000, punctuation=False) == ["a dog"] * 100_000


SENTENCE = "A dog, 2 cats & a bird don't run (yet). "
ODD = {
    "nul": ("a\0b \0 c\0", "a b c"),
    "nothing but nul": ("\0" * 1000, ""),
    "lone surrogates": ("a \ud800 b\udfff \udc00\ud800c", "a b c"),
    "emoji only": ("😀 👍🏽👨\u200d👩\u200d👧 😀", ""),
    "right to left": ("كلب يركض، \u202eשלום\u202c dog", "كلب يركض ، שלום dog"),
    "what no rule knows": ("a\0b \ud800c 😀 \u200bd", "a b c d"),
    "a megabyte of sentences": (
        SENTENCE * 25_000,
        " ".join(["a dog , 2 cats & a bird do n't run -lrb- yet -rrb- ."] * 25_000),
    ),
    "a megabyte without a blank": ("x" * MEGABYTE, "x" * MEGABYTE),
    "a megabyte of capitals and dots": ("A." * (MEGABYTE // 2), "a." * (MEGABYTE // 2)),
    "one word 100,000 times": ("word " * 100_000, " ".join(["word"] * 100_000)),
    "one word 100,000 times, cut by wide blanks": ("word\u3000" * 100_000, " ".join(["word"] * 100_000)),
    "100,000 apostrophes": ("'" * 100_000, " ".join(["''"] * 50_000)),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_text_has_these_tokens_in_little_time(name: str) -> None:
    line, tokens = ODD[name]
    begin = time.process_time()
    found = ptb.tokenize_joined([line, "a", line], punctuation=True)
    assert time.process_time() - begin < 10  # about 0.1 s
    assert found == [tokens, "a", tokens]
