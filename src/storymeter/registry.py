"""Every measure by name, its module loaded only when asked for; plug-ins join by entry point.

`metric("soda_c(scorer=meteor,refs=best)")` builds the metric, and its `str` builds it again. `MODULES` says
only where a name is declared: naming METEOR never imports torch. A plug-in registers a class or a function
under the entry-point group `storymeter.metrics` or `storymeter.pairs` (docs/plugins.md)."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .errors import StorymeterError, StorymeterWarning, UsageError, suggest
from .measure import Measure, Named
from .metrics import Metric
from .options import Name, parse, parse_options

if TYPE_CHECKING:
    from .pairs.scorer import PairScorer

#: module -> the names that it declares
MODULES: dict[str, str] = {
    "dense.soda": "soda_a soda_b soda_c soda_d",
    "dense.activitynet": "anet",
    "dense.localisation": "localisation start_distance",
    "dense.paragraph": (
        "paragraph_bleu_4 paragraph_meteor paragraph_rouge_l paragraph_cider"
        " paragraph_distinct_1 paragraph_distinct_2 paragraph_repetition_4"
    ),
    "dense.counts": "captions words coverage overlap",
    "pairs.meteor": "meteor",
    "pairs.cider": "cider cider_d",
    "pairs.bleu": "bleu_1 bleu_2 bleu_3 bleu_4",
    "pairs.rouge": "rouge_l",
    "pairs.diversity": "self_bleu distinct_1 distinct_2 repetition_4",
    "pairs.sts": "sts",
    "pairs.bertscore": "bertscore",
    "pairs.facts": "facts",
    "pairs.spice": "spice",
    "pairs.wmd": "wmd",
    "judge.scorer": "judge",
    "story.rovist": "rovist",
    "story.grounding": "rovist_vg",
    "story.coherence": "rovist_c",
    "story.redundancy": "rovist_nr",
    "story.tiger": "tiger",
    "story.clipscore": "clipscore refclipscore",
    "story.emscore": "emscore",
}
#: name -> module
MEASURES: dict[str, str] = {name: module for module, names in MODULES.items() for name in names.split()}
GROUPS = {"metric": ("storymeter.metrics", "storymeter.pairs"), "scorer": ("storymeter.pairs",)}


def metric(text: str) -> Metric:
    """Any measure; a scorer of sentence pairs is a metric of whole documents too. A name may be a heading,
    which has the engine of the default in it.

    text: a name with its options, as in `soda_c(scorer=sts)`.

    >>> metric("bertscore(minilm,idf=true)")
    BertScore(idf=True)
    """
    made: Metric = _build(parse(_without_engine(text)), "metric", Metric)
    return made


def heading(name: str) -> str:
    """How a column with the values of a measure is headed, given its name; another name stands as it is."""
    try:
        return metric(name).heading if name.partition("(")[0] in MEASURES else name
    except StorymeterError:
        return name


def _without_engine(text: str) -> str:
    word, _, options = text.strip().partition("(")
    if not options or word not in MEASURES or "=" in options.partition(",")[0]:
        return text
    cls, named = declared(word)
    engine = cls(**named.preset).stand_in
    rest = options.removeprefix(engine).removeprefix(",")
    return f"{word}({rest}".replace("()", "") if engine and options.startswith(engine) else text


def scorer(text: str) -> PairScorer:
    """A measure that compares two sentences.

    text: a name with its options, as in `bleu(n=2)`.
    """
    from .pairs.scorer import PairScorer

    made: PairScorer = _build(parse(text), "scorer", PairScorer)
    return made


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
    word = next((named.word for named in type(made).declaration.names), "")
    ours = word in MEASURES and declared(word)[0] is type(made)
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
    except Exception as error:  # whatever a stranger's module raises
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
        from .plugins import place

        reason = f"{type(error).__name__}: {error}"
        raise UsageError(
            f"{name.word}: {where} ({place(factory)}) cannot be made: {reason}.",
            hint="docs/plugins.md shows what a metric defines.",
        ) from error
    if not isinstance(made, wanted):
        hint = f"It must give a storymeter.{wanted.__name__}; see docs/plugins.md."
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
