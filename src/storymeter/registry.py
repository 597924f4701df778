"""Every measure by name, its module loaded only when asked for; plug-ins join by entry point.

`metric("soda_c(scorer=meteor,refs=best)")` builds the metric, and its `str` builds it again.
`measure.MODULES` says only where a name is declared: naming METEOR never imports torch. A plug-in registers a
class or a function under the entry-point group `storymeter.metrics` or `storymeter.pairs`
(docs/plugins.md)."""

import functools
import importlib
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

from .errors import StorymeterError, StorymeterWarning, UsageError, suggest
from .measure import MEASURES as MEASURES, Measure, Named, trait
from .metrics import Metric
from .options import LONGEST, Name, parse, parse_options, split
from .pairs.scorer import PairScorer
from .plugins import GROUPS, place


def metric(text: str) -> Metric:
    """Builds a metric from its name; a scorer is wrapped in the metric of whole documents that uses it. A
    name may be a heading of a table, as for `read_name`.

    text: a name with its options, as in `soda_c(scorer=sts)`.

    >>> metric("bertscore(minilm,idf=true)").scorer
    BertScore(idf=True)
    """
    return as_metric(_build(read_name(text), "metric", Metric | PairScorer))


def as_metric(made: Metric | PairScorer) -> Metric:
    """A metric as it is; of a scorer the metric of whole documents that holds it."""
    if isinstance(made, Metric):
        return made
    found: Metric = importlib.import_module(".pairs.documents", __package__).TextMetric(made)
    return found


def heading(name: str) -> str:
    """How a column with the values of a measure is headed, given its name; another name stands as it is."""
    try:
        return metric(name).heading if name.partition("(")[0] in MEASURES else name
    except StorymeterError:
        return name


def read_name(text: str) -> Name:
    """A name of a measure with its options, which may be a heading of a table: the engine that a heading
    states before the options (`measure.heading_of`) is left out, also of a measure within.

    >>> str(read_name("soda_c(scorer=bertscore(minilm,idf=true))"))
    'soda_c(scorer=bertscore(idf=true))'
    """
    return parse(_without_engine(text) if len(text) <= LONGEST else text)


def _without_engine(text: str) -> str:
    """A text as it is unless it is a heading: another engine than the measure has is no option."""
    word, bracket, rest = text.strip().partition("(")
    if not bracket or not rest.endswith(")") or word not in MEASURES:
        return text
    given = split(rest[:-1])
    engine = list(itertools.takewhile(lambda part: "=" not in part, given))
    pairs = (part.partition("=") for part in given[len(engine) :])
    inner = ",".join(key + equals + _without_engine(value) for key, equals, value in pairs)
    name = f"{word}({inner})" if inner else word
    if engine:
        cls, named = declared(word)
        made = cls(**parse_options(cls, parse(name), hidden=named.preset))
        if engine != split(trait(made, "stand_in", "")):
            return text
    return name


def scorer(text: str) -> PairScorer:
    """Builds a measure that compares two sentences from its name.

    text: a name with its options, as in `bleu_2(smoothing=floor)`.
    """
    made: PairScorer = _build(read_name(text), "scorer", PairScorer)
    return made


@functools.cache
def declared(name: str) -> tuple[type[Measure], Named]:
    """The class that declares this name of ours, and what the name says."""
    module = importlib.import_module(f".{MEASURES[name]}", __package__)
    return next(
        (cls, named)
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Measure) and cls.__module__ == module.__name__
        for named in cls.declaration.names
        if named.word == name
    )


def room_of(made: Measure) -> str:
    """The room that declares a measure: 'pairs', 'dense', 'story', …; '' for plug-ins and the user's own."""
    measure = made._named_measure
    word = next((named.word for named in measure.declaration.names), "")
    ours = word in MEASURES and declared(word)[0] is type(measure)
    return MEASURES[word].partition(".")[0] if ours else ""


def _build(name: Name, what: str, wanted: Any) -> Any:
    if name.word in MEASURES:
        cls, named = declared(name.word)
        if issubclass(cls, wanted):
            return cls(**parse_options(cls, name, hidden=named.preset))
    plugins = {point.name: point for point in _plugins(what)}
    if name.word in plugins and name.word not in MEASURES:
        return _from_plugin(plugins[name.word], name, wanted, what)
    own = [word for word in MEASURES if issubclass(declared(word)[0], wanted)]
    known = [*own, *(word for word in plugins if word not in MEASURES)]
    raise UsageError(f"There is no {what} {name.word!r}.", hint=suggest(name.word, known))


def _from_plugin(point: Any, name: Name, wanted: Any, what: str) -> Any:
    where = f"the plug-in {point.value!r}"
    try:
        factory = point.load()
    except Exception as error:  # whatever a plug-in's module raises
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"{name.word}: {where} cannot be loaded: {reason}", hint="Update or remove it."
        ) from error
    options = parse_options(factory, name)
    try:
        made = factory(**options)
    except StorymeterError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"{name.word}: {where} ({place(factory)}) cannot be made: {reason}.",
            hint="docs/plugins.md shows what a metric defines.",
        ) from error
    if not isinstance(made, wanted):
        kind = "PairScorer" if what == "scorer" else "Metric"
        hint = f"It must give a storymeter.{kind}; see docs/plugins.md."
        raise UsageError(f"{name.word}: {where} gives no {what} but a {type(made).__name__}.", hint=hint)
    return made


@functools.cache
def _plugins(what: str) -> tuple[Any, ...]:
    from importlib.metadata import entry_points

    return tuple(point for group in GROUPS[what] for point in entry_points(group=group))


def shadowed(word: str) -> list[str]:
    """What is wrong with each plug-in that calls itself as a measure of Storymeter's own, which is used in
    place of it.
    """
    return [
        f"The plug-in {point.value}{f' of {point.dist.name}' if point.dist else ''} is called {word!r}, as"
        " Storymeter's own measure is, and is not used. Register it under another name."
        for point in _plugins("metric")
        if point.name == word and word in MEASURES
    ]


@functools.cache
def warn_of_shadowed(word: str) -> None:
    for sentence in shadowed(word):
        warnings.warn(sentence, StorymeterWarning, stacklevel=4)


def names_of(what: str = "metric") -> Iterator[str]:
    """Every name that can be asked for, plug-ins last."""
    yield from MEASURES
    yield from (point.name for point in _plugins(what) if point.name not in MEASURES)
