"""A measure is a value: a metric or a scorer with its options, declared once by `@measure`.

    @measure(
        Named("soda_c", "SODA: the story in order, matched and scored by IoU times words", variant="c"),
        papers=("fujita2020",),
    )
    @dataclass(frozen=True)
    class Soda(Metric):
        variant: Literal["a", "b", "c", "d"] = option("c", "what is matched and what is summed")
        scorer: PairScorer = option(Meteor(), "how alike two sentences are")

The names are data: each stands for fixed values of some options. `str` prints the name with the options that
differ from their default, `registry.metric` reads that again, equal options make equal measures, and `repr`
is Python:

>>> from storymeter.registry import scorer
>>> scorer("bleu_4(smoothing=floor)")
Bleu(4, smoothing='floor')
>>> str(scorer("bleu_4")), scorer("bleu_4") == scorer("bleu_4(smoothing=coco)")
('bleu_4', True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field
from itertools import chain
from typing import Any, ClassVar, NamedTuple, TypeVar

from .errors import UsageError
from .options import Name, Options, changed_options, options_of

T = TypeVar("T", bound="Measure")
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


class Named:
    """A name under which a measure is known: one sentence about it, and the options it stands for."""

    def __init__(self, word: str, sentence: str, **preset: Any) -> None:
        self.word, self.sentence, self.preset = word, sentence, preset


class TrainingData(NamedTuple):
    """What was trained or tuned to make a measure, and the benchmarks of `meta.benchmarks` that it thereby
    knows.
    """

    what: str
    benchmarks: tuple[str, ...] = ()


#: of a plug-in or a language model that does not say what it was trained on
NOT_STATED = "not stated"
NOTHING = "nothing"
#: of a sentence encoder that learnt from captions of Flickr30k and COCO
ENCODER_TRAINING = TrainingData(
    "encoder: captions of Flickr30k and COCO",
    ("flickr8k-expert", "flickr8k-expert-all", "thumb", "thumb-machines", "nebula", "hat", "sick"),
)


def training_of_encoder(model: str) -> TrainingData:
    """Of a sentence encoder by its option `model`: a folder of one's own does not say."""
    known = {*model.split("+")} <= {"", "minilm", "mpnet"}
    return ENCODER_TRAINING if known else TrainingData(NOT_STATED)


def training_of_all(parts: Iterable[TrainingData]) -> TrainingData:
    """What several measures together were trained on; not stated where one does not say.

    >>> training_of_all([TrainingData("nothing"), ENCODER_TRAINING]).what
    'encoder: captions of Flickr30k and COCO'
    """
    known = [part for part in dict.fromkeys(parts) if part.what != NOTHING]
    if any(part.what == NOT_STATED for part in known):
        return TrainingData(NOT_STATED)
    benchmarks = dict.fromkeys(chain.from_iterable(part.benchmarks for part in known))
    sentences = dict.fromkeys(chain.from_iterable(part.what.split("; ") for part in known))
    return TrainingData("; ".join(sentences) or NOTHING, tuple(benchmarks))


class Declaration(NamedTuple):
    """What `@measure` says of a class: names, and keys of papers in `storymeter.papers.PAPERS`."""

    names: tuple[Named, ...] = ()
    papers: tuple[str, ...] = ()


