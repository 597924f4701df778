from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, strategies as st

from storymeter import PairScorer, registry
from storymeter.errors import UsageError
from storymeter.options import Name, parse, split

WORD = st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True)
VALUE = st.one_of(WORD, st.integers(0, 99).map(str), st.floats(0, 1).map(str))
NAME = st.builds(Name, WORD, st.dictionaries(WORD, VALUE, max_size=3))
NESTED = st.builds(Name, WORD, st.dictionaries(WORD, st.one_of(VALUE, NAME.map(str)), max_size=3))


@given(NESTED)
def test_a_name_parses_to_what_printed_it(name: Name) -> None:
    assert parse(str(name)) == name


@given(st.lists(NESTED.map(str), min_size=1, max_size=4))
def test_a_list_splits_where_it_was_joined(names: list[str]) -> None:
    assert split(",".join(names)) == names


@given(st.text(max_size=30))
def test_any_text_is_a_name_or_a_usage_error(text: str) -> None:
    with contextlib.suppress(UsageError):
        parse(text)


@pytest.mark.parametrize("text", ["", "a(b", "a)b(", "a(b)", "a(=1)", "a(b=1,b=2)", "1a", "a b", "a(b=1)c"])
def test_malformed_names_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


def test_unknown_names_and_options_get_a_hint() -> None:
    with pytest.raises(UsageError) as caught:
        registry.metric("capitons")
    assert "captions" in caught.value.hint
    with pytest.raises(UsageError):
        registry.metric("captions(colour=red)")


@pytest.mark.parametrize("name", sorted(registry.MEASURES))
def test_every_metric_name_prints_back(name: str) -> None:
    try:
        metric = registry.metric(name)
    except ImportError as error:
        pytest.skip(str(error))
    assert registry.metric(metric.name).name == metric.name
    assert metric.name.startswith(name.partition("(")[0])


@pytest.mark.parametrize(
    "name", [name for name in registry.MEASURES if issubclass(registry.declared(name)[0], PairScorer)]
)
def test_every_scorer_name_prints_back(name: str) -> None:
    scorer = registry.scorer(name)
    assert registry.scorer(scorer.name).name == scorer.name
    assert scorer.traits.range[0] < scorer.traits.range[1]
