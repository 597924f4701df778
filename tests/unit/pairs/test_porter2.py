"""The stemmer against snowballstemmer 2.2.0, the last version of the algorithm that METEOR uses, on words of
METEOR's lists and made-up endings.
"""

from __future__ import annotations

from importlib.metadata import version

import pytest

from storymeter import _native
from storymeter.pairs import meteor_compile


def test_stems_of_the_word_lists() -> None:
    snowballstemmer = pytest.importorskip("snowballstemmer")
    if version("snowballstemmer").startswith("3"):
        pytest.skip("snowballstemmer 3 has another algorithm")
    read_list, _ = meteor_compile.lists_and_paraphrases()
    words = {
        word
        for name in meteor_compile.LISTS
        for word in read_list(name).decode().split()
        if not word.isdigit()
    }
    words = set(sorted(words)[::25])
    words |= {
        f"{word}{end}"
        for word in sorted(words)[::7]
        for end in ("'s", "s'", "ing", "edly", "ation", "y", "'")
    }
    reference = snowballstemmer.stemmer("english")
    wrong = [
        (word, _native.porter2(word), stem)
        for word, stem in zip(words, reference.stemWords(list(words)), strict=True)
        if _native.porter2(word) != stem
    ]
    assert not wrong
