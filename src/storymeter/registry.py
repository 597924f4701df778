"""Every metric and scorer by name, loaded only when asked for; plug-ins join by entry point.

`metric("soda_c(scorer=meteor,refs=best)")` builds the metric, and `str` of its name builds it again. The tables hold
`module:attribute` strings, so that naming a metric never imports torch. A plug-in registers a factory under the
entry-point group `storymeter.metrics` or `storymeter.pairs`.
"""

from __future__ import annotations

import importlib
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from .errors import UsageError, closest
from .metric import Metric
from .names import Name, parse

if typing.TYPE_CHECKING:
    from .pairs.base import PairScorer


class Entry(NamedTuple):
    """Where a thing lives, the options its short name stands for, and one sentence for the documentation."""

    target: str
    preset: Mapping[str, str]
    sentence: str


#: name -> entry, for `--metric` and `storymeter.evaluate`
METRICS: dict[str, Entry] = {
    "captions": Entry("storymeter.dense.counts:Captions", {}, "captions per document"),
    "words": Entry("storymeter.dense.counts:Words", {}, "words per caption"),
    "coverage": Entry("storymeter.dense.counts:TimeCoverage", {}, "share of the video that some caption speaks of"),
    "overlap": Entry("storymeter.dense.counts:Overlap", {}, "share of the told time that is told more than once"),
    "rovist_nr": Entry("storymeter.story.redundancy:NonRedundancy", {}, "a story's non-redundancy (RoViST-NR)"),
}

#: name -> entry, for `scorer=`
SCORERS: dict[str, Entry] = {}


def metric(text: str) -> Metric:
    return typing.cast(Metric, _build(parse(text), METRICS, "storymeter.metrics", "metric"))


def scorer(text: str) -> PairScorer:
    return typing.cast("PairScorer", _build(parse(text), SCORERS, "storymeter.pairs", "scorer"))


def _build(name: Name, table: Mapping[str, Entry], group: str, what: str) -> object:
    entry = table.get(name.word)
    if entry is not None:
        module, _, attribute = entry.target.partition(":")
        factory = getattr(importlib.import_module(module), attribute)
        return factory(**_convert(factory, {**entry.preset, **name.options}, name, hidden=entry.preset))
    plugins = {point.name: point for point in _plugins(group)}
    if name.word in plugins:
        factory = plugins[name.word].load()
        return factory(**_convert(factory, name.options, name))
    raise UsageError(f"There is no {what} {name.word!r}.", hint=closest(name.word, [*table, *plugins]))


def _plugins(group: str) -> Iterator[Any]:
    from importlib.metadata import entry_points

    yield from entry_points(group=group)


def _convert(factory: Callable[..., Any], options: Mapping[str, str], name: Name, hidden: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Option strings to the types that the factory's signature declares: int, float, bool, str, or a scorer."""
    call = factory.__init__ if inspect.isclass(factory) else factory
    known = {key: p for key, p in inspect.signature(call).parameters.items() if key != "self"}
    hints = typing.get_type_hints(call, localns=_late_types())
    out: dict[str, Any] = {}
    for key, text in options.items():
        if key not in known or (hidden and key in hidden and key in name.options):
            raise UsageError(f"{name.word} has no option {key!r}.", hint=closest(key, [k for k in known if k not in (hidden or {})]) if known else "It takes none.")
        out[key] = _typed(text, hints.get(key, str), f"{name.word}({key}={text})")
    return out


def _late_types() -> dict[str, Any]:
    from .pairs.base import PairScorer

    return {"PairScorer": PairScorer}


def _typed(text: str, wanted: Any, where: str) -> Any:
    choices = typing.get_args(wanted) if typing.get_origin(wanted) is typing.Literal else ()
    kinds = {wanted, *typing.get_args(wanted)}
    if choices:
        if text not in choices:
            raise UsageError(f"{where}: {text!r} is not one of {', '.join(map(str, choices))}.", hint="Choose one of these.")
        return text
    if _late_types()["PairScorer"] in kinds:
        return scorer(text)
    if bool in kinds:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise UsageError(f"{where}: {text!r} is neither true nor false.", hint="Write true or false.")
        return text.lower() in ("true", "yes")
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                if number is int and float in kinds:
                    continue
                raise UsageError(f"{where}: {text!r} is not a number.", hint="Write a number.") from None
    return text
