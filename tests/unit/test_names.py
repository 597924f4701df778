from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, strategies as st

from storymeter import PairScorer, registry
from storymeter.errors import UsageError
from storymeter.judge import Judge
from storymeter.options import Name, options_of, parse, split
from storymeter.pairs import Sts

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


#: texts with the characters of names, and those that numbers end in
TEXT = st.one_of(st.text(alphabet="a2./=+| (),é", max_size=12), st.from_regex(r"/m/v\d\.0", fullmatch=True))
#: (name, option) of every option that is text
TEXT_OPTIONS = [
    (name, key)
    for name in registry.MEASURES
    for key, option in options_of(registry.declared(name)[0]).items()
    if option.type is str
]


@given(st.sampled_from(TEXT_OPTIONS), TEXT)
def test_text_options_read_back_or_are_refused(where: tuple[str, str], text: str) -> None:
    (name, key), preset = where, registry.declared(where[0])[1].preset
    try:
        made = registry.declared(name)[0](**{key: text}, **preset)
    except UsageError as error:
        assert error.hint
        return
    assert registry.metric(made.name) == made
    nested = f"soda_c(scorer={made.name},refs=best)"
    assert split(f"{nested},meteor") == [nested, "meteor"]
    assert parse(nested).options["scorer"] == made.name


def test_two_models_have_two_names() -> None:
    assert str(Sts(model="/m/v2.0")) == "sts(model=/m/v2.0)"
    assert str(registry.metric("rouge_l(beta=2.0)")) == "rouge_l(beta=2)"
    for kept in ("/m/v2.0", "/m (1)", "model(2)", "a=b"):
        assert registry.scorer(str(Sts(model=kept))).model == kept
    for wrong in ("/a,b", "a)b", " a", "x" * 600):
        with pytest.raises(UsageError, match="model cannot be"):
            Sts(model=wrong)
    with pytest.raises(UsageError, match="prompt cannot be ''"):
        Judge(prompt="")


@pytest.mark.parametrize(
    "name", [name for name in registry.MEASURES if issubclass(registry.declared(name)[0], PairScorer)]
)
def test_every_scorer_name_prints_back(name: str) -> None:
    scorer = registry.scorer(name)
    assert registry.scorer(scorer.name).name == scorer.name
    assert scorer.traits.range[0] < scorer.traits.range[1]