class Measure(Options):
    """What metrics and scorers have in common: a name that follows from the options.

    A class of the user's own may do without `@measure`: it sets the class attribute `name`.
    """

    declaration: ClassVar[Declaration] = Declaration()
    #: set on each class that is a part of Storymeter, and not inherited: see `is_own`
    _own: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.declaration.names:
            declared = options_of(type(self))
            for key, value in self._stated()[1]:
                declared[key].check_readable(value, self._owner())

    @property
    def _named_measure(self) -> Measure:
        """The measure whose name and declaration this one has."""
        return self

    @property
    def name(self) -> str:
        """Reads back to an equal measure: `storymeter.registry.metric(name)`."""
        if not self.declaration.names:
            return type(self).__name__.lower()
        (word, stated), declared = self._stated(), options_of(type(self))
        return str(Name(word, {key: declared[key].print(value) for key, value in stated}))

    def _stated(self) -> tuple[str, list[tuple[str, Any]]]:
        """The word of the name whose options this measure has, and the options that it states beside them."""
        names = self.declaration.names
        fits = (each for each in names if all(getattr(self, key) == v for key, v in each.preset.items()))
        if (found := next(fits, None)) is None:
            raise UsageError(
                f"{type(self).__name__}: none of its names ({', '.join(each.word for each in names)}) has"
                f" these options: {', '.join(f'{key}={value!r}' for key, value in vars(self).items())}.",
                hint="Declare one Named without options fixed by it.",
            )
        return found.word, [
            (key, value)
            for key, each in options_of(type(self)).items()
            if key not in found.preset and ((value := getattr(self, key)) != each.default or each.always)
        ]

    def _owner(self) -> str:
        names = self.declaration.names
        return names[0].word if len(names) == 1 else type(self).__name__

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        names = self.declaration.names
        hidden: Mapping[str, Any] = names[0].preset if names else {}
        shown = [repr(getattr(self, key)) for key in hidden]
        shown += [f"{key}={value!r}" for key, value in changed_options(self).items() if key not in hidden]
        return f"{type(self).__name__}({', '.join(shown)})"


def is_own(cls: type) -> bool:
    """Whether a class is a part of Storymeter, and not of a plug-in or a program of the user's."""
    return bool(vars(cls).get("_own", False))


def trait(measure: object, key: str, default: Any = None) -> Any:
    """What is declared of a scorer in its `traits`, and of a metric on its class."""
    return getattr(getattr(measure, "traits", measure), key, default)


def heading_of(measure: Measure) -> str:
    """The name above a column of values: with the engine where it is not the original's, such as
    `bertscore(minilm)`. `registry.read_name` reads it, too.
    """
    if not measure.declaration.names:
        return measure.name
    declared, stand_in = options_of(type(measure)), trait(measure, "stand_in", "")
    word, stated = measure._stated()
    inner = [
        f"{key}={heading_of(value) if isinstance(value, Measure) else declared[key].print(value)}"
        for key, value in stated
        if value != stand_in
    ]
    inner = [stand_in, *inner] if stand_in else inner
    return word + (f"({','.join(inner)})" if inner else "")


def trained_by_default(measure: Measure) -> TrainingData:
    """Of a measure that does not say what it was trained on, with the measures in its options."""
    own = is_own(type(measure)) and not trait(measure, "asks", False)
    inner = (training_of(value) for value in vars(measure).values() if isinstance(value, Measure))
    return training_of_all([TrainingData(NOTHING if own else NOT_STATED), *inner])


def training_of(measure: Any) -> TrainingData:
    """What was used to train or tune a measure: metrics state it themselves, scorers in their traits."""
    stated = measure.traits.trained_on if hasattr(measure, "traits") else measure.trained_on
    found: TrainingData = stated or trained_by_default(measure)
    return found


def asks_anyone(measure: Measure) -> bool:
    """Whether it, or a measure in its options, asks a language model, which costs money."""
    inner = (value for value in vars(measure).values() if isinstance(value, Measure))
    return bool(trait(measure, "asks", False)) or any(map(asks_anyone, inner))


def measure(*names: Named, papers: tuple[str, ...] = ()) -> Callable[[type[T]], type[T]]:
    """Makes a frozen dataclass known under these names; stands above `@dataclass(frozen=True)`."""

    def declare(cls: type[T]) -> type[T]:
        if lacking := [key for key, value in vars(cls).items() if isinstance(value, Field)]:
            raise TypeError(
                f"{cls.__name__}: @dataclass(frozen=True) is missing below @measure ({lacking[0]})."
            )
        cls.declaration = Declaration(names, papers)
        cls._own = cls.__module__ == f"{__package__}.{MEASURES.get(names[0].word)}"
        cls.__repr__ = Measure.__repr__  # type: ignore[method-assign]
        return cls

    return declare
