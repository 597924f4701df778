"""The kernel that looks for doubled keys never misses one, and counts the depth, of any JSON text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, strategies as st

from storymeter._native import json_facts

keys = st.sampled_from(["a", "b", "ab", '"', "\\", "ü", "", "a" * 9, "a" * 8 + "b"])
pairs = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(keys, inner), max_size=20).map(tuple),
    max_leaves=30,
)


def _text(value: Any) -> str:
    """Tuples of pairs are objects, which may hold a key twice."""
    if isinstance(value, tuple):
        return "{" + ",".join(f"{json.dumps(k)} : {_text(v)}" for k, v in value) + "}"
    return f"[{','.join(map(_text, value))}]" if isinstance(value, list) else json.dumps(value)


@given(pairs)
def test_against_the_decoder_of_python(value: Any) -> None:
    text = _text(value)
    doubled, escaped = [], []

    def hook(found: list[tuple[str, Any]]) -> dict[str, Any]:
        doubled.append(len({k for k, _ in found}) < len(found))
        escaped.append(any("\\" in json.dumps(k)[1:-1] for k, _ in found))
        return dict(found)

    decoded = json.loads(text, object_pairs_hook=hook)
    depth, doubtful = json_facts(text.encode())
    assert doubtful == (any(doubled) or any(escaped))
    assert depth == _depth(decoded) or any(doubled)  # a value that a later one replaced may have been deeper


def _depth(value: Any) -> int:
    if isinstance(value, dict | list):
        return 1 + max((_depth(v) for v in (value.values() if isinstance(value, dict) else value)), default=0)
    return 0


@given(st.binary(max_size=100))
def test_any_bytes(data: bytes) -> None:
    depth, _ = json_facts(data)
    assert 0 <= depth <= len(data)
