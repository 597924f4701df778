from __future__ import annotations

import contextlib

from hypothesis import given, strategies as st

from storymeter.errors import UsageError
from storymeter.scores import Signature, diff

FIELDS = st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=12), max_size=5)


@given(FIELDS)
def test_parse_gives_back_what_was_printed(fields: dict[str, str]) -> None:
    signature = Signature.of(fields)
    assert Signature.parse(str(signature)) == signature


@given(FIELDS, FIELDS)
def test_diff_is_empty_exactly_for_equal_fields(a: dict[str, str], b: dict[str, str]) -> None:
    assert (diff(Signature.of(a), Signature.of(b)) == {}) == (a == b)


@given(st.text(max_size=40))
def test_any_text_parses_or_is_refused(text: str) -> None:
    with contextlib.suppress(UsageError):
        Signature.parse(text)


def test_add_replaces_in_place() -> None:
    assert str(Signature.of(a=1, b=2).add(a=3, c=True)) == "a:3|b:2|c:yes"
