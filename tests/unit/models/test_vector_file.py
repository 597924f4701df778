"""Word vectors as they come: GloVe's own, word2vec's with a header, fastText's with blanks at the end; and
what is none.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from storymeter.errors import DataError
from storymeter.models import word_vectors


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    "text",
    [
        "the 1 2 3\na 4 5 6\nat home 7 8 9\n",
        "3 3\nthe 1 2 3\na 4 5 6\nat home 7 8 9\n",
        "the 1 2 3 \r\na 4 5 6 \r\nat home 7 8 9 \r\n",
        "\ufeffthe 1 2 3\n\na 4 5 6\nat home 7 8 9",
    ],
    ids=["glove", "word2vec", "blanks", "mark"],
)
def test_every_dialect_says_the_same(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.txt").write_text(text, newline="")
    vectors = word_vectors.VectorFile(tmp_path / "v.txt")
    assert vectors.table.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]] and list(vectors.places) == [
        "the",
        "a",
        "at home",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "the\n",
        "the 1 2 3\na 4 5\n",
        "the 1 nan 3\na 4 5 6\n",
        "the 1 1e999 3\na 4 5 6\n",
        "to be or not\nto be or what\n",
    ],
)
def test_what_is_no_vector_is_named_and_nothing_is_kept_of_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.txt").write_text(text)
    with pytest.raises(DataError):
        word_vectors.VectorFile(tmp_path / "v.txt")
    assert not list((tmp_path / "cache").glob("*.npy"))
